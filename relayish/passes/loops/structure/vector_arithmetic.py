"""Vector arithmetic: operators on vectors and scalars side by side, in the form that says most.

Sums, differences and products of ramps and scalars are ramps again, because integers wrap around:
``(b + k * s) * c`` is ``b * c + k * (s * c)`` for each lane ``k``. Quotients and remainders of
ramps are not, and are left lane by lane. What a lane counts for is an expression, unlike
coefficients of linear forms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from relayish.passes.loops.structure.invariance import literal_value
from relayish.tir.analysis.values.interval import wrap_integer
from relayish.tir.ir.operators import Add, BinaryOpNode, Broadcast, Expr, Mul, Ramp, Sub, const


def spread(value: Expr, lanes: int) -> Expr:
    """Return ``value`` if it is a vector, else the vector of which it is each element."""
    return value if value.type.lanes > 1 else Broadcast(value, lanes)


def spread_all(values: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the values with as many lanes as one of them has: themselves, if none is a vector."""
    lanes = max([value.type.lanes for value in values], default=1)
    return tuple(values) if lanes == 1 else tuple([spread(value, lanes) for value in values])


def binary(kind: type[BinaryOpNode], a: Expr, b: Expr) -> Expr:
    """Return ``kind(a, b)``, where one may be a vector and the other a scalar.

    Example:
        >>> from relayish.tir.ir.tensor import Var
        >>> i, j = Var("i"), Var("j")
        >>> found = binary(Sub, j, Ramp(i, const(2), 4))
        >>> found.base.a is j, found.base.b is i, found.stride.value, found.lanes
        (True, True, -2, 4)
    """
    if a.type.lanes == b.type.lanes == 1:
        return _scalar(kind, a, b)
    ramp = _ramp(kind, a, b)
    return kind(*spread_all((a, b))) if ramp is None else ramp


def _ramp(kind: type[BinaryOpNode], a: Expr, b: Expr) -> Expr | None:
    """Return the ramp that is ``kind(a, b)``, if ramps and scalars make one."""
    left, right = _progression(a), _progression(b)
    if left is None or right is None:
        return None
    lanes = max(a.type.lanes, b.type.lanes)
    if kind is Add or kind is Sub:
        base = _scalar(kind, left[0], right[0])
        return Ramp(base, _scalar(kind, left[1], right[1]), lanes)
    if kind is not Mul or (isinstance(a, Ramp) and isinstance(b, Ramp)):
        return None
    if isinstance(b, Ramp):
        left, right = right, left
    return Ramp(_scalar(Mul, left[0], right[0]), _scalar(Mul, left[1], right[0]), lanes)


def _progression(value: Expr) -> tuple[Expr, Expr] | None:
    """Return the first element and the step of a ramp, or of what is the same in all lanes."""
    if isinstance(value, Ramp):
        return value.base, value.stride
    if isinstance(value, Broadcast):
        value = value.value
    if value.type.lanes > 1 or not value.type.is_integer or value.type.is_bool:
        return None
    return value, const(0, value.type)


def _scalar(kind: type[BinaryOpNode], a: Expr, b: Expr) -> Expr:
    """Return ``kind(a, b)`` of scalars, computed where both are integers that are known."""
    left, right = literal_value(a), literal_value(b)
    if not a.type.is_integer or a.type.is_bool:
        return kind(a, b)
    if left is not None and right is not None and kind in _EXACT:
        return const(wrap_integer(_EXACT[kind](left, right), a.type), a.type)
    if right == 0 and kind in (Add, Sub):
        return a
    if left == 0 and kind is Add:
        return b
    if kind is Mul and 1 in (left, right):
        return b if left == 1 else a
    return kind(a, b)


_EXACT: Final[Mapping[type[Expr], Callable[[int, int], int]]] = {
    Add: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
}
