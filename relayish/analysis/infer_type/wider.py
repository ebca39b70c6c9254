"""Types of which less is known than of others: what stands where either may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.relay.type import Type

IsWider: TypeAlias = Callable[[Any, Type], bool]  # Any: a type of the kind
"""``is_wider(ty, other)``: whether every value of type ``other`` is one of ``ty``.

It is asked with a type of the kind, and one of another kind. Where such a type meets one that it
stands for, the result is the wider of both, as it is ``Any`` where that meets a known size."""

WIDER_TYPES: Final[KindTable[IsWider]] = KindTable(
    "types of which less is known", "relay.analysis.WIDER_TYPES"
)


def find_wider(one: Type, other: Type) -> Type | None:
    """Return that of two types of different kinds which stands for both, ``None`` if none does."""
    for ty, narrow in ((one, other), (other, one)):
        is_wider = WIDER_TYPES.get(type(ty))
        if is_wider is not None and is_wider(ty, narrow):
            return ty
    return None
