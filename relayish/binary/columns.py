"""Columns: the numbers of what all objects of a record hold in one field, one after the other.

A column is kept in whichever of three ways takes the fewest bytes: as the numbers themselves, as
distances back from the objects that hold them, or as one number where all are the same.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.binary.layout import AGAIN
from relayish.binary.varints import (
    Numbers,
    count_bytes,
    decode_varints,
    encode_varint,
    encode_varints,
)
from relayish.errors import BinaryFormatError

Owners: TypeAlias = npt.NDArray[np.int64]
"""The numbers of the objects whose column it is."""


class Encoding(IntEnum):
    """How the numbers of a column are kept; the numbers of these stand in files."""

    ABSOLUTE = 0
    RELATIVE = 1
    CONSTANT = 2


def encode_block(data: bytes) -> bytes:
    """Return ``data`` behind its length."""
    return encode_varint(len(data)) + data


def encode_numbers(numbers: Numbers) -> bytes:
    """Return a block of numbers."""
    return encode_block(encode_varints(numbers))


def encode_column(numbers: list[int], owners: Owners, counts: list[int] | None = None) -> bytes:
    """Return a column of the objects ``owners``, each of which holds one number, or so many.

    Where there may be many, each takes a byte at least: what is allocated when they are read is
    no more than a file has bytes for.
    """
    held = np.array(numbers, np.uint64)
    if counts is None:
        if len(held) and (held == held[0]).all():
            return bytes([Encoding.CONSTANT]) + encode_numbers(held[:1])
    else:
        owners = np.repeat(owners, counts)
    distances = owners.astype(np.uint64) - held
    if count_bytes(distances).sum() < count_bytes(held).sum():
        return bytes([Encoding.RELATIVE]) + encode_numbers(distances)
    return bytes([Encoding.ABSOLUTE]) + encode_numbers(held)


def encode_counts(counts: list[int]) -> bytes:
    """Return a column of how many there are."""
    held = np.array(counts, np.uint64)
    if len(held) and (held == held[0]).all():
        return bytes([Encoding.CONSTANT]) + encode_numbers(held[:1])
    return bytes([Encoding.ABSOLUTE]) + encode_numbers(held)


class Cursor:
    """Reads a program from its beginning, and never past its end.

    Args:
        data: The bytes.
        begin: Where in the file they begin.
    """

    __slots__ = ("_begin", "_data", "pos")

    def __init__(self, data: memoryview, begin: int) -> None:
        self._data = data
        self._begin = begin
        self.pos = 0

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return len(self._data) - self.pos

    def error(self, message: str, cause: BaseException | None = None) -> BinaryFormatError:
        """Return the error that at this place something is wrong."""
        at = self._begin + self.pos
        why = "" if cause is None else f": {cause}"
        return BinaryFormatError(f"byte {at}: {message}{why}; the file is damaged: {AGAIN}", at)

    def byte(self) -> int:
        """Read one byte."""
        return self.take(1)[0]

    def take(self, size: int) -> memoryview:
        """Read ``size`` bytes."""
        if size > self.left:
            raise self.error(f"{size} bytes are to follow, and {self.left} are left")
        self.pos += size
        return self._data[self.pos - size : self.pos]

    def number(self) -> int:
        """Read a number."""
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise self.error("a number takes more than 64 bits")

    def block(self) -> memoryview:
        """Read bytes behind their length."""
        return self.take(self.number())

    def text(self) -> str:
        """Read a string."""
        found = self.block()
        try:
            return str(found, "utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise self.error("a name is no UTF-8", error) from error

    def numbers(self, count: int | None, what: str) -> Numbers:
        """Read a block of ``count`` numbers."""
        data = self.block()
        try:
            found = decode_varints(data)
        except ValueError as error:
            raise self.error(what, error) from error
        if count is not None and len(found) != count:
            raise self.error(f"{what}: found {len(found)} numbers, where {count} are expected")
        return found

    def counts(self, num_owners: int, what: str) -> Owners:
        """Read a column of how many there are."""
        encoding = self.byte()
        if encoding == Encoding.CONSTANT:
            found = np.repeat(self.numbers(1, what), num_owners)
        elif encoding == Encoding.ABSOLUTE:
            found = self.numbers(num_owners, what)
        else:
            raise self.error(f"{what}: {encoding} is no encoding of counts")
        if len(found) and int(found.max()) > len(self._data):
            raise self.error(f"{what}: {int(found.max())} of something, more than there are bytes")
        return found.astype(np.int64)

    def column(self, owners: Owners, counts: Owners | None, what: str) -> npt.NDArray[Any]:
        """Read the numbers of objects that ``owners`` hold, each of which comes before its owner.

        Raises:
            BinaryFormatError: If an object were to hold itself, or one that comes later.
        """
        encoding = self.byte()
        many = counts is not None
        if encoding == Encoding.CONSTANT and not many:
            found = np.repeat(self.numbers(1, what), len(owners))
        elif encoding in (Encoding.ABSOLUTE, Encoding.RELATIVE):
            count = len(owners) if counts is None else sum(counts.tolist())
            found = self.numbers(count, what)
            if counts is not None:
                owners = np.repeat(owners, counts)
        else:
            raise self.error(f"{what}: {encoding} is no encoding of a column")
        limits = owners.astype(np.uint64)
        if encoding == Encoding.RELATIVE:
            found = limits - found  # what would be negative wraps, and is beyond the limit
        wrong = np.flatnonzero(found >= limits)
        if len(wrong):
            owner = int(owners[wrong[0]])
            raise self.error(
                f"{what}: object {owner} holds object {int(found[wrong[0]])}, not before it"
            )
        return found
