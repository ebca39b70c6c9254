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
from collections.abc import Sequence
from inspect import CO_VARARGS
from types import FunctionType
from typing import Final, NamedTuple, TypeGuard

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


def read_arguments(*functions: object) -> tuple[str, ...] | None:
    """Return how a function calls the arguments that it takes behind the attributes.

    Args:
        *functions: What takes them, or ``None``; the first that names them all counts.

    Returns:
        ``None`` where none does, or one is no plain function, so that its parameters need not be
        those it is called with.
    """
    plain = [function for function in functions if _is_plain(function)]
    if len(plain) + functions.count(None) < len(functions):
        return None
    for function in plain:
        code = function.__code__
        if not code.co_flags & CO_VARARGS:
            return code.co_varnames[1 : code.co_argcount]
    return None


def _is_plain(function: object) -> TypeGuard[FunctionType]:
    """Return whether a function takes just what it says: it wraps no other, and has no defaults."""
    return (
        isinstance(function, FunctionType)
        and not hasattr(function, "__wrapped__")
        and not function.__defaults__
    )


def _check_takes_no_attributes(op: str, *functions: object) -> None:
    """Refuse functions of an operator without attributes that may be meant to take some.

    Args:
        op: The operator, of which nobody said which class of attributes it has.
        *functions: What takes attributes first, or ``None``.

    Raises:
        DeclarationError: If the first parameter is annotated with something else than what
            functions take that look at no attributes, or at those of any class.
    """
    for function in functions:
        if not isinstance(function, FunctionType) or not function.__code__.co_argcount:
            continue
        hint = function.__annotations__.get(function.__code__.co_varnames[0])
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
    for function in functions:
        if not isinstance(function, FunctionType) or not function.__code__.co_argcount:
            continue
        hint = function.__annotations__.get(function.__code__.co_varnames[0])
        found = function.__globals__.get(hint) if isinstance(hint, str) else hint
        is_class = isinstance(found, type) and issubclass(found, Attrs) and found is not Attrs
        if is_class and "field_names" in vars(found):
            return found
    if op:
        _check_takes_no_attributes(op, *functions)
    return None


_PARAMETER: Final = re.compile(
    r"((\w+)(?:: \w+)?)(?: ?= ?(?:'[^']*'|\([^()]*\)|[-+.\w]+))?(?:, (?=\w)|$)"
)
"""A parameter with its default, a plain literal. All signatures are read when the library is
imported: Python's own parser would take many times as long."""
