"""Strings: joined, split at delimiters, matched with patterns."""

from __future__ import annotations

import re

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import broadcast_shape


@kernel("StringConcat", since=(20,))
def concatenate_strings(x: Array, y: Array) -> Array:
    """Return strings of ``x``, each with that of ``y`` behind it."""
    broadcast_shape(x, y)
    return np.asarray(np.add(x, y, dtype=object), object)


@kernel("StringSplit", since=(20,))
def split_strings(
    x: Array, *, delimiter: str | None = None, maxsplit: int | None = None
) -> tuple[Array, Array]:
    """Return the parts of each string, filled up with empty ones, and how many there are."""
    at = delimiter or None
    most = -1 if maxsplit is None else maxsplit
    parts = [text.split(at, most) if text else [] for text in x.reshape(-1)]
    width = max(map(len, parts), default=0)
    texts = np.full((len(parts), width), "", object)
    for row, found in enumerate(parts):
        texts[row, : len(found)] = found
    counts = np.array([len(found) for found in parts], np.int64)
    return texts.reshape((*x.shape, width)), counts.reshape(x.shape)


@kernel("RegexFullMatch", since=(20,))
def match_strings(x: Array, *, pattern: str | None = None) -> Array:
    """Return whether a pattern matches all of each string."""
    try:
        compiled = re.compile(pattern or "")
    except re.error as error:
        raise EvaluationError(
            f"the pattern {pattern!r} is no regular expression: {error}; expected one"
        ) from None
    matches = [compiled.fullmatch(text) is not None for text in x.reshape(-1)]
    return np.array(matches, np.bool_).reshape(x.shape)
