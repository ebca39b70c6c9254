"""Channel axes of a convolution, in its data, its result and its weight."""

from __future__ import annotations

from typing import Final, TypeAlias

from relayish.ir.relay.expr import Call, Op
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.convolution_attrs import Conv2DAttrs, Conv3DAttrs
from relayish.op.types.layout import LayoutAxis, places_of, read_layout
from relayish.passes.relay.scale_axis.message import Axes, are_floats, tensor_type

CONVOLUTIONS: Final[tuple[Op, ...]] = (relay_op("nn.conv2d"), relay_op("nn.conv3d"))
"""The convolutions that take over scales."""


ConvolutionAttrs: TypeAlias = Conv2DAttrs | Conv3DAttrs


def data_channels(call: Call) -> tuple[Axes, Axes] | None:
    """Return the axes of the channels of what is convolved, of the data and of the weight.

    Returns:
        ``None`` if it cannot take over a scale: there are groups of several channels, only some
        of the tensors are held in blocks, or they have other types.
    """
    attrs = _attrs(call)
    kind = None if attrs is None else _kind(call, attrs)
    if attrs is None or kind is None:
        return None
    return _find_axes(attrs.data_layout, attrs.kernel_layout, kind)


def result_channels(call: Call) -> tuple[Axes, Axes] | None:
    """Return the axes of the channels of the result, of itself and of the weight, or ``None``."""
    attrs = _attrs(call)
    if attrs is None or _kind(call, attrs) is None:
        return None
    return _find_axes(attrs.out_layout or attrs.data_layout, attrs.kernel_layout, "O")


def weight_shape(call: Call) -> tuple[object, ...]:
    """Return the shape of the weight of a convolution whose channels were found."""
    ty = tensor_type(call.args[1])
    assert ty is not None
    return ty.shape


def _attrs(call: Call) -> ConvolutionAttrs | None:
    attrs = call.attrs
    if not isinstance(attrs, ConvolutionAttrs) or not are_floats(*call.args, call):
        return None
    return attrs


def _kind(call: Call, attrs: ConvolutionAttrs) -> str | None:
    """Return which channels of the weight those of the data are, or ``None`` if neither."""
    kernel = read_layout(attrs.kernel_layout)
    shape = weight_shape(call)
    sizes = {"O": 1, "I": 1}
    for axis, size in zip(kernel, shape, strict=True):
        letter = axis.letter.upper()
        if letter in sizes:
            if not isinstance(size, int):
                return None
            sizes[letter] *= size
    if sizes["O"] == attrs.groups and sizes["I"] == 1:
        return "O"
    return "I" if attrs.groups == 1 else None


def _find_axes(layout: str, kernel_layout: str, kind: str) -> tuple[Axes, Axes] | None:
    data, kernel = read_layout(layout), read_layout(kernel_layout)
    blocked = [_is_split(data, "C"), _is_split(kernel, "O"), _is_split(kernel, "I")]
    if any(blocked) and not all(blocked):
        return None
    found = places_of(data, "C"), places_of(kernel, kind)
    return found if all(tuple(sorted(axes)) == axes for axes in found) else None


def _is_split(layout: tuple[LayoutAxis, ...], letter: str) -> bool:
    return any(axis.letter == letter.lower() for axis in layout)
