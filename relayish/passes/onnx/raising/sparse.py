"""Sparse tensors: what they hold is scattered into dense ones, which ONNX computes with."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple, TupleGetItem
from relayish.op.builders.builder import op
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, raises
from relayish.passes.relay.lowering.tensors import arrange, number, pick

_TAKES_ZEROS: Final = 14
_HAS_ORDER: Final = 11


@raises("nn.sparse_dense", "nn.internal.sparse_dense_padded")
def sparse_dense(call: RelayCall) -> Expr:
    """A product with a sparse matrix, turned round."""
    dense, sparse = call.args[0], _dense(call, call.size(1))
    operands = (sparse, dense) if call.attrs.sparse_lhs else (dense, sparse)
    return call.write(op.nn.dense(*operands))


@raises("nn.sparse_add")
def sparse_add(call: RelayCall) -> Expr:
    """A sum with a sparse matrix."""
    return call.write(op.add(call.args[0], _dense(call, call.size(1))))


@raises("nn.sparse_conv2d")
def sparse_conv2d(call: RelayCall) -> Expr:
    """A convolution whose kernel is a sparse matrix, with as many places as the data."""
    layout, (height, width) = call.attrs.layout, [int(each) for each in call.attrs.kernel_size]
    if height % 2 == 0 or width % 2 == 0:
        raise Unraised("its kernel has no middle")
    inputs = call.size(layout.index("C"))
    plain = "OIHW" if layout == "NCHW" else "OHWI"
    sizes = {"O": -1, "I": inputs, "H": height, "W": width}
    matrix = _dense(call, height * width * inputs)
    kernel = op.reshape(matrix, newshape=[sizes[letter] for letter in plain])
    found = op.nn.conv2d(
        arrange(call.args[0], layout, "NCHW"),
        arrange(kernel, plain, "OIHW"),
        padding=(height // 2, width // 2),
        kernel_size=(height, width),
    )
    return call.write(arrange(found, "NCHW", layout))


def _dense(call: RelayCall, columns: int) -> Expr:
    """Return the sparse matrix in rows that stands behind the first argument, as a dense one."""
    data, indices, indptr = call.args[1:]
    count, *block = call.sizes(1)
    height, width = [*block, 1, 1][:2]
    rows = call.size(0, 3) - 1
    row = _rows(indptr, rows, count)
    is_used = op.less(row, number(rows, "int64"))
    column = op.where(is_used, op.cast(indices, "int64"), number(0, "int64"))
    shape = (rows + 1, columns // width, height, width)
    dtype = call.type(1).dtype
    whole = op.scatter_nd(
        op.zeros(shape=shape, dtype=dtype),
        op.stack([row, column], axis=0),
        op.reshape(data, newshape=(count, height, width)),
        mode="add",
    )
    kept = op.strided_slice(whole, begin=[0], end=[rows], strides=[1], axes=[0])
    turned = op.transpose(kept, axes=(0, 2, 1, 3))
    found: Expr = op.reshape(turned, newshape=(rows * height, columns))
    return found


def _rows(indptr: Expr, rows: int, count: int) -> Expr:
    """Return the row that each entry is in, ``rows`` for one that is in none."""
    ends = op.strided_slice(
        op.cast(indptr, "int64"), begin=[1], end=[rows + 1], strides=[1], axes=[0]
    )
    is_over = op.less_equal(op.expand_dims(ends, axis=1), Constant(np.arange(count)))
    found: Expr = op.sum(op.cast(is_over, "int64"), axis=(0,))
    return found


@raises("nn.sparse_transpose")
def sparse_transpose(call: RelayCall) -> Expr:
    """The entries of a sparse matrix by their columns, those of one in the order of rows."""
    data, indices, indptr = call.args
    (count,), rows = call.sizes(0), call.size(0, 2) - 1
    if not count:
        raise Unraised("it has no entries")
    place, row = op.cast(indices, "int64"), _rows(indptr, rows, count)
    order = op.argsort(place, axis=0, dtype="int64")
    is_before = op.less(op.expand_dims(place, axis=0), Constant(np.arange(rows + 1)[:, None]))
    fields = [
        op.take(data, order, axis=0),
        op.cast(op.take(row, order, axis=0), call.type(1).dtype),
        op.sum(op.cast(is_before, call.type(2).dtype), axis=(1,)),
    ]
    return Tuple([call.write(each) for each in fields])


@raises("sparse_to_dense", "dyn.sparse_to_dense")
def sparse_to_dense(call: RelayCall) -> Expr:
    """Values at places of a dense tensor; those that lie outside are put behind its end."""
    dtype, is_dynamic = call.type(1).dtype, call.name.startswith("dyn.")
    if is_dynamic:
        call.require(_TAKES_ZEROS, "its sizes of zero would be those of its data")
    told = [] if is_dynamic else [int(each) for each in call.attrs.output_shape]
    rank = call.size(0, 3) if is_dynamic else len(told)
    count = call.size(0) if call.rank() else 1
    shape = op.cast(call.args[3], "int64") if is_dynamic else ints(told)
    places = op.reshape(op.cast(call.args[0], "int64"), newshape=(count, rank))
    is_there = op.logical_and(op.greater_equal(places, number(0, "int64")), op.less(places, shape))
    columns = [(pick(places, axis, 1), pick(shape, axis, 0)) for axis in range(rank)]
    whole = functools.reduce(op.multiply, [size for _, size in columns])
    at = op.where(op.all(is_there, axis=(1,)), _flat(columns), whole)
    one, length = ints([1]), op.reshape(whole, newshape=(1,))
    default = op.reshape(op.cast(call.args[2], dtype), newshape=())
    room = op.dyn.full(default, op.add(length, one), dtype=dtype)
    values = op.broadcast_to(call.args[1], shape=(count,))
    filled = op.scatter_elements(room, at, values, axis=0, reduction="update")
    kept = call.write(op.dyn.strided_slice(filled, ints([0]), length, one))
    if not is_dynamic:
        return call.reshape(kept, told)
    return call.node("Reshape", kept, call.write(shape), allowzero=1)


def _flat(columns: list[tuple[Expr, Expr]]) -> Expr:
    """Return places among all elements, from a place along each axis and its size."""
    first, *others = columns
    found: Expr = first[0]
    for place, size in others:
        found = op.add(op.multiply(found, size), place)
    return found


@raises("sparse_reshape")
def sparse_reshape(call: RelayCall) -> Expr:
    """The places of elements in another shape, of which a size may be what is left."""
    places, before, after = [op.cast(each, "int64") for each in call.args]
    rank = call.size(0, 1)
    columns = [(pick(places, axis, 1), pick(before, axis, 0)) for axis in range(rank)]
    total = functools.reduce(op.multiply, [size for _, size in columns])
    sizes = [pick(after, axis, 0) for axis in range(call.size(0, 2))]
    left = number(-1, "int64")
    known = [op.where(op.equal(size, left), number(1, "int64"), size) for size in sizes]
    rest = op.floor_divide(total, functools.reduce(op.multiply, known))
    shape = op.stack([op.where(op.equal(size, left), rest, size) for size in sizes], axis=0)
    found = op.unravel_index(_flat(columns), shape)
    dtypes = [call.type(place).dtype for place in (0, 2)]
    fields = (op.cast(op.transpose(found, axes=(1, 0)), dtypes[0]), op.cast(shape, dtypes[1]))
    return Tuple([call.write(each) for each in fields])


@raises("sparse_fill_empty_rows")
def fill_empty_rows(call: RelayCall) -> Expr:
    """Entries in the order of rows, with one of a default for each row that has none."""
    call.require(_HAS_ORDER, "it has the largest elements first alone")
    rank, (count,), dtype = call.size(1), call.sizes(1), call.type(1).dtype
    places, shape = call.places(0), call.places(2)
    default = call.reshape(call.cast_from(call.args[3], call.type(3).dtype, dtype), [1])
    zero = number(0, "int64")
    row = call.node("Gather", places, zero, axis=1)
    rows = call.node("Gather", shape, ints([0]), axis=0)
    none = call.node("ConstantOfShape", rows, value=np.zeros(1, "int64"))
    is_there = call.node("ScatterElements", none, row, ints([1] * count), axis=0)
    is_empty = call.node("Equal", is_there, zero)
    missing = call.node("Transpose", call.node("NonZero", is_empty), perm=(1, 0))
    added = call.node("Pad", missing, ints([0, 0, 0, rank - 1]))
    every = call.node("Concat", places, added, axis=0)
    keys = call.node("Gather", every, zero, axis=1)
    found = call.node("TopK", keys, call.node("Shape", keys), outputs=2, largest=0, axis=0)
    order = TupleGetItem(found, 1)
    length = call.node("Gather", call.node("Shape", missing), ints([0]), axis=0)
    values = call.node("Concat", call.args[1], call.node("Expand", default, length), axis=0)
    fields = [call.node("Gather", each, order, axis=0) for each in (every, values)]
    return Tuple([*fields, call.cast(is_empty, "int64")])
