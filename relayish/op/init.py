"""Operators that make a tensor from nothing, or from a number."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType
from relayish.ir.expr import Expr
from relayish.op.evaluation import Array, result_dtype
from relayish.op.fields import OptionalDType
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.InitOpAttrs")
class InitOpAttrs(Attrs):
    """Attributes of ``broadcast_to``, ``full``, ``ones`` and others."""

    shape: tuple[int, ...] | None
    dtype: OptionalDType = None


@attrs("relay.attrs.ArangeAttrs")
class ArangeAttrs(Attrs):
    """Attributes of ``arange``."""

    start: Expr
    stop: Expr
    step: Expr
    dtype: DType


def _shape(attrs: InitOpAttrs) -> tuple[int, ...]:
    if attrs.shape is None:
        raise EvaluationError("the shape of the result is not given; set shape=(...)")
    return attrs.shape


def _zeros(attrs: InitOpAttrs) -> Array:
    return np.zeros(_shape(attrs), result_dtype(attrs.dtype, np.dtype(np.float32)))


def _ones(attrs: InitOpAttrs) -> Array:
    return np.ones(_shape(attrs), result_dtype(attrs.dtype, np.dtype(np.float32)))


def _full(attrs: InitOpAttrs, fill_value: Array) -> Array:
    return np.full(_shape(attrs), fill_value, result_dtype(attrs.dtype, fill_value.dtype))


def _full_like(_: object, data: Array, fill_value: Array) -> Array:
    return np.full(data.shape, fill_value, data.dtype)


def _arange(attrs: ArangeAttrs, start: Array, stop: Array, step: Array) -> Array:
    dtype = result_dtype(attrs.dtype, start.dtype)
    first, last, stride = start.item(), stop.item(), step.item()
    if stride == 0:
        raise EvaluationError("arange has step 0; expected another")
    count = max(0, int(np.ceil((last - first) / stride)))
    return (first + stride * np.arange(count)).astype(dtype)


register_op("zeros", arguments_=(), attrs=InitOpAttrs, fuses=OpPattern.ELEMWISE, evaluates=_zeros)
register_op("ones", arguments_=(), attrs=InitOpAttrs, fuses=OpPattern.ELEMWISE, evaluates=_ones)
register_op(
    "full", arguments_=("fill_value",), attrs=InitOpAttrs, fuses=OpPattern.ELEMWISE, evaluates=_full
)
register_op(
    "full_like", arguments_=("data", "fill_value"), fuses=OpPattern.ELEMWISE, evaluates=_full_like
)
register_op("arange", arguments_=("start", "end", "step"), attrs=ArangeAttrs, evaluates=_arange)
