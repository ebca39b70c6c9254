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
from collections.abc import Sequence
from typing import Final, NamedTuple

from relayish.errors import DeclarationError
from relayish.ir.attrs import Attrs

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
    parsed = _parse(text)
    values = [Default(ast.literal_eval(value)) for value in parsed.defaults]
    defaults = [*[None] * (len(parsed.args) - len(values)), *values]
    return {each.arg: default for each, default in zip(parsed.args, defaults, strict=True)}


def _parse(text: str) -> ast.arguments:
    parsed = ast.parse(f"def build({text}): ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    return parsed.args


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
    try:
        parameters = _parse(signature).args
    except SyntaxError as error:
        raise DeclarationError(
            f"signature of operator {op!r} is {signature!r}; expected a parameter list, as in "
            f"'data, weight, units=None'"
        ) from error
    fields = () if attrs_type is None else attrs_type.field_names
    return tuple([ast.unparse(each) for each in parameters if each.arg not in fields])
