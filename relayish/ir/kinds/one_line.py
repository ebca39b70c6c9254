"""One-line form of nodes, in which errors quote a program: ``add(%0, %b)``.

Variables and other atoms are shown as they are, operands that are no atoms by numbers, scopes as
``{...}``. The form of a kind follows from the roles of its fields unless it has one of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import numpy as np

from relayish._support.printable import escape
from relayish.errors import indefinite
from relayish.ir.fields.field import Field
from relayish.ir.fields.naming import brief, name_field, name_of
from relayish.ir.fields.roles import Atom, Role
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.span import at_span
from relayish.ir.values.literal import spell_scalar

LONGEST: Final = 120
"""How many characters a line has at most."""
_LONGEST_NAME: Final = 40
_MOST: Final = 6
_MOST_NESTED: Final = 24
_MOST_BITS: Final = 128
_MOST_EXPLAINED: Final = 2
_LONGEST_OPERAND: Final = 60


class Operands:
    """Shows what a line is made of: ``operands(node, ...)``, with commas between them.

    Nodes that are no atoms have numbers, ``%0``, ``%1``, …, the same where they are the same.
    """

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Node, int] = {}

    def __call__(self, *nodes: Node | None) -> str:
        shown = [self._show(node) for node in nodes[:_MOST]]
        if len(nodes) > _MOST:
            shown.append("...")
        return ", ".join(shown)

    def _show(self, node: Node | None) -> str:
        if node is None:
            return "None"
        if type(node) in ATOMS:
            return LINES[type(node)](node, self)
        return f"%{self.numbers.setdefault(node, len(self.numbers))}"


class _Nested(Operands):
    """Shows operands as they are written, up to some number of nodes in all, with ``...`` after."""

    __slots__ = ("left", "name_of")

    def __init__(self, name_of: Callable[[Node], str | None], most: int) -> None:
        super().__init__()
        self.name_of, self.left = name_of, most

    def _show(self, node: Node | None) -> str:
        if node is None:
            return "None"
        name = self.name_of(node)
        if name is not None:
            return name
        self.left -= 1
        return LINES[type(node)](node, self) if self.left >= 0 else "..."


Line = Callable[[Any, Operands], str]  # Any: nodes of one kind
"""``line(node, operands)``: the text, in which ``operands(child, ...)`` shows children.

