"""Types of core: primitive, pointer, array, structure and function types, each told by its text.

.. code-block:: text

    int32  bool  float64  void      primitive
    int32*  int32**  void*          pointers
    float32[2, 3]  int32*[4]        arrays: of 2 by 3 floats, of 4 pointers
    struct point                    a structure, which the module defines
    (int32, float32*) -> int32      a function; a pointer to one: ((int32) -> int32)*
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from relayish._support.display import repr_mimebundle
from relayish.errors import FieldError
from relayish.ir.values.dtype import check_dtype, numpy_dtype


class Type(str):
    """A type; two types are equal where their texts are. Made by :func:`as_type`.

    A structure is told by its name, so that one may hold pointers to itself.
    """

    __slots__ = ()

    _repr_mimebundle_ = repr_mimebundle

    @property
    def is_pointer(self) -> bool:
        """Whether values are addresses."""
        return _parts(self).form == "pointer"

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return _parts(self).form == "array"

    @property
    def is_struct(self) -> bool:
        """Whether it is a structure."""
        return _parts(self).form == "struct"

    @property
    def is_function(self) -> bool:
        """Whether it is the type of functions."""
        return _parts(self).form == "function"

    @property
    def is_primitive(self) -> bool:
        """Whether it is none that is made of others, ``void`` included."""
        return _parts(self).form == "primitive"

    @property
    def is_void(self) -> bool:
        """Whether it is the type of what gives no value."""
        return self == "void"

    @property
    def is_bool(self) -> bool:
        """Whether it is the type of truth values."""
        return self == "bool"

    @property
    def is_int(self) -> bool:
        """Whether it is a type of signed integers."""
        return _SIGNED.fullmatch(self) is not None

    @property
    def is_uint(self) -> bool:
        """Whether it is a type of unsigned integers, truth values left out."""
        return _UNSIGNED.fullmatch(self) is not None

    @property
    def is_integer(self) -> bool:
        """Whether it is a type of integers, truth values left out."""
        return self.is_int or self.is_uint

    @property
    def is_float(self) -> bool:
        """Whether it is a type of floating-point numbers."""
        return self.is_primitive and "float" in self

    @property
    def is_number(self) -> bool:
        """Whether it is a type of numbers, truth values left out."""
        return self.is_integer or self.is_float

    @property
    def is_scalar(self) -> bool:
        """Whether it is the type of one number, truth value or address."""
        return self.is_pointer or (self.is_primitive and not self.is_void)

    @property
    def pointee(self) -> Type:
        """What values of a pointer type are the addresses of."""
        return _part(self, "pointer").inner[0]

    @property
    def element(self) -> Type:
        """The type of the elements of an array."""
        return _part(self, "array").inner[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension of an array."""
        return _part(self, "array").shape

    @property
    def struct_name(self) -> str:
        """The name of a structure."""
        return _part(self, "struct").name

    @property
    def params(self) -> tuple[Type, ...]:
        """The types of the parameters of functions."""
        return _part(self, "function").inner[:-1]

    @property
    def result(self) -> Type:
        """The type of what functions return, ``void`` where they return nothing."""
        return _part(self, "function").inner[-1]

    @property
    def bits(self) -> int:
        """The width of a scalar, 1 of truth values and 64 of addresses.

        Raises:
            FieldError: If it is no scalar.
        """
        if not self.is_scalar:
            raise FieldError(f"{self} has no width in bits; only numbers and addresses have")
        if self.is_pointer:
            return 64
        width = re.search(r"\d+", self)
        return 1 if width is None else int(width[0])

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy type of a primitive type.

        Raises:
            FieldError: If there is none.
        """
        if not self.is_primitive or self.is_void:
            raise FieldError(f"numpy has no element type {self}; expected a primitive type")
        return numpy_dtype(str(self))

    def pointer_to(self) -> Type:
        """Return the type of addresses of such values."""
        return pointer(self)

    def __repr__(self) -> str:
        return f"Type({str(self)!r})"


TypeLike: TypeAlias = str | np.dtype[np.generic] | type
"""A type, its text, or the numpy type of a primitive one."""

VOID: Final = Type("void")
BOOL: Final = Type("bool")
INT32: Final = Type("int32")
INT64: Final = Type("int64")
FLOAT32: Final = Type("float32")


def as_type(given: TypeLike) -> Type:
    """Return the type that ``given`` stands for.

    Raises:
        FieldError: If it stands for none; says where its text goes wrong.

    Complexity:
        Linear in the text; constant for what is a type already.

    Example:
        >>> as_type("float32 [2,3] *").pointee.shape
        (2, 3)
    """
    if type(given) is Type:
        return given
    if isinstance(given, str):
        return _read(given)
    return _read(check_dtype(given))


def as_type_or_none(given: TypeLike | None) -> Type | None:
    """Return the type that ``given`` stands for, or ``None``."""
    return None if given is None else as_type(given)


def pointer(pointee: TypeLike) -> Type:
    """Return the type of addresses of values of a type."""
    inner = as_type(pointee)
    return Type(f"({inner})*" if inner.is_function else f"{inner}*")


def array(element: TypeLike, *shape: int) -> Type:
    """Return the type of arrays of some elements, row by row.

    Raises:
        FieldError: If there can be no such array.
    """
    return as_type(f"({as_type(element)})[{', '.join(map(str, shape))}]")


def struct(name: str) -> Type:
    """Return the type of the structure ``name``, which the module defines."""
    return as_type(f"struct {name}")


def function(params: Sequence[TypeLike], result: TypeLike = VOID) -> Type:
    """Return the type of functions."""
    return Type(f"({', '.join([as_type(p) for p in params])}) -> {as_type(result)}")


class _Parts(NamedTuple):
    """What a type is made of."""

    form: str
    inner: tuple[Type, ...] = ()
    shape: tuple[int, ...] = ()
    name: str = ""


def _part(given: Type, form: str) -> _Parts:
    found = _parts(given)
    if found.form != form:
        raise FieldError(f"{given} is a {found.form} type; expected a {form} type")
    return found


@lru_cache(maxsize=4096)
def _parts(given: Type) -> _Parts:
    """Return the parts of a type whose text is known to be one."""
    if given.startswith("("):
        inside = _in_parentheses(given)
        if given[inside.end + 1 :].startswith(" -> "):
            result = Type(given[inside.end + 5 :])
            return _Parts("function", (*map(Type, inside.items), result))
    if given.endswith("*"):
        return _Parts("pointer", (_without_parentheses(given[:-1]),))
    if given.endswith("]"):
        head, _, sizes = given.rpartition("[")
        shape = tuple([int(size) for size in sizes[:-1].split(", ")])
        return _Parts("array", (_without_parentheses(head),), shape)
    if given.startswith("struct "):
        return _Parts("struct", name=given.removeprefix("struct "))
    return _Parts("primitive")


class _Inside(NamedTuple):
    """What stands in the parentheses that a text begins with, and where they end."""

    items: list[str]
    end: int


def _in_parentheses(text: str) -> _Inside:
    items: list[str] = []
    level, start = 0, 1
    for found in re.finditer(r"[()\[\],]", text):
        sign, at = found[0], found.start()
        if sign in "([":
            level += 1
        elif sign in ")]":
            level -= 1
        if level == 0 or (level == 1 and sign == ","):
            items.append(text[start:at].strip())
            start = at + 1
        if level == 0:
            return _Inside([item for item in items if item], at)
    raise AssertionError(text)


def _without_parentheses(text: str) -> Type:
    return Type(text[1:-1] if text.startswith("(") and text.endswith(")") else text)


# Reading


class _Frame:
    """What is read of the types between two parentheses."""

    __slots__ = ("current", "heads", "items")

    def __init__(self) -> None:
        self.items: list[str] = []
        self.heads: list[str] = []  # the parameters of functions whose result comes next
        self.current: str | None = None


_TOKEN: Final = re.compile(
    r"\s*(?:(struct\s+[A-Za-z_][\w.]*|[A-Za-z_]\w*)|(\[[\s\d,]*\])|(->|[(),*]))", re.ASCII
)
_SIGNED: Final = re.compile(r"int\d+")
_UNSIGNED: Final = re.compile(r"uint\d+")
_ODD_WIDTH: Final = re.compile(r"u?int(?!(?:1|2|4|8|16|32|64)$)\d+")
"""Integers of widths that nothing can hold."""
_LANES: Final = re.compile(r".*\dx\d+")


@lru_cache(maxsize=4096)
def _read(text: str) -> Type:
    frames = [_Frame()]
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise _error(text, at, "a name, '*', '[sizes]' or parentheses")
        word, sizes, sign = found.groups()
        frame = frames[-1]
        start, at = found.start(found.lastindex or 0), found.end()
        if (word or sign == "(") and frame.current is not None:
            raise _error(text, start, "the end of the type")
        if (sizes or sign == "*") and frame.current is None:
            raise _error(text, start, "a type")
        if word:
            frame.current = _word(text, start, word)
        elif sizes:
            frame.current = _with_sizes(text, start, frame.current or "", sizes)
        elif sign == "*":
            frame.current = f"{frame.current}*"
        elif sign == "(":
            frames.append(_Frame())
        elif sign == "," and len(frames) > 1:
            frame.items.append(_finish(text, start, frame))
        elif sign == ")" and len(frames) > 1:
            at = _close(text, start, at, frames)
        else:
            raise _error(text, start, "a type")
    if len(frames) > 1:
        raise _error(text, len(text), "')'")
    return Type(_finish(text, len(text), frames[0]))


def _word(text: str, at: int, word: str) -> str:
    if len(word.split()) > 1:
        return " ".join(word.split())
    name = check_dtype(word)
    if _LANES.fullmatch(name) or name in ("string", "handle") or _ODD_WIDTH.fullmatch(name):
        raise _error(text, at, "a primitive type such as 'int32' or 'float32'")
    return name


def _with_sizes(text: str, at: int, element: str, sizes: str) -> str:
    found = [size.strip() for size in sizes[1:-1].split(",")]
    if not all(size.isdigit() and len(size) < 19 and int(size) for size in found):
        raise _error(text, at, "the size of each dimension: '[2, 3]'")
    if element == "void" or (element.startswith("(") and element.endswith(")")):
        raise _error(text, at, "elements that have a size before it")
    return f"{element}[{', '.join([str(int(size)) for size in found])}]"


def _finish(text: str, at: int, frame: _Frame) -> str:
    """Return the type that ends here."""
    if frame.current is None:
        raise _error(text, at, "a type")
    made = "".join([*frame.heads, frame.current])
    frame.heads, frame.current = [], None
    return made


def _close(text: str, start: int, at: int, frames: list[_Frame]) -> int:
    """Take what stands in parentheses for parameters or for one type; return where to go on."""
    inner = frames.pop()
    outer = frames[-1]
    if inner.current is not None or inner.heads or inner.items:
        inner.items.append(_finish(text, start, inner))
    following = _TOKEN.match(text, at)
    sign = following[3] if following is not None else None
    if following is not None and sign == "->":
        if "void" in inner.items:
            raise _error(text, start, "parameters that have values; without any write '()'")
        outer.heads.append(f"({', '.join(inner.items)}) -> ")
        return following.end()
    if len(inner.items) != 1:
        raise _error(text, start, "one type in the parentheses, or '->' after them")
    made = inner.items[0]
    follows = following is not None and (sign == "*" or following[2] is not None)
    is_function = _parts(Type(made)).form == "function"
    outer.current = f"({made})" if is_function and follows else made
    return at


def _error(text: str, at: int, expected: str) -> FieldError:
    return FieldError(
        f"{text!r} is no type: expected {expected} at character {at + 1}; write a type such as "
        f"'int32', 'float32*', 'int32[2, 3]', 'struct point' or '(int32, int32) -> bool'"
    )
