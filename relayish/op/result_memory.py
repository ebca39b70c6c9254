"""Memory of results: which operators may write over an operand, and evaluation that does.

The memory plan asks which operands may be written over, the graph executor in what memory the
evaluation by numpy puts its results. Of operators that are not told of here it is taken that
evaluation may give back an input, or a view of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.op.declaration.properties import (
    ResultMemory,
    evaluate,
    overwritable,
    result_memory,
)
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.normalization import batch_norm_into
from relayish.op.nn.product import BiasAddAttrs
from relayish.op.tensor.elementwise import ClipAttrs
from relayish.op.values.evaluation import Array, Parameters, align

Into = Callable[..., Array]


def _apply(function: np.ufunc) -> Into:
    """Return what evaluates an operator that is one function of numpy."""

    def into(_: Parameters, out: Array, *inputs: Array) -> Array:
        return function(*inputs, out=out)

    return into


def _sigmoid(_: Parameters, out: Array, data: Array) -> Array:
    one = data.dtype.type(1)
    np.exp(np.negative(data, out=out), out=out)
    return np.divide(one, np.add(one, out, out=out), out=out)


def _rsqrt(_: Parameters, out: Array, data: Array) -> Array:
    return np.divide(data.dtype.type(1), np.sqrt(data, out=out), out=out)


def _relu(_: Parameters, out: Array, data: Array) -> Array:
    return np.maximum(data, data.dtype.type(0), out=out)


def _clip(attrs: ClipAttrs, out: Array, data: Array) -> Array:
    kind = data.dtype.type
    return np.minimum(np.maximum(data, kind(attrs.a_min), out=out), kind(attrs.a_max), out=out)


def _bias_add(attrs: BiasAddAttrs, out: Array, data: Array, bias: Array) -> Array:
    return np.add(data, align(bias, attrs.axis, data.ndim), out=out)


_INTO: Final[dict[str, Into]] = {
    "add": _apply(np.add),
    "subtract": _apply(np.subtract),
    "multiply": _apply(np.multiply),
    "divide": _apply(np.divide),
    "maximum": _apply(np.maximum),
    "minimum": _apply(np.minimum),
    "negative": _apply(np.negative),
    "abs": _apply(np.abs),
    "exp": _apply(np.exp),
    "log": _apply(np.log),
    "sqrt": _apply(np.sqrt),
    "rsqrt": _rsqrt,
    "sin": _apply(np.sin),
    "cos": _apply(np.cos),
    "tanh": _apply(np.tanh),
    "fast_exp": _apply(np.exp),
    "fast_tanh": _apply(np.tanh),
    "sigmoid": _sigmoid,
    "clip": _clip,
    "nn.relu": _relu,
    "nn.bias_add": _bias_add,
    "nn.batch_norm": batch_norm_into,
}
_NEW: Final = (
    "concatenate",
    "nn.batch_matmul",
    "nn.conv2d",
    "nn.dense",
    "nn.log_softmax",
    "nn.softmax",
)

for _name, _into in _INTO.items():
    result_memory.set(relay_op(_name), ResultMemory(evaluate.get(relay_op(_name)), into=_into))
for _name in _NEW:
    result_memory.set(relay_op(_name), ResultMemory(evaluate.get(relay_op(_name))))
overwritable.set(relay_op("nn.batch_norm"), (0,))
