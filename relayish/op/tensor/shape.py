"""Operators that give the elements of a tensor another shape, and those that ask for the shape."""

from __future__ import annotations

import math

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.shape_rules import expand_dims_layouts, reshape_layouts, squeeze_layouts
from relayish.op.types.dimension import compare, is_static, product, show_shape, show_type
from relayish.op.types.dimension import normalise_axis as checked_axis
from relayish.op.types.fields import OptionalDType
from relayish.op.types.reshape import Range, reshape_shape, splice
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, Parameters, result_dtype


@attrs("relay.attrs.ReshapeAttrs")
class ReshapeAttrs(Attrs):
    """Attributes of ``reshape``, ``contrib_reverse_reshape``, ``dyn.reshape``."""

    newshape: tuple[int, ...]
    allowzero: bool = False


@attrs("relay.attrs.ReshapeLikeAttrs")
class ReshapeLikeAttrs(Attrs):
    """Attributes of ``reshape_like``."""

    lhs_begin: int = 0
    lhs_end: int | None = None
    rhs_begin: int = 0
    rhs_end: int | None = None


@attrs("relay.attrs.SqueezeAttrs")
class SqueezeAttrs(Attrs):
    """Attributes of ``squeeze``, ``dyn.squeeze``."""

    axis: tuple[int, ...] | None = None


@attrs("relay.attrs.ExpandDimsAttrs")
class ExpandDimsAttrs(Attrs):
    """Attributes of ``expand_dims``."""

    axis: int
    num_newaxis: int = 1


@attrs("relay.attrs.ShapeOfAttrs")
class ShapeOfAttrs(Attrs):
    """Attributes of ``shape_of``, ``vm.shape_of``."""

    dtype: OptionalDType = None


@attrs("relay.attrs.NdarraySizeAttrs")
class NdarraySizeAttrs(Attrs):
    """Attributes of ``ndarray_size``."""

    dtype: OptionalDType = None


def _reshape(attrs: ReshapeAttrs, data: Array) -> Array:
    return data.reshape(reshape_shape(data.shape, attrs.newshape, allowzero=attrs.allowzero))


def _reverse(newshape: tuple[int, ...], refuses: type[RelayishError]) -> tuple[int, ...]:
    if any(size < -3 for size in newshape):
        raise refuses(f"contrib_reverse_reshape cannot split; found {newshape}")
    return newshape[::-1]


def _reverse_reshape(attrs: ReshapeAttrs, data: Array) -> Array:
    newshape = _reverse(attrs.newshape, EvaluationError)
    backwards = reshape_shape(data.shape[::-1], newshape, allowzero=attrs.allowzero)
    return data.reshape(backwards[::-1])


def _reshape_like(attrs: ReshapeLikeAttrs, data: Array, like: Array) -> Array:
    return data.reshape(splice(data.shape, like.shape, *_ranges(attrs)))


def _ranges(attrs: ReshapeLikeAttrs) -> tuple[Range, Range]:
    return (attrs.lhs_begin, attrs.lhs_end), (attrs.rhs_begin, attrs.rhs_end)


def _squeeze(attrs: SqueezeAttrs, data: Array) -> Array:
    if attrs.axis is None:
        return np.squeeze(data)
    return np.squeeze(data, tuple({normalise_axis(axis, data.ndim) for axis in attrs.axis}))


def _expand_dims(attrs: ExpandDimsAttrs, data: Array) -> Array:
    axis = normalise_axis(attrs.axis, data.ndim + 1)
    return data.reshape(data.shape[:axis] + (1,) * attrs.num_newaxis + data.shape[axis:])


def _shape_of(attrs: ShapeOfAttrs, data: Array) -> Array:
    return np.array(data.shape, result_dtype(attrs.dtype, np.dtype(np.int32)))


def _ndarray_size(attrs: NdarraySizeAttrs, data: Array) -> Array:
    dtype = result_dtype(attrs.dtype, np.dtype(np.int32))
    return np.array(math.prod(data.shape), dtype)[()]


def _batch_flatten(_: Parameters, data: Array) -> Array:
    return data.reshape((data.shape[0], math.prod(data.shape[1:])))


def _reshape_type(attrs: ReshapeAttrs, data: Type) -> TensorType:
    ty = tensor(data, "data")
    shape = reshape_shape(
        ty.shape, attrs.newshape, allowzero=attrs.allowzero, refuses=TypeInferenceError
    )
    return TensorType(shape, ty.dtype)


def _reverse_reshape_type(attrs: ReshapeAttrs, data: Type) -> TensorType:
    ty = tensor(data, "data")
    newshape = _reverse(attrs.newshape, TypeInferenceError)
    shape = reshape_shape(
        ty.shape[::-1], newshape, allowzero=attrs.allowzero, refuses=TypeInferenceError
    )
    return TensorType(shape[::-1], ty.dtype)


