"""Outlining: functions made of units that repeat, and calls in the places of these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence

from relayish._support.graph import post_order
from relayish.analysis.exact_key import scalar_key
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TupleType, Type
from relayish.ir.scopes.replacing import with_evaluated
from relayish.passes.relay.functions.deduplication.growth import MANY, is_shorter
from relayish.passes.relay.functions.deduplication.labels import NO_LABEL
from relayish.passes.relay.functions.deduplication.units import Units, is_closed


class Outline:
    """One function, the units it is called in place of, and what is passed and comes back."""

    def __init__(self, units: Units, roots: list[int], results: list[int]) -> None:
        self._units = units
        self.roots = roots
        self._places = {root: place for place, root in enumerate(roots)}
        self._results = results
        self._params: dict[tuple[int, ...], relay.Var] = {}  # by what they stand for in all places
        self.function = self._function()

    def arguments(self, root: int) -> list[int]:
        """Return the nodes that are passed in place of a unit."""
        place = self._places[root]
        return [column[place] for column in self._params]

    def results(self, root: int) -> list[int]:
        """Return the nodes of a unit whose values come back."""
        members = self._units.members[root]
        return [members[place] for place in self._results]

    def _function(self) -> relay.Function:
        units, first = self._units, self.roots[0]
        images: dict[int, relay.Expr] = {}
        for member in sorted(units.members[first]):  # operands have lower numbers
            node = units.nodes[member]
            operands: list[Node] = [node.op] if type(node) is relay.Call else []
            for slot, child in enumerate(units.children[member], units.first_slot[member]):
                inside = units.home[child] == first
                operands.append(images[child] if inside else self._get_argument(slot))
            image = with_evaluated(node, operands, ())
            assert isinstance(image, relay.Expr)
            images[member] = image
        back = [images[node] for node in self.results(first)]
        body = back[0] if len(back) == 1 else relay.Tuple(tuple(back))
        types = [_type(units.nodes[node]) for node in self.results(first)]
        ty = types[0] if len(types) == 1 else TupleType(tuple(types))
        return relay.Function(tuple(self._params.values()), body, ty, span=body.span)

    def _get_argument(self, slot: int) -> relay.Expr:
        """Return what stands for the node that a slot takes: a parameter, or what is constant."""
        units = self._units
        column = tuple([units.inputs[root][slot] for root in self.roots])
        node = units.nodes[column[0]]
        assert isinstance(node, relay.Expr)
        if type(node) is relay.Constant and self._is_same(column):
            return node
        param = self._params.get(column)
        if param is None:
            param = relay.Var(f"p{len(self._params)}", node.checked_type)
            self._params[column] = param
        return param

    def _is_same(self, column: tuple[int, ...]) -> bool:
        if len(set(column)) == 1:
            return True
        keys = {scalar_key(self._units.nodes[node]) for node in set(column)}
        return len(keys) == 1 and None not in keys


def _type(node: Node) -> Type:
    assert isinstance(node, relay.Expr)
    assert node.checked_type is not None
    return node.checked_type


def outlines(units: Units) -> list[Outline]:
    """Return the functions to be made, in the order in which they first occur."""
    outside = units.users_outside()
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for root, label in enumerate(units.label):
        if label != NO_LABEL and _calls_several(units, root):
            groups[label, _types(units, root)].append(root)
    found: list[Outline] = []
    for roots in groups.values():
        if len(roots) < MANY:
            continue
        members = [units.members[root] for root in roots]
        results = [
            place
            for place, column in enumerate(zip(*members, strict=True))
            if any(node in outside for node in column)
        ]
        if is_shorter(len(members[0]), len(results), len(roots)):
            found.append(Outline(units, roots, results))
    return found


def _calls_several(units: Units, root: int) -> bool:
    calls = [node for node in units.members[root] if type(units.nodes[node]) is relay.Call]
    return len(calls) >= MANY


def _types(units: Units, root: int) -> Hashable:
    """Return the types in a unit: a function of typed parameters has but one for each."""
    found: list[tuple[int, ...]] = []
    for member in units.members[root]:
        node = units.nodes[member]
        found.append(units.labels.types_of(node))
    return tuple(found)


def call_outlines(
    units: Units, made: Collection[tuple[Outline, relay.GlobalVar]], root: relay.Expr
) -> relay.Expr:
    """Return ``root`` with calls of functions in the places of the units they were made of.

    Complexity:
        Linear in nodes and edges; no recursion.
    """
    called = {unit: pair for pair in made for unit in pair[0].roots}
    images: dict[Node, Node] = {}

    def before(number: int) -> Sequence[int]:
        unit = units.home[number]
        return called[unit][0].arguments(unit) if unit in called else units.children[number]

    for number in post_order([units.index[root]], before):
        node, unit = units.nodes[number], units.home[number]
        if node in images:
            continue
        if unit in called:
            _call(units, *called[unit], unit, images)
            continue
        rebuild = EXPRESSIONS.rebuild[type(node)]
        images[node] = node if is_closed(node) else rebuild(node, images.get)
    image = images[root]
    assert isinstance(image, relay.Expr)
    return image


def _call(
    units: Units, outline: Outline, name: relay.GlobalVar, unit: int, images: dict[Node, Node]
) -> None:
    """Enter the images of the results of ``unit``."""
    args: list[relay.Expr] = []
    for argument in outline.arguments(unit):
        image = images[units.nodes[argument]]
        assert isinstance(image, relay.Expr)
        args.append(image)
    root = units.nodes[unit]
    assert isinstance(root, relay.Expr)
    call = relay.Call(name, tuple(args), span=root.span)
    results = outline.results(unit)
    if len(results) == 1:
        images[units.nodes[results[0]]] = call
        return
    for index, result in enumerate(results):
        node = units.nodes[result]
        assert isinstance(node, relay.Expr)
        images[node] = relay.TupleGetItem(call, index, span=node.span)
