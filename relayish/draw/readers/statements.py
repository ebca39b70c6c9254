"""Programs of statements: a box for each, loops and branches around them, what they write and read.

What a statement computes is written in its box. Edges lead from what writes a variable or memory
to what reads it next; where none does, a dotted one tells which of two statements comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from relayish.dataflow.graph.control_flow import may_skip
from relayish.dataflow.graph.mod_ref import (
    BOUND_VARIABLES,
    READING,
    UNALIASED,
    WRITING,
    mod_ref_of,
    without_value,
)
from relayish.draw.diagram import BoxKind, Diagram, Edge, EdgeKind
from relayish.draw.readers.box_text import BOX_TEXTS, BoxText, details_of, wrapped
from relayish.draw.readers.last_writers import Arm, Place
from relayish.draw.readers.memory import ELSEWHERE
from relayish.draw.readers.walk import HOLDERS, Flow, Walk, named_scopes
from relayish.ir.fields.field import Field
from relayish.ir.fields.naming import name_of
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.blocks import block_kind, may_be_statement
from relayish.ir.scopes.scoping import Scope, binders, free_variables, scopes


def read_statements(root: Node, title: str = "", notes: NotesOf | None = None) -> Diagram:
    """Return the diagram of a statement, or of what holds statements.

    Args:
        root: The statement, or a function.
        title: What stands above the diagram; what the root says, if not given.
        notes: What is told of nodes in their boxes beside what they say.

    Complexity:
        Linear in the program; through scopes, in the places that are written and read in each.
    """
    walk = _Statements(root, title, notes)
    walk.add_variables(free_variables(root))
    walk.run([root])
    walk.mark_order()
    return walk.diagram


def holds_statements(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` are statements, or hold such, as functions do."""
    return may_be_statement(kind) or bool(_HOLDS[kind])


NotesOf: TypeAlias = Callable[[Node], Sequence[str]]
"""``notes(node)``: lines for the box of a node; asked once for each place where it stands, in
order, outer ones first."""

MOST_PLACES: Final = 8
"""What reads something that nothing names hangs on so many places that were written last."""
MOST_LEVELS: Final = 8
"""Edges from further inside than so many boxes tell no order."""


class _Step(NamedTuple):
    """A scope that is drawn."""

    name: str
    scope: Scope
    is_first: bool


