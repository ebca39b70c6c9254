"""Typed attributes of operators and functions: small frozen values, compared by their fields."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar, cast, dataclass_transform

from relayish.errors import (
    DeclarationError,
    DuplicateNameError,
    FieldError,
    FrozenNodeError,
    UnknownNameError,
    suggest,
)

_Class = TypeVar("_Class", bound="type[Attrs]")


class Attrs:
    """The root of attribute classes.

    An attribute class is declared with :func:`attrs` and frozen; ``items()`` lists its fields in
    order of declaration.
    """

    __slots__ = ()
    type_key: ClassVar[str] = "Attrs"

    def items(self) -> Iterator[tuple[str, object]]:
        """Yield every field as ``(name, value)``."""
        for name in self.keys():
            yield name, getattr(self, name)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the fields, in order of declaration."""
        return tuple(f.name for f in dataclasses.fields(cast("Any", self)))  # Any: a dataclass

    def get(self, name: str, default: object = None) -> object:
        """Return the field ``name``, or ``default`` when there is no such field."""
        return getattr(self, name, default)

    def __getitem__(self, name: str) -> object:
        if name not in self.keys():
            raise UnknownNameError(
                f"{type(self).__name__} has no attribute {name!r}{suggest(name, self.keys())}"
            )
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def with_values(self, **changes: object) -> Attrs:
        """Return these attributes with some replaced, each checked as at construction."""
        return type(self)(**{**dict(self.items()), **changes})

    def shown_items(self) -> Iterator[tuple[str, object]]:
        """Yield the fields whose value is not the default, as text shows them."""
        for declared in dataclasses.fields(cast("Any", self)):  # Any: a dataclass
            value = getattr(self, declared.name)
            if declared.default is dataclasses.MISSING or not _same(value, declared.default):
                yield declared.name, value


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and (left == right or left is right)


class DictAttrs(Attrs):
    """Attributes of a function, or of an operator nobody declared: any names, any values.

    Two are equal when they hold equal values under the same names.
    """

    __slots__ = ("_values",)
    _values: dict[str, object]
    type_key = "DictAttrs"

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        object.__setattr__(self, "_values", {str(k): _freeze(v) for k, v in (values or {}).items()})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(
            f"cannot assign attribute {name!r}: attributes are immutable; "
            f"use attrs.with_values({name}=...), which returns new ones"
        )

    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)

    def get(self, name: str, default: object = None) -> object:
        return self._values.get(name, default)

    def __getitem__(self, name: str) -> object:
        if name not in self._values:
            raise UnknownNameError(f"no attribute {name!r}{suggest(name, self._values)}")
        return self._values[name]

    def items(self) -> Iterator[tuple[str, object]]:
        return iter(self._values.items())

    def shown_items(self) -> Iterator[tuple[str, object]]:
        return iter(self._values.items())

    def with_values(self, **changes: object) -> DictAttrs:
        return DictAttrs({**self._values, **changes})

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DictAttrs) and self._values == other._values

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __repr__(self) -> str:
        return f"DictAttrs({self._values!r})"

    def __reduce__(self) -> tuple[type[DictAttrs], tuple[dict[str, object]]]:
        return DictAttrs, (self._values,)


def _freeze(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return tuple(_freeze(item) for item in value)
    if isinstance(value, dict):
        return DictAttrs(value)
    return value


_ATTRS_BY_KEY: dict[str, type[Attrs]] = {}


def attrs_class(type_key: str) -> type[Attrs] | None:
    """Return the attribute class registered under Relay's ``type_key``, or ``None``."""
    return _ATTRS_BY_KEY.get(type_key)


@dataclass_transform(frozen_default=True, eq_default=True)
def attrs(type_key: str) -> Callable[[_Class], _Class]:
    """Declare an attribute class under the type key Relay gives it (``relay.attrs.ClipAttrs``).

    Fields are annotated and may have defaults. Values are checked against the annotation and
    converted where nothing is lost (a list to a tuple, an int to a float, a numpy dtype to its
    name).

    Raises:
        DuplicateNameError: If the key is taken.
    """

    def declare(cls: _Class) -> _Class:
        if type_key in _ATTRS_BY_KEY:
            raise DuplicateNameError(
                f"attribute type {type_key!r} is declared twice: by "
                f"{_ATTRS_BY_KEY[type_key].__module__} and by {cls.__module__}"
            )
        converters = {
            name: _converter(hint)
            for name, hint in typing.get_type_hints(cls, include_extras=True).items()
            if typing.get_origin(hint) is not ClassVar
        }

        def __post_init__(self: Attrs) -> None:
            for name, convert in converters.items():
                value = getattr(self, name)
                try:
                    converted = convert(value)
                except (TypeError, ValueError) as error:
                    raise FieldError(f"{type(self).__name__}.{name}: {error}") from None
                if converted is not value:
                    object.__setattr__(self, name, converted)

        setattr(cls, "__post_init__", __post_init__)  # noqa: B010 - completing the class
        declared = dataclasses.dataclass(frozen=True, slots=True, repr=True)(cls)
        declared.type_key = type_key
        _ATTRS_BY_KEY[type_key] = declared
        return declared

    return declare


def _converter(hint: Any) -> Callable[[Any], object]:  # Any: annotations and the values they admit
    """Return a function that checks a value against an annotation and converts it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:  # an annotation that brings its own check: DType
        check = arguments[1]
        assert callable(check)
        return check
    if hint is Any or hint is object:
        return lambda value: value
    if origin in (types.UnionType, typing.Union):
        return _first_of([_converter(a) for a in arguments], hint)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _tuple_of(_converter(arguments[0]), hint)
        raise DeclarationError(f"attribute annotation {hint} is not of the form tuple[T, ...]")
    if hint is type(None):
        return _exactly_none
    return _SCALARS.get(hint) or _instance_of(hint)


def _first_of(converters: list[Callable[[Any], object]], hint: object) -> Callable[[Any], object]:
    def convert(value: Any) -> object:  # Any: still to be checked
        for candidate in converters:
            try:
                return candidate(value)
            except (TypeError, ValueError):
                continue
        raise TypeError(f"expected {hint}; found {value!r}")

    return convert


def _tuple_of(converter: Callable[[Any], object], hint: object) -> Callable[[Any], object]:
    def convert(value: Any) -> object:  # Any: still to be checked
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(f"expected {hint}; found {value!r}")
        items = tuple(converter(item) for item in value)
        return value if type(value) is tuple and items == value else items

    return convert


def _exactly_none(value: object) -> None:
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
    if isinstance(value, bool) or (hasattr(value, "__index__") and int(value) in (0, 1)):
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


def _instance_of(cls: type) -> Callable[[Any], object]:
    def convert(value: Any) -> object:  # Any: still to be checked
        if not isinstance(value, cls):
            raise TypeError(f"expected {cls.__name__}; found {value!r}")
        return value

    return convert
