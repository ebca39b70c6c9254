"""Forms of nodes in Python source, by kind; other packages add those of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.codegen.python.names import ProgramNames
from relayish.errors import DeclarationError, UnknownKindError
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes, scope_roots

PythonText: TypeAlias = Callable[[Any, Sequence[str], ProgramNames], str]
"""``text(node, operands, names)``: an expression of Python; Any: a node of the kind.

``operands`` are the texts by which the values of the operands are read, which may stand in front of
``.`` and ``[``. ``names.give(hint, value)`` returns a name for what no text says.
"""

PythonHint: TypeAlias = str | Callable[[Any], str]
"""What to call the value of a node that no let names, or what tells; Any: a node of the kind."""


class PythonForm(NamedTuple):
    """How nodes of a kind are written.

    Attributes:
        text: Their values in terms of those of their operands; ``None`` for kinds with more.
        hint: What the value is called; empty for the name of the kind.
        write: ``write(writer, node, tail)`` for kinds without a text, some of Relay's.
    """

    text: PythonText | None
    hint: PythonHint = ""
    write: Callable[[Any, Any, bool], None] | None = None  # Any: a writer, above this; a node


PYTHON_FORMS: Final[MadeTable[PythonForm, PythonForm | PythonText]] = MadeTable(
    "code generation for Python",
    "relayish.codegen.PYTHON_FORMS",
    lambda kind, given: _form(kind, given if isinstance(given, PythonForm) else PythonForm(given)),
)
"""How nodes of a kind are written in Python.

A package says of kinds that have nothing but operands their text, or a :class:`PythonForm` with
that and what to call the value. What they are written as has to have the value that their
evaluator gives them; it may use ``np`` and what ``relayish.codegen.python.runtime`` exports."""


def _form(kind: type[Node], form: PythonForm) -> PythonForm:
    if form.write is not None:  # one of Relay's own
        return form
    if _has_more_than_operands(kind):
        raise DeclarationError(
            f"{kind.__name__} evaluates scopes or binds variables; PYTHON_FORMS serves "
            f"kinds that have nothing but operands: lower others to Relay's own kinds"
        )
    known = PYTHON_FORMS.get(kind)
    if known is not None and known.write is not None:
        raise DeclarationError(f"how Relay's {kind.__name__} is written cannot be replaced")
    return form


def form_of(node: Node) -> PythonForm:
    """Return how ``node`` is written.

    Raises:
        UnknownKindError: If nobody said how, or it evaluates scopes and is none of Relay's own.
    """
    kind = type(node)
    if (
        has_scopes(kind)
        and not (PYTHON_FORMS.knows(kind) and PYTHON_FORMS[kind].write)
        and scope_roots(node)
    ):
        raise UnknownKindError(
            f"{describe(node)} evaluates scopes, and has no form in Python; lower it to Relay's "
            f"own kinds before"
        )
    return PYTHON_FORMS[kind]


def hint_for(node: Node) -> str:
    """Return what to call the value of a node that no let names."""
    hint = form_of(node).hint or type(node).visit_name
    return hint if isinstance(hint, str) else hint(node)


def _has_more_than_operands(kind: type[Node]) -> bool:
    return any(field.role in (Role.SCOPE, Role.BINDER) for field in kind.fields_)
