"""Random sums of products as functions of loops: padded, in windows, in batches, with a rest."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from relayish import tir
from relayish.tir.builders.expr import reduce_axis, select
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.flags import ReduceType

SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24)
FINISH = ("RemoveScheduleBlock", "SimplifyForLoops", "Simplify", "PartitionLoops", "ContractArrays")
"""The passes that follow schedules, one after the other."""


def random_contraction(seed: int) -> tir.LoweredFunc:
    """Return a function that sums products, as it is drawn."""
    draw = random.Random(f"contraction {seed}")
    work = draw.choice(("float32", "float32", "float64", "int32"))
    held = draw.choice((work, "int8")) if work == "int32" else work
    outer = [draw.choice(SIZES) for _ in range(draw.choice((1, 2, 2, 3, 3, 4)))]
    inner = [draw.choice((1, 2, 3, 4)) for _ in range(draw.choice((1, 1, 2, 3)))]
    owners = [draw.choice(("a", "b", "a", "b", "ab")) for _ in outer]
    factors, given = [], []
    for name in "ab":
        mine = [("o", at) for at, owner in enumerate(owners) if name in owner]
        axes = [*mine, *[("i", at) for at in range(len(inner)) if draw.random() < 0.9]]
        draw.shuffle(axes)
        windows = _windows(draw, axes)
        shape = [
            _size(axis, windows, outer, inner) for axis in axes if axis not in windows.values()
        ]
        source = tir.placeholder(f"{name}_{seed}", shape or [1], held)
        given.append(source)
        if shape and draw.random() < 0.4:
            source = _padded(draw, source, shape)
        factors.append((source, axes, windows))
    sums = tuple([reduce_axis(f"r{at}", size) for at, size in enumerate(inner)])

    def element(*index: Any) -> Any:
        product = None
        for source, axes, windows in factors:
            known = {("o", at): each for at, each in enumerate(index)}
            known.update({("i", at): each for at, each in enumerate(sums)})
            places = [
                known[axis] + known[windows[axis]] if axis in windows else known[axis]
                for axis in axes
                if axis not in windows.values()
            ]
            value = source[tuple(places or [tir.const(0)])]
            value = value if held == work else tir.Cast(tir.as_type(work), value)
            product = value if product is None else product * value
        return Reduce(ReduceType.SUM, tir.const(draw.choice((0, 1)), work), product, sums)

    total = tir.compute(outer, element, "total")
    results = [total]
    bias = tir.placeholder("bias", [outer[0]], work)
    if draw.random() < 0.7:
        more = tir.compute(outer, lambda *index: total[index] + bias[index[0]], "more")
        results = [more] if draw.random() < 0.5 else [total, more]
        if draw.random() < 0.5:
            shrink = lambda *index: tir.Max(more[index], tir.const(0, work)) * more[index]  # noqa: E731
            results[-1] = tir.compute(outer, shrink, "last")
        given.append(bias)
    return tir.lower(f"f{seed}", [*given, *results])


def arrays_for(func: tir.LoweredFunc, seed: int) -> list[np.ndarray[Any, Any]]:
    """Return arrays of small numbers for the arguments of a function."""
    generator = np.random.default_rng(seed)
    shapes = [([int(size.value) for size in each.shape], each.dtype.numpy) for each in func.args]  # type: ignore[attr-defined, union-attr]
    return [
        (generator.integers(-9, 9, shape) * (1 if dtype.kind == "i" else 0.37)).astype(dtype)
        for shape, dtype in shapes
    ]


def _windows(draw: random.Random, axes: list[Any]) -> dict[Any, Any]:
    """Return axes of the result that an axis of the sum is added to."""
    outer = [axis for axis in axes if axis[0] == "o"]
    inner = [axis for axis in axes if axis[0] == "i"]
    return {a: b for a, b in zip(outer, inner, strict=False) if draw.random() < 0.3}


def _size(axis: Any, windows: dict[Any, Any], outer: list[int], inner: list[int]) -> int:
    size = outer[axis[1]] if axis[0] == "o" else inner[axis[1]]
    return size + inner[windows[axis][1]] - 1 if axis in windows else size


def _padded(draw: random.Random, source: tir.Tensor, shape: list[int]) -> tir.Tensor:
    """Return what has zeros at one end of an axis, and lacks as much at the other."""
    at = draw.randrange(len(shape))

    def element(*index: Any) -> Any:
        place = index[at] - 1
        inside = tir.And(place >= 0, place < shape[at])
        near = tir.Max(tir.Min(place, tir.const(shape[at] - 1)), tir.const(0))
        value = source[tuple([near if axis == at else each for axis, each in enumerate(index)])]
        return select(inside, value, tir.const(0, str(source.dtype)))

    return tir.compute(shape, element, f"{source.name}_padded")
