"""Kernels of shapes and places give what the reference implementation of ONNX does.

Left out is where that fails: bounds of nothing, Flatten of nothing, starts before the first
element, GatherElements of fewer elements or along a negative axis, Unique by appearance.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.onnx_kernels import compare, run_kernel
from tests.support.seeds import seeds

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

SEEDS = seeds(25)


class Draw:
    """Shapes, axes and values, drawn at random."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def shape(self, least=0, most=3, smallest=0):
        rank = self.rng.integers(least, most + 1)
        return tuple(self.rng.integers(smallest, 4, rank).tolist())

    def data(self, shape):
        dtype = self.rng.choice([np.float32, np.int64, np.float64, np.int8])
        return np.round(self.rng.normal(size=shape) * 3).astype(dtype)

    def axis(self, rank):
        return int(self.rng.integers(-rank, rank))

    def number(self, least, most):
        return int(self.rng.integers(least, most + 1))

    def bit(self):
        return int(self.rng.integers(2))

    def axes(self, rank, count):
        chosen = self.rng.permutation(rank)[:count]
        return np.array([axis - rank * self.bit() for axis in chosen], np.int64)


def reductions(draw):
    shape = draw.shape()
    x = np.round(draw.rng.uniform(1, 4, shape)).astype(draw.rng.choice([np.float32, np.float64]))
    axes = draw.axes(len(shape), draw.number(0, len(shape)))
    if x.size:
        for op in ("ReduceMax", "ReduceMean", "ReduceL2", "ReduceSumSquare", "ReduceLogSum"):
            attributes = {"keepdims": draw.bit(), "noop_with_empty_axes": draw.bit()}
            yield op, (x, axes), attributes
        yield (
            "CumSum",
            (x.reshape(-1), np.array(0)),
            {"exclusive": draw.bit(), "reverse": draw.bit()},
        )


def rearrangements(draw):
    shape = draw.shape()
    x, rank = draw.data(shape), len(shape)
    yield "Transpose", (x,), {"perm": draw.rng.permutation(rank).tolist()} if rank else {}
    if x.size:
        yield "Flatten", (x,), {"axis": draw.number(-rank, rank)}
    yield "Shape", (x,), {"start": draw.number(-rank, 4), "end": draw.number(-rank, 4)}
    yield "Unsqueeze", (x, draw.axes(rank + 2, 2)), {}
    yield "Tile", (x, draw.rng.integers(0, 3, rank)), {}
    yield "Expand", (x, np.array([draw.number(1, 3), *shape], np.int64)), {}
    sizes = np.array([0 if draw.bit() else size for size in shape], np.int64)
    yield "Reshape", (x, sizes), {}
    yield (
        "Trilu",
        (draw.data(draw.shape(least=2)), np.array(draw.number(-4, 4))),
        {"upper": draw.bit()},
    )
    yield "CenterCropPad", (x, draw.rng.integers(0, 6, rank)), {}


def slices(draw):
    shape = draw.shape(least=1)
    x, rank = draw.data(shape), len(shape)
    count = draw.number(1, rank)
    steps = draw.rng.choice([-2, -1, 1, 3], count)
    starts = np.where(steps < 0, draw.rng.integers(0, 5, count), draw.rng.integers(-5, 5, count))
    ends = draw.rng.choice([-100, -2, -1, 0, 1, 3, 2**31], count)
    yield "Slice", (x, starts, ends, draw.axes(rank, count), steps), {}
    axis = draw.axis(rank)
    parts = [draw.data(shape) for _ in range(draw.number(1, 3))]
    yield "Concat", [part.astype(x.dtype) for part in parts], {"axis": axis}
    yield "Compress", (x, draw.rng.integers(0, 2, shape[axis]).astype(bool)), {"axis": axis}


def places(draw):
    shape = draw.shape(least=1, smallest=1)
    x, axis = draw.data(shape), draw.axis(len(shape))
    size = shape[axis]
    yield "Gather", (x, draw.rng.integers(-size, size, draw.shape())), {"axis": axis}
    few = [draw.number(0, size) for size in shape]
    indices = draw.rng.integers(-size, size, few)
    whole = list(shape)
    whole[axis] = draw.number(1, 4)
    of_all = draw.rng.integers(-size, size, whole)
    yield "GatherElements", (x, of_all), {"axis": axis % len(shape)}
    for reduction in ("add", "mul", "max", "min"):
        updates = draw.data(few).astype(x.dtype)
        attributes = {"axis": axis, "reduction": reduction}
        yield "ScatterElements", (x, indices, updates), attributes
    depth = draw.number(1, len(shape))
    rows = np.stack([draw.rng.integers(0, size, (2, 3)) for size in shape[:depth]], axis=-1)
    yield "GatherND", (x, rows), {}
    updates = draw.data((2, 3, *shape[depth:])).astype(x.dtype)
    yield "ScatterND", (x, rows, updates), {"reduction": "add"}
    yield "TopK", (x, np.array([draw.number(0, size)])), {"axis": axis, "largest": draw.bit()}
    yield "Unique", (x,), {"axis": axis}
    yield "NonZero", (x,), {}


def run_reference(op, inputs, attributes, count):
    """Return the results of the reference implementation."""
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415 - only where onnx is

    names = [f"x{place}" for place in range(len(inputs))]
    results = [f"y{place}" for place in range(count)]
    helper = onnx.helper
    types = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
    graph = helper.make_graph(
        [helper.make_node(op, names, results, **attributes)],
        "one",
        [
            helper.make_tensor_value_info(name, of_type, x.shape)
            for name, of_type, x in zip(names, types, inputs, strict=True)
        ],
        [helper.make_empty_tensor_value_info(name) for name in results],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    return ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("family", [reductions, rearrangements, slices, places])
def test_kernels_give_what_the_reference_does(family):
    seen = set()
    for seed in SEEDS:
        for op, inputs, attributes in family(Draw(seed)):
            count = {"TopK": 2, "Unique": 4}.get(op, 1)
            schema = onnx.defs.get_schema(op, 18)
            taken = {n: tuple(v) if isinstance(v, list) else v for n, v in attributes.items()}
            found = run_kernel(
                op, *inputs, version=schema.since_version, num_outputs=count, **taken
            )
            expected = run_reference(op, list(inputs), attributes, count)
            for one, other in zip(found, expected, strict=True):
                compare(one, np.asarray(other), rtol=1e-5, atol=1e-6)
            seen.add(op)
    assert len(seen) >= 3
