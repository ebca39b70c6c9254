"""The memory of a compiled program of core, as Python sees it."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from relayish.codegen.c.core.runtime import REASONS
from relayish.core.interpreter.memory import Memory, Piece, Pointed
from relayish.errors import EvaluationError


class Value(ctypes.Structure):
    """The bytes of an array or a structure, and where the marks of these are."""

    _fields_ = (("data", ctypes.c_void_p), ("held", ctypes.c_void_p))


class _Piece(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("held", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("number", ctypes.c_uint32),
        ("kind", ctypes.c_int32),
    )


CALL: Final = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_void_p,
)
"""What a program calls to ask for something outside."""


class MachineHead(ctypes.Structure):
    """What a program in C begins with."""

    _fields_ = (
        ("pieces", ctypes.c_void_p),
        ("room", ctypes.c_uint32),
        ("used", ctypes.c_uint32),
        ("last", ctypes.c_uint32),
        ("depth", ctypes.c_int32),
        ("lowest", ctypes.c_void_p),
        ("stack", ctypes.c_size_t),
        ("mark", ctypes.c_double),
        ("context", ctypes.c_void_p),
        ("call", CALL),
    )


class NativeMemory(Memory):
    """The memory of a compiled program, as :class:`Machine` knows memory."""

    def __init__(self, library: ctypes.CDLL, program: int) -> None:
        super().__init__()
        self._program = program
        self._kept: dict[int, Piece] = {}
        self._enter: Any = library.enter_memory_of_program  # Any: as ctypes types it
        self._enter.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)
        self._enter.restype = ctypes.c_uint64
        self._leave: Any = library.leave_memory_of_program  # Any: as above
        self._leave.argtypes = (ctypes.c_void_p, ctypes.c_uint64)
        self._find: Any = library.find_memory_of_program  # Any: as above
        self._find.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(_Piece))
        self._find.restype = ctypes.c_int32

    def address_of(self, piece: Piece) -> int:
        """Return the address of an array of the caller, which is kept."""
        array = np.frombuffer(piece.data, np.uint8)
        at: int = self._enter(self._program, array.ctypes.data, array.size, int(piece.is_const))
        if not at:
            raise EvaluationError("there are no more addresses")
        self._kept[at] = piece
        return at

    def give_back(self, address: int) -> None:
        """End the life of an array of the caller."""
        self._leave(self._program, address)
        del self._kept[address]

    def view(self, number: int, piece: Piece) -> Piece:
        """Return a variable of the module, which is where the program has it."""
        found = _Piece()
        failed = self._find(self._program, (number << 36) + (1 << 35), ctypes.byref(found))
        assert not failed
        data = memoryview((ctypes.c_uint8 * found.size).from_address(found.data)).cast("B")
        return Piece(piece.name, data, None, is_const=piece.is_const)

    def at(self, address: int, what: str = "memory") -> Pointed:
        """Return a copy of what an address points to."""
        found = _Piece()
        failed = self._find(self._program, address, ctypes.byref(found))
        if failed:
            reason = REASONS[failed - 1]
            raise reason.kind(f"{reason.found}: {what} at {address:#x}")
        data = bytes_at(found.data, found.size)
        known = bytearray(bytes_at(found.held, found.size)) if found.held else None
        piece = Piece("a variable", data, known, is_const=True)
        return Pointed(piece, (address & (1 << 36) - 1) - (1 << 35))


def bytes_at(address: int | None, size: int) -> bytes:
    """Return a copy of bytes of C; none where there is no memory."""
    return ctypes.string_at(address, size) if address and size else b""
