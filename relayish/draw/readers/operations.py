"""Expressions of languages in which the place counts: computed where they stand, as trees are.

A box for each operation, edges from operands, boxes around scopes. What a scope takes from outside
comes in through a box of its own, at the end of a dashed edge. Expressions that are graphs, whose
nodes belong to the scopes that share them, are read by :mod:`relayish.draw.readers.expressions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish._support.graph import post_order
from relayish.dataflow.graph.control_flow import is_let, may_skip
from relayish.dataflow.graph.mod_ref import mod_ref_of
from relayish.draw.diagram import BoxKind, Diagram, Edge, EdgeKind
from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    details_of,
    full_type,
    wrapped,
)
from relayish.draw.readers.last_writers import Arm
from relayish.draw.readers.memory import connect_memory
from relayish.draw.readers.walk import HOLDERS, Flow, Walk, named_scopes
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.getters import nodes_held
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.scopes.scoping import (
    bound_by,
    free_variables,
    has_scopes,
    parts,
    recursive_operands,
    scopes,
)


def read_operations(root: Node, title: str = "") -> Diagram:
    """Return the diagram of what an expression computes.

    Args:
        root: The expression.
        title: What stands above the diagram; what the root says, if not given.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    walk = _Operations(root, title)
    walk.add_variables(free_variables(root))
    walk.run(_inside((root,)))
    if all(scope.runs is not Runs.DEFERRED for scope in scopes(root)):
        walk.give(root, "")
    return walk.diagram


def _inside(roots: Sequence[Node]) -> Sequence[Node]:
    """Return what is computed for expressions, scopes aside, operands first."""
    found = post_order(roots, lambda node: mod_ref_of(node).evaluates)
    return [node for node in found if type(node) not in ATOMS]


class _Operand(NamedTuple):
    """What a node is computed from.

    Attributes:
        node: An expression, or a variable.
        number: Which operand it is.
    """

    node: Node
    number: int


class _Operands(NamedTuple):
    """The operands of a node.

    Attributes:
        edges: Those that boxes compute, or variables.
        names: What they are called, by number.
        lines: Those that are written into the box: constants and names.
    """

    edges: list[_Operand]
    names: tuple[str, ...]
    lines: tuple[str, ...]


