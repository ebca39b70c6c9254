"""Attention whose scores and probabilities are modified by graphs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import is_fractional, narrow, widen
from relayish.numeric.softmax import softmax
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import DType, check_rank, without_warnings

Graph = Callable[..., tuple[Array, ...]]


@kernel("FlexAttention", domain="ai.onnx.preview", since=(1,))
@without_warnings
def flex_attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    scale: float | None = None,
    score_mod: Graph | None = None,
    prob_mod: Graph | None = None,
    softmax_precision: int | None = None,
) -> Array:
    """Return values weighted by how well queries fit keys.

    Args:
        q: (batch, heads, length, size), with a multiple of the heads of ``k`` and ``v``.
        k: (batch, key heads, key length, size).
        v: (batch, key heads, key length, value size).
        scale: What products are multiplied by; one over the root of ``size`` if none is given.
        score_mod: Gives other scores, (batch, heads, length, key length).
        prob_mod: Gives other probabilities, of the same shape.
        softmax_precision: The element type of scores and probabilities.
    """
    group = _check_heads(q, k, v)
    precision = _precision(q.dtype, softmax_precision)
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    keys, values = (np.repeat(widen(data), group, axis=1) for data in (k, v))
    products = np.matmul(widen(q), keys.swapaxes(-1, -2))
    scores = (products * products.dtype.type(factor)).astype(precision, copy=False)
    scores = _modified(score_mod, scores, "score_mod")
    shares = softmax(scores, 3)
    shares = _modified(prob_mod, shares, "prob_mod")
    return narrow(np.matmul(shares.astype(values.dtype, copy=False), values), q)


def _check_heads(q: Array, k: Array, v: Array) -> int:
    """Return how many heads of queries share one of keys."""
    for data, what in ((q, "Q"), (k, "K"), (v, "V")):
        check_rank(data, 4, f"{what} of FlexAttention")
    same = q.shape[0] == k.shape[0] == v.shape[0] and q.shape[3] == k.shape[3]
    heads = k.shape[1]
    if not same or k.shape[1:3] != v.shape[1:3] or not heads or q.shape[1] % heads:
        raise EvaluationError(
            f"Q, K and V have shapes {q.shape}, {k.shape} and {v.shape}; expected one batch, one "
            "size of Q and K, one length of K and V, and a multiple of their heads in Q"
        )
    group: int = q.shape[1] // heads
    return group


def _precision(dtype: DType, number: int | None) -> DType:
    if number is None:
        return dtype if dtype == np.float64 else np.dtype(np.float32)
    found = find_numpy_dtype(number)
    if not is_fractional(found):
        raise EvaluationError(f"softmax_precision is {found}; expected floating point numbers")
    return found


def _modified(graph: Graph | None, data: Array, what: str) -> Array:
    if graph is None:
        return data
    (found,) = graph(data)
    if found.shape != data.shape or found.dtype != data.dtype:
        raise EvaluationError(
            f"{what} gives {found.dtype} of shape {found.shape}; expected {data.dtype} of shape "
            f"{data.shape}, as it is given"
        )
    return found
