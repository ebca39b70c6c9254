"""Records of the binary form: objects, each of a record that says what it is.

Records stand in the file, so that it is read by names: those of kinds, of classes of attributes, of
their fields. Which class a name stands for is told by declarations; nothing is imported by a name
that a file holds, but for the packages of languages that relayish knows.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from enum import Enum, IntEnum
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np

from relayish._support import hooks
from relayish.errors import UnknownKindError, UnknownNameError, suggest
from relayish.ir.attributes.attrs import Attrs, annotations_of, find_attrs_class
from relayish.ir.domains.language import find_kind as find_declared_kind
from relayish.ir.domains.language import languages
from relayish.ir.fields.field import is_named_tuple
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import watch_table
from relayish.ir.registration.packages import load_packages


class Sort(IntEnum):
    """What the objects of a record are; the numbers stand in files."""

    NONE = 0
    FALSE = 1
    TRUE = 2
    INT = 3  # of 64 bits
    LONG = 4  # of more
    FLOAT = 5
    COMPLEX = 6
    STRING = 7
    BYTES = 8
    SCALAR = 9  # of numpy; the record is named after the element type
    ARRAY = 10  # likewise
    DTYPE = 11
    TUPLE = 12
    RANGE = 13
    DICT = 14  # of Python, in what makes a module
    MAPPING = 15  # DictAttrs
    MEMBER = 16  # of an enumeration
    NAMED = 17  # a named tuple
    ATTRS = 18
    NODE = 19
    MODULE = 20
    OTHER = 21  # by register_value
    PLAIN = 22  # of a class below that of strings, bytes or numbers


class Column(NamedTuple):
    """A field of the objects of a record: one object each, or any number of them."""

    name: str
    many: bool = False


class Record(NamedTuple):
    """What objects are, and which fields of them are in the file."""

    sort: Sort
    name: str = ""
    columns: tuple[Column, ...] = ()

    def __str__(self) -> str:
        return f"{self.sort.name.lower()} {self.name}".rstrip()


COLUMNS: Final[dict[Sort, tuple[Column, ...]]] = {
    Sort.DTYPE: (Column("name"),),
    Sort.TUPLE: (Column("items", many=True),),
    Sort.RANGE: (Column("start"), Column("stop"), Column("step")),
    Sort.DICT: (Column("keys", many=True), Column("values", many=True)),
    Sort.MAPPING: (Column("keys", many=True), Column("values", many=True)),
    Sort.MEMBER: (Column("name"),),
    Sort.OTHER: (Column("parts"),),
    Sort.PLAIN: (Column("value"),),
}
"""The columns of sorts whose records all have the same ones."""

PAYLOADS: Final = frozenset(
    {Sort.INT, Sort.LONG, Sort.FLOAT, Sort.COMPLEX, Sort.STRING, Sort.BYTES, Sort.SCALAR,
     Sort.ARRAY}
)  # fmt: skip
"""The sorts whose objects hold bytes, and no other objects."""


STRINGS: Final = "string"
"""The name of arrays of strings: their shape, and the bytes they take, and these as an array."""


# Values of classes that no declaration of a field or of attributes names


class ValueForm(NamedTuple):
    """How values of a class are kept: under which name, of which parts, and made of what."""

    cls: type
    name: str
    parts: Callable[[Any], tuple[object, ...]]  # Any: a value of the class
    make: Callable[..., object]


FORMS: Final[dict[type, ValueForm]] = {}
"""By class."""
FORMS_BY_NAME: Final[dict[str, ValueForm]] = {}
_CLAIMS: Final[Claims[str]] = Claims()
watch_table(FORMS, lambda context, form: context.stays(form.cls.__module__))
watch_table(FORMS_BY_NAME, lambda context, form: context.stays(form.cls.__module__))


def register_value(
    cls: type,
    name: str,
    parts: Callable[[Any], tuple[object, ...]],  # Any: as above
    make: Callable[..., object],
    *,
    replace: bool = False,
) -> None:
    """Let files hold values of class ``cls``, which attributes may hold: tuples of their parts.

    Args:
        cls: The class itself; those below it have to be registered as well.
        name: What files call it; stays what it is when the class moves.
        parts: Gives what a value consists of: anything that files hold.
        make: Makes the value of its parts. It is called with what stands in a file, so it checks
            what it is given, and does nothing else.
        replace: Take the place of the form that there is.

    Raises:
        DuplicateNameError: If somebody else registered the name, and ``replace`` is false.

    Example:
        >>> from fractions import Fraction
        >>> from relayish.binary import from_binary, to_binary
        >>> from relayish.ir.registration.declarations import declared_temporarily
        >>> with declared_temporarily():
        ...     register_value(Fraction, "fraction", lambda f: f.as_integer_ratio(), Fraction)
        ...     from_binary(to_binary((Fraction(1, 3),)))
        (Fraction(1, 3),)
    """
    _CLAIMS.enter(
        name,
        make,
        f"the name {name!r} of values in files",
        taken=name in FORMS_BY_NAME,
        instead="choose another",
        replace=replace,
    )
    FORMS[cls] = FORMS_BY_NAME[name] = ValueForm(cls, name, parts, make)


REQUIREMENTS: Final[KindTable[Callable[[Any], object] | None]] = (
    KindTable(  # Any: a node of the kind
        "reading a file", "relayish.binary.REQUIREMENTS", {Node: None}
    )
)
"""What has to hold of nodes that were read, where their declaration does not say it."""


# Names


def kind_name(kind: type[Node]) -> str:
    """Return what files call a kind of node: its language and its visit name."""
    return f"{kind.language_.name}.{kind.visit_name}"


def find_kind(name: str) -> type[Node]:
    """Return the kind that files call ``name``; installed packages are loaded where they have it.

    Raises:
        UnknownKindError: If it is not declared.
        PackageError: If a package cannot be imported.
    """
    language, _, visit = name.rpartition(".")
    found: type[Node] | None = find_declared_kind(language, visit)
    if found is not None:
        return found
    declared = languages().get(language)
    what = (
        f"no language {language!r} is declared{suggest(language, languages())}"
        if declared is None
        else f"the language {language!r} has no such kind{suggest(visit, declared.kinds)}"
    )
    raise UnknownKindError(
        f"the file holds nodes of kind {name}, and {what}; import the package that declares it, "
        f"and read the file again"
    )


def find_attrs(name: str) -> type[Attrs]:
    """Return the class of attributes that has the key ``name``; packages are loaded as above.

    Raises:
        UnknownNameError: If it is not declared.
        PackageError: If a package cannot be imported.
    """
    found = find_attrs_class(name)
    if found is None:
        raise UnknownNameError(
            f"the file holds attributes {name!r}, which nobody declares; import the package that "
            f"declares them, and read the file again"
        )
    return found


def find_form(name: str) -> ValueForm:
    """Return how values that files call ``name`` are made; packages are loaded as above.

    Raises:
        UnknownNameError: If nobody registered that.
        PackageError: If a package cannot be imported.
    """
    if name not in FORMS_BY_NAME and name in hooks.values:
        hooks.values[name]()
    for _ in chain((None,), load_packages(name)):
        found = FORMS_BY_NAME.get(name)
        if found is not None:
            return found
    raise UnknownNameError(
        f"the file holds values {name!r}, which nobody registered{suggest(name, FORMS_BY_NAME)}"
        f"; import the package that calls register_value for them, and read the file again"
    )


def module_name(cls: type[AnyModule]) -> str:
    """Return what files call a class of modules: where it stands, and its name."""
    return f"{cls.__module__}:{cls.__qualname__}"


def find_module(name: str) -> type[AnyModule]:
    """Return the class of modules that files call ``name``, of those that are loaded.

    It may have moved since, where no other one is called as it is.

    Raises:
        UnknownNameError: If there is none.
    """
    loaded: list[type[AnyModule]] = list(Module.__subclasses__())
    for cls in loaded:  # grows while it is read
        loaded += cls.__subclasses__()
    exact = [cls for cls in loaded if module_name(cls) == name]
    short = name.rpartition(":")[2]
    moved = [cls for cls in loaded if cls.__qualname__ == short]
    if exact or len(moved) == 1:
        return (exact or moved)[-1]
    raise UnknownNameError(
        f"the file holds a module of class {name}, which is not loaded"
        f"{suggest(short, [cls.__qualname__ for cls in loaded])}; import the package that has it, "
        f"and read the file again"
    )


def name_class(cls: type, owners: Iterable[type[Any]]) -> str | None:
    """Return what files call a class that annotations of fields name; ``None`` if none does.

    It is one of enumerations or of named tuples, or stands below that of strings or numbers.

    Args:
        cls: The class.
        owners: Kinds and classes of attributes of which the file holds some; their fields are
            looked at first.
    """
    if cls is Span:
        return "Span"
    declared = [kind for language in languages().values() for kind in language.kinds.values()]
    for owner in (*owners, *declared):
        if _classes_of(owner).get(cls.__name__) is cls:  # type: ignore[arg-type]  # as below
            where = kind_name(owner) if issubclass(owner, Node) else f"attrs {owner.type_key}"
            return f"{where}:{cls.__name__}"
    return None


def find_class(name: str) -> type[Any]:
    """Return the class that files call ``name``; see :func:`name_class`.

    Raises:
        UnknownNameError: If no field that is declared holds such.
    """
    if name == "Span":
        return Span
    where, _, short = name.rpartition(":")
    is_attrs = where.startswith("attrs ")
    owner = find_attrs(where.removeprefix("attrs ")) if is_attrs else find_kind(where)
    found = _classes_of(owner).get(short)  # type: ignore[arg-type]  # mypy sees no hash
    if found is None:
        raise UnknownNameError(
            f"the file holds values of class {short}, which no field of {where} is annotated with; "
            f"read the file with the version that wrote it"
        )
    return found


def plain_class(cls: type) -> type | None:
    """Return the class of strings, bytes or numbers that ``cls`` stands below, if it does."""
    if cls in _PLAIN or issubclass(cls, (bool, np.generic, Enum)):
        return None
    return next((plain for plain in _PLAIN if issubclass(cls, plain)), None)


_PLAIN: Final = (str, bytes, int, float)


@cache
def _classes_of(owner: type[Any]) -> dict[str, type[Any]]:
    """Return the classes, told by :func:`name_class`, that fields are annotated with."""
    if issubclass(owner, Attrs):
        pending = list(annotations_of(owner).values())
    else:
        hints = typing.get_type_hints(owner, localns={owner.__name__: owner})
        pending = [hints[declared.name] for declared in owner.fields_]
    found: dict[str, type[Any]] = {}
    while pending:
        hint = pending.pop()
        if is_named_tuple(hint):
            found[hint.__name__] = hint
            pending += typing.get_type_hints(hint).values()
        elif isinstance(hint, type) and (issubclass(hint, Enum) or plain_class(hint) is not None):
            found[hint.__name__] = hint
        pending += typing.get_args(hint)
    return found
