"""Layers of networks."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.onnx.element_types import element_type_number
from relayish.op.builders.builder import op
from relayish.passes.onnx.raising.lowered import lowered
from relayish.passes.onnx.raising.normalisation import along
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises
from relayish.passes.relay.lowering.tensors import arranged_shape

_CONVOLUTIONS: Final = {
    "nn.conv1d": "NCW/OIW",
    "nn.conv2d": "NCHW/OIHW",
    "nn.conv3d": "NCDHW/OIDHW",
}
_TRANSPOSED: Final = {
    "nn.conv1d_transpose": "NCW/IOW", "nn.conv2d_transpose": "NCHW/IOHW",
    "nn.conv3d_transpose": "NCDHW/IODHW",
}  # fmt: skip
_POOLS: Final = {
    f"nn.{kind}_pool{count}d": name
    for kind, name in (("max", "MaxPool"), ("avg", "AveragePool"))
    for count in (1, 2, 3)
}
_ADAPTIVE: Final = {
    f"nn.adaptive_{kind}_pool{count}d": name
    for kind, name in (("max", "MaxPool"), ("avg", "AveragePool"))
    for count in (1, 2, 3)
}
_GEMM_ALONE: Final = 11
"""The version from which Gemm may add nothing."""
_LAYOUTS: Final = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def _check_layout(call: RelayCall, expected: str) -> None:
    data, _, kernel = expected.partition("/")
    attrs = call.attrs
    layouts = [attrs.data_layout, attrs.kernel_layout] if kernel else [attrs.layout]
    if layouts != [data, kernel][: len(layouts)] or attrs.out_layout not in ("", data):
        raise Unraised(f"its layout is {layouts[0]}; ONNX has {data} alone")


def _windows(call: RelayCall, count: int) -> dict[str, Any]:  # Any: numbers by name
    attrs = call.attrs
    pads = [int(each) for each in _listed(attrs.padding, count)]
    if len(pads) == count:
        pads += pads
    return {
        "strides": tuple(_listed(attrs.strides, count)),
        "dilations": tuple(_listed(attrs.dilation, count)),
        "pads": tuple(pads),
    }


def _listed(value: Any, count: int) -> list[int]:  # Any: a number or several
    found = [int(each) for each in value] if isinstance(value, (tuple, list)) else [int(value)]
    return found * count if len(found) == 1 else found


@raises(*_CONVOLUTIONS, *_TRANSPOSED)
def convolution(call: RelayCall) -> Expr:
    """Convolutions, in the one layout that ONNX has."""
    is_transposed = call.name in _TRANSPOSED
    _check_layout(call, {**_CONVOLUTIONS, **_TRANSPOSED}[call.name])
    name = "ConvTranspose" if is_transposed else "Conv"
    if call.type().dtype != call.type(0).dtype:
        if is_transposed or not _is_of_bytes(call):
            raise Unraised("its result is of another element type than its data")
        name = "ConvInteger"
    sizes = call.sizes(1)
    told: dict[str, Any] = _windows(call, len(sizes) - 2)  # Any: as above
    if is_transposed:
        extra = tuple(_listed(call.attrs.output_padding, len(sizes) - 2))
        told["output_padding"] = extra if any(extra) else None
    return call.node(
        name,
        *call.args,
        kernel_shape=sizes[2:],
        group=int(call.attrs.groups),
        **told,
    )


def _is_of_bytes(call: RelayCall) -> bool:
    """Return whether it multiplies integers of eight bits into ones of 32."""
    given = {call.type(0).dtype, call.type(1).dtype}
    return call.type().dtype == "int32" and given <= {"int8", "uint8"}


@raises(*_POOLS)
def pool(call: RelayCall) -> Expr:
    """Pooling over windows."""
    count = call.rank() - 2
    _check_layout(call, _LAYOUTS.get(count, "none"))
    told: dict[str, Any] = _windows(call, count)  # Any: as above
    name = _POOLS[call.name]
    if name == "AveragePool":
        if set(told["dilations"]) != {1}:
            raise Unraised("its windows have gaps")
        told["count_include_pad"] = int(call.attrs.count_include_pad)
    kernel = _listed(call.attrs.pool_size, count)
    if call.attrs.ceil_mode:
        if told.get("count_include_pad"):
            raise Unraised("its last windows reach over the end, which ONNX counts otherwise")
        told["pads"] = _to_the_end(call, kernel, told)
    if _sees_nothing(call, kernel, told):  # for which ONNX has other numbers, or none
        return lowered(call)
    if set(told["dilations"]) == {1}:
        del told["dilations"]
    return call.node(name, call.args[0], kernel_shape=tuple(kernel), **told)


def _to_the_end(call: RelayCall, kernel: list[int], told: dict[str, Any]) -> tuple[int, ...]:
    """Return the padding with which the last windows end where the data do. Any: numbers."""
    count = len(kernel)
    pads = list(told["pads"])
    for axis in range(count):
        size = call.size(axis + 2)
        length = (kernel[axis] - 1) * told["dilations"][axis] + 1
        rest = size + pads[axis] + pads[axis + count] - length
        pads[axis + count] += -rest % told["strides"][axis]
        if pads[axis + count] >= kernel[axis]:
            raise Unraised("its last windows hold nothing but padding")
    return tuple(pads)


def _sees_nothing(call: RelayCall, kernel: list[int], told: dict[str, Any]) -> bool:
    """Return whether a window may lie in the padding alone. Any: numbers."""
    for axis, (taps, gap) in enumerate(zip(kernel, told["dilations"], strict=True)):
        before, after = told["pads"][axis], told["pads"][axis + len(kernel)]
        size, reach = call.type(0).shape[axis + 2], (taps - 1) * gap + 1
        if not isinstance(size, int):
            if max(before, after) >= reach:
                return True
            continue
        starts = np.arange(-before, size + after - reach + 1, told["strides"][axis])
        places = starts[:, None] + np.arange(taps) * gap
        if not ((places >= 0) & (places < size)).any(axis=1).all():
            return True
    return False


@raises("nn.global_avg_pool2d", "nn.global_max_pool2d")
def global_pool(call: RelayCall) -> Expr:
    """One element for each channel."""
    _check_layout(call, "NCHW")
    if 0 in call.type(0).shape[2:]:
        raise Unraised("it pools no elements")
    name = "GlobalAveragePool" if "avg" in call.name else "GlobalMaxPool"
    return call.node(name, call.args[0])


@raises(*_ADAPTIVE)
def adaptive_pool(call: RelayCall) -> Expr:
    """Windows of one size, where an axis is a whole number of times as long as its result.

    Others are written as sums, or the greatest, of what each window shows.
    """
    count = call.rank() - 2
    _check_layout(call, _LAYOUTS.get(count, "none"))
    given, wanted = call.sizes(0)[2:], call.sizes()[2:]
    if 0 in (*given, *wanted):
        raise Unraised("it pools no elements, or to none")
    if any(a % b for a, b in zip(given, wanted, strict=True)):  # windows of different sizes
        return lowered(call)
    name = _ADAPTIVE[call.name]
    if set(wanted) == {1}:
        return call.node(f"Global{name}", call.args[0])
    windows = tuple([a // b for a, b in zip(given, wanted, strict=True)])
    return call.node(name, call.args[0], kernel_shape=windows, strides=windows)


@raises("image.dilation2d")
def dilation2d(call: RelayCall) -> Expr:
    """The greatest sums of windows and a kernel; what is padded is zeros."""
    attrs, dtype = call.attrs, call.type(0).dtype
    if call.type().dtype != dtype:
        raise Unraised("its result is of another element type than its data")
    image = op.layout_transform(call.args[0], attrs.data_layout, "NCHW")
    kernel = op.layout_transform(call.args[1], attrs.kernel_layout, "IHW")
    given = [int(each) for each in attrs.padding]
    top, left, bottom, right = given * (4 // len(given))
    around = ((0, 0), (0, 0), (top, bottom), (left, right))
    padded = op.nn.pad(image, around, number(0, dtype))
    gaps = [int(each) for each in attrs.dilations[:2]]
    sizes = arranged_shape(call.sizes(1), attrs.kernel_layout, "IHW")[1:]
    reach = [(size - 1) * gap + 1 for size, gap in zip(sizes, gaps, strict=True)]
    steps = [int(each) for each in attrs.strides[:2]]
    seen = op.sliding_window(padded, axis=2, window_shape=reach, strides=steps)
    within = op.strided_slice(seen, begin=[0, 0], end=reach, strides=gaps, axes=[4, 5])
    sums = op.add(within, op.expand_dims(kernel, axis=1, num_newaxis=2))
    found = op.max(sums, axis=(4, 5))
    return call.write(op.layout_transform(found, "NCHW", attrs.data_layout))


@raises("nn.dense")
def dense(call: RelayCall) -> Expr:
    """A product with a matrix of weights, which are turned round."""
    if _is_of_bytes(call):
        turned = call.node("Transpose", call.args[1], perm=(1, 0))
        return call.node("MatMulInteger", call.args[0], turned)
    if call.rank() != 2 or call.type().dtype != call.type(0).dtype:
        raise Unraised("its data are no matrix, or its result is of another element type")
    if call.opset < _GEMM_ALONE:
        return call.node("MatMul", call.args[0], call.node("Transpose", call.args[1], perm=(1, 0)))
    return call.node("Gemm", *call.args, transB=1)


@raises("nn.matmul")
def matmul(call: RelayCall) -> Expr:
    """A product of matrices."""
    if call.rank() != 2 or call.type().dtype != call.type(0).dtype:
        raise Unraised("its data are no matrix, or its result is of another element type")
    transposed: dict[str, Any] = {  # Any: flags by name
        "transA": int(call.attrs.transpose_a) or None, "transB": int(call.attrs.transpose_b) or None
    }  # fmt: skip
    if not any(transposed.values()):
        return call.node("MatMul", *call.args)
    return call.node("Gemm", *call.args, **transposed)


@raises("nn.batch_matmul")
def batch_matmul(call: RelayCall) -> Expr:
    """Products of stacks of matrices."""
    left, right = call.args
    if call.type().dtype != call.type(0).dtype:
        raise Unraised("its result is of another element type")
    if call.attrs.transpose_a:
        left = call.node("Transpose", left, perm=(0, 2, 1))
    if call.attrs.transpose_b:
        right = call.node("Transpose", right, perm=(0, 2, 1))
    return call.node("MatMul", left, right)


@raises("nn.bias_add")
def bias_add(call: RelayCall) -> Expr:
    """A number for each channel."""
    bias = along(call, call.args[1], call.axis(), call.rank())
    return call.node("Add", call.args[0], bias)


@raises("nn.batch_norm")
def batch_norm(call: RelayCall) -> Expr:
    """Normalisation by mean and variance that are known; these stay as they are."""
    attrs = call.attrs
    fields = call.args
    if int(attrs.axis) != 1 or not (attrs.center and attrs.scale):
        raise Unraised("it normalises another axis than that of channels, or leaves a part out")
    normalised = call.node("BatchNormalization", *fields, epsilon=float(attrs.epsilon))
    return Tuple([normalised, fields[3], fields[4]])


@raises("nn.dropout")
def dropout(call: RelayCall) -> Expr:
    """Nothing, where the model is not trained; the mask is of ones."""
    one = np.ones(1).astype(call.type(0).dtype)
    mask = call.node("ConstantOfShape", call.node("Shape", call.args[0]), value=one)
    return Tuple([call.args[0], mask])


@raises("nn.lrn")
def local_response(call: RelayCall) -> Expr:
    """Normalisation by neighbouring channels."""
    attrs = call.attrs
    if int(attrs.axis) != 1:
        raise Unraised("it normalises along another axis than that of channels")
    return call.node(
        "LRN",
        call.args[0],
        size=int(attrs.size),
        alpha=float(attrs.alpha),
        beta=float(attrs.beta),
        bias=float(attrs.bias),
    )


@raises("nn.pad")
def pad(call: RelayCall) -> Expr:
    """Elements around a tensor."""
    pairs = [(int(before), int(after)) for before, after in call.attrs.pad_width]
    widths = ints([pair[0] for pair in pairs] + [pair[1] for pair in pairs])
    mode = call.attrs.pad_mode
    if mode != "constant":
        return call.node("Pad", call.args[0], widths, mode=mode)
    dtype = call.type().dtype
    fill = call.args[1] if len(call.args) > 1 else number(0, dtype)
    if isinstance(fill, Constant):
        fill = number(fill.data, dtype)
    elif call.type(1).dtype != dtype:
        fill = call.node("Cast", fill, to=element_type_number(dtype))
    return call.node("Pad", call.args[0], widths, fill)


@raises("nn.depth_to_space", "nn.space_to_depth")
def space(call: RelayCall) -> Expr:
    """Blocks of pixels to channels, and back."""
    block = int(call.attrs.block_size)
    if call.attrs.layout != "NCHW":
        raise Unraised(f"its layout is {call.attrs.layout}; ONNX has NCHW alone")
    wide = call.name == "nn.space_to_depth"
    shape = call.type(0).shape
    count, told = (block, shape[2:]) if wide else (block**2, shape[1:2])
    if any(isinstance(size, int) and size % count for size in told):
        raise Unraised("its blocks are not whole")
    if wide:
        return call.node("SpaceToDepth", call.args[0], blocksize=block)
    mode = "DCR" if call.attrs.mode == "DCR" else "CRD"
    return call.node("DepthToSpace", call.args[0], blocksize=block, mode=mode)
