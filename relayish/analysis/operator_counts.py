"""Operator counts: which operators a module calls, and how often."""

from __future__ import annotations

from collections.abc import Iterator

from relayish.analysis.call_graph import CallGraph
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Op, Tuple, TupleGetItem
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.properties import dequantizes, quantizes


def list_op_freqs(mod: IRModule) -> dict[str, int]:
    """Return how many calls of each operator ``main`` and what it refers to are made of.

    An operator that is used without being called is listed with no calls. A function counts once,
    however often it is called; where there is no ``main`` all functions count.

    Returns:
        Numbers of distinct calls by name, in order of first use.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``list_op_freqs``, which looks at ``main`` alone.

    Example:
        >>> from relayish.text import parse
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: float32) { let %f = tanh; add(add(%x, 1f), exp(%x)) }''')
        >>> list_op_freqs(mod)
        {'tanh': 0, 'add': 2, 'exp': 1}
    """
    found: dict[str, int] = {}
    for node in _nodes(mod):
        if type(node) is Op:
            found.setdefault(node.full_name, 0)
        elif type(node) is Call and type(node.op) is Op:
            name = node.op.full_name
            found[name] = found.get(name, 0) + 1
    return found


def extract_operators(mod: IRModule) -> list[str]:
    """Return the names of the operators that ``main`` and what it refers to use, by first use.

    Complexity:
        Linear in distinct nodes; no recursion.

    Example:
        >>> from relayish.text import parse
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: float32) { add(exp(%x), exp(%x)) }''')
        >>> extract_operators(mod)
        ['add', 'exp']
    """
    return list(list_op_freqs(mod))


def list_fake_quantized_op_freqs(mod: IRModule) -> dict[str, int]:
    """Return how many calls of each operator stand between ``qnn.dequantize`` and ``qnn.quantize``.

    Such a region is what a ``qnn.quantize`` is computed from, back to where a ``qnn.dequantize``
    begins it; one that is made of anything but calls, tuples and constants does not count.

    Returns:
        Numbers of calls by name, in order of first use; a call in two regions counts twice.

    Complexity:
        Linear in the sizes of the regions; no recursion.

    Source:
        Relay ``list_fake_quantized_op_freqs``.
    """
    found: dict[str, int] = {}
    for node in _nodes(mod):
        if type(node) is Call and node.op in quantizes:
            for call in _region(node):
                name = call.op.full_name
                found[name] = found.get(name, 0) + 1
    return found


_REGIONAL = frozenset({Call, Op, Tuple, TupleGetItem, Constant})


def _region(end: Call) -> list[Call]:
    """Return the calls of operators that ``end`` is computed from, or none if it is no region."""
    calls: list[Call] = []
    seen: set[Node] = set()
    stack: list[Node] = [end.args[0]]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node) not in _REGIONAL:
            return []
        if type(node) is Call:
            if type(node.op) is not Op:
                return []
            if node.op in dequantizes:
                continue
            calls.append(node)
            stack += node.args[:1] if node.op in quantizes else node.args[::-1]
        elif (push := EXPRESSIONS.push[type(node)]) is not None:
            push(node, seen, stack.append)
    return calls


def _nodes(mod: IRModule) -> Iterator[Node]:
    """Yield the nodes of ``main`` and of the functions it needs, or of all where there is none."""
    seen: set[Node] = set()
    graph = CallGraph(mod)
    roots = ["main"] if "main" in mod else [name.name_hint for name in mod]
    reached = graph.reachable(roots)
    for name in [*roots, *sorted(reached.difference(roots))]:
        for node in EXPRESSIONS.pre_order(mod[name]):
            if node not in seen:
                seen.add(node)
                yield node
