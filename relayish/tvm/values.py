"""Values of Python in the place of TVM's objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

_T = TypeVar("_T")

__all__ = ["ADT", "Array", "Map", "ShapeTuple", "String", "convert", "tuple_object"]

ADT: TypeAlias = tuple  # type: ignore[type-arg]  # the class, for isinstance
Array: TypeAlias = tuple  # type: ignore[type-arg]  # as above
Map: TypeAlias = dict
ShapeTuple: TypeAlias = tuple  # type: ignore[type-arg]  # as above
String: TypeAlias = str


def tuple_object(fields: Iterable[_T] = ()) -> tuple[_T, ...]:
    """Return a tuple.

    Source:
        TVM ``runtime.container.tuple_object``.
    """
    return tuple(fields)


def convert(value: list[_T] | _T) -> tuple[_T, ...] | _T:
    """Return a value as programs hold it: a list as a tuple, anything else as it is.

    Source:
        TVM ``runtime.convert``.

    Example:
        >>> convert([1, 2]), convert("int32")
        ((1, 2), 'int32')
    """
    return tuple(value) if isinstance(value, list) else value
