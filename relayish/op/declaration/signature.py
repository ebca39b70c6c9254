"""Signatures: the parameters of the function that builds calls of an operator.

By themselves they are the arguments of the operator and then its attributes in the order in which
they are declared, with their defaults. Relay's own functions often take them in another order, name
them otherwise or have other defaults; then the declaration tells them, as a parameter list as it
would stand in Python: ``"data, begin, end, strides=None"``. A parameter with the name of an
attribute is that attribute; the others are the arguments, in the order of the operator. One that is
annotated with an element type may be given as a number, ``"data, k: int32 = 1"``, and one with
``array`` as an array of numpy.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import CO_VARARGS
from typing import Any, Final, NamedTuple

from relayish._support.arity import is_readable, parameters_of
from relayish.errors import DeclarationError
from relayish.ir.attributes.attrs import Attrs

ARRAY: Final = "array"
"""The annotation of a parameter that may be given as an array of numpy."""


class Default(NamedTuple):
    """What a parameter is when a call leaves it out."""

    value: object


def read_signature(text: str) -> dict[str, Default | None]:
    """Return the parameters written in ``text``, each with its default or ``None`` for none.

    Raises:
        SyntaxError: If it is no parameter list.
        ValueError: If a default is no literal.
    """
    function = ast.parse(f"def build({text}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    parsed = function.args
    values = [Default(ast.literal_eval(value)) for value in parsed.defaults]
    defaults = [*[None] * (len(parsed.args) - len(values)), *values]
    return {each.arg: default for each, default in zip(parsed.args, defaults, strict=True)}


def split_annotations(parameters: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names of ``parameters``, and what those are annotated with that are."""
    parts = [each.partition(":") for each in parameters]
    names = tuple([name.strip() for name, _, _ in parts])
    return names, {name.strip(): said.strip() for name, colon, said in parts if colon}


def find_arguments(op: str, signature: str, attrs_type: type[Attrs] | None) -> tuple[str, ...]:
    """Return the arguments of ``op``: the parameters that are no attributes, with annotations.

    Raises:
        DeclarationError: If the signature is no parameter list.
    """
    fields = () if attrs_type is None else attrs_type.field_names
    found, place = [], 0
    while place < len(signature):
        parameter = _PARAMETER.match(signature, place)
        if parameter is None:
            raise DeclarationError(
                f"signature of operator {op!r} is {signature!r}; expected a parameter list, as in "
                f"'data, weight, units=None'"
            )
        if parameter[2] not in fields:
            found.append(parameter[1])
        place = parameter.end()
    return tuple(found)


def read_arguments(op: str, told: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return how functions of ``op`` call the arguments that they take behind the attributes.

    A name that begins with an underscore says nothing where another function has one.

    Args:
        op: The operator.
        told: By what they are told as: what takes the arguments, or ``None``.

    Returns:
        ``None`` where none names them all, or one is neither a plain function nor a method, so that
        its parameters need not be those it is called with.

    Raises:
        DeclarationError: If two functions give them different names.
    """
    given = {name: function for name, function in told.items() if function is not None}
    if not all(map(_is_plain, given.values())):
        return None
    named = {
        name: parameters_of(function)[1:]
        for name, function in given.items()
        if not _takes_any_number(function)
    }
    found: tuple[str, ...] | None = None
    for names in named.values():
        merged = names if found is None else _merge_names(found, names)
        if merged is None:
            shown = " and ".join(
                [f"{name} calls them ({', '.join(named[name])})" for name in named]
            )
            raise DeclarationError(
                f"the arguments of operator {op!r} have no one name each: {shown}; call them the "
                f"same, or say them: arguments={next(iter(named.values()))!r}"
            )
        found = merged
    return found


def _merge_names(names: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names of arguments that two functions agree on; ``None`` where they do not."""
    if len(names) != len(others):
        return None
    pairs = list(zip(names, others, strict=True))
    if any(a != b and "_" not in (a[0], b[0]) for a, b in pairs):
        return None
    return tuple([b if a[0] == "_" else a for a, b in pairs])


def _takes_any_number(function: Any) -> bool:  # Any: a function that can be read
    return bool(function.__code__.co_flags & CO_VARARGS)


def _is_plain(function: object) -> bool:
    """Return whether a function takes just what it says: it wraps no other, and has no defaults."""
    return (
        is_readable(function)
        and not hasattr(function, "__wrapped__")
        and not getattr(function, "__defaults__", None)
    )


def _hints(functions: Iterable[Any]) -> Iterator[tuple[Any, Any]]:  # Any: functions, annotations
    """Yield the functions that can be read, each with the annotation of its first parameter."""
    for function in functions:
        names = parameters_of(function) if is_readable(function) else ()
        if names:
            yield function, function.__annotations__.get(names[0])


def _check_takes_no_attributes(op: str, *functions: object) -> None:
    """Refuse functions of an operator without attributes that may be meant to take some.

    Args:
        op: The operator, of which nobody said which class of attributes it has.
        *functions: What takes attributes first, or ``None``.

    Raises:
        DeclarationError: If the first parameter is annotated with something else than what
            functions take that look at no attributes, or at those of any class.
    """
    for function, hint in _hints(functions):
        shown = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
        if shown not in _ANY_ATTRIBUTES:
            raise DeclarationError(
                f"operator {op!r}: {function.__name__} takes attributes of {shown!r}, which names "
                f"no declared class of attributes; say attrs_type=..., or None where it has none"
            )


_ANY_ATTRIBUTES: Final = frozenset({"None", "object", "Any", "Parameters"})


def find_attrs_type(*functions: object, op: str = "") -> type[Attrs] | None:
    """Return the class of attributes that the first parameter of a function is annotated with.

    Args:
        *functions: What takes attributes first, or ``None``; the first that says a class counts.
        op: The operator, where nothing else is told of what it takes.

    Raises:
        DeclarationError: If ``op`` is given, and a function seems to take attributes of no class.
    """
    for function, hint in _hints(functions):
        found: object = function.__globals__.get(hint) if isinstance(hint, str) else hint
        if not isinstance(found, type) or not issubclass(found, Attrs) or found is Attrs:
            continue
        if "field_names" in vars(found):
            return found
    if op:
        _check_takes_no_attributes(op, *functions)
    return None


_PARAMETER: Final = re.compile(
    r"((\w+)(?:: \w+)?)(?: ?= ?(?:'[^']*'|\([^()]*\)|[-+.\w]+))?(?:, (?=\w)|$)"
)
"""A parameter with its default, a plain literal. All signatures are read when the library is
imported: Python's own parser would take many times as long."""
