"""Types of convolutions: the shape of the result, and of a weight that is not known yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import IncompleteType, TensorType, Type
from relayish.op.declaration.relation import TypeReporter
from relayish.op.nn.window_types import SPATIAL, per_axis, sum_padding, window_counts, window_reach
from relayish.op.types.dimension import (
    add,
    compare,
    floor_divide,
    multiply,
    show_shape,
    show_type,
    subtract,
    unify,
)
from relayish.op.types.fields import Dimension
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Parameters

Shape: TypeAlias = tuple[Dimension, ...]


class Operand(NamedTuple):
    """The data of a convolution, its axes in the order batch, channels, spatial ones."""

    batch: Dimension
    channels: Dimension
    sizes: Shape
    dtype: str


def convolution_relation(
    attrs: Parameters, types: tuple[Type, ...], reporter: TypeReporter
) -> TensorType | None:
    """Relate data and weight with the result of ``nn.conv1d``, ``nn.conv2d``, ``nn.conv3d``."""
    if isinstance(types[0], IncompleteType):
        return None
    data = read_operand(attrs, types[0])
    kernel = _relate_kernel(attrs, data, types[1], reporter)
    if kernel is None:
        return None
    channels = _output_channels(attrs, data, kernel)
    sizes = window_counts(data.sizes, attrs.padding, kernel[2:], attrs.strides, attrs.dilation)
    return result_type(attrs, (data.batch, channels, *sizes), data.dtype)


def packed_convolution_relation(
    attrs: Parameters, types: tuple[Type, ...], _reporter: TypeReporter
) -> TensorType | None:
    """Relate data with the result of a convolution whose weight is packed in a way of its own.

    Relay says nothing of the type of that weight.
    """
    if isinstance(types[0], IncompleteType):
        return None
    data = read_operand(attrs, types[0])
    channels, kernel = require_kernel(attrs, len(data.sizes))
    _check_divisible(data.channels, attrs.groups, "data", "input")
    _check_divisible(channels, attrs.groups, "the attribute channels", "output")
    if not isinstance(types[1], IncompleteType):
        tensor(types[1], "weight")
    sizes = window_counts(data.sizes, attrs.padding, kernel, attrs.strides, attrs.dilation)
    return result_type(attrs, (data.batch, channels, *sizes), data.dtype)


def transposed_convolution_relation(
    attrs: Parameters, types: tuple[Type, ...], reporter: TypeReporter
) -> TensorType | None:
    """Relate data and weight with the result of ``nn.conv2d_transpose`` and its like."""
    if isinstance(types[0], IncompleteType):
        return None
    data = read_operand(attrs, types[0])
    rank = len(data.sizes)
    _check_divisible(data.channels, attrs.groups, "data", "input")
    expected: list[Dimension | None] = [data.channels, None, *_attribute_kernel(attrs, rank)]
    if attrs.channels is not None:
        _check_divisible(attrs.channels, attrs.groups, "the attribute channels", "output")
        expected[1] = floor_divide(attrs.channels, attrs.groups)
    kernel = _unify_kernel(attrs, expected, types[1], data.dtype, "IO", reporter)
    if kernel is None:
        return None
    steps = per_axis(attrs.strides, rank, "strides")
    spread = per_axis(attrs.dilation, rank, "dilation")
    sums = sum_padding(attrs.padding, rank)
    extra = attrs.output_padding
    if len(extra) != rank:
        raise TypeInferenceError(
            f"output_padding must have one number for each of {rank} spatial axes; "
            f"found {show_shape(extra)}"
        )
    sizes: list[Dimension] = []
    for axis, size in enumerate(data.sizes):
        last = multiply(subtract(size, 1), steps[axis])
        whole = add(add(last, window_reach(kernel[2 + axis], spread[axis])), extra[axis])
        kept = subtract(whole, sums[axis])
        if isinstance(kept, int) and kept < 0:
            raise TypeInferenceError(
                f"padding of {sums[axis]} elements is more than {whole}, the size of a spatial "
                f"axis of the result"
            )
        sizes.append(kept)
    channels = multiply(kernel[1], attrs.groups)
    return result_type(attrs, (data.batch, channels, *sizes), data.dtype)


def deformable_convolution_relation(
    attrs: Parameters, types: tuple[Type, ...], reporter: TypeReporter
) -> TensorType | None:
    """Relate data, offset and weight with the result of ``nn.deformable_conv2d``."""
    if isinstance(types[0], IncompleteType):
        return None
    if attrs.deformable_groups < 1:
        raise TypeInferenceError(
            f"deformable_groups must be positive; found {attrs.deformable_groups}"
        )
    data = read_operand(attrs, types[0])
    _check_divisible(data.channels, attrs.deformable_groups, "data", "input")
    kernel = _relate_kernel(attrs, data, types[2], reporter)
    if kernel is None:
        return None
    height, width = window_counts(
        data.sizes, attrs.padding, kernel[2:], attrs.strides, attrs.dilation
    )
    count = multiply(multiply(2 * attrs.deformable_groups, kernel[2]), kernel[3])
    _assign_offset(attrs, (data.batch, count, height, width), types[1], data.dtype, reporter)
    channels = _output_channels(attrs, data, kernel)
    return result_type(attrs, (data.batch, channels, height, width), data.dtype)


def _assign_offset(
    attrs: Parameters, plain: Shape, offset: Type, dtype: str, reporter: TypeReporter
) -> None:
    shape = convert_shape(plain, "NCHW", attrs.data_layout, "offset")
    if not isinstance(offset, IncompleteType):
        found = tensor(offset, "offset", len(shape))
        if any(unify(f, e) is None for f, e in zip(found.shape, shape, strict=True)):
            raise TypeInferenceError(
                f"offset has the shape {show_shape(found.shape)}, data and weight need "
                f"{show_shape(shape)}: two numbers for each element of the kernel and each place"
            )
        if found.dtype != dtype:
            raise TypeInferenceError(f"offset has the element type {found.dtype}, data has {dtype}")
    reporter.assign(offset, TensorType(shape, dtype))


def weight_gradient_type(attrs: Parameters, grad: Type, data: Type) -> TensorType:
    """Return the type of ``nn.conv2d_backward_weight``: that of the weight."""
    if attrs.kernel_size is None:
        raise TypeInferenceError("the attribute kernel_size must be given")
    _check_groups(attrs)
    height, width = per_axis(attrs.kernel_size, 2, "kernel_size")
    given = tensor(grad, "grad")
    batch, outputs, *places = convert_shape(given.shape, attrs.data_layout, "NCHW", "grad")
    data_layout, weight_layout = gradient_layouts(attrs)
    source = convert_shape(tensor(data, "data").shape, data_layout, "NCHW")
    _check_divisible(source[1], attrs.groups, "data", "input")
    _check_divisible(outputs, attrs.groups, "grad", "output")
    counts = window_counts(
        source[2:], attrs.padding, (height, width), attrs.strides, attrs.dilation
    )
    for one, other in zip((batch, *places), (source[0], *counts), strict=True):
        if unify(one, other) is None:
            raise TypeInferenceError(
                f"grad has the shape {show_shape((batch, outputs, *places))} in the order NCHW; "
                f"the convolution of data has {show_shape((source[0], outputs, *counts))}"
            )
    if attrs.channels is not None and unify(attrs.channels, outputs) is None:
        raise TypeInferenceError(
            f"grad has {outputs} channels, the attribute channels says {attrs.channels}"
        )
    within = floor_divide(source[1], attrs.groups)
    shape = convert_shape((outputs, within, height, width), "OIHW", weight_layout, "weight")
    return TensorType(shape, attrs.out_dtype or given.dtype)


def gradient_layouts(attrs: Parameters) -> tuple[str, str]:
    """Return the layouts of data and weight that ``nn.conv2d_backward_weight`` is given.

    Its attributes are those of a convolution, put to another use: ``data_layout`` is that of the
    gradient, ``kernel_layout`` that of the data (the default, of a weight, says nothing of it), and
    ``out_layout`` that of the weight.
    """
    named = attrs.kernel_layout if "N" in attrs.kernel_layout else attrs.data_layout
    return named, attrs.out_layout or "OIHW"


def bitserial_convolution_type(attrs: Parameters, data: Type, weight: Type) -> TensorType:
    """Return the type of ``nn.bitserial_conv2d``, whose weight may be packed."""
    given = tensor(data, "data")
    batch, inputs, *sizes = convert_shape(given.shape, attrs.data_layout, "NCHW")
    channels, kernel = require_kernel(attrs, 2)
    bits = attrs.activation_bits, attrs.weight_bits
    if min(bits) < 1:
        raise TypeInferenceError(
            f"activation_bits and weight_bits must be positive; found {bits[0]} and {bits[1]}"
        )
    found = tensor(weight, "weight")
    if len(found.shape) < 4:
        raise TypeInferenceError(
            f"weight must have 4 dimensions, or more where it is packed; found {show_type(found)}"
        )
    if len(found.shape) == 4:
        plain = convert_shape(found.shape, attrs.kernel_layout, "OIHW", "weight")
        for letter, one, other in zip("OIHW", plain, (channels, inputs, *kernel), strict=True):
            if unify(one, other) is None:
                raise TypeInferenceError(
                    f"weight has the size {one} along {letter}, data and attributes ask for {other}"
                )
    counts = window_counts(sizes, attrs.padding, kernel, attrs.strides, (1, 1))
    shape = convert_shape((batch, channels, *counts), "NCHW", attrs.data_layout, "the result")
    return TensorType(shape, attrs.out_dtype or "int16")


def read_operand(attrs: Parameters, ty: Type) -> Operand:
    """Return the data of a convolution of the attributes ``attrs``.

    Raises:
        TypeInferenceError: If it is no tensor, or not in the layout they say.
    """
    _check_groups(attrs)
    _check_channels(attrs)
    plain = "NC" + SPATIAL[len(type(attrs).defaults["strides"])]
    data = tensor(ty, "data")
    batch, channels, *sizes = convert_shape(data.shape, attrs.data_layout, plain)
    return Operand(batch, channels, tuple(sizes), data.dtype)


def require_kernel(attrs: Parameters, rank: int) -> tuple[Dimension, Shape]:
    """Return the attributes ``channels`` and ``kernel_size``, where the weight does not tell them.

    Raises:
        TypeInferenceError: If one is not given.
    """
    _check_channels(attrs)
    if attrs.channels is None or attrs.kernel_size is None:
        raise TypeInferenceError(
            "the attributes channels and kernel_size must be given: the weight does not tell them"
        )
    return attrs.channels, per_axis(attrs.kernel_size, rank, "kernel_size")


def result_type(attrs: Parameters, plain: Shape, dtype: str) -> TensorType:
    """Return the type of a result of the shape ``plain: (batch, channels, *spatial)``."""
    layout = "NC" + SPATIAL[len(plain) - 2]
    shape = convert_shape(plain, layout, attrs.out_layout or attrs.data_layout, "the result")
    return TensorType(shape, attrs.out_dtype or dtype)


def _relate_kernel(
    attrs: Parameters, data: Operand, weight: Type, reporter: TypeReporter
) -> Shape | None:
    """Return the shape of the weight, outputs first, once it is known, and tell of it."""
    groups = attrs.groups
    _check_divisible(data.channels, groups, "data", "input")
    if attrs.channels is not None:
        _check_divisible(attrs.channels, groups, "the attribute channels", "output")
    sizes = _attribute_kernel(attrs, len(data.sizes))
    if not isinstance(weight, IncompleteType):
        outputs = _arrange_weight(attrs, weight, "OI", len(data.sizes))[0]
        _check_divisible(outputs, groups, "weight", "output")
    alone = groups > 1 and compare(data.channels, groups) is True
    if alone and not isinstance(weight, IncompleteType):
        found = _arrange_weight(attrs, weight, "OI", len(data.sizes))
        if (
            compare(found[0], groups) is True
        ):  # a kernel for each channel: (channels, multiplier, ...)
            many = None if attrs.channels is None else floor_divide(attrs.channels, groups)
            return _unify_kernel(attrs, [groups, many, *sizes], weight, "", "OI", reporter)
    if alone and isinstance(weight, IncompleteType) and attrs.channels != groups:
        return None  # (outputs, 1, ...) and (channels, multiplier, ...) are both possible
    expected = [attrs.channels, floor_divide(data.channels, groups), *sizes]
    return _unify_kernel(attrs, expected, weight, data.dtype, "OI", reporter)


def _output_channels(attrs: Parameters, data: Operand, kernel: Shape) -> Dimension:
    """Return how many channels come out; a kernel for each channel may make several of it."""
    groups = attrs.groups
    alone = (
        groups > 1 and compare(data.channels, groups) is True and compare(kernel[0], groups) is True
    )
    return multiply(kernel[0], kernel[1]) if alone else kernel[0]


def _attribute_kernel(attrs: Parameters, rank: int) -> Sequence[Dimension | None]:
    if attrs.kernel_size is None:
        return (None,) * rank
    return per_axis(attrs.kernel_size, rank, "kernel_size")


def _arrange_weight(attrs: Parameters, weight: Type, order: str, rank: int) -> Shape:
    plain = order + SPATIAL[rank]
    return convert_shape(tensor(weight, "weight").shape, attrs.kernel_layout, plain, "weight")


def _unify_kernel(
    attrs: Parameters,
    expected: Sequence[Dimension | None],
    weight: Type,
    dtype: str,
    order: str,
    reporter: TypeReporter,
) -> Shape | None:
    """Return the shape of the weight from what is ``expected`` of it and what it is.

    Args:
        attrs: The attributes of the convolution.
        expected: Its dimensions, ``None`` where the weight itself has to tell.
        weight: Its type, perhaps not known yet.
        dtype: Its element type if it is not known.
        order: ``OI`` if outputs come first, ``IO`` if inputs do.
        reporter: Told of what becomes known of the weight.

    Raises:
        TypeInferenceError: If they contradict each other.
    """
    rank = len(expected) - 2
    plain = order + SPATIAL[rank]
    if isinstance(weight, IncompleteType):
        shape = tuple(size for size in expected if size is not None)
        if len(shape) < len(expected):
            return None
        laid_out = convert_shape(shape, plain, attrs.kernel_layout, "weight")
        reporter.assign(weight, TensorType(laid_out, dtype))
        return shape
    found = _arrange_weight(attrs, weight, order, rank)
    agreed: list[Dimension] = []
    for axis, (size, wanted) in enumerate(zip(found, expected, strict=True)):
        one = size if wanted is None else unify(size, wanted)
        if one is None:
            raise TypeInferenceError(_contradiction(attrs, plain[axis], size, wanted))
        agreed.append(one)
    if tuple(agreed) != found:
        laid_out = convert_shape(agreed, plain, attrs.kernel_layout, "weight")
        reporter.assign(weight, TensorType(laid_out, tensor(weight).dtype))
    return tuple(agreed)


def _contradiction(
    attrs: Parameters, letter: str, size: Dimension, wanted: Dimension | None
) -> str:
    groups = f" in each of {attrs.groups} groups" if attrs.groups > 1 else ""
    match letter:
        case "O":
            return (
                f"weight has {size} output channels{groups}, the attribute channels says {wanted}"
            )
        case "I":
            return f"weight has {size} input channels, data has {wanted}{groups}"
    return f"weight has the size {size} along {letter}, the attribute kernel_size says {wanted}"


def _check_channels(attrs: Parameters) -> None:
    if isinstance(attrs.channels, int) and attrs.channels < 1:
        raise TypeInferenceError(f"channels must be positive; found {attrs.channels}")


def _check_groups(attrs: Parameters) -> None:
    if attrs.groups < 1:
        raise TypeInferenceError(f"groups must be positive; found {attrs.groups}")


def _check_divisible(size: Dimension, groups: int, who: str, kind: str) -> None:
    if isinstance(size, int) and size % groups:
        raise TypeInferenceError(
            f"{size} {kind} channels of {who} cannot be divided into {groups} groups"
        )
