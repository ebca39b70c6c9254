"""Symbols that stand for the least and the greatest state where no value does."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias


class Extreme(Enum):
    """The type of :data:`BOTTOM` and :data:`TOP`."""

    BOTTOM = "bottom"
    TOP = "top"

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


class Unreachable(Enum):
    """The type of :data:`UNREACHABLE`."""

    UNREACHABLE = "unreachable"

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


BOTTOM: Final = Extreme.BOTTOM
"""No value: none has come yet."""
TOP: Final = Extreme.TOP
"""Any value: nothing is known."""
UNREACHABLE: Final = Unreachable.UNREACHABLE
"""Stands for the state where control never comes: no edge passes it on."""

IsBottom: TypeAlias = Literal[Extreme.BOTTOM]
