"""Where each part of a program is printed.

What is used as an operand gets a line of its own, ``%n = ...;``, in the innermost block that holds
all of its uses. Blocks form a tree: the branches of an ``if``, the body of a function, the arm of a
match, what follows a ``let``. A node's block is the lowest common ancestor of the blocks of
its uses; since users are placed before what they use, that is one walk in reverse topological
order.
"""

# ruff: noqa: SLF001 - the tables behind a class name its methods

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Final

from relayish.ir.attrs import Attrs, DictAttrs
from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, Match, PatternVar
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.traversal import EXPRESSIONS, PATTERNS
from relayish.ir.relay.type import TensorType, Type

LEAVES: Final[frozenset[type[Node]]] = frozenset({Var, GlobalVar, Op, Constant, Constructor})
"""Kinds written where they are used, each time."""


class Position(IntEnum):
    """How a node is used: where its text may stand."""

    OPERAND = 0  # on a line of its own
    VALUE = 1  # behind the = of a let or definition
    TAIL = 2  # as the result of a block
    DEFINITION = 3  # as a function of the module


class Scope:
    """A block; ``jump`` points to some ancestor, so that common ancestors take logarithmic time."""

    __slots__ = ("depth", "jump", "nodes", "parent")

    def __init__(self, parent: Scope | None) -> None:
        self.nodes: list[Expr] = []
        if parent is None:
            self.parent = self.jump = self
            self.depth = 0
            return
        self.parent = parent
        self.depth = parent.depth + 1
        jump = parent.jump
        even = parent.depth - jump.depth == jump.depth - jump.jump.depth
        self.jump = jump.jump if even else parent


def common_scope(left: Scope, right: Scope) -> Scope:
    """Return the innermost block that holds both; logarithmic in their depth."""
    if left.depth < right.depth:
        left, right = right, left
    while left.depth > right.depth:
        left = left.jump if left.jump.depth >= right.depth else left.parent
    while left is not right:
        if left.jump is not right.jump:
            left, right = left.jump, right.jump
        else:
            left, right = left.parent, right.parent
    return left


class Plan:
    """The block of every node, and the nodes that get a line of their own, block by block.

    Args:
        roots: The expressions to print, each with its position in the outermost block.

    Complexity:
        Linear in distinct nodes and edges, times the logarithm of the depth where nodes are shared
        between blocks.
    """

    def __init__(self, roots: Iterable[tuple[Expr, Position]]) -> None:
        self.root = Scope(None)
        self.position: dict[Node, Position] = {}
        """How nodes used once, at a place that takes any expression, are used."""
        self.types: list[Type] = []
        """The types written in the program, apart from those of tensors."""
        self.inner: dict[Node, tuple[Scope, ...]] = {}
        """The blocks that a node opens."""
        self._place: dict[Node, Scope] = {}
        given = list(roots)
        order = _post_order([root for root, _ in given])
        for root, position in given:
            self._use(root, self.root, position)
        place, use = self._place, self._use_operand
        for node in reversed(order):
            scope = place[node]
            if type(node) is Call:
                for arg in node.args:
                    if type(arg) not in LEAVES:
                        use(arg, scope)
                if type(node.op) not in LEAVES:
                    use(node.op, scope)
                if node.type_args:
                    self.types += node.type_args
                if node.attrs is not None:
                    for found in attribute_nodes(node.attrs):
                        use(found, scope)
            else:
                _SPREAD[type(node)](self, node, scope)
        position = self.position  # type: ignore[assignment]
        for node in order:
            if node not in position and not (type(node) is Tuple and not node.fields):  # type: ignore[operator]
                place[node].nodes.append(node)

    def _use_operand(self, child: Expr, scope: Scope) -> None:
        before = self._place.get(child)
        if before is None:
            self._place[child] = scope
        elif before is not scope:
            self._place[child] = common_scope(before, scope)
            self.position.pop(child, None)
        else:
            self.position.pop(child, None)

    def _use(self, child: Expr, scope: Scope, position: Position) -> None:
        if type(child) not in LEAVES:
            if child not in self._place:
                self.position[child] = position
                self._place[child] = scope
            else:
                self._use_operand(child, scope)

    def _operands(self, children: Iterable[Expr], scope: Scope) -> None:
        for child in children:
            if type(child) not in LEAVES:
                self._use_operand(child, scope)

    def _open(self, node: Node, scope: Scope, count: int) -> tuple[Scope, ...]:
        opened = self.inner[node] = tuple([Scope(scope) for _ in range(count)])
        return opened

    def _note_var(self, var: Var) -> None:
        annotation = var.type_annotation
        if annotation is not None and type(annotation) is not TensorType:
            self.types.append(annotation)

    def _spread_if(self, node: If, scope: Scope) -> None:
        self._operands((node.cond,), scope)
        true, false = self._open(node, scope, 2)
        self._use(node.true_branch, true, Position.TAIL)
        self._use(node.false_branch, false, Position.TAIL)

    def _spread_let(self, node: Let, scope: Scope) -> None:
        own = scope if self.position.get(node) is Position.TAIL else Scope(scope)
        after = Scope(own)
        self.inner[node] = (own, after)
        self._note_var(node.var)
        self._use(node.value, own, Position.VALUE)
        self._use(node.body, after, Position.TAIL)

    def _spread_function(self, node: Function, scope: Scope) -> None:
        for param in node.params:
            self._note_var(param)
        if node.ret_type is not None:
            self.types.append(node.ret_type)
        (body,) = self._open(node, scope, 1)
        self._use(node.body, body, Position.TAIL)
        if node.attrs is not None:
            self._operands(attribute_nodes(node.attrs), scope)

    def _spread_match(self, node: Match, scope: Scope) -> None:
        self._operands((node.data,), scope)
        arms = self._open(node, scope, len(node.clauses))
        for clause, arm in zip(node.clauses, arms, strict=True):
            self._use(clause.rhs, arm, Position.TAIL)
            for part in PATTERNS.pre_order(clause.lhs):
                if type(part) is PatternVar:
                    self._note_var(part.var)


