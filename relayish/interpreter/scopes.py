"""Where each node of an expression is evaluated, and how often it is used.

A node that several others share is evaluated once per activation of the scope it belongs to: the
innermost one that all of its uses have in common. Scopes are the bodies of functions, the branches
of ``If`` and the arms of ``Match``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, Match
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
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scope_tree import ScopeTree

LEAVES: Final = frozenset({Var, GlobalVar, Constant, Op, Constructor})
"""The kinds whose value needs no computing; they belong to no scope."""


def _call_operands(call: Call) -> tuple[Expr, ...]:
    return call.args if type(call.op) is Op else (call.op, *call.args)


# Any: each function takes the node kind it stands under
_OPERANDS: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {
    Call: _call_operands,
    Tuple: lambda node: node.fields,
    TupleGetItem: lambda node: (node.tuple_value,),
    Let: lambda node: (node.value, node.body),
    RefCreate: lambda node: (node.value,),
    RefRead: lambda node: (node.ref,),
    RefWrite: lambda node: (node.ref, node.value),
    If: lambda node: (node.cond,),
    Function: lambda _node: (),
    Match: lambda node: (node.data,),
}
"""What is evaluated in the scope of a node itself."""

_SCOPED: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {  # Any: as above
    If: lambda node: (node.true_branch, node.false_branch),
    Function: lambda node: (node.body,),
    Match: lambda node: tuple([clause.rhs for clause in node.clauses]),
}
"""What is evaluated in scopes that a node opens, one scope each."""


class Scopes:
    """The scopes of one expression.

    Attributes:
        uses: How many operands each node is, over the whole expression.
        scope: The scope each computed node belongs to (nodes of the outermost one may be absent).
        shared: The computed nodes that are used from some scope inside their own.
        function: For each scope, the innermost scope around it that is the body of a function.
        body: The scope that each function opens.
    """

    def __init__(self, root: Expr) -> None:
        order = EXPRESSIONS.post_order(root)
        self.uses: defaultdict[Node, int] = defaultdict(int)
        self.scope: dict[Node, int] = {root: 0}
        self.shared: set[Node] = set()
        self.body: dict[Node, int] = {}
        self.function = [0]
        self._tree = ScopeTree()
        self.uses[root] = 1
        if _SCOPED.keys().isdisjoint(map(type, order)):
            self._count(order)
        else:
            self._place(order)

    def _count(self, order: list[Node]) -> None:
        uses, table = self.uses, _OPERANDS
        for node in order:
            operands = table.get(type(node))
            if operands is not None:
                for child in operands(node):
                    uses[child] += 1

    def _place(self, order: list[Node]) -> None:
        """Visit parents before children, so that all uses of a node are known at its turn."""
        uses, scope_of, shared = self.uses, self.scope, self.shared
        for node in reversed(order):
            kind = type(node)
            operands = _OPERANDS.get(kind)
            if operands is None or node not in scope_of:
                continue
            scope = scope_of[node]
            if node in shared:  # its code may run from any of its uses: a scope of its own
                scope = self._open(scope)
            for child in operands(node):
                uses[child] += 1
                if type(child) not in LEAVES and scope_of.setdefault(child, scope) != scope:
                    self._share(child, scope)
            scoped = _SCOPED.get(kind)
            if scoped is None:
                continue
            for child in scoped(node):
                inner = self._open(scope)
                if kind is Function:
                    self.function[inner] = inner
                    self.body[node] = inner
                uses[child] += 1
                if type(child) not in LEAVES and scope_of.setdefault(child, inner) != inner:
                    self._share(child, inner)

    def _open(self, parent: int) -> int:
        self.function.append(self.function[parent])
        return self._tree.open(parent)

    def _share(self, node: Node, scope: int) -> None:
        self.shared.add(node)
        self.scope[node] = self._tree.common(self.scope[node], scope)
