"""Places in memory: which elements an access touches, and how far apart these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from relayish.ir.nodes.node import Node
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.work.count import Count, count_of_form, number
from relayish.tir.analysis.work.footprint import NO_LIMITS, Box, point, whole
from relayish.tir.analysis.work.indices import (
    NO_VARIABLES,
    Counter,
    Digit,
    Form,
    Indices,
    Opaque,
    counters_of,
    hangs_on,
    recombined,
)
from relayish.tir.analysis.work.space import Place
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.substitution import substitute


class Elements(NamedTuple):
    """The elements that one access touches.

    Attributes:
        buffer: The memory.
        box: The elements, when it is made once.
        strides: By how much they move from one iteration of a loop to the next, of each loop that
            they hang on, as far as that is known.
        counters: The loops that they hang on; ``None``: each.
    """

    buffer: Buffer
    box: Box
    strides: Mapping[Node, int | None]
    counters: frozenset[Counter] | None


class MemoryPlaces:
    """Finds what accesses touch.

    Args:
        indices: Makes forms of indices.
        sizes: What was put in for scalars from outside, which shapes of buffers name.

    Attributes:
        shapes: Of the buffers that were met.
    """

    def __init__(self, indices: Indices, sizes: Mapping[Var, IntImm]) -> None:
        self._indices = indices
        self._sizes = sizes
        self.shapes: dict[Buffer, tuple[Count, ...]] = {}

    def find(self, access: Load | Store, place: Place) -> Elements | None:
        """Return what an access at a place touches; ``None`` if that is no buffer."""
        tensor = access.tensor
        if not isinstance(tensor, Tensor) or not isinstance(tensor.buffer, Buffer):
            return None
        buffer, shape = tensor.buffer, self.shape(tensor.buffer)
        forms = [self._indices.form(index, place.env) for index in access.indices]
        indices = [form for form in forms if form is not None]
        strides = self._strides(tensor)
        is_like = len(strides) == len(indices)
        flat = _sum(indices, strides) if is_like else None
        if len(indices) == len(shape) and self._counts(tensor.shape) == shape:
            box = self._box(indices, place)
        elif len(shape) == 1 and flat is not None:
            box = self._box([flat], place)
        else:
            box = Box(tuple([whole(size) for size in shape]))
        hangs = counters_of(indices)
        moved: dict[Node, int | None] = {}
        for each in hangs:
            is_told = is_like and each.node not in moved  # a reduction is several loops
            moved[each.node] = _stride(indices, strides, each) if is_told else None
        inner = place.innermost
        if inner is not None:
            moved[inner.node] = _stride(indices, strides, inner) if is_like else None
        counters = None if _hangs_on_all(indices) else hangs
        return Elements(buffer, box, moved, counters)

    def shape(self, buffer: Buffer) -> tuple[Count, ...]:
        """Return the shape of a buffer."""
        if buffer not in self.shapes:
            self.shapes[buffer] = self._counts(buffer.shape)
        return self.shapes[buffer]

    def _box(self, forms: Sequence[Form], place: Place) -> Box:
        """Return the box of the elements that one access touches."""
        spans, own = [], counters_of(forms)
        rest = list(place.rows)
        for form in forms:
            least, most = NO_LIMITS
            negative = {term: -factor for term, factor in form.terms.items()}
            for row in place.rows:
                if row.terms == form.terms:
                    least = max(least, form.constant - row.constant)
                elif row.terms == negative:
                    most = min(most, form.constant + row.constant)
            rest = [row for row in rest if row.terms not in (form.terms, negative)]
            spans.append(point(form, (least, most)))
        deciding = counters_of(rest)
        is_exact = deciding.isdisjoint(own) and not place.is_guarded
        box = Box(tuple(spans), is_exact, deciding)
        for form in forms:
            for lane in self._indices.lanes_in(form):
                box = box.widened(lane)
        return box

    def _strides(self, tensor: Tensor) -> Sequence[int | None]:
        """Return how far neighbours of each dimension are from each other; ``None``: not known."""
        assert isinstance(tensor.buffer, Buffer)
        told = [stride.number for stride in self._counts(tensor.buffer.strides)]
        if told:
            return told
        found: list[int | None] = [1]
        for size in self._counts(tensor.shape)[:0:-1]:
            step, elements = found[-1], size.number
            found.append(None if step is None or elements is None else step * elements)
        return found[::-1]

    def _counts(self, sizes: Sequence[Expr]) -> tuple[Count, ...]:
        """Return sizes, with what was put in for scalars."""
        return tuple([self._count(size) for size in sizes])

    def _count(self, size: Expr) -> Count:
        if isinstance(size, IntImm):
            return number(size.value)
        if self._sizes:
            size = substitute(size, self._sizes)
        form = self._indices.form(size, NO_VARIABLES)
        assert form is not None
        return count_of_form(form)  # type: ignore[arg-type]  # of sizes alone


def _hangs_on_all(forms: Sequence[Form]) -> bool:
    """Return whether some term may be another in each iteration of any loop."""
    terms = [term for form in forms for term in form.terms]
    return any(isinstance(term, Opaque) and term.counters is None for term in terms)


def _sum(indices: Sequence[Form], strides: Sequence[int | None]) -> Form | None:
    """Return how far an element is from the first, in elements; ``None``: not known."""
    found: Form = Affine(0, {})
    for index, stride in zip(indices, strides, strict=True):
        if stride is None:
            return None
        found = found.plus(index, stride)
    return found


def _stride(indices: Sequence[Form], strides: Sequence[int | None], counter: Counter) -> int | None:
    """Return by how much a place moves from one iteration of a loop to the next."""
    pairs = zip(indices, strides, strict=True)
    moved = [pair for pair in pairs if any(hangs_on(term, counter) for term in pair[0].terms)]
    flat = _sum([index for index, _ in moved], [stride for _, stride in moved])
    if flat is None:
        return None
    stride = 0
    for term, factor in recombined(flat).terms.items():
        if not hangs_on(term, counter):
            continue
        if not isinstance(term, Digit) or term[1:] != (1, None):
            return None
        stride += factor
    return stride
