"""Images looked at between their elements: regions of interest, kernels that are deformed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.networks import kernel_of
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers
from relayish.passes.onnx.lowering.windows import flat_channels, place


def sample(
    x: Expr, shape: Sequence[int], sizes: Sequence[int], places: Sequence[Expr], op: Numbers
) -> list[Expr]:
    """Return the weighted elements of which what lies between elements is the sum.

    Args:
        x: (maps, channels, elements), those of images of ``sizes`` in the order of rows.
        shape: (maps, channels, samples)
        sizes: The spatial sizes.
        places: For each of the axes (maps, samples): where samples lie, in float numbers.
        op: Arithmetic in which to weigh.

    Returns:
        For each corner around a place (maps, channels, samples): 0 outside the image.
    """
    lows = [op("floor", each) for each in places]
    found = []
    for corner in np.ndindex(*(2,) * len(sizes)):
        at, weight, inside = const(0, "int64"), const(1, op.dtype), const(True, "bool")
        parts: tuple[Expr, Expr, Expr] = at, weight, inside
        for size, where, low, step in zip(sizes, places, lows, corner, strict=True):
            parts = _nearer(parts, size, where, op("add", low, step), op)
        spread = [
            build("broadcast_to", build("expand_dims", each, axis=1), tuple(shape))
            for each in parts
        ]
        weighed = op("multiply", build("gather", x, 2, spread[0]), spread[1])
        found.append(op("where", spread[2], weighed, 0))
    return found


def _nearer(
    parts: tuple[Expr, Expr, Expr], size: int, where: Expr, here: Expr, op: Numbers
) -> tuple[Expr, Expr, Expr]:
    """Return index, weight and whether there is one, of an element that is ``here`` on an axis."""
    at, weight, inside = parts
    nearness = op("subtract", 1, op("abs", op("subtract", where, here)))
    within = build("logical_and", op("greater_equal", here, 0), op("less", here, size))
    step = build("cast", op("where", within, here, 0), "int64")
    return (
        build("add", build("multiply", at, const(size, "int64")), step),
        op("multiply", weight, nearness),
        build("logical_and", inside, within),
    )


@lowers("DeformConv")
def deformed_convolution(node: OnnxNode) -> Expr:
    """A convolution whose elements are moved, and multiplied, each for itself."""
    sizes, kernel = node.sizes(), kernel_of(node)
    parts, groups = int(node.attr("offset_group", 1)), int(node.attr("group", 1))
    batch, channels, *spatial = sizes
    outputs, taps, rank = node.sizes(1)[0], prod(kernel), len(kernel)
    windows, padding = place(node, spatial, kernel)
    count = prod(windows.counts)
    op = Numbers(work_type(node.dtype()))

    def given(at: int, shape: tuple[int, ...]) -> Expr:
        return build("reshape", build("cast", node.input(at), op.dtype), shape)

    moves = given(2, (batch * parts, taps, rank, count))
    elements = np.indices(kernel).reshape(rank, taps)
    steps = np.indices(windows.counts).reshape(rank, count)
    places = []
    for axis in range(rank):
        first = elements[axis] * windows.dilation[axis]
        start = first[:, None] + steps[axis] * windows.strides[axis] - padding[axis][0]
        moved = op("add", build("take", moves, const(axis, "int64"), axis=2), op.array(start))
        places.append(build("reshape", moved, (batch * parts, taps * count)))
    x = given(0, (batch * parts, channels // parts, prod(spatial)))
    shape = (batch * parts, channels // parts, taps * count)
    seen = reduce(lambda one, other: op("add", one, other), sample(x, shape, spatial, places, op))
    if node.has(4):
        seen = op("multiply", seen, given(4, (batch * parts, 1, taps * count)))
    inner = channels // groups * taps
    columns = build("reshape", seen, (batch, groups, inner, count))
    matrix = given(1, (groups, outputs // groups, inner))
    found = build("einsum", (matrix, columns), "gok,ngkp->ngop")
    found = build("reshape", found, (batch, outputs, *windows.counts))
    if node.has(3):
        found = op("add", found, given(3, (outputs, *[1] * rank)))
    return build("cast", found, node.dtype())


@lowers("RoiAlign")
def align_regions(node: OnnxNode) -> Expr:
    """Regions of images, sampled at regular places and pooled to one size."""
    ratio = int(node.attr("sampling_ratio", 0))
    if ratio <= 0:
        raise Unlowered("how many samples a region has follows from its size")
    _, channels, *spatial = sizes = node.sizes()
    usual = "output_half_pixel" if node.version < 16 else "half_pixel"
    shifted = node.attr("coordinate_transformation_mode", usual) == "half_pixel"
    bins = (int(node.attr("output_height", 1)), int(node.attr("output_width", 1)))
    regions = node.sizes(1)[0]
    op = Numbers(work_type(node.dtype()))
    scaled = op(
        "multiply", build("cast", node.input(1), op.dtype), float(node.attr("spatial_scale", 1.0))
    )
    corners = op("subtract", scaled, 0.5 if shifted else 0)
    samples = [count * ratio for count in bins]
    places: list[Expr] = []
    nears: list[Expr] = []
    for axis, size in enumerate(spatial):
        start, end = (
            build("take", corners, const(at, "int64"), axis=1) for at in (1 - axis, 3 - axis)
        )
        length = op("subtract", end, start)
        length = length if shifted else op("maximum", length, 1)
        step = build("expand_dims", op("divide", length, bins[axis]), axis=1)
        within = (np.arange(samples[axis]) + 0.5) / ratio
        along = op(
            "add", build("expand_dims", start, axis=1), op("multiply", step, op.array(within))
        )
        near = build("logical_and", op("greater_equal", along, -1), op("less_equal", along, size))
        held = op("minimum", op("maximum", along, 0), size - 1)
        for kind, each in ((places, held), (nears, near)):
            spread = build("expand_dims", each, axis=2 - axis)
            spread = build("broadcast_to", spread, (regions, *samples))
            kind.append(build("reshape", spread, (regions, prod(samples))))
    images = build("take", flat_channels(node.input(0), sizes), node.input(2), axis=0)
    images = build("cast", images, op.dtype)
    shape = (regions, channels, prod(samples))
    is_mean = node.attr("mode", "avg") == "avg"
    combine = "add" if is_mean else "maximum"
    parts = sample(images, shape, spatial, places, op)
    seen = reduce(lambda one, other: op(combine, one, other), parts)
    near = build("expand_dims", build("logical_and", *nears), axis=1)
    seen = op("where", near, seen, 0)
    apart = build("reshape", seen, (regions, channels, bins[0], ratio, bins[1], ratio))
    pooled = build("mean" if is_mean else "max", apart, axis=(3, 5))
    return build("cast", pooled, node.dtype())
