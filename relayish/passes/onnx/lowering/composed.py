"""Operators that several of Relay's make up: norms, quantised products, transforms, grids."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.onnx.kernels.sampling import spread_evenly
from relayish.passes.onnx.lowering.elementwise import round_to_even
from relayish.passes.onnx.lowering.networks import (
    LAYOUTS,
    channels_of,
    kernel_of,
    spatial_rank,
    windows_of,
)
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_LETTERS: Final = "abcdefgh"


def _refuse_whole(node: OnnxNode) -> str:
    """Return the element type of a node's first input, one of floats."""
    dtype = node.dtype()
    if "float" not in dtype:
        raise Unlowered(f"it is of {dtype}")
    return dtype


@lowers("RMSNormalization")
def rms_normalization(node: OnnxNode) -> Expr:
    """Division by the root of the mean square over all axes from one on."""
    axes, dtype = tuple(range(node.axis(-1), node.rank())), _refuse_whole(node)
    work = dtype if dtype == "float64" else "float32"
    x = build("cast", node.input(0), work)
    square = build("mean", build("multiply", x, x), axis=axes, keepdims=True)
    root = build("sqrt", build("add", square, const(node.attr("epsilon", 1e-5), work)))
    divided = build("cast", build("divide", x, root), node.dtype(1))
    return build("multiply", divided, node.input(1))


@lowers("MeanVarianceNormalization")
def mean_variance_normalization(node: OnnxNode) -> Expr:
    """Distances from the mean, by the standard deviation."""
    dtype = _refuse_whole(node)
    axes = tuple(node.attr("axes", (0, 2, 3)))
    x = node.input(0)
    mean = build("mean", x, axis=axes, keepdims=True)
    squares = build("mean", build("multiply", x, x), axis=axes, keepdims=True)
    variance = build("subtract", squares, build("multiply", mean, mean))
    deviation = build("add", build("sqrt", variance), const(1e-9, dtype))
    return build("divide", build("subtract", x, mean), deviation)


@lowers("LpNormalization")
def lp_normalization(node: OnnxNode) -> Expr:
    """Division by the norm along an axis; what has none is 0."""
    dtype, axis, order = _refuse_whole(node), node.axis(-1), int(node.attr("p", 2))
    x = node.input(0)
    parts = build("abs", x) if order == 1 else build("multiply", x, x)
    norm = build("sum", parts, axis=(axis,), keepdims=True)
    norm = norm if order == 1 else build("sqrt", norm)
    none = const(0, dtype)
    return build("where", build("equal", norm, none), none, build("divide", x, norm))


@lowers("LpPool")
def lp_pool(node: OnnxNode) -> Expr:
    """The norm of each window: a root of a sum of powers."""
    dtype = _refuse_whole(node)
    count, kernel = spatial_rank(node), tuple([int(each) for each in node.attr("kernel_shape")])
    if node.attr("ceil_mode", 0):
        raise Unlowered("its last windows reach over the end")
    order = float(node.attr("p", 2))
    powers = build("power", build("abs", node.input(0)), const(order, dtype))
    means = build(
        f"nn.avg_pool{count}d",
        powers,
        pool_size=kernel,
        layout=LAYOUTS[count][0],
        count_include_pad=True,
        **windows_of(node, kernel),
    )
    total = build("multiply", means, const(prod(kernel), dtype))
    return build("power", total, const(1 / order, dtype))


@lowers("Hardmax")
def hardmax(node: OnnxNode) -> Expr:
    """1 at the first of the greatest along an axis, 0 elsewhere."""
    if node.version < 13:
        raise Unlowered("it joins axes")
    axis, dtype = node.axis(-1), node.dtype()
    places = build("argmax", node.input(0), axis=(axis,))
    depth = node.sizes()[axis]
    return build("one_hot", places, const(1, dtype), const(0, dtype), depth, axis, dtype)


@lowers("CumProd")
def cumprod(node: OnnxNode) -> Expr:
    """Products of all elements so far."""
    axis = int(node.constant(1, "axis"))
    backwards = bool(node.attr("reverse", 0))
    found = build("reverse", node.input(0), axis=axis) if backwards else node.input(0)
    found = build("cumprod", found, axis=axis, exclusive=bool(node.attr("exclusive", 0)))
    return build("reverse", found, axis=axis) if backwards else found


@lowers("GridSample")
def grid_sample(node: OnnxNode) -> Expr:
    """What an image is at the points of a grid, whose coordinates come first in Relay."""
    methods = {"linear": "bilinear", "cubic": "bicubic"}
    mode = str(node.attr("mode", "linear"))
    rank = node.rank()
    if rank not in (4, 5):
        raise Unlowered(f"Relay has no grids over {rank - 2} axes")
    grid = build("transpose", node.input(1), axes=(0, rank - 1, *range(1, rank - 1)))
    return build(
        "image.grid_sample",
        node.input(0),
        grid,
        method=methods.get(mode, mode),
        layout="NCHW" if rank == 4 else "NCDHW",
        padding_mode=str(node.attr("padding_mode", "zeros")),
        align_corners=bool(node.attr("align_corners", 0)),
    )


