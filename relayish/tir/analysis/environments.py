"""Abstract environments: an interval for each integer variable, as a lattice.

A variable that an environment lacks may be anything of its type, so environments that know less
are greater, and the greatest is empty. Of a truth value the condition may be known that it is the
value of; then testing it tells what testing that would.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from relayish._support.persistent_map import ABSENT, Absent, PersistentMap
from relayish.dataflow.lattice import Lattice
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable
from relayish.tir.analysis.interval import EITHER, Interval, type_range
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

Held: TypeAlias = Interval | Expr
"""What is known of a variable: where it lies, or the condition that it is the value of."""

Environment: TypeAlias = PersistentMap[Var, Held]

NOTHING_KNOWN: Final[Environment] = PersistentMap()


class Environments(Lattice["Environment | Unreachable"]):
    """Environments, ordered by what they allow; ``UNREACHABLE`` is below all of them.

    Args:
        thresholds: ``thresholds(var)``: the bounds, in order, that :meth:`widen` tries for a
            variable before it gives up on it; as it asks, so it need not be known before.

    Example:
        >>> i = Var("i")
        >>> low, high = (PersistentMap({i: Interval(n, n)}) for n in (1, 3))
        >>> Environments().join(low, high)[i]
        Interval(low=1, high=3)
        >>> Environments(lambda var: (10,)).widen(low, Environments().join(low, high))[i]
        Interval(low=1, high=10)
    """

    def __init__(self, thresholds: Callable[[Var], Sequence[int]] | None = None) -> None:
        self.bottom = UNREACHABLE
        self.top = NOTHING_KNOWN
        self._thresholds = thresholds

    def join(
        self, a: Environment | Unreachable, b: Environment | Unreachable
    ) -> Environment | Unreachable:
        if a is b or b is UNREACHABLE:
            return a
        if a is UNREACHABLE:
            return b
        return a.merge(b, _either, keep_left=False, keep_right=False)

    def meet(
        self, a: Environment | Unreachable, b: Environment | Unreachable
    ) -> Environment | Unreachable:
        if a is b or a is UNREACHABLE:
            return a
        if b is UNREACHABLE or not a.relates(b, _may_agree, keep_left=True, keep_right=True):
            return b if b is UNREACHABLE else UNREACHABLE
        return a.merge(b, _both)

    def leq(self, a: Environment | Unreachable, b: Environment | Unreachable) -> bool:
        """Return whether ``b`` allows all that ``a`` does."""
        if a is b or a is UNREACHABLE:
            return True
        return b is not UNREACHABLE and a.relates(b, _is_within, keep_left=True)

    def equal(self, a: Environment | Unreachable, b: Environment | Unreachable) -> bool:
        return a is b or a == b

    def widen(
        self, old: Environment | Unreachable, new: Environment | Unreachable
    ) -> Environment | Unreachable:
        """Return ``new`` with bounds that grew moved on to the next threshold, or given up."""
        if old is new or old is UNREACHABLE or new is UNREACHABLE:
            return new
        found = new
        for var, before, after in old.changes(new):
            if isinstance(before, Interval) and isinstance(after, Interval):
                moved = self._moved_on(var, before, before.hull(after))
                found = found.discard(var) if moved is None else found.set(var, moved)
        return found

    def narrow(
        self, old: Environment | Unreachable, new: Environment | Unreachable
    ) -> Environment | Unreachable:
        return self.meet(old, new)

    def _moved_on(self, var: Var, before: Interval, after: Interval) -> Interval | None:
        known = () if self._thresholds is None else self._thresholds(var)
        low, high = after
        whole = type_range(var.type)
        if low < before.low:
            at = bisect_right(known, low)
            low = known[at - 1] if at else whole.low
        if high > before.high:
            at = bisect_left(known, high)
            high = known[at] if at < len(known) else whole.high
        found = Interval(low, high)
        return None if found.covers(whole) else found


def interval_held(held: Held | None) -> Interval | None:
    """Return where a variable lies of which that is known; ``None``: anywhere."""
    if isinstance(held, Expr):
        return EITHER
    return held


def _either(a: Held, b: Held) -> Held | Absent:
    if isinstance(a, Interval) and isinstance(b, Interval):
        return a.hull(b) if not a.covers(b) else a
    return ABSENT  # of a truth value, which may be both


def _both(a: Held, b: Held) -> Held:
    if isinstance(a, Interval) and isinstance(b, Interval):
        met = a.meet(b)
        assert met is not None
        return a if met == a else met
    return a if isinstance(a, Interval) else b


def _may_agree(a: Held, b: Held) -> bool:
    if isinstance(a, Interval) and isinstance(b, Interval):
        return a.meet(b) is not None
    return True


def _is_within(a: Held, b: Held) -> bool:
    if isinstance(a, Interval):
        return isinstance(b, Interval) and b.covers(a)
    return False
