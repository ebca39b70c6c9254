"""Trip counts: how often a loop with a condition and a constant step runs its body.

The condition is a comparison of the variable with a bound, or a conjunction of such. Numbers wrap
around at their width, so a count is given only where the variable provably does not on its way, and
the count itself is computed without overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.errors import PassError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.passes.loops.structure.invariance import literal_value
from relayish.tir.analysis import Interval
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import PolyFor
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import INT64, Type
from relayish.tir.substitution import LOOPS

IntervalOf = Callable[[Expr], Interval]
"""What an integer expression is at least and at most."""

_Comparison: TypeAlias = type[ops.ComparisonNode]

_ORDERS: Final = frozenset[type[Node]]({ops.LT, ops.LE, ops.GT, ops.GE})


class TripCount(NamedTuple):
    """How often a loop runs.

    Attributes:
        trips: An expression; where it is not positive, the loop does not run.
        step: By how much the variable changes each time, a signed number.
    """

    trips: Expr
    step: int


class _Bound(NamedTuple):
    """``variable kind limit``, where ``kind`` is one of the four comparisons of order."""

    kind: _Comparison
    limit: Expr

    @property
    def is_inclusive(self) -> bool:
        return self.kind in (ops.LE, ops.GE)

    @property
    def is_upper(self) -> bool:
        return self.kind in (ops.LT, ops.LE)


def trip_count(loop: PolyFor, init: Expr, interval_of: IntervalOf) -> TripCount:
    """Return how often ``loop`` runs.

    Args:
        loop: A loop whose bounds do not change while it runs.
        init: What its variable begins with, which may be computed again.
        interval_of: Tells where values of expressions lie.

    Raises:
        PassError: Saying what stands in the way.
    """
    bounds, others = _split(loop)
    step = _step(loop, bounds)
    counted = [bound for bound in bounds if bound.is_upper == (step > 0)]
    if not counted:
        raise PassError(
            f"nothing bounds {loop.iterator.name} on the side to which its step of {step} moves it"
        )
    ty = loop.iterator.type
    _check_no_wrap(loop, init, step, counted, interval_of)
    lengths = [_Length(init, bound, step, ty, interval_of) for bound in counted]
    wide = any(length.fits is None for length in lengths)
    if wide and ty.bits >= 64:
        raise PassError(f"its trip count may be out of range of {ty}")
    count = lengths[0].make(wide=wide)
    for length in lengths[1:]:
        count = _smaller(count, length.make(wide=wide))
    for bound in bounds:
        if bound not in counted:
            others.append(bound.kind(init, bound.limit))
    for condition in others:
        count = ops.Select(condition, count, ops.const(0, count.type))
    return TripCount(count, step)


def _split(loop: PolyFor) -> tuple[list[_Bound], list[Expr]]:
    """Return the bounds of a loop's variable, and the conditions that are not about it."""
    bounds: list[_Bound] = []
    others: list[Expr] = []
    for condition in ops.conjuncts(loop.condition):
        if not _mentions(condition, loop.iterator):
            others.append(condition)
        else:
            bounds.append(_bound(loop, condition))
    return bounds, others


def _bound(loop: PolyFor, condition: Expr) -> _Bound:
    var = loop.iterator
    if type(condition) in _ORDERS:
        assert isinstance(condition, ops.ComparisonNode)
        kind, a, b = type(condition), condition.a, condition.b
        if a is var and not _mentions(b, var):
            return _Bound(kind, b)
        if b is var and not _mentions(a, var):
            return _Bound(ops.MIRRORED[kind], a)
    raise PassError(
        f"its condition {one_line(condition)} is no comparison of {var.name} itself with a bound"
    )


def _mentions(expr: Expr, var: Var) -> bool:
    return any(node is var for node in LOOPS.pre_order(expr))


