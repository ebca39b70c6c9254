"""The docstrings of builders."""

from __future__ import annotations

import inspect
from typing import Final

from relayish.op.documentation.attributes import ATTRIBUTES
from relayish.op.documentation.entry import load_documentation

_EMPTY: Final = inspect.Parameter.empty


def build_docstring(name: str, signature: inspect.Signature, otherwise: str | None = None) -> str:
    """Return what ``help`` shows of the builder called ``name``, without its signature.

    Args:
        name: A Relay name: of an operator, or of a function that makes several calls.
        signature: The parameters of the builder.
        otherwise: Its own docstring, which serves where nothing else is said of it; where
            something is, its first paragraph is left out.
    """
    entry = load_documentation().get(name)
    own = inspect.cleandoc(otherwise or "")
    if entry is None:
        return own or f"Return a call of the operator ``{name}``."
    parts = [entry.summary]
    parts += ["\n".join(entry.remarks)] if entry.remarks else []
    parts += own.split("\n\n")[1:]
    parameters = [
        _describe(parameter, entry.arguments.get(parameter.name))
        for parameter in signature.parameters.values()
    ]
    if parameters:
        parts.append("Args:\n" + "\n".join(f"    {line}" for line in parameters))
    parts.append(f"Returns:\n    {entry.result or 'A call.'}")
    parts.append(f"Source:\n    Relay ``{name}``.")
    return "\n\n".join(parts) + "\n"


def _describe(parameter: inspect.Parameter, shape: str | None) -> str:
    said = shape or ATTRIBUTES.get(parameter.name, "an expression")
    default = parameter.default
    left_out = "" if default is _EMPTY or default is None else f"; {default!r} if left out"
    return f"{parameter.name}: {said}{left_out}"
