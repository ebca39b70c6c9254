"""Variable-length integers (LEB128), whole arrays of them at a time.

A number takes a byte for each seven of its bits, the lowest first; all bytes but its last have the
highest bit set.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.uint64]

_LONGEST: Final = 10
"""Bytes of a number of 64 bits."""


def encode_varints(numbers: Numbers) -> bytes:
    """Return the bytes of ``numbers``.

    Complexity:
        Linear in the bytes; numpy does all of it.
    """
    if not len(numbers) or int(numbers.max()) < 128:
        return numbers.astype(np.uint8).tobytes()
    lengths = count_bytes(numbers)
    starts = np.cumsum(lengths) - lengths
    out = np.zeros(int(lengths.sum()), np.uint8)
    for index in range(int(lengths.max())):
        longer = lengths > index
        septets = (numbers[longer] >> np.uint64(7 * index)) & np.uint64(127)
        follows = (lengths[longer] > index + 1).astype(np.uint8) << 7
        out[starts[longer] + index] = septets.astype(np.uint8) | follows
    return out.tobytes()


def count_bytes(numbers: Numbers) -> npt.NDArray[np.int64]:
    """Return how many bytes each of ``numbers`` takes."""
    lengths = np.ones(len(numbers), np.int64)
    left = numbers >> np.uint64(7)
    while left.any():
        lengths += left != 0
        left >>= np.uint64(7)
    return lengths


def decode_varints(data: bytes | memoryview) -> Numbers:
    """Return the numbers whose bytes ``data`` holds, which are no more than these.

    Raises:
        ValueError: If the last one does not end, or one takes more than 64 bits.
    """
    found: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(found < 128)
    if len(ends) == len(found):
        return found.astype(np.uint64)
    if not len(ends) or ends[-1] != len(found) - 1:
        raise ValueError("the last number does not end")
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts + 1
    longest = int(lengths.max())
    if longest > _LONGEST or (longest == _LONGEST and (found[ends[lengths == _LONGEST]] > 1).any()):
        raise ValueError("a number takes more than 64 bits")
    numbers = np.zeros(len(ends), np.uint64)
    for index in range(longest):
        longer = lengths > index
        septets = (found[starts[longer] + index] & 127).astype(np.uint64)
        numbers[longer] |= septets << np.uint64(7 * index)
    return numbers


def encode_varint(number: int) -> bytes:
    """Return the bytes of one number."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def to_unsigned(numbers: npt.NDArray[np.int64]) -> Numbers:
    """Return signed numbers as unsigned ones, small where they are near zero (zigzag)."""
    return ((numbers << np.int64(1)) ^ (numbers >> np.int64(63))).view(np.uint64)


def to_signed(numbers: Numbers) -> npt.NDArray[np.int64]:
    """Undo :func:`to_unsigned`."""
    halves = (numbers >> np.uint64(1)).view(np.int64)
    signs = (numbers & np.uint64(1)).view(np.int64)
    return halves ^ -signs
