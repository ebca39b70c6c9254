"""Random graphs of tensors: lowered, verified, printed and run, whatever of them is inline."""

from __future__ import annotations

import random

import numpy as np
import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.tir.interpreter import run
from tests.support.seeds import seeds

SEEDS = seeds(24)
PARTS = 2
SIZES = (1, 2, 3, 5)
KINDS = (tir.ReduceType.SUM, tir.ReduceType.MUL, tir.ReduceType.MAX, tir.ReduceType.MIN)


def graph(seed, *, inline):
    """Return inputs and outputs of a random graph; the same for both, but for what is inline."""
    draw = random.Random(seed)
    inputs = [
        tir.placeholder(f"A{at}", [draw.choice(SIZES) for _ in range(rank)], "int32")
        for at, rank in enumerate((1, 2))
    ]
    known = list(inputs)
    for at in range(draw.randint(1, 6)):
        shape = [draw.choice(SIZES) for _ in range(draw.randint(0, 3))]
        axes = [tir.reduce_axis(f"k{n}", draw.choice(SIZES)) for n in range(draw.randint(0, 2))]
        body = random.Random(draw.random())

        def element(*indices, body=body, axes=axes, known=tuple(known)):
            value = expression(body, known, [*indices, *axes])
            if not axes:
                return value
            init = None if body.random() < 0.7 else body.randint(-5, 5)
            return tir.make_reduce(body.choice(KINDS), value, axes, init)

        is_inline = draw.random() < 0.5
        known.append(tir.compute(shape, element, f"T{at}", inline=inline and is_inline))
    last = known[-1]
    out = tir.compute(last.shape, lambda *indices: last[indices] + 0, "out")
    return inputs, out


def expression(draw, known, indices, depth=0):
    """Return a random expression of integers, in range wherever it loads."""
    sort = draw.randrange(7) if depth < 4 else draw.randrange(3)
    if sort == 0 and indices:
        return draw.choice(indices)
    if sort < 3:
        tensor = draw.choice(known)
        at = [(index(draw, indices) % size + size) % size for size in map(size_of, tensor.shape)]
        return tensor[tuple(at)]
    left, right = [expression(draw, known, indices, depth + 1) for _ in range(2)]
    if sort == 3:
        return tir.select(left < right, left, right + draw.randint(-3, 3))
    made = draw.choice((tir.Add, tir.Sub, tir.Mul, tir.Min, tir.Max))
    return made(left, right)


def index(draw, indices):
    terms = [tir.const(draw.randint(0, 3))]
    terms += [draw.choice(indices) * draw.randint(-2, 2) for _ in range(2) if indices]
    return sum(terms[1:], start=terms[0])


def size_of(size):
    return size.value


@pytest.mark.parametrize("part", range(PARTS))
def test_random_tensors_are_what_they_are_whatever_is_inline(part):
    for seed in SEEDS[part::PARTS]:
        check_alike(seed)


def check_alike(seed):
    results = []
    for inline in (False, True):
        inputs, out = graph(seed, inline=inline)
        func = tir.lower(f"f{seed}", [*inputs, out])
        tir.check(func)
        assert structural_equal(tir.parse(tir.astext(func)), func), seed
        arrays = [
            np.arange(np.prod(shape), dtype="int32").reshape(shape) % 11 - 4
            for shape in ([size_of(size) for size in tensor.shape] for tensor in inputs)
        ]
        for mode in ("plain", "vectorised"):
            result = np.full([size_of(size) for size in out.shape], 99, "int32")
            run(func, *arrays, result, mode=mode)
            results.append(result)
    assert all(np.array_equal(result, results[0]) for result in results), seed
