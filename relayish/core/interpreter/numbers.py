"""Scalars as the interpreter holds them, and how they lie in memory.

An integer is a Python integer within the range of its type, a truth value a Python truth value, an
address a Python integer, a float a numpy scalar of its type.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from struct import Struct
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.core.ir.expr import integer_range
from relayish.core.ir.type import Type
from relayish.errors import TypeConfusionError, UnsupportedError

Scalar: TypeAlias = Any
"""An integer, a truth value, an address, or a numpy scalar."""

Bytes: TypeAlias = Any
"""The memory of a variable: a bytearray, or a memoryview of what the caller has."""


class ScalarForm(ABC):
    """How scalars of one type are held, read from memory and written to it."""

    __slots__ = ("size", "type")

    def __init__(self, held: Type, size: int) -> None:
        self.type = held
        self.size = size

    @abstractmethod
    def read(self, data: Bytes, offset: int) -> Scalar:
        """Return the scalar that begins at ``offset``."""

    @abstractmethod
    def write(self, data: Bytes, offset: int, value: Scalar) -> None:
        """Put a scalar at ``offset``."""

    @abstractmethod
    def take(self, given: Any, what: str) -> Scalar:  # Any: from outside
        """Return a number from outside as a scalar of the type.

        Raises:
            TypeConfusionError: If it is none of the type; ``what`` says what it is given for.
        """

    def hand_out(self, value: Scalar) -> Any:  # Any: a numpy scalar, or an address
        """Return a scalar as those outside have it: as a numpy scalar, an address as it is."""
        return self.type.numpy.type(value)

    def zero(self) -> Scalar:
        """Return the zero of the type."""
        return 0

    def one(self) -> Scalar:
        """Return the number 1 of the type."""
        return 1


class IntegerForm(ScalarForm):
    """Integers, and addresses."""

    __slots__ = ("_pack", "_unpack", "high", "low", "mask")

    def __init__(self, held: Type, code: str) -> None:
        packed = Struct(f"<{code}")
        super().__init__(held, packed.size)
        self._pack, self._unpack = packed.pack_into, packed.unpack_from
        self.low, self.high = integer_range(held)
        self.mask = (1 << held.bits) - 1

    def read(self, data: Bytes, offset: int) -> int:
        found: int = self._unpack(data, offset)[0]
        return found

    def write(self, data: Bytes, offset: int, value: int) -> None:
        self._pack(data, offset, value)

    def wrap(self, value: int) -> int:
        """Return the integer of the type that has the low bits of ``value``."""
        return (value - self.low & self.mask) + self.low

    def take(self, given: Any, what: str) -> int:  # Any: as the base
        if isinstance(given, np.ndarray) and given.ndim == 0:
            given = given[()]
        if not isinstance(given, (int, np.integer)) or isinstance(given, bool):
            raise _unfit(self.type, given, what)
        if not self.low <= int(given) <= self.high:
            raise TypeConfusionError(
                f"{what} is given {given}, which is out of range of {self.type}: {self.low} to "
                f"{self.high}"
            )
        return int(given)

    def hand_out(self, value: int) -> Any:  # Any: as the base
        if self.type.is_pointer:
            return value
        return super().hand_out(self.take(value, "the caller"))


class BoolForm(ScalarForm):
    """Truth values: a byte, which is zero or not."""

    __slots__ = ()

    def read(self, data: Bytes, offset: int) -> bool:
        return bool(data[offset])

    def write(self, data: Bytes, offset: int, value: bool) -> None:
        data[offset] = value

    def take(self, given: Any, what: str) -> bool:  # Any: as the base
        if not isinstance(given, (bool, np.bool_)):
            raise _unfit(self.type, given, what)
        return bool(given)

    def zero(self) -> bool:
        return False

    def one(self) -> bool:
        return True


class FloatForm(ScalarForm):
    """Floating-point numbers, of all of whose bits reading and writing keep the pattern."""

    __slots__ = ("_dtype",)

    def __init__(self, held: Type) -> None:
        super().__init__(held, held.numpy.itemsize)
        self._dtype = held.numpy

    def read(self, data: Bytes, offset: int) -> np.generic:
        found: np.generic = np.frombuffer(data, self._dtype, 1, offset)[0]
        return found

    def write(self, data: Bytes, offset: int, value: np.generic) -> None:
        data[offset : offset + self.size] = value.tobytes()

    def take(self, given: Any, what: str) -> np.generic:  # Any: as the base
        # floats that numpy has from elsewhere, such as bfloat16, are no numbers of numpy
        if isinstance(given, bool) or not isinstance(given, (int, float, np.generic, np.ndarray)):
            raise _unfit(self.type, given, what)
        if isinstance(given, (np.generic, np.ndarray)) and given.dtype != self._dtype:
            raise _unfit(self.type, given, what)
        found: np.generic = self._dtype.type(given)
        return found

    def zero(self) -> np.generic:
        return self._dtype.type(0)

    def one(self) -> np.generic:
        return self._dtype.type(1)


_CODES: Final = {
    "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
}  # fmt: skip


@lru_cache(maxsize=1024)
def form_of(held: Type) -> ScalarForm | None:
    """Return how scalars of a type are held; ``None`` for what is no scalar.

    Raises:
        UnsupportedError: If scalars of the type cannot be held, as of ``int4``.
    """
    if held.is_pointer:
        return IntegerForm(held, "Q")
    if not held.is_scalar:
        return None
    if held.is_bool:
        return BoolForm(held, 1)
    if held.is_float:
        return FloatForm(held)
    if held not in _CODES:
        raise UnsupportedError(
            f"numbers of type {held} cannot be evaluated; of integers {', '.join(_CODES)} can"
        )
    return IntegerForm(held, _CODES[held])


def _unfit(held: Type, given: object, what: str) -> TypeConfusionError:
    shown = given.dtype.name if isinstance(given, np.ndarray) else type(given).__name__
    return TypeConfusionError(f"{what} is given {given!r} ({shown}); expected a value of {held}")
