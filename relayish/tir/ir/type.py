"""Types of the loop IR: scalars and vectors of an element type, and pointers to them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from relayish._support.display import repr_mimebundle
from relayish.errors import FieldError
from relayish.ir.values.dtype import check_dtype, numpy_dtype


class Type(NamedTuple):
    """The type of a value: ``lanes`` elements, or a pointer to them.

    It reads as CINN prints it: ``float32``, ``int32<4>``, ``void*``, ``cinn_buffer_t*``.

    Attributes:
        element: The name of an element type (``int8``, ``bool``, ``bfloat16``, ...), ``string``,
            ``void``, or the name of a structure that only C code knows.
        lanes: How many elements a vector has; 1 for a scalar.
        pointers: How often the value is the address of another: 0, 1 or 2.
        is_const: Whether what it points to is only read.
    """

    element: str
    lanes: int = 1
    pointers: int = 0
    is_const: bool = False

    def _repr_mimebundle_(self, **chosen: object) -> dict[str, str]:
        return repr_mimebundle(self, **chosen)

    @property
    def is_scalar(self) -> bool:
        """Whether it is one element, and no pointer."""
        return self.lanes == 1 and not self.pointers

    @property
    def is_vector(self) -> bool:
        """Whether it has several elements."""
        return self.lanes > 1

    @property
    def is_pointer(self) -> bool:
        """Whether it is an address, as CINN's handles are."""
        return self.pointers > 0

    @property
    def is_void(self) -> bool:
        """Whether it is the type of what gives no value."""
        return self.element == "void" and not self.pointers

    @property
    def is_bool(self) -> bool:
        """Whether the elements are truth values."""
        return self.element == "bool" and not self.pointers

    @property
    def is_int(self) -> bool:
        """Whether the elements are signed integers."""
        return not self.pointers and _number(self.element)[0] == "int"

    @property
    def is_uint(self) -> bool:
        """Whether the elements are unsigned integers, truth values included."""
        return not self.pointers and _number(self.element)[0] == "uint"

    @property
    def is_integer(self) -> bool:
        """Whether the elements are integers, truth values included."""
        return not self.pointers and _number(self.element)[0] in ("int", "uint")

    @property
    def is_narrow(self) -> bool:
        """Whether the elements are integers of fewer than 8 bits; truth values are none."""
        return self.is_integer and not self.is_bool and self.bits < 8

    @property
    def is_float(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return not self.pointers and _number(self.element)[0] == "float"

    @property
    def is_numeric(self) -> bool:
        """Whether the elements are numbers or truth values."""
        return not self.pointers and _number(self.element)[0] != ""

    @property
    def bits(self) -> int:
        """The width of an element in bits, 1 for truth values, 64 for pointers.

        Raises:
            FieldError: If there is none, as for strings.
        """
        if self.pointers:
            return 64
        sort, width = _number(self.element)
        if not sort:
            raise FieldError(f"{self} has no width in bits; only numbers and pointers have")
        return width

    @property
    def scalar(self) -> Type:
        """The type of one element."""
        return self if self.lanes == 1 else self.with_lanes(1)

    def with_lanes(self, lanes: int) -> Type:
        """Return the type of a vector of that many such elements."""
        return self if lanes == self.lanes else self._replace(lanes=lanes)

    def pointer_to(self) -> Type:
        """Return the type of the address of such a value.

        Raises:
            FieldError: If it is the address of an address already.
        """
        if self.pointers == 2:
            raise FieldError(f"a type has two levels of pointers at most; found {self}")
        return self._replace(pointers=self.pointers + 1)

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy type of an element.

        Raises:
            FieldError: If numpy, with ``ml_dtypes``, has none.
        """
        if self.pointers:
            raise FieldError(f"values of type {self} are addresses, which numpy does not hold")
        return numpy_dtype(self.element)

    def __str__(self) -> str:
        lanes = f"<{self.lanes}>" if self.lanes > 1 else ""
        return f"{'const ' if self.is_const else ''}{self.element}{lanes}{'*' * self.pointers}"


_NUMBER: Final = re.compile(r"bool|u?int\d{1,9}|b?float\d{1,9}(?!\d)\w*|e\dm\d\w*_float8")
_TEXT: Final = re.compile(r"(const )?([A-Za-z_]\w*)(?:<(\d{1,9})>)?(\*{0,2})")


@lru_cache(maxsize=256)
def _number(element: str) -> tuple[str, int]:
    """Return the sort of numbers that an element type holds, and their width in bits."""
    if element == "bool":
        return "uint", 1
    if _NUMBER.fullmatch(element) is None:
        return "", 0
    if "float8" in element:
        return "float", 8
    width = re.search(r"\d+", element)
    assert width is not None
    sort = re.match(r"u?int", element)
    return (sort[0] if sort is not None else "float"), int(width[0])


TypeLike: TypeAlias = Type | tuple[str, int, int, bool] | str | np.dtype[np.generic] | type
"""A type, its fields, its text (``"int32<4>"``, ``"float32x4"``), or a numpy type."""


@lru_cache(maxsize=4096)
def as_type(given: TypeLike) -> Type:
    """Return the type that ``given`` stands for.

    Raises:
        FieldError: If it stands for none.

    Example:
        >>> str(as_type("int32x4"))
        'int32<4>'
        >>> as_type("cinn_buffer_t*").is_pointer
        True
    """
    if isinstance(given, Type):
        return given
    if isinstance(given, tuple) and [type(part) for part in given] == [str, int, int, bool]:
        return Type(*given)  # as the generic text form holds types
    if not isinstance(given, str):
        return Type(check_dtype(given))
    vector = re.fullmatch(r"(.*\D\d+|bool)x(\d+)", given)
    if vector is not None:
        given = f"{vector[1]}<{vector[2]}>"
    found = _TEXT.fullmatch(given)
    if found is None:
        raise FieldError(
            f"{given!r} is no type; write an element type with lanes and pointers, such as "
            f"'float32', 'int32<4>' or 'void*'"
        )
    const, element, lanes, pointers = found.groups()
    if not pointers or _NUMBER.fullmatch(element):
        element = check_dtype(element)
    if lanes is not None and int(lanes) < 1:
        raise FieldError(f"{given!r} has {lanes} lanes; a vector has one or more")
    return Type(element, int(lanes or 1), len(pointers), const is not None)


def Int(bits: int = 32, lanes: int = 1) -> Type:  # noqa: N802 - as CINN calls them
    """Return the type of signed integers of a width in bits."""
    return as_type(f"int{bits}").with_lanes(lanes)


def UInt(bits: int = 32, lanes: int = 1) -> Type:  # noqa: N802
    """Return the type of unsigned integers of a width in bits; truth values have one bit."""
    return as_type("bool" if bits == 1 else f"uint{bits}").with_lanes(lanes)


def Float(bits: int = 32, lanes: int = 1) -> Type:  # noqa: N802
    """Return the type of floating-point numbers of a width in bits."""
    return as_type(f"float{bits}").with_lanes(lanes)


def BF16(lanes: int = 1) -> Type:  # noqa: N802
    """Return the type of brain floating-point numbers."""
    return as_type("bfloat16").with_lanes(lanes)


def Bool(lanes: int = 1) -> Type:  # noqa: N802
    """Return the type of truth values."""
    return BOOL.with_lanes(lanes)


def Void() -> Type:  # noqa: N802
    """Return the type of what gives no value."""
    return VOID


def String() -> Type:  # noqa: N802
    """Return the type of strings."""
    return STRING


BOOL: Final = Type("bool")
INT32: Final = Type("int32")
INT64: Final = Type("int64")
FLOAT32: Final = Type("float32")
VOID: Final = Type("void")
STRING: Final = Type("string")
BUFFER_POINTER: Final = Type("cinn_buffer_t", pointers=1)
POD_VALUE_POINTER: Final = Type("cinn_pod_value_t", pointers=1)
VOID_POINTER: Final = Type("void", pointers=1)


def bool_like(given: Type) -> Type:
    """Return the type of truth values with the lanes of ``given``."""
    return BOOL if given.lanes == 1 else Type("bool", given.lanes)
