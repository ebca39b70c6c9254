"""Layout of files in binary form: a head of 64 bytes, the program, arrays, their checksums.

``docs/binary_format.md`` tells it in full.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final, NamedTuple

from relayish.errors import BinaryFormatError

MAGIC: Final = b"\x89RLY\r\n\x1a\n"
"""What files begin with: no text does, and transfers that change ends of lines are noticed."""

VERSION: Final = 1
"""The version that is written; all up to it are read."""

ALIGNMENT: Final = 64
"""Arrays of as many bytes begin at multiples of it, in the file and where it is mapped."""

_HEAD: Final = struct.Struct("<8sIIQQQQQII")
HEAD_SIZE: Final = _HEAD.size
assert HEAD_SIZE == 64

AGAIN: Final = "write it again, or take it from its source again"
"""What to do about a file that is damaged."""


class Head(NamedTuple):
    """The first 64 bytes: what the file consists of.

    Attributes:
        size: The bytes of the file.
        program_size: Those of the program, which follow the head.
        data_size: Those of arrays, which follow the program from the next multiple of 64 on.
        num_arrays: How many arrays there are; each has a checksum behind the arrays.
        program_crc: The checksum of the program.
        version: Which version of the format it is.
    """

    size: int
    program_size: int
    data_size: int
    num_arrays: int
    program_crc: int
    version: int = VERSION

    @property
    def data_offset(self) -> int:
        """Where arrays begin."""
        return align(HEAD_SIZE + self.program_size, ALIGNMENT)

    def pack(self) -> bytes:
        """Return the bytes of the head, its own checksum included."""
        held = (self.size, self.program_size, self.data_size, self.num_arrays, 0, self.program_crc)
        without = _HEAD.pack(MAGIC, self.version, 0, *held, 0)[:-4]
        return without + struct.pack("<I", zlib.crc32(without))


def make_head(program: bytes, data_size: int, num_arrays: int) -> Head:
    """Return the head of a file that holds ``program`` and arrays of that size."""
    data_offset = align(HEAD_SIZE + len(program), ALIGNMENT)
    size = data_offset + data_size + 4 * (num_arrays + 1)
    return Head(size, len(program), data_size, num_arrays, zlib.crc32(program))


def read_head(data: bytes | memoryview, found_size: int) -> Head:
    """Return what the first bytes of a file say, of which there are ``found_size``.

    Raises:
        BinaryFormatError: If it is damaged, cut short, of a newer version, or no such file.
    """
    start = bytes(data[:HEAD_SIZE])
    if not start.startswith(MAGIC) and not (start and MAGIC.startswith(start)):
        raise BinaryFormatError(
            f"byte 0: found {start[:8]!r}, where a file in binary form begins with {MAGIC!r}; "
            + ("the file is empty; " if not start else "")
            + "read program text with relayish.text.parse, and write this form with write_binary"
        )
    if len(start) < HEAD_SIZE:
        raise BinaryFormatError(
            f"byte {len(start)}: the file ends within its head, which has {HEAD_SIZE} bytes; "
            f"it was cut short: {AGAIN}",
            len(start),
        )
    _, version, flags, size, program_size, data_size, num_arrays, _, program_crc, crc = (
        _HEAD.unpack(start)
    )
    if crc != zlib.crc32(start[:-4]):
        raise BinaryFormatError(
            f"byte {HEAD_SIZE - 4}: the checksum of the head is {zlib.crc32(start[:-4]):#010x}, "
            f"where the file says {crc:#010x}; it was damaged: {AGAIN}",
            HEAD_SIZE - 4,
        )
    if version > VERSION or flags:
        raise BinaryFormatError(
            f"byte 8: the file is of version {version} of the format{' with options' * bool(flags)}"
            f", and this relayish reads versions up to {VERSION}; install a newer relayish, or let "
            f"the newer one write text",
            8,
        )
    head = Head(size, program_size, data_size, num_arrays, program_crc, version)
    if head.data_offset + data_size + 4 * (num_arrays + 1) != size:
        raise BinaryFormatError(
            f"byte 16: the sizes in the head contradict one another: {AGAIN}", 16
        )
    if found_size != size:
        what = "ends, so it was cut short" if found_size < size else "goes on behind its end"
        raise BinaryFormatError(
            f"byte {min(found_size, size)}: the file {what}: it has {found_size} bytes, where its "
            f"head says {size}; {AGAIN}",
            min(found_size, size),
        )
    return head


def align(offset: int, alignment: int) -> int:
    """Return the next multiple of ``alignment``."""
    return -(-offset // alignment) * alignment


def alignment_of(num_bytes: int) -> int:
    """Return of what an array begins at a multiple: small ones are packed closer."""
    return ALIGNMENT if num_bytes >= ALIGNMENT else 16
