"""Products and sums with sparse matrices as loops: entries, row by row, and rows that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.errors import RelayishError
from relayish.op.builders.call import relay_call
from relayish.op.nn.sparse import as_block_rows
from relayish.passes.relay.to_loops.lower_to_loops import lower_to_loops
from tests.support.each import each
from tests.support.seeds import seeds


def ways(name, attrs, args):
    """A call as numpy evaluates it, and as the loops that it is written as."""
    params = [relay.var(f"p{n}", shape=a.shape, dtype=str(a.dtype)) for n, a in enumerate(args)]
    func = relay.Function(params, relay_call(name, *params, **attrs))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(func))
    lowered = lower_to_loops(mod, unlowerable="refuse")
    return [relay.create_executor(mod=each).evaluate() for each in (mod, lowered)]


def both(name, attrs, args):
    """What both ways make of arguments, as lists."""
    made = [run(*args) for run in ways(name, attrs, args)]
    return [list(each) if isinstance(each, (tuple, list)) else [each] for each in made]


def matrix(rng, rows, columns, block, dtype):
    """A matrix with many blocks of zeros, as compressed rows, and without the entries of some."""
    shape = (rows * block[0], columns * block[1])
    dense = rng.integers(-4, 5, shape) * (rng.random(shape) < 0.3)
    data, indices, starts = as_block_rows(dense.astype(dtype), *block)
    return data, indices.astype("int64"), starts


DTYPES = ("float32", "int8", "bool")


@each("dtype", DTYPES)
def test_products_with_blocks_are_those_of_numpy(dtype):
    for seed in seeds(2):
        rng = np.random.default_rng(seed)
        block = tuple(rng.integers(1, 4, 2).tolist())
        data, indices, starts = matrix(rng, 3, 2, block, dtype)
        dense = rng.integers(-8, 9, (2, 2 * block[1])).astype(dtype)
        more = np.ones((1, *block), dtype), np.zeros(1, "int64")
        padded = [np.concatenate(pair) for pair in zip((data, indices), more, strict=True)]
        attrs = {"sparse_lhs": bool(seed % 2)}
        for entries in ([data, indices], padded):
            expected, found = both("nn.sparse_dense", attrs, [dense, *entries, starts])
            assert np.array_equal(expected, found)


@each("layout", ["NHWC", "NCHW"])
@each("window", [(1, 1), (3, 3), (1, 3)])
def test_convolutions_with_sparse_kernels_are_those_of_numpy(layout, window):
    rng = np.random.default_rng(4)
    taps = window[0] * window[1]
    data, indices, starts = matrix(rng, 2, taps, (2, 2), "float32")
    sizes = {"N": 2, "C": 2, "H": 3, "W": 4}
    dense = rng.integers(-8, 9, [sizes[letter] for letter in layout]).astype("float32")
    attrs = {"layout": layout, "kernel_size": window}
    expected, found = both("nn.sparse_conv2d", attrs, [dense, data, indices, starts])
    assert np.array_equal(expected, found)


@each("dtype", DTYPES)
def test_sums_and_transposes_are_those_of_numpy(dtype):
    rng = np.random.default_rng(5)
    data, indices, starts = matrix(rng, 4, 4, (1, 1), dtype)
    held = [data.reshape(-1), indices, starts]
    dense = rng.integers(-8, 9, (4, 4)).astype(dtype)
    for name, args in (("nn.sparse_add", [dense, *held]), ("nn.sparse_transpose", held)):
        expected, found = both(name, {}, args)
        assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))


WRONG = {
    "rows that do not begin at 0": ([0, 1], [1, 1, 2]),
    "rows that descend": ([0, 1], [0, 2, 1]),
    "more entries than there are": ([0, 1], [0, 1, 3]),
    "a column behind the last": ([0, 2], [0, 1, 2]),
    "a column before the first": ([-1, 0], [0, 1, 2]),
}


@each("name", ["nn.sparse_dense", "nn.sparse_add", "nn.sparse_transpose", "nn.sparse_conv2d"])
@each("wrong", list(WRONG))
def test_what_is_no_sparse_matrix_is_an_error_to_loops_too(name, wrong):
    indices, starts = (np.array(each, "int32") for each in WRONG[wrong])
    held = [np.ones(2, "float32"), indices, starts]
    dense = np.ones((1, 1, 1, 2) if name.endswith("conv2d") else (2, 2), "float32")
    args = held if name.endswith("transpose") else [dense, *held]
    for run in ways(name, {}, args):
        with pytest.raises(RelayishError):
            run(*args)
