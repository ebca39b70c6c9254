"""Operators that make zeros and ones, or need not look at their elements."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag
from typing import Final

import numpy as np

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr, Var
from relayish.ir.relay.type import SizeVar, TensorType, Type
from relayish.op.declaration.registry import relay_op


class Known(IntFlag):
    """What a cell may hold besides a tensor that was made."""

    NOTHING = 0
    ZERO = 1
    ONE = 2


def _classify_fill(call: Call) -> Known:
    """Return what a call of ``full`` or ``full_like`` makes."""
    value = call.args[-1] if call.op is _FULL_LIKE else call.args[0]
    if not isinstance(value, Constant) or not isinstance(value.data, (np.ndarray, np.generic)):
        return Known.NOTHING
    if value.data.ndim:
        return Known.NOTHING
    return Known.ZERO if value.data == 0 else Known.ONE if value.data == 1 else Known.NOTHING


_FULL_LIKE: Final = relay_op("full_like")

_INITIALISERS: Final[dict[Expr, Callable[[Call], Known]]] = {
    relay_op("zeros"): lambda _: Known.ZERO,
    relay_op("zeros_like"): lambda _: Known.ZERO,
    relay_op("ones"): lambda _: Known.ONE,
    relay_op("ones_like"): lambda _: Known.ONE,
    relay_op("full"): _classify_fill,
    _FULL_LIKE: _classify_fill,
}
"""Operators that fill tensors, and what with."""

CONSTRUCTORS: Final = {Known.ZERO: "Zero", Known.ONE: "One"}
"""The constructors of the cells of what is not made yet."""

OVERLOADED: Final[dict[Expr, str]] = {
    relay_op("add"): "AddGradCell",
    relay_op("multiply"): "MultiplyGradCell",
}
"""Operators that need not look at the elements of zeros or ones, and the functions that do not."""


def sum_of(lhs: Known, rhs: Known) -> tuple[bool, Known]:
    """Return whether a sum may be had without adding, and what it may be then."""
    found = Known.NOTHING
    if lhs & Known.ZERO:
        found |= rhs
    if rhs & Known.ZERO:
        found |= lhs
    return bool((lhs | rhs) & Known.ZERO), found


def product_of(lhs: Known, rhs: Known) -> tuple[bool, Known]:
    """Return whether a product may be had without multiplying, and what it may be then."""
    found = lhs & rhs & Known.ZERO
    if lhs & Known.ONE:
        found |= rhs
    if rhs & Known.ONE:
        found |= lhs
    return bool((lhs | rhs) & Known.ONE or found), found


COMBINED: Final[dict[Expr, Callable[[Known, Known], tuple[bool, Known]]]] = {
    relay_op("add"): sum_of,
    relay_op("multiply"): product_of,
}
"""For operators that are overloaded: what comes of what is known of their operands."""

_UNCHANGED: Final = frozenset(
    relay_op(name)
    for name in ("broadcast_to_like", "cast_like", "collapse_sum_like", "reshape_like")
)
"""Operators that return their first argument where it has the type of the result."""


def initialises(call: Call) -> Known:
    """Return what ``call`` makes a tensor of."""
    known = _INITIALISERS.get(call.op)
    if known is None or type(call.checked_type) is not TensorType:
        return Known.NOTHING
    return known(call)


def is_overloaded(call: Call) -> bool:
    """Return whether ``call`` combines two tensors of its own type, element by element."""
    return call.op in OVERLOADED and len(call.args) == 2 and _of_its_type(call, call.args)


def passes_on(call: Call) -> bool:
    """Return whether ``call`` returns its first argument, and evaluates nothing else."""
    if call.op not in _UNCHANGED or not _of_its_type(call, call.args[:1]):
        return False
    return all(type(arg) in (Var, Constant) for arg in call.args[1:])


def _of_its_type(call: Call, args: tuple[Expr, ...]) -> bool:
    """Return whether ``args`` have the type of ``call``, whatever sizes there are."""
    ty = call.checked_type
    return _has_sizes(ty) and all(structural_equal(arg.checked_type, ty) for arg in args)


def _has_sizes(ty: Type | None) -> bool:
    """Return whether two tensors of this type have the same sizes."""
    if type(ty) is not TensorType:
        return False
    return all(isinstance(size, (int, SizeVar)) for size in ty.shape)