_SPREAD: Final[dict[type[Node], Callable[[Plan, Any, Scope], None]]] = {  # Any: a node of the kind
    If: Plan._spread_if,
    Let: Plan._spread_let,
    Function: Plan._spread_function,
    Match: Plan._spread_match,
    Tuple: lambda plan, node, scope: plan._operands(node.fields, scope),
    TupleGetItem: lambda plan, node, scope: plan._operands((node.tuple_value,), scope),
    RefCreate: lambda plan, node, scope: plan._operands((node.value,), scope),
    RefRead: lambda plan, node, scope: plan._operands((node.ref,), scope),
    RefWrite: lambda plan, node, scope: plan._operands((node.ref, node.value), scope),
}


def _post_order(roots: list[Expr]) -> list[Expr]:
    """Return the distinct nodes that are no leaves, operands before users, attributes included."""
    order: list[Expr] = []
    seen: set[Node] = set()
    stack: list[Any] = list(reversed(roots))  # Any: nodes, and None before a node to be finished
    pop, append, finish, enter = stack.pop, stack.append, order.append, seen.add
    push_children = EXPRESSIONS.push
    while stack:
        node = pop()
        if node is None:
            finish(pop())
            continue
        kind = type(node)
        if node in seen or kind in LEAVES:
            continue
        enter(node)
        if kind not in _INNER:
            append(node)
            append(None)
        attrs = node.attrs if kind is Call or kind is Function else None
        if attrs is not None:
            stack += attribute_nodes(attrs)
        push = push_children[kind]
        if push is not None:
            push(node, seen, append)
    return order


_INNER: Final[frozenset[type[Node]]] = frozenset(
    kind for kind in Node.kinds if not issubclass(kind, Expr)
)
"""Patterns and clauses: walked through, but parts of the match they belong to."""
_SIMPLE: Final[frozenset[type]] = frozenset({int, float, str, bool, type(None)})


def attribute_nodes(attrs: Attrs) -> list[Expr]:
    """Return the expressions that are no leaves among attribute values, in order."""
    found: list[Expr] = []
    values = [value for _, value in attrs.items() if type(value) not in _SIMPLE]
    if not values:
        return found
    values.reverse()
    while values:
        value = values.pop()
        if isinstance(value, Expr) and type(value) not in LEAVES:
            found.append(value)
        elif isinstance(value, tuple):
            values += [item for item in reversed(value) if type(item) not in _SIMPLE]
        elif isinstance(value, DictAttrs):
            values += [item for _, item in value.items()][::-1]
    return found
