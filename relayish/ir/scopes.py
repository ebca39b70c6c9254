"""Scopes: where each node of a program is computed.

A node that several others use is computed once for each time the scope it belongs to is entered:
the innermost scope that all of its uses have in common. Which fields open scopes, and which
variables are known there, is told by the roles of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from relayish.ir.node import ATOMS, NAMES, VARIABLES, Node
from relayish.ir.roles import Runs
from relayish.ir.scope_tree import ScopeTree
from relayish.ir.scoping import PROGRAM, Group, layout
from relayish.ir.traversal import Traversal

OUTERMOST: Final = 0
"""The scope around all others."""


class Scopes:
    """The scopes of the nodes of one program.

    Branches, bodies of loops and functions, and arms of a match open scopes which are blocks:
    pieces of program that are evaluated together or not at all. A scope that runs once, as the body
    of a let, is part of the block around it. A node that binds variables for several scopes, or for
    operands as well, opens one around all of these.

    Args:
        root: The program, or several, which belong to the outermost scope.
        once: Whether what runs once, and so knows more variables than what is around it, is a scope
            of its own.
        enter: Asked of each node that evaluates anything; the inside of those of which it says no
            is not looked at.
        traversal: The traversal that reaches all nodes of the program.
        order: What its ``post_order`` returns, where that is known already.

    Attributes:
        order: All nodes, children before parents.
        scope: The scope of each node, variables included; names have none, nor has what was not
            looked at.
        opened: For each node that opens scopes, these in order; see :func:`~.scoping.scopes`.
        home: The scope in which each bound variable is known, and the node that binds it there.
        lifted: The nodes that are used in several blocks.
        tree: How scopes lie in one another.

    Complexity:
        Linear in distinct nodes and edges, but for the logarithm of the depth where a node is used
        in several scopes; no recursion.

    Source:
        Relay ``CalcScope``. Relay takes for lifted what belongs further out than its first use: it
        overlooks a node that is used in a block and, later, in another one inside of it, and takes
        in what lets of the same block share where the inner one comes first.
    """

    def __init__(
        self,
        root: Node | Sequence[Node],
        *,
        once: bool = True,
        enter: Callable[[Node], bool] | None = None,
        traversal: Traversal = PROGRAM,
        order: Sequence[Node] | None = None,
    ) -> None:
        self.order = traversal.post_order(root) if order is None else order
        roots = (root,) if isinstance(root, Node) else root
        self.scope: dict[Node, int] = dict.fromkeys(roots, OUTERMOST)
        self.opened: dict[Node, tuple[int, ...]] = {}
        self.home: dict[Node, tuple[int, Node]] = {}
        self.lifted: set[Node] = set()
        self.tree = ScopeTree()
        self.block = [OUTERMOST]
        """For each scope, the innermost block around it, itself included."""
        self.runs: list[Runs] = [Runs.ONCE]
        """For each scope, how often it runs."""
        self._once = once
        self._place_all(enter, traversal)

    def _place_all(self, enter: Callable[[Node], bool] | None, traversal: Traversal) -> None:
        """Visit users before what they use."""
        scope_of, table, names = self.scope, traversal.push_all, NAMES
        for node in reversed(self.order):
            scope = scope_of.get(node)
            kind = type(node)
            if scope is None or kind in ATOMS or (enter is not None and not enter(node)):
                continue
            lay_out = layout(kind)
            if lay_out is not None:
                self._open_all(node, scope, *lay_out(node))
                continue
            push = table[kind]
            if push is None:
                continue
            children: list[Node] = []
            push(node, children.append, children.extend)
            for child in children:
                before = scope_of.get(child)
                if before is None:
                    if type(child) not in names:
                        scope_of[child] = scope
                elif before != scope:
                    self._place(child, scope)

    def _open_all(
        self, node: Node, scope: int, outside: Sequence[Node], groups: Sequence[Group]
    ) -> None:
        for child in outside:
            self._place(child, scope)
        opened: list[int] = []
        for binders, seeing, inner in groups:
            around = scope
            if binders and (seeing or len(inner) != 1):
                around = self._open(scope, Runs.ONCE)
            for roots, runs, _ in inner:
                place = around
                if not (binders and runs is Runs.ONCE and around != scope):
                    place = self._open(around, runs)
                opened.append(place)
                for child in roots:
                    self._place(child, place)
            known = around if around != scope or not opened else opened[-1]
            for child in seeing:
                self._place(child, known)
            for variable in binders:
                self._bind(variable, known, node)
        self.opened[node] = tuple(opened)

    def _bind(self, variable: Node, scope: int, binder: Node) -> None:
        self.home.setdefault(variable, (scope, binder))
        self._place(variable, scope)

    def _place(self, node: Node, scope: int) -> None:
        if type(node) in NAMES:
            return
        before = self.scope.setdefault(node, scope)
        if before == scope:
            return
        common = self.tree.common(before, scope)
        block = self.block
        if type(node) not in VARIABLES and not block[before] == block[common] == block[scope]:
            self.lifted.add(node)
        self.scope[node] = common

    def _open(self, scope: int, runs: Runs) -> int:
        if runs is Runs.ONCE and not self._once:
            return scope
        opened = self.tree.open(scope)
        self.block.append(self.block[scope] if runs is Runs.ONCE else opened)
        self.runs.append(runs)
        return opened

    def is_inside(self, node: Node, scope: int) -> bool:
        """Return whether ``node`` is computed in ``scope``, or needs no computing.

        Complexity:
            Logarithmic in the depth of scopes.
        """
        own = self.scope.get(node)
        return own is None or self.tree.common(own, scope) == scope
