"""The scope that each node of an expression belongs to: where a let would have to bind it.

A node belongs to the innermost scope that all of its uses have in common. Branches of ``If``, arms
of ``Match`` and bodies of functions open scopes, which are blocks: pieces of program that are
evaluated together or not at all. A let opens one as well, in which its variable, value and body
stand, and which is part of the block around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from relayish.analysis.marks import is_primitive
from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.expr import Expr, Function, GlobalVar, If, Let, Op, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scope_tree import ScopeTree

OUTERMOST: Final = 0
"""The scope around all others."""

ATOMS: Final[frozenset[type[Node]]] = frozenset({Var, GlobalVar, Op, Constructor})
"""The kinds of nodes that are names of something, and need no binding to be shared."""

_UNPLACED: Final = ATOMS - {Var}


class NodeScopes:
    """The scopes of the nodes of one expression.

    Args:
        root: The expression; it belongs to the outermost scope.
        lets: Whether lets open scopes of their own.

    Attributes:
        scope: The scope of each node, variables included; names of other kinds have none, nor
            has what is inside a primitive function.
        inner: The scopes that each function, ``If``, ``Match`` and let opens, in order.
        lifted: The nodes that are used in several blocks.

    Complexity:
        Linear in distinct nodes and edges, but for the logarithm of the depth where a node is used
        in several scopes; no recursion.

    Source:
        Relay ``CalcScope``. Relay takes for lifted what belongs further out than its first use: it
        overlooks a node that is used in a block and, later, in another one inside of it, and takes
        in what lets of the same block share where the inner one comes first.
    """

    def __init__(self, root: Expr, *, lets: bool = True) -> None:
        self.scope: dict[Node, int] = {root: OUTERMOST}
        self.inner: dict[Node, tuple[int, ...]] = {}
        self.lifted: set[Node] = set()
        self._lets = lets
        self._tree = ScopeTree()
        self._block = [OUTERMOST]
        self._place_all(root)

    def _place_all(self, root: Expr) -> None:
        """Visit users before what they use."""
        scope_of, table = self.scope, EXPRESSIONS.push_all
        child: Node
        for node in reversed(EXPRESSIONS.post_order(root)):
            scope = scope_of.get(node)
            kind = type(node)
            if scope is None or kind is Var:
                continue
            spread = _SPREAD.get(kind)
            if spread is not None:
                for child, inner in spread(self, node, scope):
                    if type(child) not in _UNPLACED:
                        self._place(child, inner)
                continue
            push = table[kind]
            if push is None:
                continue
            children: list[Node] = []
            push(node, children.append, children.extend)
            for child in children:
                before = scope_of.get(child)
                if before is None:
                    if type(child) not in _UNPLACED:
                        scope_of[child] = scope
                elif before != scope:
                    self._place(child, scope)

    def _place(self, node: Node, scope: int) -> None:
        before = self.scope.setdefault(node, scope)
        if before == scope:
            return
        common = self._tree.common(before, scope)
        block = self._block
        if type(node) is not Var and not block[before] == block[common] == block[scope]:
            self.lifted.add(node)
        self.scope[node] = common

    def _open(self, scope: int, *, block: bool = True) -> int:
        opened = self._tree.open(scope)
        self._block.append(opened if block else self._block[scope])
        return opened

    # The children of each kind that opens scopes, with the scopes they stand in

    def _let(self, let: Let, scope: int) -> Iterator[tuple[Expr, int]]:
        inner = self._open(scope, block=False) if self._lets else scope
        self.inner[let] = (inner,)
        yield let.var, inner
        yield let.value, inner
        yield let.body, inner

    def _if(self, if_: If, scope: int) -> Iterator[tuple[Expr, int]]:
        true, false = self.inner[if_] = (self._open(scope), self._open(scope))
        yield if_.cond, scope
        yield if_.true_branch, true
        yield if_.false_branch, false

    def _function(self, func: Function, scope: int) -> Iterator[tuple[Expr, int]]:
        if is_primitive(func):
            return
        inner = self._open(scope)
        self.inner[func] = (inner,)
        for param in func.params:
            yield param, inner
        yield func.body, inner

    def _match(self, match: Match, scope: int) -> Iterator[tuple[Expr, int]]:
        arms = self.inner[match] = tuple([self._open(scope) for _ in match.clauses])
        yield match.data, scope
        for clause, arm in zip(match.clauses, arms, strict=True):
            yield clause.rhs, arm


# Any: each function takes the node kind it stands under
_SPREAD: Final[dict[type[Node], Callable[[NodeScopes, Any, int], Iterator[tuple[Expr, int]]]]] = {
    Let: NodeScopes._let,  # noqa: SLF001 - the table behind this class
    If: NodeScopes._if,  # noqa: SLF001
    Function: NodeScopes._function,  # noqa: SLF001
    Match: NodeScopes._match,  # noqa: SLF001
}