class _Statements(Walk):
    def __init__(self, root: Node, title: str, notes: NotesOf | None = None) -> None:
        super().__init__(root, title)
        self._notes = notes
        self._last: dict[int | None, int] = {}  # the statement before, by what holds it
        self._order: list[tuple[int, int]] = []
        self._exposed: set[Place] = set()
        self._shared: dict[Place, None] = {}  # what others may read, that written last at the end
        self._choices = 0  # how many scopes are open that are perhaps not run
        self._linked: set[tuple[int, int]] = set()  # boxes with edges between what lies in them

    def add_variables(self, variables: tuple[Node, ...]) -> None:
        """Add a box for each variable that comes from outside."""
        for variable in variables:
            text = BOX_TEXTS[type(variable)](variable)
            box = self.add(BoxKind.INPUT, text, details=details_of(variable))
            self.writers.declare(variable, (box,))

    def add_node(self, kind: BoxKind, node: Node, inputs: tuple[str, ...] = ()) -> int:
        """Add the box of a node, with what is told of it."""
        number = super().add_node(kind, node, inputs)
        if self._notes is not None:
            box = self.diagram.boxes[number]
            box.lines += tuple([line for told in self._notes(node) for line in wrapped(told)])
        return number

    def show(self, node: Node) -> Flow | None:
        kind = type(node)
        if _IS_PLAIN_BLOCK[kind]:
            return self._block(node)
        steps, inside = self._split(node)
        if steps:
            return self._hold(node, steps, inside)
        box = self.add_node(BoxKind.STATEMENT, node)
        self._follow(box)
        self._access(node, inside, box)
        return None

    def _block(self, block: Node) -> Flow:
        for scope in scopes(block):
            yield scope.roots

    def _split(self, node: Node) -> tuple[list[_Step], list[Node]]:
        """Return the scopes of a node that hold statements, and the expressions in others."""
        steps: list[_Step] = []
        inside: list[Node] = []
        if scope_fields(type(node)).scopes or scope_fields(type(node)).parts:
            names = BOX_TEXTS[type(node)](node).scopes
            is_first = True
            for name, declared, scope in named_scopes(node, names):
                if _runs_statements(declared):
                    steps += [_Step(name, scope, is_first)] if _has_contents(scope) else []
                    is_first = False
                else:
                    inside += scope.roots
        return steps, inside

    def _hold(self, node: Node, steps: list[_Step], inside: list[Node]) -> Flow:
        runs = steps[0].scope.runs
        box = self.add_holder(node, runs)
        if box is not None:
            self._follow(box)
            self._access(node, inside, box)
            self.open(box)
        if runs is Runs.DEFERRED:
            self.writers.enter()
            self._enter(node)
        arms: list[Arm] = []
        for step in steps:
            is_boxed = (len(steps) > 1 or not step.is_first) and runs is not Runs.DEFERRED
            if is_boxed:
                self.open(self.add(HOLDERS[step.scope.runs], BoxText(step.name)))
            if runs is not Runs.ONCE:
                self.writers.enter()
            self._choices += runs in (Runs.ONE_OF, Runs.REPEATEDLY)
            yield step.scope.roots
            self._choices -= runs in (Runs.ONE_OF, Runs.REPEATEDLY)
            if runs is Runs.DEFERRED:
                self._give_back(node)
            if runs is not Runs.ONCE:
                arms.append(self.writers.leave())
            if is_boxed:
                self.close()
            if runs is Runs.REPEATEDLY and box is not None:
                self.carry(arms.pop(), box)
        if runs is Runs.ONE_OF and box is not None:
            self.writers.join(arms, box, is_skipped=_may_skip(node, len(steps)))
        if runs is Runs.DEFERRED:
            self.writers.leave()
        if box is not None:
            self.close()

    def _enter(self, function: Node) -> None:
        """Add boxes for parameters, and for memory that is there while a function runs."""
        empty = set(without_value(function))
        self.add_variables(tuple([each for each in binders(function) if each not in empty]))
        for place in binders(function):
            if place in empty and not UNALIASED[type(place)]:
                text = BOX_TEXTS[type(place)](place)
                text = text._replace(lines=("allocated", *text.lines))
                box = self.add(BoxKind.STATEMENT, text, family="memory", details=details_of(place))
                self.writers.write(place, (box,))

    def _give_back(self, function: Node) -> None:
        """Add a box for each place that a function writes for those who call it."""
        told = BOUND_VARIABLES[type(function)].outliving
        for place in () if told is None else told(function):
            written = [
                box
                for box in self.writers.of(place)
                if self.diagram.boxes[box].kind is not BoxKind.INPUT
            ]
            if written:
                text = BOX_TEXTS[type(place)](place)
                box = self.add(
                    BoxKind.OUTPUT, text._replace(name=f"{text.title}'"), details=details_of(place)
                )
                for writer in written:
                    self.connect(Edge(writer, box, kind=EdgeKind.MEMORY))

    def _follow(self, box: int) -> None:
        """Note which statement comes before this one."""
        before = self._last.get(self.holder)
        self._last[self.holder] = box
        if before is not None:
            self._order.append((before, box))

    def mark_order(self) -> None:
        """Add edges that tell the order of statements where no other edge does."""
        for before, after in self._order:
            if (before, after) not in self._linked:
                self.diagram.connect(Edge(before, after, kind=EdgeKind.CONTROL))

    def _access(self, node: Node, inside: list[Node], box: int) -> None:
        """Connect a statement with what wrote what it reads, and note what it writes."""
        written: list[tuple[Place, bool]] = []
        seen: set[Node] = set()
        pending = [*inside[::-1], node]
        while pending:
            expr = pending.pop()
            if type(expr) in ATOMS:
                if type(expr) in VARIABLES:
                    self._read(expr, box)
                continue
            if expr in seen:
                continue
            seen.add(expr)
            told = mod_ref_of(expr)
            if expr is not node:
                pending += [root for scope in scopes(expr)[::-1] for root in scope.roots[::-1]]
            pending += told.evaluates[::-1]
            names_memory = told.reads or told.changes or told.clears
            for place in (*told.reads, *(() if names_memory else told.uses)):  # no sizes of memory
                self._read(place, box)
                if self._is_shared(place):
                    self._read(ELSEWHERE, box)
            self._exposed.update(told.exposes)
            written += [(each, False) for each in (*told.overwrites, *told.clears)]
            written += [(each, True) for each in told.changes]
            if told.effect & READING:
                self._read(ELSEWHERE, box)
                for shared in list(self._shared)[-MOST_PLACES:]:
                    self._read(shared, box)
            if told.effect & READING and told.effect & WRITING and not self._choices:
                self._shared.clear()  # whoever reads them hangs on this, which hangs on them
            if told.effect & WRITING:
                written.append((ELSEWHERE, True))
        for variable in () if scopes(node) else binders(node):
            self.writers.declare(variable, (box,))
        for written_place, keeps in written:
            if keeps:
                self._connect(written_place, self.writers.of(written_place), box)
            self.writers.write(written_place, (box,), keeps=keeps)
            if self._is_shared(written_place):
                self._shared.pop(written_place, None)
                self._shared[written_place] = None

    def _is_shared(self, place: Place) -> bool:
        """Return whether a place may be accessed by what does not name it, as calls do."""
        return isinstance(place, Node) and (place in self._exposed or not UNALIASED[type(place)])

    def _read(self, place: Place, box: int) -> None:
        self._connect(place, self.writers.read(place, box), box)

    def _connect(self, place: Place, writers: tuple[int, ...], box: int) -> None:
        for writer in writers:
            if writer != box:
                self.connect(self.edge_of_place(place, writer, box))
                self._link(writer, box)

    def _link(self, source: int, target: int) -> None:
        """Note that an edge leads between two boxes beside one another, or what lies in them."""
        boxes = self.diagram.boxes
        for _ in range(MOST_LEVELS):
            parent = boxes[source].parent
            if parent is None or parent in self._depth:
                depth = -1 if parent is None else self._depth[parent]
                self._linked.add((source, [*self._open[depth + 1 : depth + 2], target][0]))
                return
            source = parent

    def edge_of_place(self, place: Place, writer: int, reader: int) -> Edge:
        edge = super().edge_of_place(place, writer, reader)
        name = name_of(place) if isinstance(place, Node) else ELSEWHERE.name
        is_told = edge.kind is EdgeKind.VALUE or self.diagram.boxes[writer].kind is BoxKind.INPUT
        return edge if is_told else replace(edge, label=name)


