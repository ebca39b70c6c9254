"""Sizes of dimensions without one: what a model is tried with until it runs.

Dimensions of one name have one size. A name that is an expression, as ``past + 1``, has the size
that it says. Where sizes that are all alike do not do, those are tried that the model has in its
constants, and then sums: the mask of a decoder is as long as what went before and what comes now.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.calls import attributes_of

Sizes = Mapping[str, int]
"""The size of each dimension without one, by name."""

SIZES: Final = (64, 224, 320, 512, 576, 640, 16, 8, 4, 2)
"""What a dimension without a size is tried with; 1, which goes with all others, comes late."""
BATCHES: Final = (2, 1)
"""What it is tried with as axis 0, which tends to be a batch."""

_SMALL: Final = 8
"""The size of the others where one is a sum of two, or a length of the model."""
_STEP: Final = 3
"""What comes at once where one is a sum of two."""
_MOST_FURTHER: Final = 300
"""So many further sizes are tried."""
_MOST_LIKELY: Final = 200
"""So many of these before 1 is tried, and single dimensions are."""
_MOST_NAMES: Final = 8
"""Of more names no sums are tried."""
_MOST_LENGTHS: Final = 12
"""So many lengths are taken from a model, of shapes that it makes and of its weights each."""
_LONGEST: Final = 4096
"""The longest length that is taken from one."""
_SHORT: Final = 256
"""The longest length that all dimensions are tried with at once: models take their product."""
_FEW: Final = 8
"""So many elements has a constant that may be a shape, or be added to one."""

_SHAPES: Final = ("value", "value_ints", "value_int", "shape")
"""Attributes that hold constants, and shapes."""

_FACTOR: Final = re.compile(r"[A-Za-z_]\w*|[0-9]{1,9}", re.ASCII)


class Dimensions:
    """The dimensions of inputs that have no size.

    Args:
        axes: The first axis that each has, by name.
        known: The sizes that some are to have.
    """

    def __init__(self, axes: Mapping[str, int], known: Sizes) -> None:
        self._names = list(axes)
        self._known = known
        self._sums = {name: terms for name in axes if (terms := parse_sum(name)) is not None}
        bases = {name: axis for name, axis in axes.items() if name not in self._sums}
        for terms in self._sums.values():
            for factor in itertools.chain(*terms):
                if isinstance(factor, str):
                    bases.setdefault(factor, 1)
        self._axes = {name: axis for name, axis in bases.items() if name not in known}

    def usual(self) -> Iterator[Sizes]:
        """Yield sizes that are all alike, but for batches, the likeliest first."""
        return self._distinct(self._alike(SIZES))

    def further(self, lengths: Callable[[], Sequence[int]]) -> Iterator[Sizes]:
        """Yield sizes to try where a model runs with none of the usual ones.

        Args:
            lengths: Gives the lengths that stand in the model, the likeliest first.
        """
        if not self._axes:
            return
        found = lengths()
        usual = [tuple(each.items()) for each in self.usual()]  # which come again
        short = [each for each in found if each <= _SHORT]
        likely = itertools.chain(self._alike(short), self._sums_of_two(), self._level(short))
        tried = itertools.chain(
            itertools.islice(likely, _MOST_LIKELY), self._alike((1,)), self._apart(found)
        )
        yield from itertools.islice(self._distinct(tried, usual), _MOST_FURTHER)

    def _alike(self, sizes: Sequence[int]) -> Iterator[dict[str, int]]:
        for size, batch in itertools.product(sizes, BATCHES) if self._axes else ((1, 1),):
            yield self._filled(size, batch)

    def _level(self, sizes: Sequence[int]) -> Iterator[dict[str, int]]:
        """Yield sizes of which axis 0 has the same as the others: it may be no batch."""
        for size in (*SIZES, *sizes):
            if size <= _SHORT:
                yield self._filled(size, size)

    def _filled(self, size: int, batch: int) -> dict[str, int]:
        return {name: size if axis else batch for name, axis in self._axes.items()}

    def _sums_of_two(self) -> Iterator[dict[str, int]]:
        """Yield sizes of which one is 1, one more than another, or the sum of two."""
        if len(self._axes) > _MOST_NAMES:
            return
        for batch in BATCHES:
            some = self._filled(_SMALL, batch)
            yield from ({**some, step: 1} for step in self._axes)
            for total, past in itertools.permutations(self._axes, 2):
                yield {**some, total: some[past] + 1}
                for step in self._axes:
                    if step not in (total, past):
                        yield {**some, step: _STEP, total: some[past] + _STEP}
                        yield {**some, step: 1, total: some[past] + 1}

    def _apart(self, lengths: Sequence[int]) -> Iterator[dict[str, int]]:
        """Yield sizes of which one is a length of the model, and the others are small."""
        for length, name, batch in itertools.product(lengths, self._axes, BATCHES):
            yield {**self._filled(_SMALL, batch), name: length}

    def _distinct(
        self, sizes: Iterator[dict[str, int]], already: Sequence[tuple[tuple[str, int], ...]] = ()
    ) -> Iterator[Sizes]:
        """Yield the sizes of all names, each combination once."""
        seen = set(already)
        for drawn in sizes:
            bases = drawn | dict(self._known)
            found = {name: self._size_of(name, bases) for name in self._names}
            key = tuple(found.items())
            if key not in seen:
                seen.add(key)
                yield found

    def _size_of(self, name: str, bases: Sizes) -> int:
        if name in self._known:
            return self._known[name]
        if name not in self._sums:
            return bases[name]
        return sum(
            math.prod(bases[each] if isinstance(each, str) else each for each in factors)
            for factors in self._sums[name]
        )


def parse_sum(name: str) -> list[list[int | str]] | None:
    """Return the terms of a sum of products, each its factors; ``None`` of what is no such.

    Example:
        >>> parse_sum("past_length + 2*n")
        [['past_length'], [2, 'n']]
        >>> parse_sum("past_plus_length")
    """
    terms = [[each.strip() for each in term.split("*")] for term in name.split("+")]
    factors = list(itertools.chain(*terms))
    if len(factors) < 2 or not all(_FACTOR.fullmatch(each) for each in factors):
        return None
    if all(each.isdecimal() for each in factors):
        return None
    return [[int(each) if each.isdecimal() else each for each in term] for term in terms]


def lengths_in(mod: IRModule) -> list[int]:
    """Return lengths that stand in a model: in shapes that it makes, then in those of weights.

    Complexity:
        Linear in the nodes.
    """
    shapes: Counter[int] = Counter()
    weights: Counter[int] = Counter()
    for function in mod.functions.values():
        for node in EXPRESSIONS.pre_order(function):
            for array in _arrays_of(node):
                if array.dtype.kind == "i" and array.size <= _FEW:
                    made = list(map(int, array.flat))
                    shapes.update([*made, math.prod(made)])  # of a shape without names
                weights.update(array.shape)
    found: dict[int, None] = {}
    for counted in shapes, weights:
        likely = [size for size, _ in counted.most_common() if 2 < size <= _LONGEST]
        found |= dict.fromkeys(likely[:_MOST_LENGTHS])
    return list(found)


def _arrays_of(node: Node) -> Iterator[np.ndarray]:
    if isinstance(node, Constant):
        yield np.asarray(node.data)
    if isinstance(node, Call):
        attributes = attributes_of(node)
        found = [attributes[name] for name in _SHAPES if name in attributes]
        yield from [np.asarray(each) for each in found]
