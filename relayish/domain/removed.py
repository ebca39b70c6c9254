"""The result of handlers for statements that are to be left out."""

from __future__ import annotations

from typing import Final


class Removed:
    """The class of :data:`REMOVED`, of which there is one object."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "REMOVED"


REMOVED: Final = Removed()
"""What a handler returns for a statement that is to be left out of its block."""
