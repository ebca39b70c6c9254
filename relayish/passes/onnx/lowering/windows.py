"""Windows over images whose elements are picked by tables that are known before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.pooling import count_elements
from relayish.onnx.calls import count_outputs
from relayish.onnx.kernels.pooling import lowest
from relayish.onnx.kernels.spatial import Placed, place_windows
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

Table = NDArray[np.int64]

_MOST: Final = 1 << 22
"""A table that has more places would be larger than the weights of a large layer."""


class Picked(NamedTuple):
    """The windows of a layer on an image.

    Attributes:
        placed: Where they lie.
        table: (windows, elements): the places of their elements among those of a channel, in the
            order of its rows; -1 of an element that lies in the padding.
    """

    placed: Placed
    table: Table


def place(node: OnnxNode, sizes: Sequence[int], kernel: Sequence[int]) -> Placed:
    """Return where windows lie, as the attributes of a node tell.

    Raises:
        Unlowered: If they do not fit.
    """
    told = {
        name: node.attr(name)
        for name in ("strides", "dilations", "pads", "auto_pad", "ceil_mode")
        if node.attr(name) is not None
    }
    try:
        return place_windows(tuple(sizes), tuple(kernel), **told)
    except EvaluationError as error:
        raise Unlowered(str(error)) from error


def pick(node: OnnxNode, sizes: Sequence[int], kernel: Sequence[int]) -> Picked:
    """Return the windows that the attributes of a node tell.

    Raises:
        Unlowered: If they do not fit, or are too many.
    """
    placed = place(node, sizes, kernel)
    if prod(placed.windows.counts) * prod(kernel) > _MOST:
        raise Unlowered("its windows have more elements than a table should name")
    table: Table = np.zeros((1, 1), np.int64)
    axes = zip(*placed.windows, placed.padding, sizes, strict=True)
    for _, window, stride, spread, count, (before, _), size in axes:
        first = np.arange(count) * stride - before
        places = first[:, None] + np.arange(window) * spread
        inside = (places >= 0) & (places < size)
        both = table[:, None, :, None] * size + places[None, :, None, :]
        kept = (table >= 0)[:, None, :, None] & inside[None, :, None, :]
        shape = (len(table) * count, table.shape[1] * window)
        table = np.where(kept, both, -1).reshape(shape)
    return Picked(placed, table)


def look_up(x: Expr, table: Table, count: int, around: object, dtype: str) -> Expr:
    """Return elements of the last axis that a table names, and a number where it names none.

    Args:
        x: (..., count)
        table: (rows, columns) of places, -1 for the number.
        count: How many elements there are.
        around: The number.
        dtype: The element type.

    Returns:
        (..., rows, columns)
    """
    if (table < 0).any():
        x = build("nn.pad", x, [(0, 0), (0, 0), (0, 1)], const(around, dtype))
    return build("take", x, const(np.where(table < 0, count, table), "int64"), axis=2)


def flat_channels(x: Expr, sizes: Sequence[int]) -> Expr:
    """Return images (n, c, ...) of these sizes with one axis for all elements of a channel."""
    return build("reshape", x, (*sizes[:2], prod(sizes[2:])))


def pool_by_table(node: OnnxNode) -> Expr | list[Expr]:
    """Return the greatest element of each window and its place, or the mean, by a table."""
    sizes, dtype = node.sizes(), node.dtype()
    if not prod(sizes):
        raise Unlowered("there are no elements")
    found = pick(node, sizes[2:], [int(each) for each in node.attr("kernel_shape")])
    placed, table = found
    result = (*sizes[:2], *placed.windows.counts)
    x = flat_channels(node.input(0), sizes)
    if node.identity.name == "AveragePool":
        op = Numbers(work_type(dtype))
        seen = look_up(build("cast", x, op.dtype), table, prod(sizes[2:]), 0, op.dtype)
        counted = [
            (0, before + size + after)
            if node.attr("count_include_pad", 0)
            else (before, before + size)
            for size, (before, after) in zip(sizes[2:], placed.padding, strict=True)
        ]
        counts = count_elements(placed.windows, len(sizes), counted).astype(op.dtype)
        total = build("reshape", build("sum", seen, axis=(3,)), result)
        return build("cast", op("divide", total, const(counts, op.dtype)), dtype)
    seen = look_up(x, table, prod(sizes[2:]), lowest(numpy_dtype(dtype)), dtype)
    greatest = build("reshape", build("max", seen, axis=(3,)), result)
    if count_outputs(node.call.attrs) == 1:
        return greatest
    if (table < 0).all(axis=1).any():
        raise Unlowered("some of its windows lie in the padding alone, and are nowhere")
    at = build("cast", build("argmax", seen, axis=(3,)), "int64")
    rows = np.arange(len(table)) * table.shape[1]
    named = const(_in_order(table, sizes[2:], bool(node.attr("storage_order", 0))), "int64")
    places = build("take", named, build("add", at, const(rows, "int64")), axis=0)
    whole = np.arange(prod(sizes[:2])).reshape(*sizes[:2], 1) * prod(sizes[2:])
    return [greatest, build("reshape", build("add", places, const(whole, "int64")), result)]


def _in_order(table: Table, sizes: Sequence[int], by_columns: bool) -> Table:
    """Return places one behind another, counted by columns if asked for."""
    flat = table.reshape(-1)
    if not by_columns:
        return flat
    parts = np.unravel_index(np.maximum(flat, 0), tuple(sizes))
    return np.asarray(np.ravel_multi_index(parts, tuple(sizes), order="F"), np.int64)


@lowers("Col2Im")
def col2im(node: OnnxNode) -> Expr:
    """Images whose blocks are columns; where blocks overlap they are added up."""
    sizes, block = node.ints(1, "image shape"), node.ints(2, "block shape")
    batch, columns, windows = node.sizes()
    found = pick(node, sizes, block).table
    count = prod(block)
    if columns % count or windows != len(found):
        raise Unlowered(f"its columns {node.sizes()} are not those of blocks {block} of {sizes}")
    givers: Table = np.full((prod(sizes), count), -1, np.int64)
    for element, places in enumerate(found.T):  # of one element, no two windows have the same
        (inside,) = np.nonzero(places >= 0)
        givers[places[inside], element] = element * windows + inside
    x = build("reshape", node.input(0), (batch, columns // count, count * windows))
    seen = look_up(x, givers, count * windows, 0, node.dtype())
    return build("reshape", build("sum", seen, axis=(3,)), (batch, columns // count, *sizes))


@lowers("MaxUnpool")
def max_unpool(node: OnnxNode) -> Expr:
    """Zeros, with elements where they were before a pooling."""
    sizes, dtype = node.sizes(), node.dtype()
    rank = len(sizes) - 2
    steps, margins = node.attr("strides") or (1,) * rank, node.attr("pads") or (0,) * 2 * rank
    before = [
        (size - 1) * step + window - begin - end
        for size, step, window, begin, end in zip(
            sizes[2:], steps, node.attr("kernel_shape"), margins[:rank], margins[rank:], strict=True
        )
    ]
    shape = (*sizes[:2], *[int(each) for each in before])
    flat = build("full", const(0, dtype), (prod(shape),), dtype)
    places, values = (build("reshape", node.input(at), (-1,)) for at in (1, 0))
    found = build("scatter_elements", flat, places, values, axis=0, reduction="update")
    found = build("reshape", found, shape)
    wanted = node.ints(2, "result's shape") if node.has(2) else shape
    for axis, (has, wants) in enumerate(zip(shape, wanted, strict=True)):
        if wants < has:
            found = build("strided_slice", found, begin=[0], end=[wants], axes=[axis])
    more = [(0, max(wants - has, 0)) for has, wants in zip(shape, wanted, strict=True)]
    return build("nn.pad", found, more) if any(each for _, each in more) else found