It looks at no more than the fields of the node."""


def one_line(node: Node) -> str:
    """Return ``node`` in one line of at most :data:`LONGEST` characters.

    Nothing below its operands is looked at.

    Complexity:
        Bounded, however large the node is.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> a = Var("a")
        >>> one_line(Tuple((a, Tuple((a,)))))
        '(%a, %0)'
    """
    return _cut(LINES[type(node)](node, Operands()), LONGEST)


def nested_line(
    node: Node,
    name_of: Callable[[Node], str | None],
    *,
    most: int = _MOST_NESTED,
    longest: int = LONGEST,
) -> str:
    """Return ``node`` in one line with what is below it, as far as there is room.

    Args:
        node: An expression.
        name_of: What something below is called where the line stands; ``None`` if it has no name.
        most: How many nodes are shown; the others are dots.
        longest: How many characters the line has at most.

    Complexity:
        Bounded, however large the node is.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> a = Var("a")
        >>> nested_line(Tuple((a, Tuple((a,)))), lambda node: None)
        '(%a, (%a,))'
    """
    return _cut(_Nested(name_of, most)(node), longest)


def one_line_where(node: Node) -> tuple[str, str]:
    """Return ``node`` in one line, and what the first numbers in it stand for.

    Complexity:
        Bounded, however large the node is.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, TupleGetItem, Var
        >>> a = Var("a")
        >>> one_line_where(Tuple((TupleGetItem(a, 1), Tuple((a, Tuple(()))))))
        ('(%0, %1)', '%0 is %a.1, %1 is (%a, %2)')
        >>> one_line_where(Tuple((a,)))
        ('(%a,)', '')
    """
    operands = Operands()
    line = _cut(LINES[type(node)](node, operands), LONGEST)
    explained = []
    for operand, number in list(operands.numbers.items())[:_MOST_EXPLAINED]:
        shown = _cut(LINES[type(operand)](operand, operands), _LONGEST_OPERAND)
        explained.append(f"%{number} is {shown}")
    return line, ", ".join(explained)


def one_line_at(node: Node) -> str:
    """Return ``node`` in one line and where it comes from: ``add(%0, %b) at model.relay:12:8``."""
    return one_line(node) + at_span(node)


def quote(node: Node) -> str:
    """Return ``node`` in one line, its place or, where it has none, what numbers stand for.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> quote(Tuple((Tuple((Var("a"),)),)))
        '(%0,), where %0 is (%a,)'
    """
    if at_span(node):
        return one_line_at(node)
    line, where = one_line_where(node)
    return f"{line}, where {where}" if where else line


def describe(node: Node) -> str:
    """Return what an error says of ``node``, kind and place: ``"a Call at model.relay:12:8"``.

    One without a place is shown: ``"a Call (add(%0, %b))"``.
    """
    place = at_span(node)
    if not place:
        shown = one_line(node)
        place = f" {shown}" if shown.startswith("(") else f" ({shown})"
    return indefinite(type(node)) + place


def show_found(value: object) -> str:
    """Return a value and its class, as errors say what they found: ``add(%0, %b) (Call)``."""
    if value is None:
        return "None"
    shown = one_line(value) if isinstance(value, Node) else brief(value)
    return f"{shown} ({type(value).__name__})"


def shorten(name: str) -> str:
    """Return ``name`` on one line, and not too long for one."""
    return escape(_cut(name, _LONGEST_NAME))


def _line_of_fields(node: Node, operands: Operands) -> str:
    """Return the form that the declaration of a kind tells."""
    kind = type(node)
    match kind.traits_.atom:
        case Atom.VARIABLE | Atom.NAME if name_field(kind) is not None:
            name = shorten(name_of(node)) or "_"
            return f"%{name}" if kind.traits_.atom is Atom.VARIABLE else name
        case Atom.LITERAL:
            return ", ".join(_show_leaf(getattr(node, f.name)) for f in _leaves(kind)[:1])
    if kind.held_as_ is not Role.OPERAND:
        return escape(repr(node))
    return f"{kind.visit_name}({', '.join(_show_fields(node, operands))})"


def _show_fields(node: Node, operands: Operands) -> list[str]:
    shown: list[str] = []
    for declared in type(node).fields_:
        value = getattr(node, declared.name)
        if declared.role is Role.OPERAND or declared.role is Role.BINDER:
            given = operands(*(value if declared.holds_many else [value]))
            shown += [given] if given else []
        elif declared.role in (Role.SCOPE, Role.PART):
            shown.append("{...}")
    leaves = [(f.name, getattr(node, f.name)) for f in _leaves(type(node))]
    return shown + [f"{name}={_show_leaf(value)}" for name, value in leaves if value is not None]


def _leaves(kind: type[Node]) -> list[Field]:
    return [f for f in kind.fields_ if f.role is Role.LEAF and f.compared]


def _show_leaf(value: object) -> str:
    """Return what is to be seen of a value at a glance, however large or deep it is."""
    match value:
        case np.ndarray():
            return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
        case np.generic():
            return spell_scalar(value) or str(value)
        case str():
            return repr(_cut(value, _LONGEST_NAME))
        case tuple():
            items = ["(...)" if isinstance(v, tuple) else _show_leaf(v) for v in value[:_MOST]]
            return f"({', '.join(items)}{', ...' if len(value) > _MOST else ''})"
        case int() if value.bit_length() > _MOST_BITS:
            return f"<a number of {value.bit_length()} bits>"
        case None | int() | float() | Enum():
            return str(value)
    return f"<{type(value).__name__}>"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


LINES: Final[KindTable[Line]] = KindTable(
    "the one-line form", "relayish.ir.kinds.one_line.LINES", {Node: _line_of_fields}
)
"""By kind; kinds without a form of their own are shown by their fields."""
