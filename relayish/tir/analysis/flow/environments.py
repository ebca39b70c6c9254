"""Abstract environments: an interval for each integer variable, as a lattice.

A variable that an environment lacks may be anything of its type, so environments that know less
are greater, and the greatest is empty. Of a truth value conditions may be known that it is the
value of; then testing it tells what testing these would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish._support.persistent_map import PersistentMap
from relayish.dataflow.lattice import Intervals, Lattice
from relayish.dataflow.lattice.interval import Interval
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var


class Outcome(NamedTuple):
    """What is known of a truth value that holds what some conditions came to.

    Attributes:
        interval: The truth values it may be.
        conditions: Conditions that it is the value of, whose variables have not changed since.
    """

    interval: Interval
    conditions: frozenset[Expr]


Held: TypeAlias = Interval | Outcome
"""What is known of a variable: where it lies, of a truth value also what it was told from."""

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
        self._values_of: dict[Var, Intervals] = {}

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
        """Return the join, with bounds that grew moved on to the next threshold, or given up."""
        found = self.join(old, new)
        if found is old or old is UNREACHABLE or found is UNREACHABLE:
            return found
        new = found
        for var, before, after in old.changes(new):
            if isinstance(before, Interval) and isinstance(after, Interval):
                wider = self._values(var).widen(before, after)
                assert isinstance(wider, Interval)
                whole = wider.covers(type_range(var.type))
                found = found.discard(var) if whole else found.set(var, wider)
        return found

    def narrow(
        self, old: Environment | Unreachable, new: Environment | Unreachable
    ) -> Environment | Unreachable:
        """Return ``old`` with what ``new`` knows of variables that were given up, on some side."""
        if old is new or old is UNREACHABLE:
            return old
        if new is UNREACHABLE:
            return new
        found = old.merge(new, _first)
        for var, before, after in old.changes(new):
            if isinstance(before, Interval) and isinstance(after, Interval):
                narrower = self._values(var).narrow(before, after)
                assert isinstance(narrower, Interval)
                found = found.set(var, narrower) if narrower != before else found
        return found

    def _values(self, var: Var) -> Intervals:
        """Return the lattice of the values of a variable."""
        found = self._values_of.get(var)
        if found is None:
            known = () if self._thresholds is None else self._thresholds(var)
            found = self._values_of[var] = Intervals(known, type_range(var.type))
        return found


def interval_held(held: Held | None) -> Interval | None:
    """Return where a variable lies of which that is known; ``None``: anywhere."""
    return held.interval if isinstance(held, Outcome) else held


def conditions_held(held: Held | None) -> frozenset[Expr]:
    """Return the conditions that a truth value is the value of, as far as is known."""
    return held.conditions if isinstance(held, Outcome) else _NO_CONDITIONS


def within(held: Held | None, interval: Interval) -> Held:
    """Return what is known of a variable that lies in ``interval``, part of where it lay."""
    return held._replace(interval=interval) if isinstance(held, Outcome) else interval


_NO_CONDITIONS: Final[frozenset[Expr]] = frozenset()


def _either(a: Held, b: Held) -> Held:
    if isinstance(a, Interval) and isinstance(b, Interval):
        return a if a.covers(b) else a.hull(b)
    x, y = _parts(a), _parts(b)
    return _same_or(a, x.interval.hull(y.interval), x.conditions & y.conditions)


def _both(a: Held, b: Held) -> Held:
    x, y = _parts(a), _parts(b)
    met = x.interval.meet(y.interval)
    assert met is not None
    return _same_or(a, met, x.conditions | y.conditions)


def _may_agree(a: Held, b: Held) -> bool:
    return _parts(a).interval.meet(_parts(b).interval) is not None


def _is_within(a: Held, b: Held) -> bool:
    x, y = _parts(a), _parts(b)
    return y.interval.covers(x.interval) and x.conditions >= y.conditions


def _first(a: Held, _b: Held) -> Held:
    return a


def _parts(held: Held) -> Outcome:
    return held if isinstance(held, Outcome) else Outcome(held, _NO_CONDITIONS)


def _same_or(a: Held, interval: Interval, conditions: frozenset[Expr]) -> Held:
    """Return what is known, as ``a`` where that is the same."""
    made: Held = Outcome(interval, conditions) if conditions else interval
    return a if type(made) is type(a) and made == a else made
