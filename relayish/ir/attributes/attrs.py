"""Typed attributes of operators and functions: small frozen values, compared by their fields."""

from __future__ import annotations

import functools
import inspect
import operator
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, NoReturn, TypeVar, cast, dataclass_transform

from relayish._kernel import settle
from relayish._support.missing import set_absent_members
from relayish.errors import DeclarationError, FieldError, FrozenNodeError, UnknownNameError, suggest
from relayish.ir.attributes.conversion import converter
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import watch_table
from relayish.ir.registration.packages import load_packages
from relayish.ir.values.literal import is_same_literal

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


settle(frozen=(Attrs,))


def _restore(cls: type[Attrs], *values: object) -> Attrs:
    return cls(**dict(zip(cls.field_names, values, strict=True)))


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
    converters = {name: converter(hint) for name, hint in annotations_of(cls).items()}
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
