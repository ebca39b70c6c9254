"""Operators that give the elements of a tensor another type."""

from __future__ import annotations

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.dtype import DType, numpy_dtype
from relayish.numeric.precision import cast_to
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import keep_layout
from relayish.op.types.result_size import bound_by_broadcast
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.CastAttrs")
class CastAttrs(Attrs):
    """Attributes of ``cast``, ``reinterpret``."""

    dtype: DType


def _cast(attrs: CastAttrs, data: Array) -> Array:
    return cast_to(data, numpy_dtype(attrs.dtype))


def _cast_like(_: Parameters, data: Array, like: Array) -> Array:
    return cast_to(data, like.dtype)


def _reinterpret(attrs: CastAttrs, data: Array) -> Array:
    dtype = numpy_dtype(attrs.dtype)
    if dtype.itemsize != data.dtype.itemsize:
        raise EvaluationError(
            f"{data.dtype} cannot be reinterpreted as {attrs.dtype}; expected a type of "
            f"{8 * data.dtype.itemsize} bits"
        )
    return data.view(dtype)


def _cast_type(attrs: CastAttrs, data: Type) -> TensorType:
    return TensorType(tensor(data).shape, attrs.dtype)


def _cast_like_type(_: Parameters, data: Type, like: Type) -> TensorType:
    return TensorType(tensor(data).shape, tensor(like, "dtype_like").dtype)


register_op(
    "cast",
    description="""
    Convert the elements to another element type.
    data (...) -> (...) of dtype
    """,
    rule=_cast_type,
    evaluate=_cast,
    result_size=bound_by_broadcast,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=keep_layout,
)
register_op(
    "reinterpret",
    description="""
    Read the bits of the elements as another element type of the same width.
    data (...) -> (...) of dtype
    """,
    rule=_cast_type,
    evaluate=_reinterpret,
    result_size=bound_by_broadcast,
    pattern=OpPattern.ELEMWISE,
    infer_layout=keep_layout,
)
register_op(
    "cast_like",
    arguments=("data", "dtype_like"),
    description="""
    Convert the elements to the element type of another tensor.
    data (...); dtype_like (...) -> (...) of the element type of dtype_like
    """,
    rule=_cast_like_type,
    evaluate=_cast_like,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
)
