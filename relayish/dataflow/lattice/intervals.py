"""The lattice of intervals of integers, with or without bounds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final

from relayish.dataflow.lattice.interval import INFINITE, AnyIntegers, Interval
from relayish.dataflow.lattice.lattice import Lattice
from relayish.dataflow.lattice.symbols import BOTTOM

EVERY_INTEGER: Final = Interval(-INFINITE, INFINITE)


class Intervals(Lattice[AnyIntegers]):
    """The interval lattice: the integers from one bound to another, ``BOTTOM`` for none.

    Chains of ever wider intervals are endless, so bounds that grow are widened: to the next
    threshold, and when there is none any more to the bound of ``top``. Narrowing takes back what
    went all the way.

    Args:
        thresholds: Bounds to try first, such as those of loops and arrays.
        top: What all integers there are lie in, such as the range of a type; else any there is.

    Source:
        Cousot and Cousot, *Static determination of dynamic properties of programs*, 1976;
        thresholds: Blanchet et al., *A static analyzer for large safety-critical software*, 2003.

    Example:
        >>> integers = Intervals()
        >>> integers.join(Interval(1, 1), Interval(3, 3))
        Interval(low=1, high=3)
        >>> integers.meet(Interval(0, 4), Interval(5, 9))
        BOTTOM
        >>> integers.widen(Interval(0, 1), Interval(0, 2))
        Interval(low=0, high=inf)
        >>> integers.narrow(Interval(0, INFINITE), Interval(0, 10))
        Interval(low=0, high=10)
        >>> Intervals(thresholds=[16, 64]).widen(Interval(0, 1), Interval(0, 20))
        Interval(low=0, high=64)
    """

    bottom: AnyIntegers = BOTTOM

    def __init__(self, thresholds: Iterable[int] = (), top: Interval = EVERY_INTEGER) -> None:
        self.top: AnyIntegers = top
        self._whole = top
        self.thresholds: tuple[int, ...] = tuple(sorted({t for t in thresholds if top.holds(t)}))

    def join(self, a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
        if a is b or b is BOTTOM:
            return a
        if a is BOTTOM:
            return b
        low, high = a
        if b[0] >= low and b[1] <= high:
            return a
        return Interval(min(low, b[0]), max(high, b[1]))

    def meet(self, a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
        if a is b or a is BOTTOM:
            return a
        if b is BOTTOM:
            return b
        low, high = a
        if b[0] <= low and high <= b[1]:
            return a
        low, high = max(low, b[0]), min(high, b[1])
        return Interval(low, high) if low <= high else BOTTOM

    def leq(self, a: AnyIntegers, b: AnyIntegers) -> bool:
        if a is b or a is BOTTOM:
            return True
        return b is not BOTTOM and b[0] <= a[0] and a[1] <= b[1]

    def equal(self, a: AnyIntegers, b: AnyIntegers) -> bool:
        return a is b or a == b

    def widen(self, old: AnyIntegers, new: AnyIntegers) -> AnyIntegers:
        if old is new or new is BOTTOM:
            return old
        if old is BOTTOM:
            return new
        low, high = old
        if new[0] >= low and new[1] <= high:
            return old
        if new[0] < low:
            at = bisect_right(self.thresholds, new[0])
            low = self.thresholds[at - 1] if at else self._whole.low
        if new[1] > high:
            at = bisect_left(self.thresholds, new[1])
            high = self.thresholds[at] if at < len(self.thresholds) else self._whole.high
        return Interval(low, high)

    def narrow(self, old: AnyIntegers, new: AnyIntegers) -> AnyIntegers:
        if old is new or old is BOTTOM:
            return old
        if new is BOTTOM:
            return new
        low = new[0] if old[0] == self._whole.low else old[0]
        high = new[1] if old[1] == self._whole.high else old[1]
        return old if (low, high) == old else Interval(low, high)

    def __repr__(self) -> str:
        given = [f"thresholds={self.thresholds!r}"] if self.thresholds else []
        given += [f"top={self._whole!r}"] if self._whole != EVERY_INTEGER else []
        return f"{type(self).__name__}({', '.join(given)})"
