"""Memory of a run: pieces of bytes, each of one variable, and addresses that say where in which.

An address is a number of 64 bits. What it is of is told by its high bits, so that one that leaves a
piece never points into another: it is out of bounds wherever it is.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from relayish.core.interpreter.numbers import Bytes, ScalarForm
from relayish.errors import (
    EvaluationError,
    LifetimeError,
    OutOfBoundsError,
    TypeConfusionError,
    UninitialisedReadError,
)

_BITS: Final = 36
"""How many bits of an address say where in a piece it is."""

_MIDDLE: Final = 1 << _BITS - 1
"""Where a piece begins in what its addresses may say."""


class Aggregate(NamedTuple):
    """The value of an array or a structure: its bytes, and which of them hold something."""

    data: bytes
    known: bytes

    @classmethod
    def of(cls, data: bytes) -> Aggregate:
        """Return the value of bytes that all hold something."""
        return cls(data, b"\1" * len(data))


class Piece:
    """The memory of one variable.

    Attributes:
        name: What errors call it.
        data: Its bytes.
        known: For each byte, 1 where it holds something; ``None``: all do.
        is_const: Whether it is never written.
        number: What its addresses begin with; 0: nobody has asked for one.
    """

    __slots__ = ("data", "is_const", "known", "name", "number")

    def __init__(self, name: str, data: Bytes, known: bytearray | None, *, is_const: bool) -> None:
        self.name = name
        self.data = data
        self.known = known
        self.is_const = is_const
        self.number = 0

    @classmethod
    def unset(cls, name: str, size: int) -> Piece:
        """Return the memory of a variable that holds nothing yet."""
        return cls(name, bytearray(size), bytearray(size), is_const=False)

    @classmethod
    def zeros(cls, name: str, size: int) -> Piece:
        """Return the memory of a variable that holds zeros."""
        return cls(name, bytearray(size), None, is_const=False)

    @classmethod
    def constant(cls, name: str, data: bytes) -> Piece:
        """Return memory that is never written."""
        return cls(name, data, None, is_const=True)

    @classmethod
    def of_array(cls, name: str, array: np.ndarray[Any, Any]) -> Piece:
        """Return the memory of an array of the caller, which sees what is written.

        Raises:
            TypeConfusionError: If its elements do not follow one another in memory.
        """
        if not array.flags.c_contiguous:
            raise TypeConfusionError(
                f"{name} is given an array whose elements are not side by side in memory; pass "
                f"numpy.ascontiguousarray of it, and copy what is written back"
            )
        data = array.reshape(-1).view(np.uint8).data if array.size else b""
        return cls(name, data, None, is_const=not array.flags.writeable)

    def read(self, offset: int, form: ScalarForm) -> Any:  # Any: a scalar
        """Return the scalar at ``offset``; errors as of :meth:`check`."""
        size = form.size
        if not 0 <= offset <= len(self.data) - size:
            self._refuse_place(offset, size, "read")
        if self.known is not None and self.known.find(0, offset, offset + size) >= 0:
            self._refuse_unset(offset, size)
        return form.read(self.data, offset)

    def write(self, offset: int, form: ScalarForm, value: Any) -> None:  # Any: a scalar
        """Put a scalar at ``offset``; errors as of :meth:`check`."""
        size = form.size
        if self.is_const or not 0 <= offset <= len(self.data) - size:
            self._refuse_place(offset, size, "written")
        form.write(self.data, offset, value)
        if self.known is not None:
            self.known[offset : offset + size] = b"\1" * size

    def read_bytes(self, offset: int, size: int) -> Aggregate:
        """Return ``size`` bytes from ``offset`` on, whether they hold something or not."""
        self.check(offset, size, "read")
        data = bytes(self.data[offset : offset + size])
        if self.known is None:
            return Aggregate.of(data)
        return Aggregate(data, bytes(self.known[offset : offset + size]))

    def write_bytes(self, offset: int, value: Aggregate) -> None:
        """Put bytes at ``offset``.

        Raises:
            UninitialisedReadError: If some hold nothing, where all of the memory does.
        """
        size = len(value.data)
        self.check(offset, size, "written")
        self.data[offset : offset + size] = value.data
        if self.known is not None:
            self.known[offset : offset + size] = value.known

    def check(self, offset: int, size: int, done: str) -> None:
        """Refuse what is not within the piece.

        Raises:
            OutOfBoundsError: If it is not.
            EvaluationError: If it is written and is a constant.
        """
        if (self.is_const and done == "written") or not 0 <= offset <= len(self.data) - size:
            self._refuse_place(offset, size, done)

    def _refuse_place(self, offset: int, size: int, done: str) -> None:
        end = offset + size - 1
        where = f"byte {offset}" if size == 1 else f"bytes {offset} to {end}"
        if not 0 <= offset <= len(self.data) - size:
            has = f"bytes 0 to {len(self.data) - 1}" if self.data else "no bytes"
            raise OutOfBoundsError(f"{where} of {self.name} would be {done}; it has {has}")
        raise EvaluationError(f"{where} of {self.name} would be written, which is a constant")

    def _refuse_unset(self, offset: int, size: int) -> None:
        whole = size == len(self.data)
        what = self.name if whole else f"bytes {offset} to {offset + size - 1} of {self.name}"
        raise UninitialisedReadError(f"{what} is read before anything was stored there")


class Pointed(NamedTuple):
    """What an address points to: a piece, and the place in it."""

    piece: Piece
    offset: int


class Memory:
    """The pieces and functions that addresses may be of.

    Complexity:
        Constant for each question; a piece counts once somebody asks for its address.
    """

    def __init__(self) -> None:
        self._pieces: dict[int, Piece] = {}
        self._functions: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._last = 0

    def address_of(self, piece: Piece) -> int:
        """Return the address of the first byte of a piece."""
        if not piece.number:
            self._last += 1
            piece.number = self._last
            self._pieces[piece.number] = piece
        return (piece.number << _BITS) + _MIDDLE

    def address_of_function(self, name: str) -> int:
        """Return the address of a function."""
        if name not in self._numbers:
            self._last += 1
            self._numbers[name] = self._last
            self._functions[self._last] = name
        return (self._numbers[name] << _BITS) + _MIDDLE

    def release(self, piece: Piece) -> None:
        """End the life of a piece: its addresses are those of nothing from now on."""
        if piece.number:
            del self._pieces[piece.number]

    def give_back(self, address: int) -> None:
        """End the life of the piece that an address is of."""
        del self._pieces[address >> _BITS]

    def at(self, address: int, what: str = "memory") -> Pointed:
        """Return what an address points to.

        Raises:
            OutOfBoundsError: If it is null.
            LifetimeError: If it is of a variable of a function that was left.
            EvaluationError: If it is of a function, or of nothing.
        """
        number = address >> _BITS
        piece = self._pieces.get(number)
        if piece is not None:
            return Pointed(piece, (address & (1 << _BITS) - 1) - _MIDDLE)
        if number == 0:
            far = f", {address} bytes on" if address else ""
            raise OutOfBoundsError(f"{what} at a null pointer{far} is accessed")
        if number in self._functions:
            raise EvaluationError(
                f"{what} at the address of function {self._functions[number]} is accessed"
            )
        if number <= self._last:
            raise LifetimeError(
                f"{what} is accessed that was a variable of a function which has been left"
            )
        raise EvaluationError(
            f"{what} at {address:#x} is accessed, which is no address of anything"
        )

    def function_at(self, address: int) -> str:
        """Return the name of the function at an address.

        Raises:
            EvaluationError: If there is none.
        """
        found = self._functions.get(address >> _BITS)
        if found is not None and address & (1 << _BITS) - 1 == _MIDDLE:
            return found
        if address == 0:
            raise EvaluationError("the function at a null pointer is called")
        raise EvaluationError(f"{address:#x} is called, which is no address of a function")
