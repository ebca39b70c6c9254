"""Value numbering: one representative for the expressions of a program that are computed alike.

Two expressions of one representative have one value where they are evaluated in the same state:
variables count by identity, everything else by its kind, what it holds, and the numbers of its
operands.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias

from relayish.dataflow.graph.mod_ref import mod_ref_of
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Shape
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import Nodes, compile_getter, scope_fields
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import ATOMS, NAMES, VARIABLES, Node
from relayish.ir.nodes.traversal import EVERYTHING, ByKind
from relayish.ir.scopes.scoping import has_parts, has_scopes

ExpressionKey: TypeAlias = Callable[[Any], Hashable]  # Any: a node of one kind
"""``key(node)``: what tells a node from others that take the same values; ``None``: anything may.
"""


class ValueNumbers:
    """Representatives of expressions.

    Complexity:
        Each distinct node is looked at once, however often it is asked for; no recursion.

    Example:
        >>> from relayish import tir
        >>> x, y = tir.Var("x"), tir.Var("y")
        >>> numbers = ValueNumbers()
        >>> first = (x + 1) * y
        >>> numbers.number((x + 1) * y) is numbers.number(first)
        True
        >>> numbers.number(tir.Call("int32", "who_knows")) is None
        True
        >>> [place.name for place in numbers.depends_on(first)]
        ['x', 'y']
    """

    def __init__(self) -> None:
        self._number: dict[Node, Node | None] = {}
        self._by_key: dict[Hashable, Node] = {}
        self._depends: dict[Node, Nodes] = {}
        self._reads_memory: dict[Node, bool] = {}

    def number(self, expr: Node) -> Node | None:
        """Return the representative of ``expr``; ``None`` if it has no one value in one state."""
        known = self._number
        if expr not in known:
            for node in EVERYTHING.order_after(expr, self._before):
                if node not in known:
                    known[node] = self._enter(node)
        return known[expr]

    def depends_on(self, expr: Node) -> Nodes:
        """Return the variables and places on whose contents the value of ``expr`` depends.

        Complexity:
            Linear in the variables of each operand, once.
        """
        number = self.number(expr)
        return () if number is None else self._depends.get(number, ())

    def reads_memory(self, expr: Node) -> bool:
        """Return whether the value of ``expr`` may depend on memory that it does not name."""
        number = self.number(expr)
        return number is not None and self._reads_memory.get(number, False)

    def _before(self, node: Node) -> Sequence[Node]:
        if node in self._number or type(node) in ATOMS:
            return ()
        return operands_of_expression(node) or ()

    def _enter(self, node: Node) -> Node | None:
        kind = type(node)
        if kind in VARIABLES:
            self._depends[node] = (node,)
            return node
        if kind in NAMES:
            return node
        held = () if kind in ATOMS else operands_of_expression(node)
        key = None if held is None else EXPRESSION_KEYS[kind](node)
        if held is None or key is None:
            return None
        numbers = [self._number[each] for each in held]
        if None in numbers:
            return None
        found = self._by_key.setdefault((kind, key, _HELD_HOW[kind](node), *numbers), node)
        if found is node and kind not in ATOMS:
            self._note(node, [number for number in numbers if number is not None])
        return found

    def _note(self, node: Node, below: Sequence[Node]) -> None:
        """Note what a new representative depends on."""
        own = mod_ref_of(node)
        depends: dict[Node, None] = {}
        for each in below:
            depends.update(dict.fromkeys(self._depends.get(each, ())))
        depends.update(dict.fromkeys((*own.uses, *own.reads)))
        self._depends[node] = tuple(depends)
        reads = bool(own.effect & Effect.READS)
        self._reads_memory[node] = reads or any(self._reads_memory.get(b, False) for b in below)


def operands_of_expression(node: Node) -> Nodes | None:
    """Return all that ``node`` holds and its value is made of; ``None`` if it is no expression.

    An expression takes values of operands and reads places; it has no scopes, makes nothing that is
    another thing each time, and does nothing else.
    """
    kind = type(node)
    held: Callable[[Any], Nodes] | None = _HELD[kind]
    if held is None:
        return None
    own = mod_ref_of(node)
    does = own.overwrites or own.changes or own.clears or own.exposes
    return None if does or own.effect & ~Effect.READS else held(node)


def _derive(node: Node) -> Hashable:
    """Return what a node holds beside operands, if it does nothing but read."""
    kind = type(node)
    if kind.traits_.effect & ~Effect.READS or kind.traits_.allocates:
        return None
    return key_of_fields(node)


def key_of_fields(node: Node) -> Hashable:
    """Return a key of all that ``node`` holds beside operands."""
    return tuple([_key_of_field(getattr(node, name)) for name in _OTHER_FIELDS[type(node)]])


def _key_of_field(value: object) -> Hashable:
    if isinstance(value, Node):
        return value
    if isinstance(value, tuple) and any(isinstance(item, Node) for item in value):
        return value
    return make_exact_key(value)


def _held_of_kind(kind: type[Node]) -> Callable[[Any], Nodes] | None:
    if has_scopes(kind) or has_parts(kind) or scope_fields(kind).binders:
        return None
    return compile_getter([f for f in kind.fields_ if f.role is Role.OPERAND])


def _held_how_of_kind(kind: type[Node]) -> Callable[[Any], Hashable]:
    """Return what tells how operands are distributed among the fields of nodes of a kind."""
    several = [
        f for f in kind.fields_ if f.role is Role.OPERAND and f.shape not in (Shape.ONE, Shape.MANY)
    ]
    many = [f for f in kind.fields_ if f.role is Role.OPERAND and f.shape is Shape.MANY]
    if not several and len(many) < 2:
        return lambda _: None
    names = [f.name for f in (*several, *many)]

    def held_how(node: Node) -> Hashable:
        return tuple([_without_nodes(getattr(node, name)) for name in names])

    return held_how


def _without_nodes(value: object) -> Hashable:
    """Return a key of a field without the nodes in it."""
    if isinstance(value, tuple):
        return tuple([None if isinstance(i, Node) else (make_exact_key(i),) for i in value])
    return isinstance(value, Node)


def _other_fields(kind: type[Node]) -> list[str]:
    return [f.name for f in kind.fields_ if f.compared and f.role is not Role.OPERAND]


_HELD: Final = ByKind(_held_of_kind)
_HELD_HOW: Final = ByKind(_held_how_of_kind)
_OTHER_FIELDS: Final = ByKind(_other_fields)

EXPRESSION_KEYS: Final[KindTable[ExpressionKey]] = KindTable(
    "value numbering", "relayish.dataflow.EXPRESSION_KEYS", {Node: _derive}
)
"""By kind: what tells nodes apart that are given the same values; ``None`` if no two evaluations
of a node are alike.

Without that, nodes that do nothing but read are told apart by all they hold beside operands, and no
two others are ever alike."""
