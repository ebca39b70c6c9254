"""Typed attributes of operators and functions: small frozen values, compared by their fields."""

from __future__ import annotations

import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NoReturn,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
)

import numpy as np

from relayish._support.graph import post_order
from relayish._support.missing import set_absent_members
from relayish.errors import (
    DeclarationError,
    FieldError,
    FrozenNodeError,
    UnknownNameError,
    suggest,
)
from relayish.ir.claims import Claims
from relayish.ir.declarations import watch_table
from relayish.ir.literal import hash_briefly, is_same_literal
from relayish.ir.packages import load_packages

_Class = TypeVar("_Class", bound="type[Attrs]")


@set_absent_members
class Attrs:
    """The root of attribute classes.

    An attribute class is declared with :func:`attrs`. Its instances are frozen, compared and
    hashed by class and fields; ``items()`` lists the fields in order of declaration.
    """

    __slots__ = ()
    type_key: ClassVar[str] = "Attrs"
    field_names: ClassVar[tuple[str, ...]] = ()
    """The names of the fields, in order of declaration."""
    defaults: ClassVar[Mapping[str, object]] = types.MappingProxyType({})
    """The defaults of the fields that have one."""
    _values_of: ClassVar[Callable[[Any], object]]  # Any: an instance of the class itself

    def __init_subclass__(cls) -> None:
        if "__init__" not in cls.__dict__:
            cls.__init__ = Attrs.__init__  # type: ignore[method-assign]  # not that of its base

    def __init__(self, *args: object, **kwargs: object) -> None:
        # The first construction of a class completes it: a program uses few of the many attribute
        # classes, and reading annotations and compiling constructors would dominate the import.
        _complete(type(self))
        type(self).__init__(self, *args, **kwargs)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(
            f"cannot assign attribute {name!r}: attributes are immutable; "
            f"use attrs.with_values({name}=...), which returns new ones"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenNodeError(f"cannot delete attribute {name!r}: attributes are immutable")

    def __eq__(self, other: object) -> bool:
        cls = type(self)
        if type(other) is not cls:
            return NotImplemented
        return bool(cls._values_of(self) == cls._values_of(other))

    def __hash__(self) -> int:
        cls = type(self)
        return hash((cls, cls._values_of(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.items())})"

    def __reduce__(self) -> tuple[Callable[..., Attrs], tuple[object, ...]]:
        return _restore, (type(self), *(value for _, value in self.items()))

    def items(self) -> Iterator[tuple[str, object]]:
        """Yield every field as ``(name, value)``."""
        for name in self.keys():
            yield name, getattr(self, name)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the fields, in order of declaration."""
        return self.field_names

    def get(self, name: str, default: object = None) -> object:
        """Return the field ``name``, or ``default`` when there is no such field."""
        return getattr(self, name) if name in self.field_names else default

    def __getitem__(self, name: str) -> object:
        if name not in self.keys():
            raise UnknownNameError(
                f"{type(self).__name__} has no attribute {name!r}{suggest(name, self.keys())}"
            )
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def with_values(self, **changes: object) -> Attrs:
        """Return these attributes with some replaced, each checked as at construction."""
        return type(self)(**{**dict(self.items()), **changes})

    def shown_items(self) -> Iterator[tuple[str, object]]:
        """Yield the fields whose value is not the default, as text shows them."""
        for name, value in self.items():
            if name not in self.defaults or not is_same_literal(value, self.defaults[name]):
                yield name, value


def _restore(cls: type[Attrs], *values: object) -> Attrs:
    return cls(**dict(zip(cls.field_names, values, strict=True)))


class DictAttrs(Attrs):
    """Attributes of a function, or of an operator nobody declared: any names, any values.

    Two are equal when they hold the same values, in type and in every bit, under the same names.
    Lists given become tuples, and dictionaries attributes of this class.
    """

    __slots__ = ("_values",)
    _values: dict[str, object]
    type_key = "DictAttrs"

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        object.__setattr__(self, "_values", {_key(k): freeze(v) for k, v in (values or {}).items()})

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
        if not isinstance(other, DictAttrs) or self._values.keys() != other._values.keys():
            return False
        return all(is_same_literal(value, other[key]) for key, value in self._values.items())

    def __hash__(self) -> int:
        return hash(frozenset([(k, hash_briefly(v)) for k, v in self._values.items()]))

    def __repr__(self) -> str:
        return f"DictAttrs({self._values!r})"

    def __reduce__(self) -> tuple[type[DictAttrs], tuple[dict[str, object]]]:
        return DictAttrs, (self._values,)


def freeze(root: object) -> object:
    """Freeze a nest of lists and dictionaries: to tuples and :class:`DictAttrs`.

    Returns:
        ``root`` itself where there is nothing to change; what is shared stays shared.

    Raises:
        TypeError: If a list or dictionary contains itself.

    Complexity:
        Linear in the distinct lists, tuples and dictionaries; no recursion.
    """
    if not isinstance(root, _NESTS):
        return root
    nests: dict[int, Any] = {id(root): root}  # Any: of these

    def inside(key: int) -> Iterable[int]:
        found = {id(item): item for item in _items(nests[key]) if isinstance(item, _NESTS)}
        nests.update(found)
        return found

    images: dict[int, object] = {}
    for key in post_order([id(root)], inside):
        nest = nests[key]
        if any(id(item) not in images for item in _items(nest) if isinstance(item, _NESTS)):
            raise TypeError(f"a {type(nest).__name__} that contains itself has no value")
        items = [images.get(id(i), i) if isinstance(i, _NESTS) else i for i in _items(nest)]
        if isinstance(nest, dict):
            made = DictAttrs.__new__(DictAttrs)
            object.__setattr__(made, "_values", dict(zip(map(_key, nest), items, strict=True)))
            images[key] = made
        else:
            same = isinstance(nest, tuple) and all(map(operator.is_, nest, items))
            images[key] = nest if same else tuple(items)
    return images[id(root)]


def _key(key: object) -> str:
    """Return the name of an attribute; a variable, say, would be known by its text alone."""
    if isinstance(key, (str, int, float)):
        return str(key)
    raise FieldError(
        f"{key!r} ({type(key).__name__}) cannot name an attribute; expected a string; "
        f"give pairs, as in ((key, value),)"
    )


_NESTS: Final = (list, tuple, dict)


def _items(nest: Any) -> Iterable[object]:  # Any: a list, a tuple or a dictionary
    return nest.values() if isinstance(nest, dict) else nest


_ATTRS_BY_KEY: dict[str, type[Attrs]] = {}
watch_table(_ATTRS_BY_KEY, lambda context, cls: context.stays(cls.__module__))
_CLAIMS: Final[Claims[str]] = Claims()


def attrs_class(type_key: str) -> type[Attrs] | None:
    """Return the attribute class registered under Relay's ``type_key``, or ``None``."""
    return _ATTRS_BY_KEY.get(type_key)


def find_attrs_class(type_key: str) -> type[Attrs] | None:
    """Return what :func:`attrs_class` does, and imports packages where that is nothing.

    Raises:
        PackageError: If a package cannot be imported.
    """
    found = _ATTRS_BY_KEY.get(type_key)
    if found is not None:
        return found
    for _ in load_packages(type_key):
        found = _ATTRS_BY_KEY.get(type_key)
        if found is not None:
            return found
    return None


def annotations_of(cls: type[Attrs]) -> Mapping[str, Any]:  # Any: an annotation
    """Return what each field of ``cls`` was annotated with, ``Annotated`` included."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {name: hints[name] for name in cls.field_names}


@functools.cache
def may_be_none(cls: type[Attrs]) -> frozenset[str]:
    """Return the names of the fields of ``cls`` that ``None`` is a value of."""
    hints = typing.get_type_hints(cls)
    return frozenset([n for n in cls.field_names if type(None) in typing.get_args(hints[n])])


@dataclass_transform(frozen_default=True, eq_default=True)
def attrs(type_key: str) -> Callable[[_Class], _Class]:
    """Declare an attribute class under the type key Relay gives it (``relay.attrs.ClipAttrs``).

    Fields are annotated and may have defaults. Values are checked against the annotation and
    converted where nothing is lost (a list to a tuple, an int to a float, a numpy dtype to its
    name).

    Raises:
        DuplicateNameError: If another class has the key.
        DeclarationError: At the first construction, if an annotation cannot be understood.

    """

    def declare(cls: _Class) -> _Class:
        _CLAIMS.enter(
            type_key,
            cls,
            f"attribute type {type_key!r} is declared twice; the key",
            taken=type_key in _ATTRS_BY_KEY,
            instead="choose another",
        )
        own = tuple(
            name
            for name, hint in inspect.get_annotations(cls).items()
            if not str(hint).startswith("ClassVar")
        )
        inherited = tuple(name for name in cls.field_names if name not in own)
        namespace = {
            key: value
            for key, value in cls.__dict__.items()
            if key not in (*own, "__dict__", "__weakref__")
        }
        defaults = {**cls.defaults, **{n: cls.__dict__[n] for n in own if n in cls.__dict__}}
        names = own + inherited
        namespace.update(
            __slots__=own,
            __match_args__=names,
            type_key=type_key,
            field_names=names,
            defaults=types.MappingProxyType(defaults),
            _values_of=operator.attrgetter(*names) if names else lambda _: (),
        )
        declared = cast("_Class", type(cls.__name__, cls.__bases__, namespace))
        _ATTRS_BY_KEY[type_key] = declared
        return declared

    return declare


def _complete(cls: type[Attrs]) -> None:
    """Give ``cls`` the constructor that checks and converts each field and fills its slot.

    It is generated, as those of nodes are. A value that is the default itself needs no check.
    """
    if cls is Attrs or "field_names" not in cls.__dict__:
        raise DeclarationError(f"{cls.__name__} is not declared; decorate it with @attrs(type_key)")
    converters = {name: _converter(hint) for name, hint in annotations_of(cls).items()}
    for name, value in cls.defaults.items():
        _convert_one(cls, name, converters[name], value)

    def blame(values: tuple[object, ...]) -> NoReturn:
        for (name, convert), value in zip(converters.items(), values, strict=True):
            _convert_one(cls, name, convert, value)
        raise AssertionError("a converter failed once and then did not")

    scope: dict[str, object] = {"_blame": blame}
    parameters, checks, fills = [], [], []
    for name, convert in converters.items():
        scope[f"_convert_{name}"] = convert
        scope[f"_set_{name}"] = getattr(cls, name).__set__
        check = f"{name} = _convert_{name}({name})"
        if name in cls.defaults:
            scope[f"_default_{name}"] = cls.defaults[name]
            parameters.append(f"{name}=_default_{name}")
            checks.append(f"if {name} is not _default_{name}: {check}")
        else:
            if any("=" in p for p in parameters) and "*" not in parameters:
                parameters.append("*")  # a required field after optional ones: by name only
            parameters.append(name)
            checks.append(check)
        fills.append(f"_set_{name}(self, {name})")
    given = "".join(f"{name}, " for name in converters)
    source = [
        f"def __init__({', '.join(['self', *parameters])}):",
        "    try:",
        *(f"        {line}" for line in checks or ["pass"]),
        f"    except (TypeError, ValueError): _blame(({given}))",
        *(f"    {line}" for line in fills),
    ]
    exec("\n".join(source), scope)  # noqa: S102 - the source is built from declarations only
    constructor = scope["__init__"]
    assert isinstance(constructor, types.FunctionType)
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    constructor.__module__ = cls.__module__
    setattr(cls, "__init__", constructor)  # noqa: B010 - completing the class


def _convert_one(
    cls: type[Attrs],
    name: str,
    convert: Callable[[Any], object],  # Any: still to be checked
    value: object,
) -> None:
    try:
        convert(value)
    except (TypeError, ValueError) as error:
        raise FieldError(f"{cls.__name__}.{name}: {error}") from None


def _converter(hint: Any) -> Callable[[Any], object]:  # Any: annotations and the values they admit
    """Return a function that checks a value against an annotation and converts it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:  # an annotation that brings its own check: DType
        return cast("Callable[[Any], object]", arguments[1])  # Any: as above
    if hint is Any or hint is object:
        return lambda value: value
    if origin in (types.UnionType, typing.Union):
        return _try_converters([_converter(a) for a in arguments], hint)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _tuple_of(_converter(arguments[0]), hint)
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