def _has_contents(scope: Scope) -> bool:
    """Return whether a scope is more than an empty block."""
    return any(not _IS_PLAIN_BLOCK[type(root)] or scopes(root)[0].roots for root in scope.roots)


def _may_skip(node: Node, steps: int) -> bool:
    """Return whether a node may run none of the scopes that are drawn."""
    return steps < len(scopes(node)) or may_skip(node, steps)


def _is_plain_block(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` are lists of statements and nothing else."""
    held = [f for f in kind.fields_ if f.role is not Role.LEAF and f.compared]
    return bool(held) and all(f.block for f in held)


def _runs_statements(declared: Field) -> bool:
    """Return whether a field that is a scope holds statements, or functions of such."""
    assert declared.kind is not None
    block = block_kind(declared.kind)
    if declared.block or (block is not None and block in declared.kind.kinds):
        return True
    return bool(_HOLDS[declared.kind])


def _holds_of_kind(kind: type[Node]) -> bool:
    """Return whether scopes of nodes of class ``kind`` hold statements, at whatever depth."""
    seen: set[type[Node]] = set()
    pending = [kind]
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        for declared in scope_fields(each).scopes:
            assert declared.kind is not None
            block = block_kind(declared.kind)
            if declared.block or (block is not None and block in declared.kind.kinds):
                return True
            if declared.kind.traits_.atom is None:
                pending.append(declared.kind)
    return False


_HOLDS: Final = ByKind(_holds_of_kind)
_IS_PLAIN_BLOCK: Final = ByKind(_is_plain_block)
