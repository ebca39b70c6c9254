"""The counter-based generator of random bits for which ``random.threefry_*`` are named.

A key is 10 words of 64 bits: four of the cipher's key, two of *path*, two of *counter*, and two
that hold one bit, the next free place in the path. Numbers are the cipher's blocks over path and
counter; splitting a key writes a 0 or a 1 at the free place of the path. The words are those of
Relay's, bit for bit.

Source:
    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); Claessen and Pałka,
    "Splittable pseudorandom number generators using cryptographic hashing" (2013).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.values.evaluation import Array

KEY_WORDS: Final = 10
_WORDS: Final = 4
_ROUNDS: Final = 20
_ROTATIONS: Final = (
    (14, 16),
    (52, 57),
    (23, 40),
    (5, 37),
    (25, 33),
    (46, 12),
    (58, 22),
    (32, 32),
)
_PARITY: Final = np.uint64(0x1BD11BDAA9FC1A22)
_ALL_ONES: Final = np.uint64(2**64 - 1)
_FIRST_BIT: Final = np.uint64(1 << 63)
_KEY, _PATH, _COUNTER, _PLACE = slice(0, 4), slice(4, 6), slice(6, 8), slice(8, 10)
_LOW_COUNTER: Final = 7  # the one word of the counter that counts


def generate(key: Array, count: int) -> tuple[Array, Array]:
    """Return the key that follows ``key`` and ``count`` words of random bits.

    Args:
        key: (10,) uint64.
        count: How many words.

    Returns:
        A key whose counter is past the words taken, and ``(count,)`` uint64. Words are taken in
        fours: what a last, partial block has left is not used again.

    Complexity:
        Linear in ``count``; a fixed number of operations on whole arrays.
    """
    current = _with_room(_check_key(key), count)
    whole, left = divmod(count, _WORDS)
    words = [_blocks(current, np.arange(whole, dtype=np.uint64)).ravel()]
    if left:  # the partial block counts words, not blocks, and in the counter alone
        last = current[None, 4:8].copy()
        last[0, 3] += np.uint64(whole * _WORDS)
        words.append(_cipher(current[_KEY], last)[0, :left])
    taken = count if not left else (whole + 1) * _WORDS
    current[_LOW_COUNTER] += np.uint64(taken)
    current[_LOW_COUNTER - 1] = 0
    return current, np.concatenate(words)


def split(key: Array) -> tuple[Array, Array]:
    """Return two keys, from which independent words come.

    Args:
        key: (10,) uint64.
    """
    given = _check_key(key)
    left = given.copy()
    if given[_PLACE].any():
        left[_PLACE] = _advance_place(given[_PLACE])
        right = left.copy()
        right[_PATH] |= given[_PLACE]
        return left, right
    left[_KEY] = _cipher(given[_KEY], given[None, 4:8])[0]
    left[_PATH] = left[_COUNTER] = 0
    left[_PLACE] = _FIRST_BIT >> np.uint64(1), 0
    right = left.copy()
    right[4] = _FIRST_BIT
    return left, right


def _check_key(key: Array) -> Array:
    if key.shape != (KEY_WORDS,) or key.dtype != np.uint64:
        raise EvaluationError(
            f"a key of random numbers has {KEY_WORDS} words of uint64; "
            f"found {key.dtype} of shape {key.shape}"
        )
    return key


def _with_room(key: Array, count: int) -> Array:
    """Return ``key``, or one of a longer path, or of another cipher key, that can count on."""
    current = key.copy()
    if int(key[_LOW_COUNTER]) < 2**64 - 1 - count:
        return current
    current[_COUNTER] = 0
    if key[_PLACE].any():
        current[_PATH] |= key[_PLACE]
        current[_PLACE] = _advance_place(key[_PLACE])
        return current
    current[_KEY] = _cipher(key[_KEY], np.full((1, _WORDS), _ALL_ONES))[0]
    current[_PATH] = 0
    current[_PLACE] = _FIRST_BIT, 0
    return current


def _advance_place(place: Array) -> tuple[int, int]:
    """Return the one bit in two words, moved right; past the end there is none."""
    moved = (int(place[0]) << 64 | int(place[1])) >> 1
    return moved >> 64, moved & (2**64 - 1)


def _blocks(key: Array, offsets: Array) -> Array:
    """Return the blocks ``(n, 4)`` of ``key``, each ``offsets: (n,)`` ahead of where it stands.

    As in Relay every word moves ahead, those of the path too.
    """
    return _cipher(key[_KEY], key[None, 4:8] + offsets[:, None])


def _cipher(key: Array, counters: Array) -> Array:
    """Return the blocks ``(n, 4)`` of ``counters: (n, 4)`` under ``key: (4,)``.

    Relay's rounds differ from Threefry's in two ways that are kept here, for the bits to be the
    same: what is rotated is combined with the sum to which its operand was added twice, and no key
    is added after the last round.
    """
    schedule = np.append(key, _PARITY ^ np.bitwise_xor.reduce(key))
    a, b, c, d = (counters[:, word].copy() for word in range(_WORDS))
    for index in range(_ROUNDS):
        step, within = divmod(index, _WORDS)
        if within == 0:
            words = np.roll(schedule, -step)
            a, b, c = a + words[0], b + words[1], c + words[2]
            d = d + words[3] + np.uint64(step)
        first, second = _ROTATIONS[index % len(_ROTATIONS)]
        a, b = _mix(a, b, first)
        c, d = _mix(c, d, second)
        b, d = d, b
    return np.stack((a, b, c, d), axis=1)


def _mix(one: Array, other: Array, rotation: int) -> tuple[Array, Array]:
    left, right = np.uint64(rotation), np.uint64(64 - rotation)
    total = one + other
    return total, (total + other) ^ ((other << left) | (other >> right))
