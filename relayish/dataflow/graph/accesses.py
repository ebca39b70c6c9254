"""Mod-ref analysis of a flow graph: which places are read and written at each program point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol

from relayish._support.persistent_set import PersistentSet
from relayish.dataflow.graph.control_flow import defers, has_control_flow, is_let
from relayish.dataflow.graph.mod_ref import (
    BOUND_VARIABLES,
    MOD_REF,
    NOTHING,
    READING,
    UNALIASED,
    WRITING,
    ModRef,
    mod_ref_of,
    names_places,
)
from relayish.dataflow.graph.point import Action, Procedure
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.getters import Nodes, NodesGetter, scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.scopes.scoping import (
    binders,
    free_variables,
    has_scopes,
    operands_of,
    recursive_operands,
)


class Points(Protocol):
    """What is asked of a flow graph."""

    @property
    def nodes(self) -> Sequence[Node]:
        """For each point, the node."""

    @property
    def actions(self) -> Sequence[Action]:
        """For each point, what happens there."""

    @property
    def binders(self) -> Mapping[int, Nodes]:
        """The variables that come into scope."""

    @property
    def is_tree(self) -> Sequence[bool]:
        """For each procedure, whether expressions have no points of their own."""

    @property
    def procedures(self) -> Sequence[Procedure]:
        """The procedures."""

    def captured(self, function: Node) -> Nodes:
        """Return the variables from outside that the body of a function uses."""


class Accesses:
    """Which places are read and written at each point of a flow graph.

    Complexity:
        To be asked about a point takes time linear in the distinct expressions below it that were
        not asked about before, times the places they access; no recursion.
    """

    def __init__(self, graph: Points) -> None:
        self._graph = graph
        self._at: dict[int, ModRef] = {}
        self._known: dict[Node, ModRef] = {}  # of expressions in trees, with all below them

    def at(self, number: int) -> ModRef:
        """Return what is accessed at a point: by its node, and by what it holds without points.

        What is read is what it holds before the point: not what is written there before. Variables
        that are bound there are told by the graph.
        """
        found = self._at.get(number)
        if found is None:
            found = self._at[number] = self._find(number)
        return found

    def _find(self, number: int) -> ModRef:
        graph = self._graph
        node, action = graph.nodes[number], graph.actions[number]
        kind = type(node)
        match action:
            case Action.EVALUATE | Action.ENTER | Action.YIELD if kind in ATOMS:
                return ModRef(uses=(node,)) if kind in VARIABLES else NOTHING
            case Action.EVALUATE | Action.ENTER:
                return self._evaluated(number)
            case Action.BIND if is_let(kind):
                return self._operands(recursive_operands(node), self.is_tree_at(number))
            case Action.LOOP | Action.LEAVE if touches(kind):
                return mod_ref_of(node)._replace(evaluates=())
            case _:
                return NOTHING

    def _evaluated(self, number: int) -> ModRef:
        """Return what evaluating the node of a point accesses."""
        node, is_tree = self._graph.nodes[number], self.is_tree_at(number)
        own = mod_ref_of(node)
        if own.evaluates:
            found = self._operands(own.evaluates, is_tree)
            found = _in_order(found, own)
        else:
            found = own
        if defers(type(node)):
            captured = self.captured_at(number)
            if captured:
                found = _in_order(found, ModRef(uses=captured, exposes=captured))
        bound = binders(node) if has_scopes(type(node)) and found.uses else ()
        if bound:
            found = found._replace(uses=tuple([var for var in found.uses if var not in bound]))
        return found

    def captured_at(self, number: int) -> Nodes:
        """Return the variables that the function which is made at a point captures.

        Those that are bound afterwards, as that of a function which calls itself, hold no value
        yet; they are none of what was there before.
        """
        captured, bound_at = self._graph.captured(self._graph.nodes[number]), self._bound_at
        return tuple([var for var in captured if bound_at.get(var, -1) < number])

    @cached_property
    def _bound_at(self) -> Mapping[Node, int]:
        """For each variable the first point at which it is bound."""
        found: dict[Node, int] = {}
        for number, variables in self._graph.binders.items():
            for variable in variables:
                found[variable] = min(number, found.get(variable, number))
        return found

    def _operands(self, evaluated: Nodes, is_tree: bool) -> ModRef:
        """Return what evaluating operands at a point accesses."""
        variables = VARIABLES
        if not is_tree:
            used = [each for each in evaluated if type(each) in variables]
            return ModRef(uses=tuple(used)) if used else NOTHING
        found = NOTHING
        for each in evaluated:
            kind = type(each)
            if kind in ATOMS:
                below = ModRef(uses=(each,)) if kind in variables else NOTHING
            else:
                below = self._expression(each)
            if below is not NOTHING:
                found = below if found is NOTHING else _in_order(found, below)
        return found

    def _expression(self, root: Node) -> ModRef:
        """Return what evaluating an expression in a tree accesses, with all that is below it."""
        known = self._known
        found = known.get(root)
        if found is None:
            found = self._small(root)
        if found is not None:
            return found
        pending: dict[Node, ModRef] = {}

        def before(node: Node) -> Nodes:
            if node in known or type(node) in ATOMS or has_control_flow(node):
                return ()
            own = pending[node] = mod_ref_of(node)
            return own.evaluates

        for node in EVERYTHING.order_after(root, before):
            own = pending.pop(node, None)
            if own is None:
                continue
            whole = NOTHING
            for operand in own.evaluates:
                kind = type(operand)
                if kind in ATOMS:
                    below = ModRef(uses=(operand,)) if kind in VARIABLES else NOTHING
                else:
                    below = known.get(operand, NOTHING)
                if below is not NOTHING:
                    whole = below if whole is NOTHING else _in_order(whole, below)
            if own[1:] != NOTHING[1:]:
                whole = _in_order(whole, own)
            if defers(type(node)):
                captured = free_variables(node)
                whole = _in_order(whole, ModRef(uses=captured, exposes=captured))
            known[node] = whole
        return known.get(root, NOTHING)

    def _small(self, root: Node) -> ModRef | None:
        """Return what :meth:`_expression` does, if it is small and all in it are plain operators.

        What is large is walked node by node, each once: it may be part of another expression.
        """
        uses: dict[Node, None] = {}
        seen: set[Node] = set()
        pending = [root]
        while pending:
            node = pending.pop()
            kind = type(node)
            if kind in ATOMS:
                if kind in VARIABLES:
                    uses[node] = None
            elif node not in seen:
                held = _HELD_IF_PLAIN[kind]
                if held is None or len(seen) > _SMALL:
                    return None
                seen.add(node)
                pending += held(node)[::-1]
        found = self._known[root] = ModRef(uses=tuple(uses)) if uses else NOTHING
        return found

    def is_tree_at(self, number: int) -> bool:
        """Return whether expressions below a point have no points of their own."""
        each = self._tree_points
        return each if isinstance(each, bool) else bool(each[number])

    @cached_property
    def _tree_points(self) -> bool | bytearray:
        """Whether all procedures are trees, or which points are in one."""
        graph = self._graph
        if len(set(graph.is_tree)) == 1:
            return graph.is_tree[0]
        found = bytearray(len(graph.nodes))
        for procedure, is_tree in zip(graph.procedures, graph.is_tree, strict=True):
            if is_tree:
                size = procedure.exit + 1 - procedure.entry
                found[procedure.entry : procedure.exit + 1] = b"\1" * size
        return found

    # What holds of the graph as a whole

    @cached_property
    def aliased(self) -> PersistentSet[Node]:
        """The places that others may reach: whoever reads or writes what it does not name.

        That are those that some point accesses, unless they are of a kind of which it was said
        that it is unaliased, and nothing exposes them.

        Complexity:
            Linear in the points, once.
        """
        if not self._names_places:
            return PersistentSet()
        exposed = self._exposed
        accessed = dict(exposed)
        for number in self._points_that_touch:
            each = self.at(number)
            for places in (each.reads, each.overwrites, each.changes, each.clears):
                accessed.update(dict.fromkeys(places))
        return PersistentSet([p for p in accessed if p in exposed or not UNALIASED[type(p)]])

    @cached_property
    def _names_places(self) -> bool:
        """Whether some point may access more than values of variables."""
        kinds = set(map(type, self._graph.nodes))
        return any(self._graph.is_tree) or any(map(names_places, kinds))

    @cached_property
    def _exposed(self) -> dict[Node, None]:
        found: dict[Node, None] = {}
        for number in self._points_that_touch:
            found.update(dict.fromkeys(self.at(number).exposes))
        assigned = self.assigned
        return {place: None for place in found if place in assigned}

    @cached_property
    def _touched(self) -> list[tuple[Nodes, Nodes, Nodes]]:
        """What each point names to write or clear it."""
        if not self._names_places:
            return []
        found = []
        for number in self._points_that_touch:
            each = self.at(number)
            if each.overwrites or each.changes or each.clears:
                found.append((each.overwrites, each.changes, each.clears))
        return found

    @cached_property
    def assigned(self) -> frozenset[Node]:
        """The places that some point writes, other than by binding them."""
        return frozenset([p for touched in self._touched for places in touched for p in places])

    @cached_property
    def _points_that_touch(self) -> list[int]:
        """The points at which anything but the evaluation of variables may happen."""
        actions = self._graph.actions
        relevant = (Action.EVALUATE, Action.ENTER, Action.BIND, Action.LOOP, Action.LEAVE)
        return [
            number
            for number, node in enumerate(self._graph.nodes)
            if actions[number] in relevant
            and (defers(type(node)) or names_places(type(node)) or self.is_tree_at(number))
        ]

    def outliving(self, procedure: Procedure) -> Nodes:
        """Return the places whose contents count when a procedure is left, in order.

        Of a function that are variables from outside that are written anywhere, and those that its
        kind says; of what is no function, none.
        """
        if procedure.scope is None:
            return ()
        node, assigned = procedure.node, self.assigned
        rule = BOUND_VARIABLES[type(node)].outliving
        if rule is not None:
            own = tuple(rule(node))
        else:
            own = tuple([each for each in binders(node) if each in self._changed])
        if not assigned:
            return own
        bound: set[Node] = set()
        graph = self._graph
        for number in range(procedure.entry, procedure.exit + 1):
            bound.update(graph.binders.get(number, ()))
        return tuple(dict.fromkeys((*own, *[each for each in assigned if each not in bound])))

    def from_outside(self, procedure: Procedure) -> Nodes:
        """Return what a procedure may use or write and does not bind, in order.

        Complexity:
            Linear in its points, and in the places that others may reach.
        """
        found: dict[Node, None] = {}
        bound: set[Node] = set()
        effect = Effect.NONE
        for number in range(procedure.entry, procedure.exit + 1):
            bound.update(self._graph.binders.get(number, ()))
            each = self.at(number)
            effect |= each.effect
            for places in (each.uses, each.reads, each.overwrites, each.changes, each.clears):
                found.update(dict.fromkeys(places))
        if effect & (READING | WRITING):
            found.update(dict.fromkeys(self.aliased))
        return tuple([place for place in found if place not in bound])

    @cached_property
    def _changed(self) -> frozenset[Node]:
        return frozenset([place for _, changes, _ in self._touched for place in changes])


def touches(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may access more than the values of their operands."""
    found: bool = _MAY_TOUCH[kind]
    return found


