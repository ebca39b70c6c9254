"""Types of functions, and types of functions within others."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.expr import Var
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import FuncType, Type


def has_function_type(ty: Type | None) -> bool:
    """Return whether a function type stands anywhere in ``ty``.

    Complexity:
        Linear in the number of distinct types in ``ty``.
    """
    return ty is not None and any(type(part) is FuncType for part in TYPES.pre_order(ty))


def function_type(params: Sequence[Var], result: Type | None) -> FuncType | None:
    """Return the type of a function of ``params``; ``None`` where they do not carry all of it."""
    told = [ty for ty in [param.checked_type for param in params] if ty is not None]
    if result is None or len(told) != len(params):
        return None
    return FuncType(tuple(told), result)
