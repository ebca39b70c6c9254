"""Forms of nodes in Python source, by kind; other packages add those of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.codegen.python.names import ProgramNames
from relayish.errors import DeclarationError, UnknownKindError
from relayish.ir.field import is_node_class
from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node
from relayish.ir.one_line import describe
from relayish.ir.roles import Role
from relayish.ir.scoping import has_scopes, scope_roots

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


FORMS: Final[KindTable[PythonForm]] = KindTable(
    "code generation for Python", "relayish.codegen.register_python_form"
)


def register_python_form(
    kind: type[Node], text: PythonText, *, hint: PythonHint = "", replace: bool = False
) -> PythonText:
    """Say how nodes of class ``kind`` are written in Python, which have nothing but operands.

    What they are written as has to have the value that their evaluator gives them.

    Args:
        kind: A class of nodes that a package declares.
        text: ``text(node, operands, names)`` returns the expression: ``operands`` are the texts of
            the values of :func:`~relayish.ir.scoping.operands`, each a name, a call or the like,
            and ``names.give(hint, value)`` a name for a value that the source is given. The
            expression may use ``np`` and what ``relayish.codegen.python.runtime`` exports.
        hint: What to call the value, or a function of the node that returns that; else what
            the kind is called.
        replace: Take the place of what was said before.

    Returns:
        ``text``.

    Raises:
        DeclarationError: If ``kind`` evaluates scopes, or binds variables.
        DuplicateNameError: If somebody else said that already and ``replace`` is false.

    Example:
        >>> import relayish as relay
        >>> from relayish.codegen import to_python
        >>> from relayish.ir.node import declared_temporarily, node
        >>> from relayish.ir.relay.expr import Expr
        >>> with declared_temporarily():
        ...     @node("twice")
        ...     class Twice(Expr):
        ...         arg: Node
        ...     text = register_python_form(Twice, lambda node, of, names: f"2 * {of[0]}")
        ...     print(str(to_python(Twice(relay.const(3)))).splitlines()[-1])
            return 2 * np.int32(3)
    """
    if is_node_class(kind) and _has_more_than_operands(kind):
        raise DeclarationError(
            f"{kind.__name__} evaluates scopes or binds variables; register_python_form serves "
            f"kinds that have nothing but operands: lower others to Relay's own kinds"
        )
    known = FORMS.get(kind)
    if known is not None and known.write is not None:
        raise DeclarationError(f"how Relay's {kind.__name__} is written cannot be replaced")
    FORMS.register(kind, PythonForm(text, hint), replace=replace, by=text)
    return text


def form_of(node: Node) -> PythonForm:
    """Return how ``node`` is written.

    Raises:
        UnknownKindError: If nobody said how, or it evaluates scopes and is none of Relay's own.
    """
    kind = type(node)
    if has_scopes(kind) and not (FORMS.knows(kind) and FORMS[kind].write) and scope_roots(node):
        raise UnknownKindError(
            f"{describe(node)} evaluates scopes, and has no form in Python; lower it to Relay's "
            f"own kinds before"
        )
    return FORMS[kind]


def hint_for(node: Node) -> str:
    """Return what to call the value of a node that no let names."""
    hint = form_of(node).hint or type(node).visit_name
    return hint if isinstance(hint, str) else hint(node)


def _has_more_than_operands(kind: type[Node]) -> bool:
    return any(field.role in (Role.SCOPE, Role.BINDER) for field in kind.fields_)
