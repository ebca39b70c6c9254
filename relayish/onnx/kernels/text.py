"""Words: counted in sequences, and put into one form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.registry import Array, kernel


@kernel("TfIdfVectorizer", since=(9,))
def tf_idf_vectorizer(
    x: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...] | None = None,
    pool_strings: tuple[str, ...] | None = None,
    weights: tuple[float, ...] | None = None,
) -> Array:
    """Return how often each n-gram of a pool occurs in each row, weighted as ``mode`` says."""
    if mode not in ("TF", "IDF", "TFIDF"):
        raise EvaluationError(f"mode is {mode!r}; expected TF, IDF or TFIDF")
    if x.ndim not in (1, 2):
        raise EvaluationError(f"the input has shape {x.shape}; expected one row, or rows")
    pool: Sequence[Hashable] = pool_strings if pool_strings is not None else (pool_int64s or ())
    grams = read_pool(pool, ngram_counts, ngram_indexes)
    rows = x.reshape(1, -1) if x.ndim == 1 else x
    counts = np.zeros((len(rows), max(ngram_indexes, default=-1) + 1), np.float32)
    for row, words in zip(counts, rows.tolist(), strict=True):
        for gram in _find_grams(words, min_gram_length, max_gram_length, max_skip_count):
            if gram in grams:
                row[ngram_indexes[grams[gram]]] += 1
    if mode != "TF":
        if mode == "IDF":
            counts = np.minimum(counts, 1)
        factors = np.ones(counts.shape[1], np.float32)
        for index, place in enumerate(ngram_indexes):
            factors[place] = 1 if weights is None else weights[index]
        counts = counts * factors
    return counts[0] if x.ndim == 1 else counts


def read_pool(
    pool: Sequence[Hashable], starts: tuple[int, ...], indexes: tuple[int, ...]
) -> dict[tuple[Hashable, ...], int]:
    """Return the number of each n-gram of a pool in which those of length 1 come first."""
    grams: dict[tuple[Hashable, ...], int] = {}
    number = 0
    for length, start in enumerate(starts, 1):
        end = starts[length] if length < len(starts) else len(pool)
        if not 0 <= start <= end <= len(pool) or (end - start) % length:
            raise EvaluationError(
                f"n-grams of length {length} stand at {start} to {end} of a pool of {len(pool)}; "
                "expected whole n-grams within it"
            )
        for at in range(start, end, length):
            grams[tuple(pool[at : at + length])] = number
            number += 1
    if number != len(indexes):
        raise EvaluationError(
            f"there are {number} n-grams and {len(indexes)} ngram_indexes; expected as many"
        )
    return grams


def _find_grams(
    words: Sequence[Hashable], shortest: int, longest: int, skips: int
) -> Iterator[tuple[Hashable, ...]]:
    """Yield the n-grams of a row, with up to ``skips`` words between two of theirs.

    Single words have nothing between them, so they come once.
    """
    for distance in range(1, min(skips + 1, len(words)) + 1):
        for length in range(shortest, min(longest, len(words)) + 1):
            if length == 1 and distance > 1:
                continue
            for start in range(len(words) - (length - 1) * distance):
                yield tuple(words[start : start + (length - 1) * distance + 1 : distance])


@kernel("StringNormalizer", since=(10,))
def string_normalizer(
    x: Array,
    *,
    case_change_action: str = "NONE",
    is_case_sensitive: int = 0,
    locale: str | None = None,  # noqa: ARG001 - case is changed as Unicode says, everywhere
    stopwords: tuple[str, ...] | None = None,
) -> Array:
    """Return words without some, in lower or upper case; one empty word where none is left."""
    changes: dict[str, Callable[[str], str]] = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}
    if case_change_action not in changes:
        raise EvaluationError(
            f"case_change_action is {case_change_action!r}; expected NONE, LOWER or UPPER"
        )
    if x.ndim not in (1, 2) or (x.ndim == 2 and x.shape[0] != 1):
        raise EvaluationError(f"words have shape {x.shape}; expected one row of them")
    stops = set(stopwords or ())
    if not is_case_sensitive:
        stops = {word.lower() for word in stops}
    words = [
        changes[case_change_action](word)
        for word in x.reshape(-1).tolist()
        if (word if is_case_sensitive else word.lower()) not in stops
    ]
    found = np.array(words or [""], object)
    return found if x.ndim == 1 else found.reshape(1, -1)
