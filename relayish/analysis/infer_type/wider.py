"""Types of which less is known than of others: what stands where either may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.ir.kind_table import KindTable
from relayish.ir.relay.type import Type

IsWider: TypeAlias = Callable[[Any, Type], bool]  # Any: a type of the kind
"""``is_wider(ty, other)``: whether every value of type ``other`` is one of ``ty``."""

WIDER: Final[KindTable[IsWider]] = KindTable(
    "types of which less is known", "relay.analysis.register_wider_type"
)


def register_wider_type(kind: type[Type], is_wider: IsWider, *, replace: bool = False) -> IsWider:
    """Tell type inference that types of class ``kind`` stand for others as well.

    Where such a type meets one that it stands for, the result is the wider of both, as it is
    ``Any`` where that meets the size of a dimension.

    Args:
        kind: A class of types that a package declares.
        is_wider: ``is_wider(ty, other)`` is asked with a type of the kind, and one of another kind.
        replace: Take the place of what was registered before.

    Raises:
        DuplicateNameError: If something is registered for the kind.
    """
    WIDER.register(kind, is_wider, replace=replace, by=is_wider)
    return is_wider


def find_wider(one: Type, other: Type) -> Type | None:
    """Return that of two types of different kinds which stands for both, ``None`` if none does."""
    for ty, narrow in ((one, other), (other, one)):
        is_wider = WIDER.get(type(ty))
        if is_wider is not None and is_wider(ty, narrow):
            return ty
    return None