def _reshape_like_type(attrs: ReshapeLikeAttrs, data: Type, like: Type) -> TensorType:
    ty, other = tensor(data, "data"), tensor(like, "shape_like")
    shape = splice(ty.shape, other.shape, *_ranges(attrs), refuses=TypeInferenceError)
    if is_static(ty.shape) and is_static(shape) and product(ty.shape) != product(shape):
        raise TypeInferenceError(
            f"{show_shape(ty.shape)} cannot be reshaped to {show_shape(shape)}: "
            f"it has {product(shape)} elements, not {product(ty.shape)}"
        )
    return TensorType(shape, ty.dtype)


def _squeeze_type(attrs: SqueezeAttrs, data: Type) -> TensorType:
    ty = tensor(data, "data")
    if attrs.axis is None:
        if not is_static(ty.shape):
            raise TypeInferenceError(
                f"squeeze of {show_type(ty)} needs its axes named: an unknown size may be 1 or not"
            )
        return TensorType(tuple(size for size in ty.shape if size != 1), ty.dtype)
    axes = {checked_axis(axis, len(ty.shape)) for axis in attrs.axis}
    for axis in sorted(axes):
        if compare(ty.shape[axis], 1) is False:
            raise TypeInferenceError(
                f"axis {axis} of {show_type(ty)} cannot be squeezed; its size must be 1"
            )
    kept = tuple(size for axis, size in enumerate(ty.shape) if axis not in axes)
    return TensorType(kept, ty.dtype)


def _expand_dims_type(attrs: ExpandDimsAttrs, data: Type) -> TensorType:
    ty = tensor(data, "data")
    if attrs.num_newaxis < 0:
        raise TypeInferenceError(f"expand_dims cannot insert {attrs.num_newaxis} axes")
    axis = checked_axis(attrs.axis, len(ty.shape) + 1)
    ones = (1,) * attrs.num_newaxis
    return TensorType(ty.shape[:axis] + ones + ty.shape[axis:], ty.dtype)


def shape_of_type(attrs: ShapeOfAttrs, data: Type) -> TensorType:
    """Return the type of the shape of ``data``: a vector, of no elements for a scalar.

    Relay gives a scalar for the shape of a scalar, and folds it to a number nobody wrote.
    """
    return TensorType((len(tensor(data, "data").shape),), attrs.dtype or "int32")


def _ndarray_size_type(attrs: NdarraySizeAttrs, data: Type) -> TensorType:
    tensor(data, "data")
    return TensorType((), attrs.dtype or "int32")


def _batch_flatten_type(_: Parameters, data: Type) -> TensorType:
    ty = tensor(data, "data")
    if not ty.shape:
        raise TypeInferenceError("batch_flatten keeps the first axis; found a tensor of no axes")
    return TensorType((ty.shape[0], product(ty.shape[1:])), ty.dtype)


register_op(
    "reshape",
    description="""
    Give a tensor another shape; elements keep their order.
    data (...) -> newshape
    """,
    rule=_reshape_type,
    evaluate=_reshape,
    pattern=OpPattern.INJECTIVE,
    view=True,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=reshape_layouts,
)
register_op(
    "contrib_reverse_reshape",
    description="""
    Give a tensor another shape, with special sizes matched from the right.
    data (...) -> newshape
    """,
    aliases=("reverse_reshape",),
    rule=_reverse_reshape_type,
    evaluate=_reverse_reshape,
    pattern=OpPattern.INJECTIVE,
    view=True,
)
register_op(
    "reshape_like",
    arguments=("data", "shape_like"),
    description="""
    Give a tensor, or some axes of it, the shape of another.
    data (...); shape_like (...) -> (...)
    """,
    rule=_reshape_like_type,
    evaluate=_reshape_like,
    pattern=OpPattern.INJECTIVE,
    view=True,
)
register_op(
    "squeeze",
    description="""
    Take out axes of size 1.
    data (...); axis the axes, all of size 1 if None -> (...)
    """,
    rule=_squeeze_type,
    evaluate=_squeeze,
    pattern=OpPattern.INJECTIVE,
    view=True,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=squeeze_layouts,
)
register_op(
    "expand_dims",
    description="""
    Insert axes of size 1.
    data (...) -> (..., 1, ...)
    """,
    rule=_expand_dims_type,
    evaluate=_expand_dims,
    pattern=OpPattern.BROADCAST,
    view=True,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=expand_dims_layouts,
)
register_op(
    "shape_of",
    signature="data, dtype='int32'",
    description="""
    Give the shape as a tensor.
    data (d0, ..., dk) -> (k + 1,) of dtype
    """,
    rule=shape_of_type,
    evaluate=_shape_of,
    shape_only=lambda shape: shape,
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "ndarray_size",
    signature="data, dtype='int32'",
    description="""
    Give the number of elements.
    data (...) -> () of dtype
    """,
    rule=_ndarray_size_type,
    evaluate=_ndarray_size,
    shape_only=math.prod,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "nn.batch_flatten",
    description="""
    Make one axis of all but the first.
    data (n, d1, ..., dk) -> (n, d1 * ... * dk)
    """,
    rule=_batch_flatten_type,
    evaluate=_batch_flatten,
    pattern=OpPattern.INJECTIVE,
    view=True,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=reshape_layouts,
)
