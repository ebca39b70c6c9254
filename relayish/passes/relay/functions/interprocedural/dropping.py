"""Rewriting calls while dropping the lets of what is called."""

from __future__ import annotations

from collections import Counter

from relayish.functor import MixedModeMutator
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS


class DroppingMutator(MixedModeMutator):
    """Leaves out the lets of the variables in ``dropped``; chains are loops.

    A subclass sees to it that nothing uses them: it puts other images into ``memo_map``, or
    rewrites the calls that do.
    """

    dropped: set[Var]

    def visit_let(self, let: Let) -> Expr:
        chain: list[Let] = []
        tail: Expr = let
        memo = self.memo_map
        while type(tail) is Let and tail not in memo:
            self.enter_let(tail)
            chain.append(tail)
            tail = tail.body
        image = self.visit(tail)
        for binding in reversed(chain):
            if binding.var not in self.dropped:
                var = self.visit(binding.var)
                assert isinstance(var, Var)
                image = binding.with_fields(var=var, value=memo[binding.value], body=image)
            memo[binding] = image
        return image

    def enter_let(self, let: Let) -> None:
        """Visit the value of ``let``, on the way down."""
        self.visit(let.value)


def count_uses(root: Expr) -> tuple[Counter[Node], Counter[Node]]:
    """Return how often each node below ``root`` is used, and how often of that it is called.

    Binders are no uses; a node that is shared uses its children once.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    uses: Counter[Node] = Counter()
    calls: Counter[Node] = Counter()
    for node in EXPRESSIONS.pre_order(root):
        if type(node) is Let:
            uses[node.value] += 1
            uses[node.body] += 1
            continue
        if type(node) is Call:
            calls[node.op] += 1
        for child in EXPRESSIONS.children(node):
            uses[child] += 1
    return uses, calls


def find_recursive_vars(root: Expr) -> set[Var]:
    """Return the variables that occur in the values lets of ``root`` bind to them.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    found: set[Var] = set()
    open_: set[Node] = set()
    seen: set[Node] = set()
    stack: list[Node | None] = [root]
    while stack:
        node = stack.pop()
        if node is None:
            open_.discard(stack.pop())  # the variable whose value was walked
        elif type(node) is Var and node in open_:
            found.add(node)
        elif node in seen:
            continue
        elif type(node) is Let:
            seen.add(node)
            open_.add(node.var)
            stack += (node.body, node.var, None, node.value)
        else:
            seen.add(node)
            push = EXPRESSIONS.push_all[type(node)]
            if push is not None:
                push(node, stack.append, stack.extend)
    return found
