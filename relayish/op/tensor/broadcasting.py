"""Repeating a tensor along axes to a shape, and adding up along them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import is_whole
from relayish.numeric.reduction import reduce_along
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.tensor.creation import InitOpAttrs, read_shape
from relayish.op.types.dimension import ANY, broadcast_shapes, compare, show_shape, show_type
from relayish.op.types.fields import Dimension
from relayish.op.types.result_size import bound_by_reduction
from relayish.op.types.type_rules import require_length, tensor, unify_dtype
from relayish.op.values.evaluation import Array, Parameters


def broadcast_value(data: Array, shape: Sequence[int]) -> Array:
    """Return ``data`` broadcast to ``shape``, as a view.

    Raises:
        EvaluationError: If it does not broadcast to it.
    """
    extra = len(shape) - data.ndim
    if extra < 0 or any(a not in (1, b) for a, b in zip(data.shape, shape[extra:], strict=True)):
        raise EvaluationError(f"{tuple(data.shape)} cannot be broadcast to {tuple(shape)}")
    return np.broadcast_to(data, shape)


def _broadcast_to(attrs: InitOpAttrs, data: Array) -> Array:
    if attrs.shape is None:
        raise EvaluationError("broadcast_to has no shape; set shape=(...)")
    return broadcast_value(data, attrs.shape)


def collapse(data: Array, shape: Sequence[int]) -> Array:
    """Return ``data`` summed over the axes along which ``shape`` would broadcast to its own.

    Raises:
        EvaluationError: If ``shape`` does not broadcast to the shape of ``data``.

    """
    extra = data.ndim - len(shape)
    if extra < 0 or any(b not in (1, a) for a, b in zip(data.shape[extra:], shape, strict=True)):
        raise EvaluationError(f"{tuple(data.shape)} cannot be summed down to {tuple(shape)}")
    axes = tuple(
        i for i in range(data.ndim) if i < extra or (shape[i - extra] == 1 != data.shape[i])
    )
    if not axes:
        return data.reshape(shape)
    return reduce_along(np.add, data, axes).reshape(shape)


def _collapse_sum_to(_: Parameters, data: Array, shape: Array) -> Array:
    if not is_whole(shape.dtype) or shape.dtype == np.bool_:
        raise EvaluationError(f"shape must hold integers; found {shape.dtype}")
    return collapse(data, shape.ravel().tolist())


def _broadcast_to_like(_: Parameters, data: Array, like: Array) -> Array:
    return broadcast_value(data, like.shape)


def _collapse_sum_like(_: Parameters, data: Array, like: Array) -> Array:
    return collapse(data, like.shape)


def spread(data: TensorType, shape: Sequence[Dimension]) -> TensorType:
    """Return the type of ``data`` broadcast to ``shape``.

    Raises:
        TypeInferenceError: If it does not broadcast to it.
    """
    common = broadcast_shapes(data.shape, shape)
    if len(common) != len(shape) or any(
        compare(one, other) is False for one, other in zip(common, shape, strict=True)
    ):
        raise TypeInferenceError(
            f"{show_type(data)} cannot be broadcast to {show_shape(shape)}; "
            f"sizes must be equal, or 1 in the data"
        )
    return TensorType(tuple(shape), data.dtype)


def _broadcast_to_type(attrs: InitOpAttrs, data: Type) -> TensorType:
    return spread(tensor(data, "data"), read_shape(attrs))


def _broadcast_to_like_type(_: Parameters, data: Type, like: Type) -> TensorType:
    return spread(tensor(data, "data"), tensor(like, "broadcast_type").shape)


def _collapse_sum_like_type(_: Parameters, data: Type, like: Type) -> TensorType:
    ty, other = tensor(data, "data"), tensor(like, "collapse_type")
    unify_dtype(ty, other)
    spread(other, ty.shape)
    return other


def _collapse_sum_to_type(attrs: InitOpAttrs | None, data: Type, shape: Type) -> TensorType:
    ty = tensor(data, "data")
    rank = require_length(shape, "shape")
    if attrs is None or attrs.shape is None:
        target: tuple[Dimension, ...] = (ANY,) * rank
    else:
        target = read_shape(attrs)
    if len(target) != rank:
        raise TypeInferenceError(
            f"shape has {rank} numbers, the attribute shape has {len(target)}; "
            f"they must be equally many"
        )
    result = TensorType(target, ty.dtype)
    spread(result, ty.shape)
    return result


register_op(
    "broadcast_to",
    signature="data, shape",
    description="""
    Repeat a tensor along axes of size 1 and new leading axes.
    data (...) -> shape
    """,
    rule=_broadcast_to_type,
    evaluate=_broadcast_to,
    pattern=OpPattern.BROADCAST,
)
register_op(
    "broadcast_to_like",
    arguments=("data", "broadcast_type"),
    description="""
    Repeat a tensor until it has the shape of another.
    data (...); broadcast_type (s0, ..., sk) -> (s0, ..., sk)
    """,
    rule=_broadcast_to_like_type,
    evaluate=_broadcast_to_like,
    pattern=OpPattern.BROADCAST,
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "collapse_sum_to",  # Relay declares no attributes of it, and yet its calls may have some
    description="""
    Add up along the axes along which a tensor was broadcast from a shape.
    data (...); shape the shape, a vector of integers or numbers -> shape
    """,
    attrs_type=None,
    rule=_collapse_sum_to_type,
    evaluate=_collapse_sum_to,
    result_size=bound_by_reduction,
    pattern=OpPattern.COMM_REDUCE,
)
register_op(
    "collapse_sum_like",
    arguments=("data", "collapse_type"),
    description="""
    Add up along the axes along which a tensor was broadcast to another's shape.
    data (...); collapse_type (s0, ..., sk) -> (s0, ..., sk)
    """,
    rule=_collapse_sum_like_type,
    evaluate=_collapse_sum_like,
    pattern=OpPattern.COMM_REDUCE,
)
