"""Tensors, types and attributes drawn by hypothesis: small, of many shapes and element types."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.ir.relay.type import TensorType, TupleType

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

DTYPES = ("float32", "float64", "float16", "int8", "int32", "int64", "uint8", "bool")
INDEX_DTYPES = ("int32", "int64", "uint8")


def shapes(min_dims=1, max_dims=4, min_side=1, max_side=4):
    side = st.integers(min_side, max_side)
    return st.lists(side, min_size=min_dims, max_size=max_dims).map(tuple)


def filled(shape, dtype, seed=0, low=-9, high=10):
    """Return a tensor that cannot be written to, of numbers that every element type holds."""
    rng = np.random.default_rng([seed, *shape])
    least = 0 if np.dtype(dtype).kind in "ub" else low
    values = np.asarray(rng.integers(least, high, shape)).astype(dtype)
    values.flags.writeable = False
    return values


@st.composite
def arrays(draw, shape=None, dtype=None, **limits):
    """Draw a tensor; the shape and the element type too, where they are not given."""
    shape = draw(shapes()) if shape is None else shape
    dtype = draw(st.sampled_from(DTYPES)) if dtype is None else dtype
    return filled(shape, dtype, draw(st.integers(0, 99)), **limits)


def axes(rank):
    """Draw an axis of ``rank``, counted from either end."""
    return st.integers(-rank, rank - 1)


@st.composite
def types(draw, sides):
    """Draw a type: mostly of tensors, some of tuples of them."""
    if draw(st.integers(0, 3)) == 0:
        return TupleType(tuple(draw(st.lists(tensor_types(sides), max_size=3))))
    return draw(tensor_types(sides))


def tensor_types(sides, rank=None, dtypes=("float32", "int32", "int64", "bool")):
    """Draw the type of a tensor whose sizes are among ``sides``."""
    side = st.sampled_from(sides)
    least, most = (0, 4) if rank is None else (rank, rank)
    shape = st.lists(side, min_size=least, max_size=most)
    return st.builds(TensorType, shape, st.sampled_from(dtypes))
