"""Layers of networks: convolutions, pooling, normalisation, resizing."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Expr
from relayish.numeric.resizing import find_samples
from relayish.onnx.calls import count_outputs
from relayish.onnx.kernels.resize import plan_resize
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers
from relayish.passes.onnx.lowering.training import trained_normalization
from relayish.passes.onnx.lowering.windows import pool_by_table

LAYOUTS: Final = {
    1: ("NCW", "OIW", "IOW"), 2: ("NCHW", "OIHW", "IOHW"), 3: ("NCDHW", "OIDHW", "IODHW")
}  # fmt: skip
"""By spatial rank: the layout of data, of kernels, and of kernels of transposed convolutions."""


def spatial_rank(node: OnnxNode) -> int:
    """Return over how many axes windows slide."""
    count = node.rank() - 2
    if count not in LAYOUTS:
        raise Unlowered(f"Relay has no windows over {count} axes")
    return count


def windows_of(node: OnnxNode, kernel: tuple[int, ...]) -> dict[str, Any]:
    """Return strides, dilations and padding of a window. Any: numbers by name."""
    count = len(kernel)
    strides = tuple(node.attr("strides", (1,) * count))
    dilations = tuple(node.attr("dilations", (1,) * count))
    auto = node.attr("auto_pad", "NOTSET")
    pads = tuple(node.attr("pads", (0,) * (2 * count)))
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        sizes = node.sizes()[2:]
        pads = _same(auto, sizes, kernel, strides, dilations)
    elif auto == "VALID":
        pads = (0,) * (2 * count)
    if min(pads, default=0) < 0:
        raise Unlowered("its padding takes elements away")
    return {"strides": strides, "dilation": dilations, "padding": pads}


def _same(
    auto: str,
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
) -> tuple[int, ...]:
    """Return the padding with which there are as many windows as strides fit into an axis."""
    before, after = [], []
    for size, window, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        outputs = -(-size // stride)
        total = max((outputs - 1) * stride + (window - 1) * dilation + 1 - size, 0)
        small, large = total // 2, total - total // 2
        before.append(small if auto == "SAME_UPPER" else large)
        after.append(large if auto == "SAME_UPPER" else small)
    return (*before, *after)


def kernel_of(node: OnnxNode, place: int = 1) -> tuple[int, ...]:
    """Return the spatial sizes of a kernel."""
    told = node.attr("kernel_shape")
    found = tuple(told) if told else node.sizes(place)[2:]
    return tuple([int(each) for each in found])


@lowers("Conv")
def convolution(node: OnnxNode) -> Expr:
    """A convolution over one to three axes, with or without a bias."""
    count, kernel = spatial_rank(node), kernel_of(node)
    data, weights, _ = LAYOUTS[count]
    found = build(
        f"nn.conv{count}d",
        node.input(0),
        node.input(1),
        groups=int(node.attr("group", 1)),
        channels=channels_of(node, 0),
        kernel_size=kernel,
        data_layout=data,
        kernel_layout=weights,
        **windows_of(node, kernel),
    )
    return build("nn.bias_add", found, node.input(2), axis=1) if node.has(2) else found


def channels_of(node: OnnxNode, axis: int, place: int = 1) -> int | None:
    """Return a size of a kernel, where it is known."""
    size = node.type(place).shape[axis]
    return size if isinstance(size, int) else None


@lowers("ConvTranspose")
def transposed_convolution(node: OnnxNode) -> Expr:
    """The gradient of a convolution, as a layer."""
    count, kernel = spatial_rank(node), kernel_of(node)
    data, _, weights = LAYOUTS[count]
    group = int(node.attr("group", 1))
    inner = channels_of(node, 1)
    extra = tuple(node.attr("output_padding", (0,) * count))
    windows, missing = _windows_of_transposed(node, kernel, extra)
    found = build(
        f"nn.conv{count}d_transpose",
        node.input(0),
        node.input(1),
        groups=group,
        channels=None if inner is None else inner * group,
        kernel_size=kernel,
        data_layout=data,
        kernel_layout=weights,
        output_padding=extra,
        **windows,
    )
    if any(missing):
        found = build("nn.pad", found, [(0, 0), (0, 0), *[(0, each) for each in missing]])
    return build("nn.bias_add", found, node.input(2), axis=1) if node.has(2) else found


def _windows_of_transposed(
    node: OnnxNode, kernel: tuple[int, ...], extra: tuple[int, ...]
) -> tuple[dict[str, Any], list[int]]:  # Any: numbers by name
    """Return what :func:`windows_of` does, where the size of the result may say the padding.

    Then by how many elements the result is larger than what windows reach.
    """
    count, auto = len(kernel), node.attr("auto_pad", "NOTSET")
    wanted = node.attr("output_shape")
    if wanted is None and auto not in ("SAME_UPPER", "SAME_LOWER"):
        return windows_of(node, kernel), [0] * count
    strides = tuple(node.attr("strides", (1,) * count))
    dilations = tuple(node.attr("dilations", (1,) * count))
    sizes = node.sizes()[2:]
    missing = []
    told = wanted or [size * stride for size, stride in zip(sizes, strides, strict=True)]
    before, after = [], []
    for axis, size in enumerate(tuple(told)[-count:]):
        reach = (kernel[axis] - 1) * dilations[axis] + 1
        total = strides[axis] * (sizes[axis] - 1) + extra[axis] + reach - size
        missing.append(max(-total, 0))
        total = max(total, 0)
        small, large = total // 2, total - total // 2
        before.append(small if auto == "SAME_UPPER" else large)
        after.append(large if auto == "SAME_UPPER" else small)
    windows = {"strides": strides, "dilation": dilations, "padding": (*before, *after)}
    return windows, missing


@lowers("MaxPool", "AveragePool")
def pool(node: OnnxNode) -> Expr | list[Expr]:
    """The largest element, or the mean, of each window; by a table where Relay has no operator."""
    try:
        return _pool_by_operator(node)
    except Unlowered:
        return pool_by_table(node)


def _pool_by_operator(node: OnnxNode) -> Expr:
    outputs = count_outputs(node.call.attrs)
    if outputs != 1:
        raise Unlowered("it tells where the largest elements stand")
    count = spatial_rank(node)
    kernel = tuple([int(each) for each in node.attr("kernel_shape")])
    windows = windows_of(node, kernel)
    ceil = bool(node.attr("ceil_mode", 0))
    if ceil and _ends_beyond(node.sizes()[2:], kernel, windows):
        raise Unlowered("its last window would begin behind the data, where ONNX has none")
    layout = LAYOUTS[count][0]
    if node.identity.name == "MaxPool":
        is_empty = 0 in node.type(0).shape[2:]
        if "float" in node.dtype() and (is_empty or _sees_padding_only(kernel, windows)):
            raise Unlowered("some of its windows lie in the padding alone, and give infinities")
        return build(
            f"nn.max_pool{count}d",
            node.input(0),
            pool_size=kernel,
            layout=layout,
            ceil_mode=ceil,
            **windows,
        )
    if ceil and any(windows["padding"]):
        raise Unlowered("its last windows reach over the padding")
    return build(
        f"nn.avg_pool{count}d",
        node.input(0),
        pool_size=kernel,
        layout=layout,
        ceil_mode=ceil,
        count_include_pad=bool(node.attr("count_include_pad", 0)),
        **windows,
    )


def _sees_padding_only(
    kernel: tuple[int, ...], windows: dict[str, Any]
) -> bool:  # Any: numbers by name
    """Return whether an edge is padded so far that windows end before the data begin."""
    spans = [(size - 1) * by + 1 for size, by in zip(kernel, windows["dilation"], strict=True)]
    pads = windows["padding"]
    return any(pad >= span for pad, span in zip(pads, (*spans, *spans), strict=True))


def _ends_beyond(
    sizes: tuple[int, ...], kernel: tuple[int, ...], windows: dict[str, Any]
) -> bool:  # Any: numbers by name
    """Return whether a last window, that reaches over the end, begins behind the data."""
    count = len(kernel)
    pads, strides, dilations = windows["padding"], windows["strides"], windows["dilation"]
    for axis in range(count):
        length = sizes[axis] + pads[axis] + pads[axis + count]
        last = -(-(length - (kernel[axis] - 1) * dilations[axis] - 1) // strides[axis])
        if last * strides[axis] >= sizes[axis] + pads[axis]:
            return True
    return False


@lowers("GlobalAveragePool", "GlobalMaxPool")
def global_pool(node: OnnxNode) -> Expr:
    """One element for each channel."""
    op = "mean" if node.identity.name == "GlobalAveragePool" else "max"
    return build(op, node.input(0), axis=tuple(range(2, node.rank())), keepdims=True)


@lowers("BatchNormalization")
def batch_normalization(node: OnnxNode) -> Expr | list[Expr]:
    """Normalisation by mean and variance that are given, or those of the batch in training."""
    if node.attr("training_mode", 0) or count_outputs(node.call.attrs) != 1:
        return trained_normalization(node)
    normalised: Any = build(  # Any: a call of several results
        "nn.batch_norm",
        *[node.input(place) for place in range(5)],
        axis=1,
        epsilon=float(node.attr("epsilon", 1e-5)),
    )
    return normalised[0]  # type: ignore[no-any-return]


@lowers("InstanceNormalization")
def instance_normalization(node: OnnxNode) -> Expr:
    """Normalisation of each channel of each sample."""
    epsilon = float(node.attr("epsilon", 1e-5))
    parts = [node.input(place) for place in range(3)]
    return build("nn.instance_norm", *parts, axis=1, epsilon=epsilon)


@lowers("LayerNormalization")
def layer_normalization(node: OnnxNode) -> list[Expr]:
    """Normalisation over all axes from one on."""
    axes = tuple(range(node.axis(-1), node.rank()))
    x, dtype = node.input(0), node.dtype()
    mean = build("mean", x, axis=axes, keepdims=True)
    centred = build("subtract", x, mean)
    spread = build("mean", build("multiply", centred, centred), axis=axes, keepdims=True)
    shifted = build("add", spread, const(node.attr("epsilon", 1e-5), dtype))
    deviation = build("sqrt", shifted)
    found = build("multiply", build("divide", centred, deviation), node.input(1))
    if node.has(2):
        found = build("add", found, node.input(2))
    return [found, mean, build("divide", const(1, dtype), deviation)]


@lowers("LRN")
def local_response(node: OnnxNode) -> Expr:
    """Normalisation by neighbouring channels."""
    if int(node.attr("size")) % 2 == 0:
        raise Unlowered("its window has no middle")
    return build(
        "nn.lrn",
        node.input(0),
        size=int(node.attr("size")),
        axis=1,
        bias=float(node.attr("bias", 1.0)),
        alpha=float(node.attr("alpha", 1e-4)),
        beta=float(node.attr("beta", 0.75)),
    )


_NEAREST: Final = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
_COORDINATES: Final = ("half_pixel", "align_corners", "asymmetric")
_METHODS: Final = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}


@lowers("Resize", "Upsample")
def resize(node: OnnxNode) -> Expr:
    """Images of another size; where Relay has no such operator, products along each axis."""
    try:
        return _resize_image(node)
    except Unlowered:
        if node.identity.name != "Resize" or node.version < 11:
            raise
    return _resize_by_products(node)


def _resize_by_products(node: OnnxNode) -> Expr:
    """Return elements picked along each axis, or weighed by a matrix that is known."""
    dtype, sizes = node.dtype(), node.sizes()
    given = [node.constant(at, "sizes") if node.has(at) else None for at in (1, 2, 3)]
    like = np.broadcast_to(np.zeros((), np.float32), sizes)
    try:
        axes, how, beyond = plan_resize(like, *given, **node.attributes)
        samples = [(at, axis, find_samples(axis, how, np.dtype(np.float64))) for at, axis in axes]
    except EvaluationError as error:
        raise Unlowered(str(error)) from error
    if how.method != "nearest" and "float" not in dtype:
        raise Unlowered(f"it weighs elements of {dtype}")
    work = dtype if dtype == "float64" else "float32"
    found = node.input(0) if how.method == "nearest" else build("cast", node.input(0), work)
    outside = np.zeros([1] * len(sizes), np.bool_)
    letters = "abcdefgh"[: len(sizes)]
    for at, axis, each in samples:
        if each.weights is None:
            found = build("take", found, const(each.indices[:, 0], "int64"), axis=at)
        else:
            matrix = np.zeros((axis.output, axis.size))
            np.add.at(matrix, (np.arange(axis.output)[:, None], each.indices), each.weights)
            equation = f"{letters},z{letters[at]}->{letters.replace(letters[at], 'z')}"
            found = build("einsum", (found, const(matrix, work)), equation)
        if each.outside is not None:
            shape = [1] * len(sizes)
            shape[at] = axis.output
            outside = outside | each.outside.reshape(shape)
    if outside.any():
        kind = dtype if how.method == "nearest" else work
        found = build("where", const(outside, "bool"), const(beyond, kind), found)
    return found if how.method == "nearest" else build("cast", found, dtype)


def _resize_image(node: OnnxNode) -> Expr:
    if node.attr("antialias", 0) or node.attr("axes") is not None:
        raise Unlowered("it smooths, or names its axes")
    count = spatial_rank(node)
    sizes = node.sizes()
    wanted = _wanted_sizes(node, sizes)
    if wanted[:2] != sizes[:2]:
        raise Unlowered("it resizes axes that are not spatial")
    is_old = node.identity.name == "Upsample" or node.version < 11
    coordinates = (
        "asymmetric" if is_old else node.attr("coordinate_transformation_mode", "half_pixel")
    )
    if coordinates == "pytorch_half_pixel" and min(wanted[2:], default=2) > 1:
        coordinates = "half_pixel"
    if coordinates not in _COORDINATES:
        raise Unlowered(f"Relay has no coordinates {coordinates!r}")
    mode = _METHODS.get(
        "linear" if node.attr("mode") == "bilinear" else node.attr("mode", "nearest")
    )
    if 0 in sizes[2:]:
        raise Unlowered("it resizes images of no pixels")
    scaled = [new / old for new, old in zip(wanted[2:], sizes[2:], strict=True)]
    told = _scales(node)
    if told is not None and not np.allclose(told[2:], scaled, rtol=0, atol=0):
        raise Unlowered("its scales are not those of whole sizes")
    rounding = "floor" if is_old else node.attr("nearest_mode", "round_prefer_floor")
    if mode is None or rounding not in _NEAREST:
        raise Unlowered(f"Relay has no mode {node.attr('mode', 'nearest')!r}, {rounding!r}")
    return build(
        f"image.resize{count}d",
        node.input(0),
        size=wanted[2:],
        layout=LAYOUTS[count][0],
        method=mode,
        coordinate_transformation_mode=coordinates,
        rounding_method=rounding if mode == "nearest_neighbor" else "",
        cubic_alpha=float(node.attr("cubic_coeff_a", -0.75)),
        cubic_exclude=int(node.attr("exclude_outside", 0)),
    )


def _scales(node: OnnxNode) -> tuple[float, ...] | None:
    """Return by what it resizes, where that is said."""
    if "scales" in node.attributes:
        return tuple(node.attr("scales"))
    is_short = node.identity.name == "Upsample" or node.version < 11
    place = 1 if is_short else 2
    if not node.has(place):
        return None
    found = tuple([float(each) for each in node.constant(place, "scales").reshape(-1)])
    return found or None


def _wanted_sizes(node: OnnxNode, sizes: tuple[int, ...]) -> tuple[int, ...]:
    scales = _scales(node)
    wanted = node.ints(3, "sizes") if scales is None else scales
    if len(wanted) != len(sizes):
        raise Unlowered(f"it names {len(wanted)} sizes of {len(sizes)} axes")
    if scales is None:
        return node.ints(3, "sizes")
    return tuple([int(np.floor(size * by)) for size, by in zip(sizes, scales, strict=True)])
