"""Clustering: the graph of a program while its nodes are joined into units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, Op
from relayish.ir.relay.function_attributes import is_opaque, is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import operands
from relayish.ir.scopes.scoping import scopes as scopes_of
from relayish.passes.relay.functions.deduplication.labels import NO_LABEL, Labels, data_operands


class Units:
    """Nodes, by number, and the units they are in; at first every node is one by itself.

    A unit goes by the number of its root, the node all others of it lead to. Units of the same
    label are isomorphic: their members correspond in order, and so do their slots, which are the
    operands of members that come from outside.

    Attributes:
        nodes: The nodes of the program, operands before what uses them.
        children: The nodes each node uses.
        label: For each unit what it does; ``NO_LABEL`` for nodes that are joined with none.
        home: The unit each node is in.
        members: The nodes of each unit.
        inputs: For each unit with a label the node that each slot takes.
        consumers: For each of these units those that use one of its nodes, and in how many slots.
        population: How many units there are of each label.
        steps: How many inputs were looked at while units were joined.
    """

    def __init__(self, root: Expr, labels: Labels) -> None:
        self.labels = labels
        self.nodes = EXPRESSIONS.post_order(root, lambda node: not is_closed(node))
        self.index = {node: number for number, node in enumerate(self.nodes)}
        found = [labels.of(node) for node in self.nodes]
        counts = Counter(found)
        self.label = [label if counts[label] > 1 else NO_LABEL for label in found]
        self.population = Counter(self.label)
        self.home = list(range(len(self.nodes)))
        self.members = [[number] for number in self.home]
        self.place = [0] * len(self.nodes)
        self.first_slot = [0] * len(self.nodes)
        self.children = [self._children(node) for node in self.nodes]
        self.inputs: list[dict[int, int]] = []
        self.consumers: list[dict[int, int]] = [{} for _ in self.nodes]
        self._slots = [len(children) for children in self.children]
        self._enter_inputs()
        self.steps = 0
        scopes = Scopes(root, enter=is_transparent)
        self.scope = [scopes.scope.get(node, NO_LABEL) for node in self.nodes]
        self._certain = _find_certain(self.nodes, scopes, root)

    def _children(self, node: Node) -> tuple[int, ...]:
        below: Sequence[Node] = () if is_closed(node) else EXPRESSIONS.children(node)
        if self.label[self.index[node]] != NO_LABEL:
            below = data_operands(node)
        return tuple([self.index[child] for child in below])

    def _enter_inputs(self) -> None:
        for number, children in enumerate(self.children):
            labelled = self.label[number] != NO_LABEL
            self.inputs.append(dict(enumerate(children)) if labelled else {})
            for child in children:
                if self.label[child] != NO_LABEL:
                    users = self.consumers[child]
                    users[number] = users.get(number, 0) + 1

    def is_certain(self, unit: int) -> bool:
        """Return whether the unit is evaluated whenever the scope it is in is."""
        return self.nodes[unit] in self._certain

    def is_operator(self, unit: int) -> bool:
        """Return whether the unit is no more than the call of one operator."""
        node = self.nodes[unit]
        return len(self.members[unit]) == 1 and type(node) is Call and type(node.op) is Op

    def collect_wiring(self, outer: int) -> dict[int, list[tuple[int, int]]]:
        """Return the units that ``outer`` uses, with its slots and the members they take."""
        found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        home, place = self.home, self.place
        for slot, node in self.inputs[outer].items():
            found[home[node]].append((slot, place[node]))
        self.steps += len(self.inputs[outer])
        return found

    def join(self, outer: int, inner: int, label: int) -> None:
        """Make ``inner`` a part of ``outer``, which uses it, and give ``outer`` a label."""
        self.population[self.label[outer]] -= 1
        self.population[self.label[inner]] -= 1
        self.population[label] += 1
        offset, behind = self._slots[outer], len(self.members[outer])
        for member in self.members[inner]:
            self.home[member] = outer
            self.place[member] += behind
            self.first_slot[member] += offset
        self.members[outer] += self.members[inner]
        kept = {s: node for s, node in self.inputs[outer].items() if self.home[node] != outer}
        for slot, node in self.inputs[inner].items():
            kept[offset + slot] = node
            users = self.consumers[self.home[node]]
            if inner in users:
                users[outer] = users.get(outer, 0) + users.pop(inner)
        self.inputs[outer] = kept
        self._slots[outer] += self._slots[inner]
        users = self.consumers[outer]
        for user, count in self.consumers[inner].items():
            if user != outer:
                users[user] = users.get(user, 0) + count
        self.label[outer], self.label[inner] = label, NO_LABEL
        self.members[inner], self.inputs[inner], self.consumers[inner] = [], {}, {}

    def users_outside(self) -> dict[int, set[int]]:
        """Return the nodes that other units use, with these."""
        found: defaultdict[int, set[int]] = defaultdict(set)
        home = self.home
        for number, children in enumerate(self.children):
            for child in children:
                if home[child] != home[number]:
                    found[child].add(home[number])
        return found

    def sort_topologically(self) -> list[int]:
        """Return the units so that each comes after those it uses, right after one if it can.

        Of several that could come next, labels decide, so that isomorphic parts of a program are
        ordered alike.
        """
        after: list[list[int]] = [[] for _ in self.nodes]
        waiting = [0] * len(self.nodes)
        ready: list[int] = []
        home = self.home
        for unit, own in enumerate(self.members):
            if not own:
                continue
            labelled = self.label[unit] != NO_LABEL
            used = self.inputs[unit].values() if labelled else self.children[unit]
            before = {home[node] for node in used}
            waiting[unit] = len(before)
            for one in before:
                after[one].append(unit)
            if not before:
                ready.append(unit)
        ready.reverse()
        order: list[int] = []
        while ready:
            unit = ready.pop()
            order.append(unit)
            freed: list[int] = []
            for user in after[unit]:
                waiting[user] -= 1
                if not waiting[user]:
                    freed.append(user)
            freed.sort(key=lambda user: (self.scope[user] == self.scope[unit], self.label[user]))
            ready += freed
        return order


def is_closed(node: Node) -> bool:
    """Return whether ``node`` is a function whose inside is not looked at."""
    return type(node) is Function and is_opaque(node)


def _find_certain(nodes: list[Node], scopes: Scopes, root: Expr) -> set[Node]:
    """Return the nodes that are evaluated whenever the scope they belong to is."""
    certain: set[Node] = {root}
    scope_of, opened, depth = scopes.scope, scopes.opened, scopes.tree.depth
    for node in reversed(nodes):
        own = scope_of.get(node)
        if own is None or is_closed(node):
            continue
        surely = list(operands(node))
        if node in opened:
            for scope, inner in zip(scopes_of(node), opened[node], strict=True):
                certain.update([each for each in scope.roots if scope_of.get(each) == inner])
                if scope.runs is Runs.ONCE:
                    surely += scope.roots
            for each in surely:  # a function may see its own name; so it is in a scope with it
                if depth[scope_of.get(each, OUTERMOST)] > depth[own]:
                    certain.add(each)
        if node in certain:
            certain.update([each for each in surely if scope_of.get(each) == own])
    return certain
