"""Attention, and the rotation by which it knows positions."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import narrow, widen
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel


@kernel(
    "Attention",
    since=(24, 25),
    added={"left_window_size": 25, "right_window_size": 25},
    removed={"extends_mask": 24},
)
def attention(
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    nonpad_kv_seqlen: Array | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    extends_mask: bool = True,
) -> tuple[Array, Array, Array, Array]:
    """Return scaled dot-product attention, keys and values with the past, and the scores.

    Args:
        q: Queries (batch, heads, steps, size), or (batch, steps, heads * size).
        k: Keys, of as many heads or fewer, each of which serves several heads of queries.
        v: Values, of as many heads as keys.
        attn_mask: Which keys a query sees, or what is added to scores.
        past_key: Keys of steps before.
        past_value: Values of steps before.
        nonpad_kv_seqlen: How many keys of each batch there are, behind which is padding.
        is_causal: Whether a query sees no keys of later steps.
        kv_num_heads: Heads of keys and values, where ``q`` has three dimensions.
        left_window_size: How many steps before its own a query sees; -1 for all.
        q_num_heads: Heads of queries, where ``q`` has three dimensions.
        qk_matmul_output_mode: Which scores are returned: of the product, capped, masked, or as
            probabilities.
        right_window_size: How many steps behind its own a query sees; -1 for all.
        scale: What products are multiplied by.
        softcap: Beyond which scores do not grow; 0 for no bound.
        softmax_precision: The element type of probabilities.
        extends_mask: Whether no query sees the keys behind the end of a mask.

    Raises:
        EvaluationError: If shapes do not fit.
    """
    queries = _split_heads("Q", q, q_num_heads)
    keys, values = _split_heads("K", k, kv_num_heads), _split_heads("V", v, kv_num_heads)
    if (past_key is None) != (past_value is None):
        raise EvaluationError("one of past_key and past_value is given; expected both or neither")
    past = 0
    if past_key is not None and past_value is not None:
        past = past_key.shape[2]
        keys = np.concatenate([past_key, keys], axis=2)
        values = np.concatenate([past_value, values], axis=2)
    _check_heads(queries, keys, values)
    if scale is None:
        scale = 1 / math.sqrt(max(queries.shape[3], 1))
    factor = np.array(math.sqrt(scale)).astype(q.dtype)
    share = queries.shape[1] // keys.shape[1]
    spread_keys = np.repeat(keys, share, axis=1)
    scores = _multiply(queries * factor, (spread_keys * factor).swapaxes(2, 3))
    capped = scores
    if softcap > 0:
        bound = np.array(softcap).astype(q.dtype)
        capped = np.tanh(scores / bound) * bound
    offset: Array = np.array([past])
    if nonpad_kv_seqlen is not None and past_key is None:
        offset = nonpad_kv_seqlen.reshape(-1) - queries.shape[2]
    bias = _find_bias(
        queries.shape[2],
        keys.shape[2],
        attn_mask if attn_mask is None or not extends_mask else _extended(attn_mask, keys.shape[2]),
        offset,
        0 if is_causal else right_window_size,
        left_window_size,
        right_window_size,
        nonpad_kv_seqlen,
    )
    masked = capped + bias.astype(q.dtype)
    precise = masked
    if softmax_precision is not None:
        precise = masked.astype(find_numpy_dtype(softmax_precision))
    chances = narrow(_softmax_of_seen(precise, bias), q)
    y = _multiply(chances, np.repeat(values, share, axis=1))
    if q.ndim == 3:
        y = y.transpose(0, 2, 1, 3).reshape(*q.shape[:2], y.shape[1] * y.shape[3])
    shown = (scores, capped, masked, chances)[qk_matmul_output_mode]
    return y, keys, values, shown


def _multiply(a: Array, b: Array) -> Array:
    """Return the product of matrices, which is rounded once, in the element type of ``a``."""
    return narrow(np.matmul(widen(a), widen(b)), a)


def _split_heads(what: str, x: Array, heads: int | None) -> Array:
    """Return ``x`` as (batch, heads, steps, size)."""
    if x.ndim == 4:
        return x
    if x.ndim != 3 or not heads or x.shape[2] % heads:
        raise EvaluationError(
            f"{what} has shape {x.shape} in {heads} heads; expected four dimensions, or three with "
            "a number of heads that divides the last"
        )
    return x.reshape(*x.shape[:2], heads, x.shape[2] // heads).transpose(0, 2, 1, 3)


def _check_heads(queries: Array, keys: Array, values: Array) -> None:
    if (
        queries.shape[3] != keys.shape[3]
        or keys.shape[:3] != values.shape[:3]
        or queries.shape[0] != keys.shape[0]
        or not keys.shape[1]
        or queries.shape[1] % keys.shape[1]
    ):
        raise EvaluationError(
            f"queries, keys and values have shapes {queries.shape}, {keys.shape}, {values.shape}; "
            "expected one batch, queries and keys of one size, as many keys as values, and a "
            "multiple of their heads for queries"
        )


kernel(
    "Attention",
    since=(23,),
    removed=dict.fromkeys(
        ("extends_mask", "nonpad_kv_seqlen", "left_window_size", "right_window_size"), 23
    ),
)(partial(attention, extends_mask=False))


def _extended(mask: Array, keys: int) -> Array:
    """Return a mask that lets no query see keys behind its end."""
    if mask.shape[-1] >= keys:
        return mask
    width = [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])]
    filling = False if mask.dtype == np.bool_ else -np.inf
    return np.pad(widen(mask), width, constant_values=filling)


def _find_bias(
    queries: int,
    keys: int,
    mask: Array | None,
    offset: Array,
    last: int,
    left: int,
    right: int,
    lengths: Array | None,
) -> Array:
    """Return what is added to scores, which broadcasts with (batch, heads, queries, keys).

    Args:
        queries: How many queries there are.
        keys: How many keys.
        mask: The mask.
        offset: The step of the first query, for all or each batch.
        last: How many steps behind its own a query sees; 0 for causal attention, -1 for all.
        left: How many steps before its own; -1 for all.
        right: As ``last``, if attention is not causal.
        lengths: How many keys of each batch there are.
    """
    bias: Array = np.zeros((queries, keys))
    if mask is not None:
        bias = bias + (np.where(mask, 0, -np.inf) if mask.dtype == np.bool_ else widen(mask))
    steps = np.arange(queries)[:, None] + offset.reshape(-1, 1, 1, 1)
    ahead = np.arange(keys) - steps
    seen = np.ones((), np.bool_)
    for bound, distance in ((last, ahead), (left, -ahead), (right, ahead)):
        if bound >= 0:
            seen = seen & (distance <= bound)
    if lengths is not None:
        seen = seen & (np.arange(keys) < lengths.reshape(-1, 1, 1, 1))
    return bias if seen.all() else bias + np.where(seen, 0, -np.inf)


def _softmax_of_seen(scores: Array, bias: Array) -> Array:
    """Return the softmax along the last axis, 0 for queries that see no key.

    Each step is rounded to the element type of ``scores``, as the definition by other operators is.
    """
    if not scores.shape[-1]:
        return scores
    zero, one = np.array(0).astype(scores.dtype), np.array(1).astype(scores.dtype)
    unseen = np.isneginf(bias.max(axis=-1, keepdims=True))
    highest = scores.max(axis=-1, keepdims=True)
    chances = np.exp(scores - np.where(highest == -np.inf, zero, highest))
    total = chances.sum(axis=-1, keepdims=True)
    chances = chances / np.where(total == zero, one, total)
    return np.where(unseen, zero, chances)


@kernel("RotaryEmbedding", since=(23,))
def rotary_embedding(
    x: Array,
    cos_cache: Array,
    sin_cache: Array,
    position_ids: Array | None = None,
    *,
    interleaved: int = 0,
    num_heads: int | None = None,
    rotary_embedding_dim: int = 0,
) -> Array:
    """Rotate pairs of elements of each head by angles of their positions.

    Args:
        x: (batch, heads, steps, size), or (batch, steps, heads * size).
        cos_cache: Cosines (positions, pairs), or (batch, steps, pairs) without ``position_ids``.
        sin_cache: Sines, likewise.
        position_ids: Positions (batch, steps).
        interleaved: Whether neighbours are a pair, and not elements of both halves.
        num_heads: Heads, where ``x`` has three dimensions.
        rotary_embedding_dim: How many elements of a head are rotated; 0 for all.

    Raises:
        EvaluationError: If shapes do not fit.
    """
    heads = _split_heads("X", x, num_heads)
    count = rotary_embedding_dim or heads.shape[3]
    cos, sin = widen(cos_cache), widen(sin_cache)
    if position_ids is not None:
        if position_ids.size and not 0 <= position_ids.min() <= position_ids.max() < len(cos):
            raise EvaluationError(
                f"positions reach from {position_ids.min()} to {position_ids.max()}; expected 0 to "
                f"{len(cos) - 1}"
            )
        cos, sin = cos[position_ids], sin[position_ids]
    expected = (heads.shape[0], heads.shape[2], count // 2)
    if cos.shape != expected or sin.shape != expected:
        raise EvaluationError(
            f"cosines and sines have shapes {cos.shape} and {sin.shape}; expected {expected}"
        )
    cos, sin = cos[:, None], sin[:, None]
    rotated = widen(heads).copy()
    first = slice(0, count, 2) if interleaved else slice(0, count // 2)
    second = slice(1, count, 2) if interleaved else slice(count // 2, count)
    real, imaginary = widen(heads)[..., first], widen(heads)[..., second]
    rotated[..., first] = real * cos - imaginary * sin
    rotated[..., second] = real * sin + imaginary * cos
    if x.ndim == 3:
        rotated = rotated.transpose(0, 2, 1, 3).reshape(x.shape)
    return narrow(rotated, x)