def _step(loop: PolyFor, bounds: Sequence[_Bound]) -> int:
    """Return the constant step of a loop, of unsigned variables the one that the bounds mean."""
    step = literal_value(loop.inc)
    if step is None:
        raise PassError(f"its step {one_line(loop.inc)} is no constant")
    if step == 0:
        raise PassError("its step is 0")
    if loop.iterator.type.is_uint and not any(bound.is_upper for bound in bounds):
        step -= 1 << loop.iterator.type.bits
    return step


def _check_no_wrap(
    loop: PolyFor, init: Expr, step: int, bounds: Sequence[_Bound], interval_of: IntervalOf
) -> None:
    """Raise unless the variable passes one of ``bounds`` before it wraps around.

    By steps of one it does: only a loop that never ends wraps around at an inclusive bound.
    """
    if abs(step) == 1:
        return
    low, high = ops.integer_range(loop.iterator.type)
    first = literal_value(init)
    for bound in bounds:
        room = abs(step) - (not bound.is_inclusive)
        least, most = _interval(bound.limit, interval_of)
        if most + room <= high if step > 0 else least - room >= low:
            return
        if first is not None and least == most:
            last = first + step * max(0, _count(first, least, step, bound))
            if low <= last <= high:
                return
    raise PassError(
        f"{loop.iterator.name} may wrap around at the end of {loop.iterator.type} before it passes "
        f"{one_line(bounds[0].limit)}; say in which bounds that lies"
    )


def _count(first: int, limit: int, step: int, bound: _Bound) -> int:
    distance = (limit - first) if step > 0 else (first - limit)
    size = abs(step)
    return distance // size + 1 if bound.is_inclusive else -(-distance // size)


class _Length:
    """The trip count that one bound allows."""

    def __init__(
        self, init: Expr, bound: _Bound, step: int, ty: Type, interval_of: IntervalOf
    ) -> None:
        self._init, self._bound, self._step, self._type = init, bound, step, ty
        first, limit = literal_value(init), literal_value(bound.limit)
        self._known = None
        if first is not None and limit is not None:
            self._known = max(0, _count(first, limit, step, bound))
        self.fits = self._fit(interval_of)

    def _ends(self) -> tuple[Expr, Expr]:
        """Return the bound and the first value, the one that is to be greater first."""
        ends = (self._bound.limit, self._init)
        return ends if self._step > 0 else (ends[1], ends[0])

    @property
    def _added(self) -> int:
        """What is added to the distance of the ends before it is divided by the step."""
        return abs(self._step) - (not self._bound.is_inclusive)

    def _fit(self, interval_of: IntervalOf) -> str | None:
        """Return how to compute the count in the type of the variable: as it is, or guarded."""
        low, high = ops.integer_range(self._type)
        if self._known is not None:
            return "known" if self._known <= high else None
        greater, smaller = self._ends()
        least, most = _interval(greater, interval_of)
        small, large = _interval(smaller, interval_of)
        if self._bound.is_inclusive and abs(self._step) == 1:  # else the loop would never end
            if self._step > 0:
                most = min(most, high - 1)
            else:
                small = max(small, low + 1)
        if most - small + self._added > high:
            return None
        return "as it is" if least - large >= low else "guarded"

    def make(self, *, wide: bool) -> Expr:
        ty = INT64 if wide else self._type
        if self._known is not None:
            return ops.const(self._known, ty)
        greater, smaller = self._ends()
        if wide:
            greater, smaller = ops.Cast(INT64, greater), ops.Cast(INT64, smaller)
        distance = greater if literal_value(smaller) == 0 else greater - smaller
        length = distance + self._added if self._added else distance
        if abs(self._step) > 1:
            length /= abs(self._step)
        if wide or self.fits == "as it is":
            return length
        return ops.Select(greater >= smaller, length, ops.const(0, ty))


def _interval(expr: Expr, interval_of: IntervalOf) -> Interval:
    value = literal_value(expr)
    return interval_of(expr) if value is None else Interval(value, value)


def _smaller(a: Expr, b: Expr) -> Expr:
    if isinstance(a, ops.IntImm) and isinstance(b, ops.IntImm):
        return a if a.value <= b.value else b
    return ops.Min(a, b)
