"""Blocks of an expression: what belongs to each, names, and what it captures of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Function, Let, Tuple
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import Scope, evaluated, free_variables, operands, scopes
from relayish.onnx.calls import graphs_of
from relayish.onnx.op_names import identity_of


class Blocks:
    """The blocks of an expression: pieces that are evaluated together or not at all.

    Attributes:
        outermost: The block of what a root computes, or is.
        free: Variables that are bound nowhere, which belong to the outermost block.
        members: By block its nodes, operands before users.
        around: By block the next further out.
        captured: By block what it uses of those further out, be it in blocks inside.
        bound: By variable of a let what it is bound to, and by let its body.
        name: By value the name that a let gives it.
        absorbed: By function the call that it belongs to: that of what it calls, or that of the
            operator of which it is a graph.

    Complexity:
        Linear in distinct nodes and edges, and in what blocks capture; no recursion.
    """

    def __init__(self, root: Node) -> None:
        self._scopes = Scopes(root)
        self.members: dict[int, list[Node]] = {}
        self.around: dict[int, int] = {}
        self.captured: dict[int, dict[Node, None]] = {}
        self.bound: dict[Node, Node] = {}
        self.name: dict[Node, str] = {}
        self.absorbed: dict[Node, Node] = {}
        self._uses: Counter[Node] = Counter([root])
        self._block = self._find_blocks()
        self.outermost = self.of(root)[0][1] if isinstance(root, Function) else OUTERMOST
        self.free = free_variables(root)
        self._free = frozenset(self.free)
        self._look_around()

    def of(self, node: Node) -> list[tuple[Scope, int]]:
        """Return the scopes of a node that are blocks, with their numbers."""
        opened = self._scopes.opened.get(node, ())
        found = zip(scopes(node), opened, strict=True)
        return [(each, number) for each, number in found if self._block[number] == number]

    def shared_of(self, node: Node) -> int | None:
        """Return the block around those of a node in which these know what it binds, if any."""
        opened = self._scopes.opened.get(node, ())
        around = self._scopes.tree.parent[opened[0]] if opened else None
        # that in which the node itself lies is another's
        is_own = around in self._scopes.shared and around != self._scopes.scope.get(node)
        return around if is_own else None

    def _find_blocks(self) -> list[int]:
        """Return the block of each scope: of the body of a let, and of statements, that around."""
        placed = self._scopes
        merged = {n for own in placed.statement_scopes.values() for n in own}
        merged |= {n for node, own in placed.opened.items() if isinstance(node, Let) for n in own}
        block: list[int] = []
        for number, parent in enumerate(placed.tree.parent):
            block.append(block[parent] if number in merged else number)
        return block

    def members_of(self, function: Function) -> Sequence[Node]:
        """Return what a function computes, in its own block."""
        ((_, block),) = self.of(function)
        return self.members.get(block, ())

    def is_spread(self, tuple_: Node) -> bool:
        """Return whether a tuple is shown by its fields, where it is used, by whatever name."""
        return isinstance(tuple_, Tuple) and bool(tuple_.fields) and self._uses[tuple_] == 1

    def _look_around(self) -> None:
        """Find what lets bind, how often tuples are used, and which functions belong to calls."""
        block, parent = self._block, self._scopes.tree.parent
        for node in self._scopes.order:
            if isinstance(node, Let):
                self.bound[node.var], self.bound[node] = node.value, node.body
                self.name.setdefault(resolve(self.bound, node.value), node.var.name_hint)
            self._uses.update(evaluated(node))
            scope = self._scopes.scope.get(node)
            if scope is not None and node not in self._free:
                self.members.setdefault(block[scope], []).append(node)
            if node in self._scopes.opened:
                for _, inner in self.of(node):
                    self.around[inner] = block[parent[inner]]
                shared = self.shared_of(node)
                if shared is not None:
                    self.around[shared] = block[parent[shared]]
        for name in list(self.bound):
            if self._uses[name] != 1:
                self._uses[resolve(self.bound, name)] += 1
        for node in reversed(self._scopes.order):
            if isinstance(node, Tuple) and self.is_spread(node):
                self._uses.update([resolve(self.bound, each) for each in node.fields])
        for node in self._scopes.order:
            if isinstance(node, Call):
                self._absorb(node)
            self._find_captured(node)

    def _find_captured(self, node: Node) -> None:
        """Note what a node uses of blocks further out, for each block in between."""
        scope = self._scopes.scope.get(node)
        if scope is None:
            return
        block = self._block
        for each in operands(node):
            self._note_use(each, block[scope])
        for inside, number in zip(scopes(node), self._scopes.opened.get(node, ()), strict=False):
            for each in inside.roots:
                self._note_use(each, block[number])

    def _note_use(self, node: Node, block: int) -> None:
        node = resolve(self.bound, node)
        scope = self._scopes.scope.get(node)
        if scope is None:
            return
        home = self.outermost if node in self._free else self._block[scope]
        around: int | None = block
        while around is not None and around != home:
            captured = self.captured.setdefault(around, {})
            if node in captured:
                return
            captured[node] = None
            around = self.around.get(around)

    def _absorb(self, call: Call) -> None:
        callee = call.op
        fits = isinstance(callee, Function) and len(callee.params) == len(call.args)
        held: list[Node] = [callee] if fits else []
        if identity_of(call.op):
            held += [each for each in graphs_of(call).values() if isinstance(each, Function)]
        for function in held:
            if self._uses[function] == 1:
                self.absorbed[function] = call


def resolve(bound: dict[Node, Node], node: Node, ends: Container[Node] = ()) -> Node:
    """Return the value of which a node is a name, by way of other names.

    A variable that is bound to itself is no name of anything.

    Args:
        bound: By name what it stands for; names that are passed stand for the end from now on.
        node: A name, or a value.
        ends: Where to end, though it be a name.

    Complexity:
        Linear in the names, for all that are asked for together, but for a logarithm.
    """
    passed: dict[Node, None] = {}
    while node in bound and node not in ends and node not in passed:
        passed[node] = None
        node = bound[node]
    if node in passed:
        del bound[node]
    for each in passed:
        if each is not node:
            bound[each] = node
    return node
