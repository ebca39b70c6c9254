"""The flow graph of a program: its points, in reverse post-order, and edges between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from relayish._support.display import repr_mimebundle
from relayish._support.graph import reachable
from relayish.dataflow.graph.accesses import Accesses
from relayish.dataflow.graph.point import Action, Branch, Edge, Point, Procedure
from relayish.ir.fields.roles import Role
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.scopes.scoping import RoleTraversal, operands

INSIDE: Final = RoleTraversal(Role.OPERAND, Role.PART)
"""What is evaluated before a node is."""
_USING: Final = (Action.EVALUATE, Action.ENTER, Action.BIND, Action.YIELD)
_NONE: Final[tuple[int, ...]] = ()
_NO_NODES: Final[tuple[Node, ...]] = ()


class FlowGraph:
    """The program points of a program and the edges between them; never changed.

    Points are numbered in reverse post-order, one procedure after the other: each point stands
    before those that it leads to, but for the header of a loop around it. They are occurrences: a
    statement that stands in two places has two points. A node that a dataflow graph shares has
    one, in the scope in which it is computed.

    Attributes:
        root: What the graph is of: a node, or a module.
        nodes: For each point, the node.
        actions: For each point, what happens there.
        binders: The variables that come into scope, by point, where there are any.
        procedures: The bodies of functions, those that are analysed first.
    """

    __slots__ = (
        "__dict__",
        "_branches",
        "_joins",
        "_jumps",
        "_starts",
        "actions",
        "binders",
        "is_tree",
        "nodes",
        "procedures",
        "root",
    )
    _repr_mimebundle_ = repr_mimebundle

    def __init__(
        self,
        root: Node | Module[Any],
        nodes: Sequence[Node],
        actions: Sequence[Action],
        binders: Mapping[int, tuple[Node, ...]],
        edges: Edges,
        starts: Mapping[int, int],
        procedures: tuple[Procedure, ...],
        is_tree: Sequence[bool],
    ) -> None:
        self.root = root
        self.nodes = tuple(nodes)
        self.actions = tuple(actions)
        self.binders = MappingProxyType(dict(binders))
        self.procedures = procedures
        self.is_tree = tuple(is_tree)
        """For each procedure, whether its statements are points, not its expressions."""
        self._jumps, self._joins, self._branches = edges
        self._starts = starts

    def __len__(self) -> int:
        return len(self.nodes)

    def point(self, number: int) -> Point:
        """Return the point of that number."""
        return Point(
            number, self.nodes[number], self.actions[number], self.binders.get(number, _NO_NODES)
        )

    @property
    def points(self) -> Iterator[Point]:
        """All points, in reverse post-order."""
        return map(self.point, range(len(self.nodes)))

    def successors(self, point: int) -> tuple[int, ...]:
        """Return the numbers of the points that control goes to from ``point``."""
        found = self._jumps.get(point)
        return (point + 1,) if found is None else found

    def predecessors(self, point: int) -> tuple[int, ...]:
        """Return the numbers of the points from which control goes to ``point``."""
        found = self._joins.get(point)
        return (point - 1,) if found is None else found

    def edge(self, source: int, target: int) -> Edge:
        """Return the edge between two points that follow one another."""
        return Edge(source, target, self._branches.get((source, target)))

    @property
    def edges(self) -> Iterator[Edge]:
        """All edges, by source."""
        for source in range(len(self.nodes)):
            for target in self.successors(source):
                yield self.edge(source, target)

    def start(self, point: int) -> int:
        """Return the first point of the occurrence that is left at ``point``; else that itself."""
        return self._starts.get(point, point)

    def begin(self, point: int) -> int:
        """Return the first point of the occurrence that is left at ``point``, with its operands'.

        In trees an expression with scopes, such as a reduction, has points before those of the
        statement it is in; other expressions belong to the point of the statement.

        Complexity:
            Linear in the expressions of the statement, if points of another node come before it.
        """
        first, node = self.start(point), self.nodes[point]
        if not type(node).language_.is_tree:
            return first
        inside: set[Node] | None = None
        while self.actions[first - 1] is Action.LEAVE:
            if inside is None:
                inside = set(INSIDE.post_order(operands(node)))
            if self.nodes[first - 1] not in inside:
                break
            first = self.start(first - 1)
        return first

    def is_header(self, point: int) -> bool:
        """Return whether control comes back to ``point``, from one that follows it."""
        found = self._joins.get(point)
        return found is not None and max(found, default=-1) >= point

    @cached_property
    def blocks(self) -> tuple[range, ...]:
        """The basic blocks: ranges of points that run one after the other, in order.

        Complexity:
            Linear in the points, once.
        """
        ends = {target - 1 for target in self._joins}.union(self._jumps)
        alone = [end for end in ends if not self._runs_on(end)]
        bounds = [0, *sorted([end + 1 for end in alone if end >= 0])]
        return tuple([range(a, b) for a, b in pairwise(bounds)])

    def _runs_on(self, point: int) -> bool:
        """Return whether control goes from ``point`` to the next one, and nowhere else."""
        return self._jumps.get(point, (point + 1,)) == (point + 1,) and (
            self._joins.get(point + 1, (point,)) == (point,)
        )

    @cached_property
    def bound(self) -> frozenset[Node]:
        """All variables that come into scope somewhere."""
        return frozenset([variable for each in self.binders.values() for variable in each])

    @cached_property
    def _occurrences(self) -> Mapping[Node, tuple[int, ...]]:
        found: dict[Node, tuple[int, ...]] = {}
        within = (Action.ENTRY, Action.EXIT, Action.BIND, Action.LOOP, Action.ENTER, Action.YIELD)
        for number, node in enumerate(self.nodes):
            if self.actions[number] not in within:
                found[node] = (*found[node], number) if node in found else (number,)
        return found

    def occurrences(self, node: Node) -> tuple[int, ...]:
        """Return the points at which ``node`` has been evaluated: one for each occurrence.

        Complexity:
            Constant, after an index was made in time linear in the points; quadratic for a node
            that occurs very often.
        """
        return self._occurrences.get(node, _NONE)

    def holders(self, expr: Node) -> tuple[int, ...]:
        """Return the points of statements that evaluate ``expr``, which has no point of its own.

        Complexity:
            Linear in what holds it, after an index was made in time linear in the expressions.
        """
        users, statements = self._held
        around = reachable([expr], lambda node: users.get(node, _NO_NODES))
        return tuple(sorted({at for node in around for at in statements.get(node, _NONE)}))

    @cached_property
    def _held(self) -> tuple[Mapping[Node, Sequence[Node]], Mapping[Node, Sequence[int]]]:
        """The users of the expressions of statements, and the points where these are evaluated."""
        statements: dict[Node, list[int]] = {}
        for procedure in self.procedures:
            if not self.is_tree[procedure.number]:
                continue
            for number in range(procedure.entry, procedure.exit + 1):
                if self.actions[number] in (Action.EVALUATE, Action.ENTER):
                    statements.setdefault(self.nodes[number], []).append(number)
        users: dict[Node, list[Node]] = {}
        roots = [child for statement in statements for child in INSIDE.children(statement)]
        for node in (*statements, *INSIDE.post_order(roots)):
            for child in INSIDE.children(node):
                users.setdefault(child, []).append(node)
        return users, statements

    def has_same_points(self, other: FlowGraph) -> bool:
        """Return whether ``other`` has the same points and edges by number, of whichever nodes."""
        return (
            len(self) == len(other)
            and list(self.actions) == list(other.actions)
            and self._jumps == other._jumps
            and [p.entry for p in self.procedures] == [p.entry for p in other.procedures]
        )

    def captured(self, function: Node) -> tuple[Node, ...]:
        """Return the variables from outside that the body of a function uses, in order.

        Complexity:
            Constant, after an index was made in time linear in what is evaluated, and in what
            functions capture.
        """
        return self._captured.get(function, _NO_NODES)

    @cached_property
    def _captured(self) -> Mapping[Node, tuple[Node, ...]]:
        used: list[dict[Node, None]] = [{} for _ in self.procedures]
        found: dict[Node, tuple[Node, ...]] = {}
        for procedure in reversed(self.procedures):
            own, bound = used[procedure.number], set[Node]()
            is_tree = self.is_tree[procedure.number]
            for number in range(procedure.entry, procedure.exit + 1):
                bound.update(self.binders.get(number, _NO_NODES))
                own.update(dict.fromkeys(self._variables_used(number, is_tree)))
            free = {variable: None for variable in own if variable not in bound}
            if procedure.scope is not None:
                before = found.get(procedure.node, _NO_NODES)
                found[procedure.node] = tuple(dict.fromkeys((*before, *free)))
            if procedure.parent is not None:
                used[procedure.parent].update(free)
        return found

    def _variables_used(self, number: int, is_tree: bool) -> list[Node]:
        """Return the variables that are evaluated at a point."""
        node = self.nodes[number]
        if self.actions[number] not in _USING:
            return []
        if type(node) in ATOMS:
            return [node] if type(node) in VARIABLES else []
        inside = INSIDE.post_order(operands(node)) if is_tree else operands(node)
        return [each for each in inside if type(each) in VARIABLES]

    @cached_property
    def accesses(self) -> Accesses:
        """Which places are read and written at each point."""
        return Accesses(self)

    def procedure_of(self, point: int) -> Procedure:
        """Return the procedure that ``point`` is in; logarithmic in their number."""
        return self.procedures[bisect_right(self.procedures, point, key=lambda p: p.entry) - 1]

    def __repr__(self) -> str:
        return (
            f"<FlowGraph of {len(self.nodes)} points in {len(self.procedures)} procedures, "
            f"{len(self.blocks)} blocks>"
        )


class Edges(NamedTuple):
    """The edges of a graph, where they do not lead from a point to the next."""

    jumps: Mapping[int, tuple[int, ...]]
    joins: Mapping[int, tuple[int, ...]]
    branches: Mapping[tuple[int, int], Branch]