@lowers("AffineGrid")
def affine_grid(node: OnnxNode) -> Expr:
    """Where affine maps take the points of a grid, the coordinates of the last axis first."""
    batch, _, *sizes = node.ints(1, "size")
    rank = len(sizes)
    lines = [spread_evenly(size, bool(node.attr("align_corners", 0))) for size in sizes]
    grids = np.meshgrid(*lines, indexing="ij")
    points = np.stack([*grids[::-1], np.ones(sizes)], axis=-1).reshape(-1, rank + 1)
    found = build("einsum", (node.input(0), const(points, _refuse_whole(node))), "nik,pk->npi")
    return build("reshape", found, newshape=(batch, *sizes, rank))


def _centred(node: OnnxNode, place: int, zero: int, axis: int) -> Expr:
    """Return an input of integers as int32, without its zero points, which may be along an axis."""
    wide = build("cast", node.input(place), "int32")
    if not node.has(zero):
        return wide
    point = _along(node, zero, build("cast", node.input(zero), "int32"), axis, node.rank(place))
    return build("subtract", wide, point)


def _along(node: OnnxNode, place: int, value: Expr, axis: int, rank: int) -> Expr:
    """Return one number, or several along an axis, so that they broadcast."""
    if node.rank(place) != 1:
        return value
    if node.sizes(place) == (1,):
        return build("reshape", value, newshape=())
    shape = [1] * rank
    shape[axis] = -1
    return build("reshape", value, newshape=tuple(shape))


def _requantized(node: OnnxNode, whole: Expr, axes: tuple[int, int], rank: int) -> Expr:
    """Return sums of products of integers at the scale and zero point of the result."""
    places = (1, 4, 6)
    scales = [build("cast", node.input(place), "float32") for place in places]
    left = _along(node, 1, scales[0], axes[0], rank)
    right = _along(node, 4, scales[1], axes[1], rank)
    one = _along(node, 6, scales[2], rank - 1, rank)
    ratio = build("divide", build("multiply", left, right), one)
    scaled = build("multiply", build("cast", whole, "float32"), ratio)
    dtype = node.dtype(7)
    limits = np.iinfo(dtype)
    rounded = round_to_even(scaled, "float32")
    moved = build("add", rounded, build("cast", node.input(7), "float32"))
    clipped = build("clip", moved, a_min=float(limits.min), a_max=float(limits.max))
    return build("cast", clipped, dtype)


@lowers("QLinearMatMul")
def quantised_matmul(node: OnnxNode) -> Expr:
    """The product of quantised matrices, quantised."""
    if not all(each in ("int8", "uint8") for each in (node.dtype(0), node.dtype(3), node.dtype(7))):
        raise Unlowered("its elements are no integers of 8 bits")
    ranks = node.rank(0), node.rank(3)
    if min(ranks) < 2:
        raise Unlowered("it multiplies vectors")
    rank = max(ranks)
    one = f"{_LETTERS[rank - ranks[0] : rank - 2]}xk"
    two = f"{_LETTERS[rank - ranks[1] : rank - 2]}ky"
    sides = _centred(node, 0, 2, ranks[0] - 2), _centred(node, 3, 5, ranks[1] - 1)
    whole = build("einsum", sides, f"{one},{two}->{_LETTERS[: rank - 2]}xy")
    return _requantized(node, whole, (rank - 2, rank - 1), rank)


def _whole_convolution(node: OnnxNode, data: Expr, weight: Expr, at: int) -> Expr:
    count, kernel = spatial_rank(node), kernel_of(node, at)
    return build(
        f"nn.conv{count}d",
        data,
        weight,
        groups=int(node.attr("group", 1)),
        channels=channels_of(node, 0, at),
        kernel_size=kernel,
        data_layout=LAYOUTS[count][0],
        kernel_layout=LAYOUTS[count][1],
        out_dtype="int32",
        **windows_of(node, kernel),
    )


@lowers("ConvInteger")
def convolution_of_integers(node: OnnxNode) -> Expr:
    """A convolution of integers of 8 bits, from which zero points are taken."""
    return _whole_convolution(node, _centred(node, 0, 2, 1), _centred(node, 1, 3, 0), 1)


@lowers("QLinearConv")
def quantised_convolution(node: OnnxNode) -> Expr:
    """A convolution of quantised images, quantised."""
    whole = _whole_convolution(node, _centred(node, 0, 2, 1), _centred(node, 3, 5, 0), 3)
    if node.has(8):
        whole = build("nn.bias_add", whole, node.input(8), axis=1)
    return _requantized(node, whole, (1, 1), node.rank())
