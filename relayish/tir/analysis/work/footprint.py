"""Footprints: how many distinct elements of a buffer are touched, as boxes that loops widen.

The box of an access is one element. Each loop around it, from the inside out, widens it by the
digits of its counter; boxes of accesses that differ by numbers are one. What cannot be told makes
a box too large, never too small, and its count a bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.work.count import ONE, ZERO, Count, number, product_of, sum_of
from relayish.tir.analysis.work.indices import Counter, Digit, Form, Opaque, hangs_on


class Span(NamedTuple):
    """Indices of one dimension.

    Attributes:
        low: The least one.
        width: By how much the greatest is greater; ``None``: that is no number.
        step: The distance of neighbours; 0: there are several.
        size: How many there are.
        limits: The least and the greatest number that conditions leave of them.
    """

    low: Form
    width: int | None
    step: int
    size: Count
    limits: tuple[float, float]

    @property
    def is_dense(self) -> bool:
        """Whether all from the least to the greatest are among them, in steps."""
        return self.step > 0 and self.width is not None and self.size.is_exact


NO_LIMITS: Final = (-math.inf, math.inf)


def point(index: Form, limits: tuple[float, float] = NO_LIMITS) -> Span:
    """Return the span of one index."""
    return Span(index, 0, 1, ONE, limits)


def whole(size: Count) -> Span:
    """Return the span of a dimension, of which it is not known what is touched."""
    known = size.number
    return Span(_ZERO, None if known is None else known - 1, 1, size.as_bound(), NO_LIMITS)


class Box(NamedTuple):
    """Elements of a buffer: the product of the spans of its dimensions.

    Attributes:
        spans: One for each dimension.
        is_exact: Whether it is all of that product, and nothing unknown decides whether it is
            touched.
        deciding: Other loops in some iterations of which it is touched, and in others not.
    """

    spans: tuple[Span, ...]
    is_exact: bool = True
    deciding: frozenset[Counter] = frozenset()

    def elements(self, shape: Sequence[Count]) -> Count:
        """Return how many elements there are, of a buffer of some shape."""
        pairs = zip(self.spans, shape, strict=True)
        found = product_of([_count_of(span, size) for span, size in pairs])
        return found.exact_if(self.is_exact and not self.deciding)

    def widened(self, counter: Counter) -> Box:
        """Return the box for all iterations of a loop in place of one."""
        digits = [
            term
            for span in self.spans
            for term in span.low.terms
            if isinstance(term, Digit) and term.counter is counter
        ]
        spans = tuple([_widen(span, counter) for span in self.spans])
        deciding = self.deciding - {counter} if counter in self.deciding else self.deciding
        if spans == self.spans:
            return self if deciding is self.deciding else self._replace(deciding=deciding)
        is_exact = self.is_exact and counter.extent.is_exact and _are_independent(digits, counter)
        return Box(spans, is_exact, deciding)


def merged(boxes: Iterable[Box], shape: Sequence[Count]) -> tuple[Box, ...]:
    """Return boxes that cover the same, of which those that can be compared are one."""
    found: list[Box] = []
    for box in boxes:
        for at, other in enumerate(found):
            union = _union(other, box)
            if union is not None:
                found[at] = union
                break
        else:
            found.append(box)
            if len(found) > _MOST_BOXES:
                return (Box(tuple([whole(size) for size in shape])),)
    return tuple(found)


def count_of_boxes(boxes: Sequence[Box], shape: Sequence[Count]) -> Count:
    """Return how many elements are in some box, of a buffer of some shape."""
    if len(boxes) == 1:
        return boxes[0].elements(shape)
    if not boxes:
        return ZERO
    found = sum_of([box.elements(shape) for box in boxes])
    return found.as_bound().at_most(product_of(shape))


_MOST_BOXES: Final = 16
_ZERO: Final[Form] = Affine(0, {})


def _count_of(span: Span, size: Count) -> Count:
    """Return how many indices of a dimension are in a span."""
    count, limits = span.size, span.limits
    if limits != NO_LIMITS:
        if span.width is None or span.low.terms or not span.step:
            return count.as_bound().at_most(size)
        first, last = span.low.constant, span.low.constant + span.width
        least = max(0, -(-int(max(limits[0], first) - first) // span.step))
        most = int(min(limits[1], last) - first) // span.step
        count = number(max(0, most - least + 1)).exact_if(count.is_exact)
    return count.at_most(size)


def _widen(span: Span, counter: Counter) -> Span:
    """Return a span for all iterations of a loop in place of one."""
    terms = [(term, factor) for term, factor in span.low.terms.items() if hangs_on(term, counter)]
    for term, factor in sorted(terms, key=lambda each: abs(each[1])):
        if isinstance(term, Opaque):
            span = _widen_by_opaque(span, term, factor, counter)
            continue
        assert isinstance(term, Digit)
        rest = span.low.plus(Affine(0, {term: 1}), -factor)
        span = _widen_by_digit(span._replace(low=rest), term.extent, factor)
    return span


def _widen_by_opaque(span: Span, term: Opaque, factor: int, counter: Counter) -> Span:
    """Return a span in which something takes a value in each iteration, of which it is one."""
    size = (span.size * counter.extent).as_bound()
    if span.width is not None:
        low, high = term.interval
        size = size.at_most(number(span.width + abs(factor) * (high - low) + 1))
    return Span(span.low, None, 0, size, span.limits)


def _widen_by_digit(span: Span, extent: Count, factor: int) -> Span:
    """Return a span with ``factor`` times each number below ``extent`` added."""
    by, times = abs(factor), extent.number
    if times == 1:
        return span
    low, width = span.low, None
    if times is not None:
        low = low.shifted(factor * (times - 1)) if factor < 0 else low
        width = None if span.width is None else span.width + by * (times - 1)
    if span.width == 0:
        return Span(low, width, by, extent, span.limits)
    if span.is_dense:
        assert span.width is not None
        held, step = span.width // span.step + 1, span.step
        if by % step == 0 and by <= held * step:  # one after the other, or over one another
            count = extent * (by // step) + number(held - by // step)
            return Span(low, width, step, count, span.limits)
        if times is not None and step % by == 0 and step <= times * by:
            count = number((times - 1) + (held - 1) * (step // by) + 1)
            return Span(low, width, by, count, span.limits)
    count = span.size * extent
    if span.width is None or by <= span.width:  # some may be met twice
        count = count.as_bound()
        if width is not None:
            common = math.gcd(span.step, by) if span.step else 1
            count = count.at_most(number(width // common + 1))
    return Span(low, width, 0, count, span.limits)


def _are_independent(digits: Sequence[Digit], counter: Counter) -> bool:
    """Return whether digits of a counter take all combinations of their values."""
    if len(digits) < 2:
        return True
    whole_extent = counter.extent.number
    if whole_extent is None:
        return False
    reached = 1
    for digit in sorted(digits, key=lambda each: each.by):
        if not reached or digit.by % reached or whole_extent % digit.by:
            return False
        if digit.size is not None and whole_extent % (digit.by * digit.size):
            return False
        reached = 0 if digit.size is None else digit.by * digit.size
    return True


def _union(a: Box, b: Box) -> Box | None:
    """Return what covers two boxes; ``None`` where they cannot be compared."""
    pairs = zip(a.spans, b.spans, strict=True)
    differing = [at for at, (x, y) in enumerate(pairs) if not _is_same(x, y)]
    if not differing:
        return max(a, b, key=_is_sure)
    spans = list(a.spans)
    for at in differing:
        hull = _hull(a.spans[at], b.spans[at])
        if hull is None:
            return None
        spans[at] = hull
    made = tuple(spans)
    for one in (a, b):
        if all(_is_same(x, y) for x, y in zip(one.spans, made, strict=True)):
            return one
    is_exact = a.is_exact and b.is_exact and len(differing) == 1
    return Box(made, is_exact, a.deciding | b.deciding)


def _is_sure(box: Box) -> tuple[bool, int]:
    return box.is_exact, -len(box.deciding)


def _is_same(x: Span, y: Span) -> bool:
    same = x[:3] == y[:3] and x.limits == y.limits
    return same and x.size == y.size


def _hull(x: Span, y: Span) -> Span | None:
    if x.low.terms != y.low.terms or x.width is None or y.width is None or x.limits != y.limits:
        return None
    if x.low.constant > y.low.constant:
        x, y = y, x
    assert x.width is not None
    assert y.width is not None
    distance = y.low.constant - x.low.constant
    width = max(x.width, distance + y.width)
    if x.is_dense and y.is_dense:
        step = _common_step(x, y, distance)
        if step and distance <= x.width + step:
            return Span(x.low, width, step, number(width // step + 1), x.limits)
    if distance > x.width and x.size.is_exact and y.size.is_exact:  # they are apart
        return Span(x.low, width, 0, x.size + y.size, x.limits)
    step = math.gcd(x.step, y.step, distance) if x.step and y.step else 1
    count = (x.size + y.size).as_bound().at_most(number(width // step + 1))
    return Span(x.low, width, 0, count, x.limits)


def _common_step(x: Span, y: Span, distance: int) -> int:
    """Return the step of two dense spans, which may be of one element; 0: they have none."""
    steps = {span.step for span in (x, y) if span.width}
    step = steps.pop() if len(steps) == 1 else distance if not steps else 0
    return step if step and distance % step == 0 else 0
