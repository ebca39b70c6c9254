"""Scopes: where each node of a program is computed.

A node that several others use is computed once for each time the scope it belongs to is entered:
the innermost scope that all of its uses have in common. Which fields open scopes, and which
variables are known there, is told by the roles of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, Final

from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import ATOMS, NAMES, VARIABLES, Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.scopes.placement import PLACEMENTS, PlaceChildren
from relayish.ir.scopes.scope_tree import ScopeTree
from relayish.ir.scopes.scoping import PROGRAM, binders, operands, parts, scopes

_ONCE: Final = Runs.ONCE
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
        flat: Kinds whose scopes that run once are no scopes, but part of what is around them: those
            that a pass takes apart, as lets.
        enter: Asked of each node that opens scopes; the inside of those of which it says no is not
            looked at.
        traversal: The traversal that reaches all nodes of the program.
        order: What its ``post_order`` returns, where that is known already.

    Attributes:
        order: All nodes, children before parents.
        scope: The scope of each node, variables included; names have none, nor has what was not
            looked at.
        opened: For each node that opens scopes, these in order; see :func:`~.scoping.scopes`.
        binding_scope: The scope in which each bound variable is known.
        lifted: The nodes that are used in several blocks.
        tree: How scopes lie in one another.

    Complexity:
        Linear in distinct nodes and edges, but for the logarithm of the depth where a node is used
        in several scopes; no recursion.

    Source:
        Relay ``CalcScope``. Relay takes for lifted what belongs further out than its first use,
        also where lets of the same block share it and the inner one comes first.
    """

    _placements: ClassVar[Mapping[type[Node], PlaceChildren | None]] = PLACEMENTS

    def __init__(
        self,
        root: Node | Sequence[Node],
        *,
        flat: Collection[type[Node]] = (),
        enter: Callable[[Node], bool] | None = None,
        traversal: Traversal = PROGRAM,
        order: Sequence[Node] | None = None,
    ) -> None:
        self.order = traversal.post_order(root) if order is None else order
        roots = (root,) if isinstance(root, Node) else root
        self.scope: dict[Node, int] = dict.fromkeys(roots, OUTERMOST)
        self.opened: dict[Node, tuple[int, ...]] = {}
        self.binding_scope: dict[Node, int] = {}
        self.lifted: set[Node] = set()
        self.tree = ScopeTree()
        self.block = [OUTERMOST]
        """For each scope, the innermost block around it, itself included."""
        self.statement_scopes: dict[int, tuple[int, ...]] = {}
        """For each block of statements, the scopes of these, in order."""
        self.shared: set[int] = set()
        """The scopes that :meth:`open_shared` made."""
        self._block_around: dict[int, int] = {}  # around the scope of a statement
        self._new_scope, self._new_block = self.tree.open, self.block.append
        self._flat = flat
        self._is_flat = False
        self._place_all(enter, traversal)

    def _place_all(self, enter: Callable[[Node], bool] | None, traversal: Traversal) -> None:
        """Visit users before what they use."""
        scope_of, push_all, placements = self.scope, traversal.push_all, self._placements
        find, placed, atoms, names, flat = (
            scope_of.get,
            scope_of.setdefault,
            ATOMS,
            NAMES,
            self._flat,
        )
        pending: list[Node] = []
        children: list[Node] = []
        append, extend = children.append, children.extend
        for node in reversed(self.order):
            scope = find(node)
            if scope is None:
                continue
            kind = type(node)
            if kind in atoms:
                if kind in names:
                    del scope_of[node]
                continue
            place_children = placements[kind]
            if place_children is not None:
                if enter is not None and not enter(node):
                    continue
                if flat:
                    self._is_flat = kind in flat
                opened = place_children(self, node, scope, node, pending)
                if pending:
                    opened += self._place_parts(node, scope, pending)
                self.opened[node] = opened
                continue
            push = push_all[kind]
            if push is None:
                continue
            push(node, append, extend)
            for child in children:
                before = placed(child, scope)
                if before != scope and type(child) not in names:
                    self.widen(child, before, scope)
            children.clear()
        for variable, known in self.binding_scope.items():
            before = placed(variable, known)
            if before != known:
                self.widen(variable, before, known)

    def _place_parts(self, node: Node, scope: int, pending: list[Node]) -> tuple[int, ...]:
        """Place what the parts of ``node`` evaluate, in order, and the parts in these."""
        opened: list[int] = []
        while pending:
            part = pending.pop()
            place_children = self._placements[type(part)]
            if place_children is not None:
                opened += place_children(self, part, scope, node, pending)
                continue
            for child in operands(part):
                self.place(child, scope)
        return tuple(opened)

    def bind_again(self, variable: Node, binder: Node, scope: int) -> None:  # noqa: ARG002
        """Note that ``binder`` binds a variable that is bound already, by it or by another node."""
        self.place(variable, scope)

    def place(self, node: Node, scope: int) -> None:
        """Note that ``node`` is used in ``scope``."""
        before = self.scope.setdefault(node, scope)
        if before != scope and type(node) not in NAMES:
            self.widen(node, before, scope)

    def widen(self, node: Node, before: int, scope: int) -> None:
        """Note that ``node``, which is used in the scope ``before``, is used in another as well."""
        if before == OUTERMOST and type(node) in VARIABLES:
            return  # further out is nothing
        self.scope[node] = common = self.tree.find_common_ancestor(before, scope)
        if type(node) not in VARIABLES:
            block = self.block
            if not block[before] == block[common] == block[scope]:
                self.lifted.add(node)

    def open(self, scope: int, runs: Runs) -> int:
        """Return a new scope inside of ``scope``, or that one for what runs once of a flat kind."""
        if runs is _ONCE:
            if self._is_flat:
                return scope
            self._new_block(self.block[scope])
            return self._new_scope(scope)
        opened = self._new_scope(scope)
        self._new_block(opened)
        return opened

    def open_shared(self, scope: int) -> int:
        """Return a new scope around the scopes of a node in which it binds the same variables."""
        opened = self.open(scope, Runs.ONCE)
        self.shared.add(opened)
        return opened

    def place_statements(self, nodes: Sequence[object], scope: int) -> None:
        """Note that several nodes are evaluated in ``scope``, each in a scope of its own."""
        roots = [node for node in nodes if isinstance(node, Node)]
        if len(roots) == 1:
            self.place(roots[0], scope)
            return
        self.statement_scopes[scope] = tuple([self.open(scope, Runs.ONCE) for _ in roots])
        self._block_around.update(dict.fromkeys(self.statement_scopes[scope], scope))
        for root, statement_scope in zip(roots, self.statement_scopes[scope], strict=True):
            self.place(root, statement_scope)

    @property
    def without_insertion_point(self) -> frozenset[int]:
        """The scopes where no let can be inserted: around other scopes of a node, or statements."""
        return frozenset(self.shared).union(self.statement_scopes)

    def declaration_scope(self, scope: int) -> int:
        """Return the scope that declarations in ``scope`` bind in: the block of the statement."""
        return self._block_around.get(scope, scope)

    @property
    def runs(self) -> list[Runs]:
        """For each scope, how often it runs; linear in the scopes."""
        found = [Runs.ONCE] * len(self.block)
        for node, opened in self.opened.items():
            for scope, number in zip(scopes(node), opened, strict=True):
                if scope.runs is not Runs.ONCE:
                    found[number] = scope.runs
        return found

    def binder(self, variable: Node) -> Node | None:
        """Return the node that binds ``variable``, the first that was met; ``None`` for free ones.

        Complexity:
            Linear in the nodes of the program.
        """
        for node in reversed(self.order):
            if node in self.opened:
                for each in (node, *parts(node)):
                    if variable in binders(each):
                        return node
        return None

    def is_inside(self, node: Node, scope: int) -> bool:
        """Return whether ``node`` is computed in ``scope``, or needs no computing.

        Complexity:
            Logarithmic in the depth of scopes.
        """
        own = self.scope.get(node)
        return own is None or self.tree.find_common_ancestor(own, scope) == scope
