"""The constructors of node classes, generated from their fields, and what they refuse."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

import numpy as np

from relayish._kernel import CHECKS, layout, settle
from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs, freeze
from relayish.ir.fields.field import REQUIRED, Field, Shape, is_named_tuple, is_node_class
from relayish.ir.fields.naming import brief, is_node
from relayish.ir.fields.roles import Atom


def generate_constructors(
    frozen: type, sibling: type, fields: tuple[Field, ...], derived: tuple[str, ...]
) -> tuple[Callable[..., Any], Any]:  # Any: nodes, and what is kept as _make
    """Generate ``__new__``, which validates, and ``_make``, which trusts its caller.

    Both fill an instance of the mutable sibling and flip its class. They are generated, as
    dataclasses' are, because a loop over fields would cost several times the construction. What
    they name beside the fields begins with an underscore, as no field does. What is ``derived``
    of the fields is filled in last. The compiled core, where it is, does the same in their place.
    """
    scope: dict[str, object] = {
        "_frozen": frozen,
        "_sibling": sibling,
        "_repair": _repair,
        "_type": type,
        "_tuple": tuple,
        "_isinstance": isinstance,
    }
    parameters, checks = [], []
    tests = [_test_of(declared) for declared in fields]
    for index, (declared, test) in enumerate(zip(fields, tests, strict=True)):
        name = declared.name
        scope[f"_field{index}"], scope[f"_accepted{index}"] = declared, test.accepted
        if declared.default is REQUIRED:
            parameters.append(name)
        else:
            scope[f"_default{index}"] = declared.default
            parameters.append(f"{name}=_default{index}")
        repair = f"{name} = _repair(_frozen, _field{index}, {name})"
        checks += [
            line.format(value=name, accepted=f"_accepted{index}", repair=repair)
            for line in _LINES[test.check, test.or_none]
        ]
    names = [f.name for f in fields]
    derive = {name: getattr(frozen, f"derive_{name}") for name in derived}
    scope.update({f"_derive_{name}": function for name, function in derive.items()})
    scope.update({f"_set_{name}": frozen.__dict__[name].__set__ for name in derived})
    fill = [
        "_self = _sibling()",
        *(f"_self.{n} = {n}" for n in names),
        "_self.__class__ = _frozen",
        *(f"_set_{n}(_self, _derive_{n}(_self))" for n in derived),
        "return _self",
    ]
    source = [f"def __new__({', '.join(['_cls', *parameters])}):"]
    source += [f"    {line}" for line in [*checks, *fill]]
    source += [f"def _make({', '.join(names)}):"]
    source += [f"    {line}" for line in fill]
    exec("\n".join(source), scope)  # noqa: S102 - the source is built from declarations only
    constructor, make = scope["__new__"], scope["_make"]
    assert isinstance(constructor, types.FunctionType)
    assert isinstance(make, types.FunctionType)
    constructor.__qualname__ = f"{frozen.__qualname__}.__new__"
    constructor.__module__ = make.__module__ = frozen.__module__
    told = [
        (f.name, CHECKS[test.check], test.or_none, test.accepted, f, f.inferred)
        + (() if f.default is REQUIRED else (f.default,))
        for f, test in zip(fields, tests, strict=True)
    ]
    return constructor, layout(frozen, constructor, make, _repair, told, derive.items())


settle(lasting=(Enum,))


class _Test(NamedTuple):
    """What lets a valid value of a field through untouched and sends others to ``_repair``.

    Attributes:
        check: One of :data:`CHECKS`.
        or_none: Whether ``None`` is let through as well.
        accepted: The kinds of the nodes, or the class or classes of the value.
    """

    check: str
    or_none: bool = False
    accepted: Any = None  # Any: as the check wants it


def _test_of(declared: Field) -> _Test:
    kinds = declared.kind.kinds if declared.kind is not None else None
    if declared.convert is not None:
        return _Test("convert")
    match declared.shape:
        case Shape.ONE:
            return _Test("in kinds", False, kinds)
        case Shape.OPTIONAL:
            return _Test("in kinds or none", True, kinds)
        case Shape.MANY:
            return _Test("all in kinds", False, kinds)
        case Shape.MIXED:
            return _Test("convert")
        case Shape.LEAF if _may_hide_nodes(declared):
            return _Test("convert")
        case Shape.LEAF:
            optional = type(None) in declared.accepts
            plain = tuple(a for a in declared.accepts if a is not type(None))
            if len(plain) != 1:
                return _Test("instance", optional, plain)
            # numbers are none if they are truth values, tuples none if named
            exact = plain[0] in (int, tuple)
            return _Test("exact" if exact else "instance", optional, plain[0])
        case _ as unreachable:
            typing.assert_never(unreachable)


_LINES: Final[Mapping[tuple[str, bool], tuple[str, ...]]] = {
    ("convert", False): ("{repair}",),
    ("in kinds", False): ("if _type({value}) not in {accepted}: {repair}",),
    ("in kinds or none", True): (
        "if {value} is not None and _type({value}) not in {accepted}: {repair}",
    ),
    ("all in kinds", False): (
        "if _type({value}) is _tuple:",
        "    for _item in {value}:",
        "        if _type(_item) not in {accepted}: {repair}",
        "else: {repair}",
    ),
    ("exact", False): ("if _type({value}) is not {accepted}: {repair}",),
    ("exact", True): ("if {value} is not None and _type({value}) is not {accepted}: {repair}",),
    ("instance", False): (
        "if _type({value}) is not {accepted} and not _isinstance({value}, {accepted}): {repair}",
    ),
    ("instance", True): (
        (
            "if {value} is not None and _type({value}) is not {accepted} "
            "and not _isinstance({value}, {accepted}): {repair}"
        ),
    ),
}
"""The lines of the constructor for each test."""


def _repair(owner: type, declared: Field, value: object) -> object:
    """Convert a value that the generated check stopped, or raise a :class:`FieldError`."""
    where = f"{owner.__name__}.{declared.name}"
    if declared.convert is not None:
        try:
            return declared.convert(value)
        except FieldError:
            raise
        except (TypeError, ValueError) as error:
            raise FieldError(f"{where}: {error}") from error
    if declared.shape in (Shape.MANY, Shape.MIXED):
        return _repair_tuple(where, declared, value)
    if declared.shape is Shape.LEAF and _may_hide_nodes(declared):
        value = _freeze_leaf(where, value)
    if isinstance(value, Mapping) and DictAttrs in declared.accepts:
        value = _freeze_leaf(where, dict(value))
    if declared.shape is Shape.LEAF and not declared.accepts:
        return value
    if declared.accepts == (tuple,) and value is None and declared.default == ():
        return ()
    if declared.accepts == (tuple,) and isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(value)
    if declared.accepts == (int,) and hasattr(value, "__index__") and not isinstance(value, bool):
        return value.__index__()
    if isinstance(value, declared.accepts) and declared.accepts != (int,):
        return value
    for accepted in declared.accepts:
        if is_named_tuple(accepted) and type(value) in (tuple, list):
            return _make_named(where, accepted, value)
    if declared.kind is not None and _stands_for_literal(declared, value):
        return declared.kind.language_.as_literal(value)
    if tuple in declared.accepts and isinstance(value, list):
        return tuple(value)
    expected = declared.kind.__name__ if declared.kind else _names(declared.accepts)
    if declared.shape is Shape.OPTIONAL:
        expected += " or None"
    advice = _advice(declared, value)
    raise FieldError(f"{where} must be {expected}; found {_describe(value)}{advice}")


def _make_named(where: str, kind: type[Any], given: Any) -> object:  # Any: to be checked
    """Return the named tuple of class ``kind``, of ``given`` values: named ones inside as well."""
    hints = typing.get_type_hints(kind).values()
    values = list(given)
    for index, (hint, value) in enumerate(zip(hints, given, strict=False)):
        if is_named_tuple(hint) and type(value) in (tuple, list):
            values[index] = _make_named(where, hint, value)
    try:
        return kind(*values)
    except TypeError as error:
        raise FieldError(f"{where} must be {kind.__name__}; found {given!r}: {error}") from error


def _repair_tuple(where: str, declared: Field, value: object) -> tuple[object, ...]:
    assert declared.kind is not None
    if value is None and declared.default == ():
        return ()
    if is_node(value) or isinstance(value, str) or not isinstance(value, Iterable):
        raise FieldError(
            f"{where} must be a sequence of {declared.kind.__name__}; found {_describe(value)}"
        )
    items = tuple(
        [
            declared.kind.language_.as_literal(i) if _stands_for_literal(declared, i) else i
            for i in value
        ]
    )
    others = tuple(a for a in declared.accepts if not is_node_class(a))
    for index, item in enumerate(items):
        if type(item) in declared.kind.kinds or isinstance(item, others):
            continue
        raise FieldError(
            f"{where}[{index}] must be {_names(declared.accepts)}; "
            f"found {_describe(item)}{_advice(declared, item)}"
        )
    return items


def _stands_for_literal(declared: Field, value: object) -> bool:
    """Return whether ``value`` is a number, in whose place the language puts a literal."""
    if not isinstance(value, (int, float, np.number, np.bool_)):
        return False
    assert declared.kind is not None
    takes_literals = any(kind.traits_.atom is Atom.LITERAL for kind in declared.kind.kinds)
    return takes_literals and declared.kind.language_.as_literal is not None


def _may_hide_nodes(declared: Field) -> bool:
    """Return whether the annotation of a leaf leaves open whether nodes are in it."""
    return not declared.accepts or tuple in declared.accepts


def _freeze_leaf(where: str, given: object) -> object:
    """Return ``given`` frozen, as a leaf holds it: tuples for lists, attributes for dictionaries.

    Raises:
        FieldError: If it is a node, or has one in it.
    """
    pending, entered, is_loose = [given], set[int](), False
    while pending:
        found = pending.pop()
        if is_node(found):
            kind = type(found).__name__
            raise FieldError(
                f"{where} holds {_describe(found)}, which would not be seen there; "
                f"annotate the field with {kind}, {kind} | None or tuple[{kind}, ...]"
            )
        if isinstance(found, _CONTAINERS) and id(found) not in entered:
            entered.add(id(found))  # the value keeps it alive
            is_loose |= isinstance(found, (list, dict))
            pending += found
            pending += found.values() if isinstance(found, dict) else ()
    try:
        return freeze(given) if is_loose else given
    except TypeError as error:
        raise FieldError(f"{where}: {error}") from error


_CONTAINERS: Final = (tuple, list, set, frozenset, dict)


def _names(accepted: tuple[Any, ...]) -> str:  # Any: classes and generic aliases alike
    return " or ".join(getattr(a, "__name__", str(a)) for a in accepted if a is not type(None))


def _describe(value: object) -> str:
    return f"{brief(value)} ({type(value).__name__})" if not is_node(value) else repr(value)


def _advice(declared: Field, value: object) -> str:
    """Say how a number becomes a literal, and a string a name, where one may stand."""
    if declared.kind is None or not isinstance(value, (int, float, str)):
        return ""
    language, is_name = declared.kind.language_, isinstance(value, str)
    form, wanted = (language.named, Atom.NAME) if is_name else (language.literal, Atom.LITERAL)
    if not form or not any(kind.traits_.atom is wanted for kind in declared.kind.kinds):
        return ""
    what = "an operator is named by" if is_name else "wrap Python numbers with"
    return f"; {what} {form.format(repr(value))}"
