"""The order in which the nodes of a graph can be computed, and what graphs take from outside."""

from __future__ import annotations

from collections.abc import Container, Iterable
from heapq import heapify, heappop, heappush
from typing import Any, Final

from relayish._support.graph import components
from relayish.errors import ModelError
from relayish.onnx.protos.attributes import graphs_of_attribute

DEEPEST: Final = 32
"""How deep graphs stand in graphs at most: protobuf reads messages nested 100 deep, of which a
graph, its node and an attribute are three."""


def order_nodes(
    nodes: Iterable[Any],  # Any: NodeProtos
    known: Container[str],
) -> list[tuple[int, Any]]:
    """Return nodes with their positions, each behind those it takes values from.

    Nodes that stand in such an order, as ONNX demands, stay in theirs; others are moved behind what
    they need, and else as little as possible.

    Args:
        nodes: The nodes of a graph.
        known: The names of values that are known before all of them.

    Raises:
        ModelError: If a node takes, perhaps by way of others, a value that it gives itself.

    Complexity:
        Linear in the nodes and their inputs where they are in order, else by a logarithm more.
    """
    listed = list(nodes)
    givers = {name: i for i, node in enumerate(listed) for name in node.output if name}
    needs = [
        {givers[name] for name in used_names(node) if name in givers and name not in known}
        for node in listed
    ]
    if all(need < index for index, needed in enumerate(needs) for need in needed):
        return list(enumerate(listed))
    users: list[list[int]] = [[] for _ in listed]
    for index, needed in enumerate(needs):
        for need in needed:
            users[need].append(index)
    waiting = [len(needed) for needed in needs]
    ready = [index for index, count in enumerate(waiting) if not count]
    heapify(ready)
    order: list[tuple[int, Any]] = []
    while ready:
        index = heappop(ready)
        order.append((index, listed[index]))
        for user in users[index]:
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, user)
    if len(order) < len(listed):
        raise ModelError(_describe_cycle(listed, needs))
    return order


def _describe_cycle(nodes: list[Any], needs: list[set[int]]) -> str:  # Any: as above
    cycle = next(
        group
        for group in components(dict(enumerate(needs)))
        if len(group) > 1 or group[0] in needs[group[0]]
    )
    names = [nodes[i].name or f"node {i} ({nodes[i].op_type})" for i in sorted(cycle)]
    return (
        f"the graph has a cycle: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''} take "
        f"values from one another; expected none, since no order computes them"
    )


def used_names(node: Any, depth: int = 0) -> Iterable[str]:  # Any: a NodeProto
    """Return the names of values that a node uses, by its graphs too.

    Args:
        node: A ``NodeProto``.
        depth: In how many graphs the graph of the node stands.
    """
    names = list(node.input)
    for attribute in node.attribute:
        for graph in graphs_of_attribute(attribute):
            names += free_names(graph, depth + 1)
    return names


def free_names(graph: Any, depth: int = 1) -> list[str]:  # Any: a GraphProto
    """Return the names of values that a graph uses and does not give, in order of first use.

    Args:
        graph: A ``GraphProto``.
        depth: In how many graphs it stands.

    Raises:
        ModelError: If graphs are nested so deep that no file could hold them.
    """
    if depth > DEEPEST:
        raise ModelError(
            f"graphs of the model are nested more than {DEEPEST} deep; expected no more, since "
            f"protobuf reads no file that holds them"
        )
    given = {each.name for each in (*graph.input, *graph.initializer)}
    given.update(each.values.name for each in graph.sparse_initializer)
    given.update(name for node in graph.node for name in node.output)
    used = [name for node in graph.node for name in used_names(node, depth)]
    used += [each.name for each in graph.output]
    return list(dict.fromkeys(name for name in used if name and name not in given))
