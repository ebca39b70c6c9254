"""Values of Python in the place of TVM's objects."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")

__all__ = ["ADT", "Array", "Map", "ShapeTuple", "String", "convert", "tuple_object"]

ADT = Array = ShapeTuple = tuple_object = tuple
Map = dict
String = str


def convert(value: list[_T] | _T) -> tuple[_T, ...] | _T:
    """Return a value as programs hold it: a list as a tuple, anything else as it is.

    Source:
        TVM ``runtime.convert``.

    Example:
        >>> convert([1, 2]), convert("int32")
        ((1, 2), 'int32')
    """
    return tuple(value) if isinstance(value, list) else value
