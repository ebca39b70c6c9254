"""Conversion of the values of attributes, by the annotations of their fields."""

from __future__ import annotations

import operator
import re
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, cast

import numpy as np

from relayish.errors import DeclarationError


def converter(hint: Any) -> Callable[[Any], object]:  # Any: annotations and the values they admit
    """Return a function that checks a value against an annotation and converts it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:  # an annotation that brings its own check: DType
        return cast("Callable[[Any], object]", arguments[1])  # Any: as above
    if hint is Any or hint is object:
        return lambda value: value
    if origin in (types.UnionType, typing.Union):
        return _try_converters([converter(a) for a in arguments], hint)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _tuple_of(converter(arguments[0]), hint)
        raise DeclarationError(f"attribute annotation {hint} is not of the form tuple[T, ...]")
    if hint is type(None):
        return _require_none
    return _SCALARS.get(hint) or _instance_of(hint)


def _try_converters(
    converters: list[Callable[[Any], object]], hint: object
) -> Callable[[Any], object]:
    def convert(value: Any) -> object:  # Any: still to be checked
        for candidate in converters:
            try:
                return candidate(value)
            except (TypeError, ValueError):
                continue
        example = ", such as (1, 1)" if "tuple[int" in _show_hint(hint) else ""
        raise TypeError(f"expected {_show_hint(hint)}{example}; found {value!r}")

    return convert


def _show_hint(hint: object) -> str:
    """Return an annotation without the modules its classes live in."""
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(hint))


def _tuple_of(converter: Callable[[Any], object], hint: object) -> Callable[[Any], object]:
    def convert(value: Any) -> object:  # Any: still to be checked
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(f"expected {_show_hint(hint)}; found {value!r}")
        items = tuple(converter(item) for item in value)
        same = type(value) is tuple and all(map(operator.is_, items, value))
        return value if same else items

    return convert


def _require_none(value: object) -> None:
    if value is not None:
        raise TypeError(f"expected None; found {value!r}")


def _to_int(value: Any) -> int:  # Any: still to be checked
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"expected an int; found {value!r}")
    return value if type(value) is int else int(value.__index__())


def _to_float(value: Any) -> float:  # Any: still to be checked
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise TypeError(f"expected a float; found {value!r}")
    return value if type(value) is float else float(value)


def _to_bool(value: Any) -> bool:  # Any: still to be checked
    if isinstance(value, (bool, np.bool_)) or (
        hasattr(value, "__index__") and int(value) in (0, 1)
    ):
        return bool(value)
    raise TypeError(f"expected True or False; found {value!r}")


def _to_str(value: Any) -> str:  # Any: still to be checked
    if not isinstance(value, str):
        raise TypeError(f"expected a str; found {value!r}")
    return value


_SCALARS: dict[object, Callable[[Any], object]] = {
    int: _to_int,
    float: _to_float,
    bool: _to_bool,
    str: _to_str,
}


Integer: TypeAlias = Annotated[int, _to_int]
"""An int that Relay keeps as an object of its own; its metadata refers to it by number."""


Bool: TypeAlias = Annotated[bool, _to_bool]
"""A bool that Relay keeps so."""


String: TypeAlias = Annotated[str, _to_str]
"""A string that Relay keeps so; what is plain ``str`` is written into its metadata as it is."""


def _instance_of(cls: type) -> Callable[[Any], object]:
    def convert(value: Any) -> object:  # Any: still to be checked
        if not isinstance(value, cls):
            raise TypeError(f"expected {cls.__name__}; found {value!r}")
        return value

    return convert
