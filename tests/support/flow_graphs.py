"""What holds of every flow graph."""

from __future__ import annotations

from relayish.dataflow import Action, FlowGraph
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.scopes.scoping import PROGRAM, operands


def check_graph(graph: FlowGraph) -> None:
    """Check that edges lead both ways, points stand in order, and nothing is left out."""
    for number in range(len(graph)):
        for target in graph.successors(number):
            assert number in graph.predecessors(target)
            assert target > number or graph.actions[target] is Action.LOOP
        for source in graph.predecessors(number):
            assert number in graph.successors(source)
        if graph.actions[number] is not Action.ENTRY:
            assert any(source < number for source in graph.predecessors(number))
    for procedure in graph.procedures:
        assert graph.predecessors(procedure.entry) == ()
        assert graph.successors(procedure.exit) == ()
    _check_blocks(graph)


def _check_blocks(graph: FlowGraph) -> None:
    points = [number for block in graph.blocks for number in block]
    assert points == list(range(len(graph)))
    for block in graph.blocks:
        for number in block[:-1]:
            assert graph.successors(number) == (number + 1,)
            assert graph.predecessors(number + 1) == (number,)
        last, following = block[-1], block[-1] + 1
        if following < len(graph) and graph.actions[last] is not Action.EXIT:
            runs_on = graph.successors(last) == (following,)
            assert not (runs_on and graph.predecessors(following) == (last,))


def check_operands_first(graph: FlowGraph, root: Node) -> None:
    """Check that what each node of a dataflow graph takes was evaluated before, on every path."""
    dominators = dominators_of(graph)
    place = {}
    for number, node in enumerate(graph.nodes):
        if graph.actions[number] in (Action.EVALUATE, Action.LEAVE):
            assert node not in place, "a node of a dataflow graph is evaluated in one place"
            place[node] = number
    for node in PROGRAM.post_order(root):
        if node in place and type(node) not in ATOMS:
            user = graph.start(place[node])
            for operand in operands(node):
                if operand in place and _together(graph, place[operand], user):
                    after_let = place[operand] >= user  # a let's value is within its occurrence
                    assert after_let or place[operand] in dominators[user]


def _together(graph: FlowGraph, one: int, other: int) -> bool:
    return graph.procedure_of(one) == graph.procedure_of(other)


def dominators_of(graph: FlowGraph) -> list[frozenset[int]]:
    """Return the dominators of each point, by the equations that define them."""
    everything = frozenset(range(len(graph)))
    found = [everything] * len(graph)
    changed = True
    while changed:
        changed = False
        for number in range(len(graph)):
            coming = [found[source] for source in graph.predecessors(number)]
            above = frozenset.intersection(*coming) if coming else frozenset()
            new = above | {number}
            if new != found[number]:
                found[number], changed = new, True
    return found
