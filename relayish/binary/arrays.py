"""Arrays in files: written piece by piece, read without a copy where the file is mapped."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from mmap import mmap
from typing import Any, Final, Protocol

import numpy as np

from relayish.binary.layout import AGAIN, Head, align, alignment_of
from relayish.errors import BinaryFormatError

_PIECE: Final = 1 << 24
"""Bytes that are written, or whose checksum is taken, at a time."""


def size_of(arrays: Sequence[np.ndarray[Any, Any]]) -> int:  # Any: of whatever shape and type
    """Return how many bytes arrays take, those between them included."""
    end = 0
    for array in arrays:
        end = align(end, alignment_of(array.nbytes)) + array.nbytes
    return end


def pieces_of(arrays: Sequence[np.ndarray[Any, Any]]) -> Iterator[bytes | memoryview]:
    """Yield the bytes of arrays, with zeros between them, and behind them their checksums.

    Contiguous arrays are not copied; of others a piece at a time is.
    """
    end = 0
    checksums = []
    for array in arrays:
        start = align(end, alignment_of(array.nbytes))
        yield bytes(start - end)
        crc = 0
        for piece in _pieces(array):
            crc = zlib.crc32(piece, crc)
            yield piece
        checksums.append(crc)
        end = start + array.nbytes
    packed = struct.pack(f"<{len(checksums)}I", *checksums)
    yield packed
    yield struct.pack("<I", zlib.crc32(packed))


def _pieces(array: np.ndarray[Any, Any]) -> Iterator[memoryview]:
    if not array.nbytes:
        return
    if array.flags.c_contiguous:
        data = array.reshape(-1).view(np.uint8).data
        for start in range(0, len(data), _PIECE):
            yield data[start : start + _PIECE]
        return
    size = max(_PIECE // array.itemsize, 1)
    flags = ["external_loop", "buffered", "zerosize_ok"]
    for piece in np.nditer(array, flags, order="C", buffersize=size):  # type: ignore[call-overload]  # flags are a list of names
        yield np.ascontiguousarray(piece).view(np.uint8).data


class ArraySource(Protocol):
    """Arrays in the order in which a program asks for them."""

    def take(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Return the next array, which is read-only.

        Raises:
            BinaryFormatError: If there is none of that size, or it is damaged.
        """

    def finish(self) -> None:
        """Raise if arrays are left."""


class StoredArrays:
    """The arrays of a file, in the order in which they stand there.

    Args:
        source: The bytes of the file.
        head: What they begin with.
        verify: Whether to read each array for its checksum.
        copy: Whether arrays are to live on without ``source``.
    """

    def __init__(
        self, source: bytes | mmap, head: Head, *, verify: bool = True, copy: bool = False
    ) -> None:
        self._source = source
        self._begin = head.data_offset
        self._size = head.data_size
        self._end = 0
        self._copy = copy
        self._verify = verify
        behind = head.data_offset + head.data_size
        checksums = source[behind : behind + 4 * head.num_arrays]
        (crc,) = struct.unpack_from("<I", source, behind + 4 * head.num_arrays)
        if zlib.crc32(checksums) != crc:
            raise BinaryFormatError(
                f"byte {behind}: the checksums of arrays are damaged: {AGAIN}", behind
            )
        self._checksums = iter(struct.unpack(f"<{head.num_arrays}I", checksums))

    def take(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        num_bytes = math.prod(shape) * dtype.itemsize
        start = align(self._end, alignment_of(num_bytes))
        offset = self._begin + start
        crc = next(self._checksums, None)
        if crc is None or num_bytes > self._size - start:
            raise BinaryFormatError(
                f"byte {offset}: the file ends before an array of type {dtype} and shape {shape}: "
                f"{AGAIN}",
                offset,
            )
        self._end = start + num_bytes
        if self._verify:
            self._check(offset, num_bytes, crc)
        if not num_bytes:
            made: np.ndarray[Any, Any] = np.zeros(shape, dtype)
        else:
            made = np.ndarray(shape, dtype, self._source, offset)
            made = made.copy() if self._copy else made
        made.flags.writeable = False
        return made

    def _check(self, offset: int, num_bytes: int, expected: int) -> None:
        crc = 0
        with memoryview(self._source) as source:
            for start in range(offset, offset + num_bytes, _PIECE):
                with source[start : min(start + _PIECE, offset + num_bytes)] as piece:
                    crc = zlib.crc32(piece, crc)
        if crc != expected:
            raise BinaryFormatError(
                f"byte {offset}: the checksum of an array of {num_bytes} bytes is {crc:#010x}, "
                f"where the file says {expected:#010x}; it was damaged: {AGAIN}",
                offset,
            )

    def finish(self) -> None:
        if self._end != self._size or next(self._checksums, None) is not None:
            at = self._begin + self._end
            raise BinaryFormatError(f"byte {at}: the file holds arrays nobody uses: {AGAIN}", at)