def _in_order(first: ModRef, then: ModRef) -> ModRef:
    """Return what is accessed where one thing happens after another."""
    if not any(first[2:]):  # as almost always
        uses = _union(first.uses, then.uses)
        _, _, reads, overwrites, changes, clears, exposes, effect = then
        return ModRef((), uses, reads, overwrites, changes, clears, exposes, effect)
    uses, reads, done = then.uses, then.reads, first.overwrites
    if done:
        uses = tuple([variable for variable in uses if variable not in done])
        reads = tuple([place for place in reads if place not in done])
    return ModRef(
        (),
        _union(first.uses, uses),
        _union(first.reads, reads),
        _union(first.overwrites, then.overwrites),
        _union(first.changes, then.changes),
        _union(first.clears, then.clears),
        _union(first.exposes, then.exposes),
        first.effect | then.effect,
    )


def _union(a: Nodes, b: Nodes) -> Nodes:
    if not b or a is b:
        return a
    if not a:
        return b
    return tuple(dict.fromkeys((*a, *b)))


def _may_touch(kind: type[Node]) -> bool:
    return bool(kind.traits_.effect & ~Effect.STATE) or names_places(kind)


def _held_if_plain(kind: type[Node]) -> NodesGetter | None:
    """Return what gives the operands of nodes of a kind that do nothing but compute with them."""
    if has_scopes(kind) or touches(kind) or scope_fields(kind).binders:
        return None
    return operands_of(kind)


_SMALL: Final = 16
"""Of how many operators an expression is small."""
_MAY_TOUCH: Final = MOD_REF.derive(_may_touch)
_HELD_IF_PLAIN: Final = MOD_REF.derive(_held_if_plain)
