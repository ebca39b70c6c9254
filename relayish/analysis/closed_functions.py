"""Closed functions: those in which no local variable is free."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.expr import Function
from relayish.ir.scopes.scoping import PROGRAM, bound_by

_NOWHERE: Final = 1 << 62


def find_closed_functions(nodes: Iterable[Node]) -> set[Node]:
    """Return the functions among ``nodes`` that are closed: what is called is all they consist of.

    A function that calls itself by the variable a let binds it to counts as using that variable
    from outside; functions of a module call themselves by their global names.

    Args:
        nodes: All nodes of a program, children before parents.

    Complexity:
        Linear in the number of nodes and edges; no recursion.
    """
    nodes = list(nodes)
    depths: dict[Node, int] = {}  # of nodes: how many functions they are in where first reached
    bound: dict[Node, int] = {}  # of variables: how many functions their binding is in
    for node in reversed(nodes):
        depth = depths.setdefault(node, 0)
        if type(node) is Function:
            depth += 1
        bound.update(dict.fromkeys(bound_by(node), depth))
        for child in PROGRAM.children(node):
            depths[child] = min(depth, depths.get(child, _NOWHERE))
    outermost: dict[Node, int] = {}  # of nodes: the least depth of a variable used below
    closed: set[Node] = set()
    for node in nodes:
        if type(node) in VARIABLES:
            outermost[node] = bound.get(node, 0)
            continue
        least = _NOWHERE
        for child in PROGRAM.children(node):
            least = min(least, outermost.get(child, _NOWHERE))
        outermost[node] = least
        if type(node) is Function and least > depths[node]:
            closed.add(node)
    return closed
