"""Descriptions of operators: what one does, takes and gives, in a few lines of its declaration.

The first line is a sentence. The second has the shapes of the arguments and, after ``->``, of the
result; a parameter of which something special is to be said stands there as well. Further lines are
remarks. A line that is indented further goes on with the one before::

    Multiply vectors by the transpose of a matrix.
    data (..., k); weight (units, k) -> (..., units)

Docstrings of builders are made of it, and of what attributes are everywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Final, NamedTuple

from relayish.op.declaration.attribute_vocabulary import ATTRIBUTES

_EMPTY: Final = inspect.Parameter.empty


class Description(NamedTuple):
    """What is said of one operator.

    Attributes:
        summary: What it does, in a sentence.
        arguments: By name: the shape of an argument, or what there is to say of it.
        result: The shape of the result, or what it is.
        remarks: Further sentences.
    """

    summary: str
    arguments: Mapping[str, str]
    result: str
    remarks: tuple[str, ...]


def read_description(text: str) -> Description:
    """Return what ``text`` says, in the form that the module tells of."""
    lines: list[str] = []
    for line in inspect.cleandoc(text).splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += f" {line.strip()}"
        elif line.strip():
            lines.append(line.strip())
    has_shapes = len(lines) > 1 and "->" in lines[1]
    shapes, _, result = (lines[1] if has_shapes else "->").partition("->")
    described = [part.strip().partition(" ") for part in shapes.split(";") if part.strip()]
    return Description(
        lines[0] if lines else "",
        {name: shape for name, _, shape in described},
        result.strip(),
        tuple(lines[2 if has_shapes else 1 :]),
    )


def build_docstring(
    name: str,
    signature: inspect.Signature,
    description: str | None,
    otherwise: str | None = None,
    *,
    is_relays: bool = True,
) -> str:
    """Return what ``help`` shows of the builder called ``name``, without its signature.

    Args:
        name: A Relay name: of an operator, or of a function that makes several calls.
        signature: The parameters of the builder.
        description: What its declaration says of it.
        otherwise: Its own docstring, which serves where nothing else is said of it; where
            something is, its first paragraph is left out.
        is_relays: Whether it is Relay's, and not one that another package declares.
    """
    own = inspect.cleandoc(otherwise or "")
    if description is None:
        return own or f"Return a call of the operator ``{name}``."
    said = read_description(description)
    parts = [said.summary]
    parts += ["\n".join(said.remarks)] if said.remarks else []
    parts += own.split("\n\n")[1:]
    parameters = [
        _describe(parameter, said.arguments.get(parameter.name))
        for parameter in signature.parameters.values()
    ]
    if parameters:
        parts.append("Args:\n" + "\n".join(f"    {line}" for line in parameters))
    parts.append(f"Returns:\n    {said.result or 'A call.'}")
    parts += [f"Source:\n    Relay ``{name}``."] if is_relays else []
    return "\n\n".join(parts) + "\n"


def _describe(parameter: inspect.Parameter, shape: str | None) -> str:
    said = shape or ATTRIBUTES.get(parameter.name, "an expression")
    default = parameter.default
    left_out = "" if default is _EMPTY or default is None else f"; {default!r} if left out"
    return f"{parameter.name}: {said}{left_out}"
