"""Function types within types."""

from __future__ import annotations

from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import FuncType, Type


def has_function_type(ty: Type | None) -> bool:
    """Return whether a function type stands anywhere in ``ty``.

    Complexity:
        Linear in the number of distinct types in ``ty``.
    """
    return ty is not None and any(type(part) is FuncType for part in TYPES.pre_order(ty))