class _Operations(Walk):
    def __init__(self, root: Node, title: str) -> None:
        super().__init__(root, title)
        self._boxes: dict[Node, int] = {}  # what computes a value, or brings a variable in
        self._captures: dict[tuple[int, int], int] = {}

    def add_variables(self, variables: Sequence[Node]) -> None:
        """Add a box for each variable that comes from outside, or that a scope binds."""
        for variable in variables:
            text = BOX_TEXTS[type(variable)](variable)
            box = self.add(BoxKind.INPUT, text, details=details_of(variable))
            self._boxes[variable] = box
            self.writers.declare(variable, (box,))

    def give(self, root: Node, name: str) -> None:
        """Add a box for the value of a scope."""
        text = BoxText(name or "result", (full_type(root),) if full_type(root) else ())
        if type(root) in ATOMS and root not in self._boxes:
            text = text._replace(lines=(one_line(root), *text.lines))
        used = [_Operand(root, 0)]
        sources = self._sources(used)
        self._connect(used, sources, self.add(BoxKind.OUTPUT, text))

    def show(self, node: Node) -> Flow | None:
        if node in self._boxes:
            return None
        if has_scopes(type(node)) and scopes(node):
            return self._bind(node) if _binds_only(node) else self._hold(node)
        given = _operands_of(node)
        sources = self._sources(given.edges)
        box = self.add_node(BoxKind.OPERATOR, node, given.names if len(given.names) > 1 else ())
        self._finish(node, box, given, sources)
        return None

    def _finish(
        self, node: Node, box: int, given: _Operands, sources: Sequence[int | None]
    ) -> None:
        """Connect a box with what its node is computed from, and with memory."""
        told = self.diagram.boxes[box]
        told.lines = (*told.lines, *given.lines)
        self._connect(given.edges, sources, box)
        connect_memory(node, box, self.writers, self.connect)
        self._boxes[node] = box

    def _sources(self, operands: Sequence[_Operand]) -> list[int | None]:
        """Return the boxes of operands; what comes from outside gets one in the box around."""
        return [self._source(operand.node) for operand in operands]

    def _source(self, node: Node) -> int | None:
        source, holder = self._boxes.get(node), self.holder
        if source is None or holder is None or self.diagram.boxes[source].parent == holder:
            return source
        return self._capture(source, holder, full_type(node))

    def _connect(
        self, operands: Sequence[_Operand], sources: Sequence[int | None], box: int
    ) -> None:
        for operand, source in zip(operands, sources, strict=True):
            if source is not None:
                is_given = self.diagram.boxes[source].kind is BoxKind.INPUT
                label = "" if is_given else full_type(operand.node)
                self.connect(Edge(source, box, operand.number, label=label))

    def _capture(self, source: int, holder: int, label: str) -> int:
        """Return the box by which a value comes into a scope."""
        found = self._captures.get((source, holder))
        if found is None:
            told = self.diagram.boxes[source]
            text = BoxText(told.title, name=f"{told.title} (outside)")
            found = self.add(BoxKind.CAPTURE, text, family=told.family, details=told.details)
            self._captures[source, holder] = found
            self.connect(Edge(source, found, label=label, kind=EdgeKind.CAPTURE))
        return found

    def _bind(self, node: Node) -> Flow:
        """Show what a node is that binds values, and nothing else, as a let is."""
        for variable, value in zip(bound_by(node), recursive_operands(node), strict=False):
            source = self._boxes.get(value)
            if source is not None:
                self._boxes[variable] = source
        [scope] = scopes(node)
        yield _inside(scope.roots)
        source = self._boxes.get(scope.roots[-1])
        if source is not None:
            self._boxes[node] = source

    def _hold(self, node: Node) -> Flow:
        """Show a node with scopes: as a box, with those in it."""
        given = _operands_of(node)
        steps = named_scopes(node, BOX_TEXTS[type(node)](node).scopes)
        sources = self._sources(given.edges)
        box = self.add_holder(node, steps[0][2].runs, given.names)
        if box is not None:
            self._finish(node, box, given, sources)
            self.open(box)
        arms: list[Arm] = []
        for name, _, scope in steps:
            if len(steps) > 1:
                self.open(self.add(HOLDERS[scope.runs], BoxText(name)))
            if scope.runs is not Runs.ONCE:
                self.writers.enter()
            self.add_variables(scope.binders)
            yield _inside(scope.roots)
            if not scope.is_block and len(scope.roots) == 1:
                self.give(scope.roots[0], name)
            if scope.runs is not Runs.ONCE:
                arms.append(self.writers.leave())
            if len(steps) > 1:
                self.close()
            if scope.runs is Runs.REPEATEDLY and box is not None:
                self.carry(arms.pop(), box)
        if box is not None:
            self.close()
            self.writers.join(arms, box, is_skipped=may_skip(node, len(steps)))


def _binds_only(node: Node) -> bool:
    return is_let(type(node)) and len(scopes(node)) == 1 and scopes(node)[0].runs is Runs.ONCE


def _operands_of(node: Node) -> _Operands:
    evaluated = mod_ref_of(node).evaluates
    left = dict.fromkeys(evaluated)
    edges: list[_Operand] = []
    names: list[str] = []
    lines: list[str] = []
    for part in (node, *parts(node)):
        for declared in type(part).fields_:
            if declared.role is not Role.OPERAND or not declared.is_evaluated:
                continue
            held = nodes_held(declared, part)
            for number, each in enumerate(held):
                name = f"{declared.name}[{number}]" if declared.holds_many else declared.name
                is_edge = each in left and (type(each) not in ATOMS or type(each) in VARIABLES)
                if is_edge:
                    edges.append(_Operand(each, len(names)))
                    names.append(name)
                else:
                    lines += wrapped(f"{name}: {one_line(each)}")
    seen = {edge.node for edge in edges}
    for each in left:
        if each not in seen and (type(each) not in ATOMS or type(each) in VARIABLES):
            edges.append(_Operand(each, len(names)))
            names.append("")
    return _Operands(edges, tuple(names), tuple(lines))
