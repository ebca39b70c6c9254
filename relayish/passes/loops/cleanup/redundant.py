"""Redundant computation: which statements compute again what was computed on every path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from relayish._support.dominators import DominatorTree
from relayish._support.graph import find_root
from relayish.dataflow import Action, Direction, Solution, build_flow_graph, mod_ref_of, solve
from relayish.dataflow.analyses import AvailableExpressions
from relayish.dataflow.analyses.expressions import Expressions
from relayish.dataflow.lattice import MapLattice, PersistentSet, Powerset
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes
from relayish.passes.loops.simplify.candidates import is_worth_it, roots_of
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block, For, PolyFor
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES

State: TypeAlias = Any  # a map from expressions to points, as MapLattice has it


class Web(NamedTuple):
    """Statements that compute an expression, and those that may use the value.

    Attributes:
        number: The expression, by its representative.
        var: What holds its value.
        sources: The statements that compute it.
        uses: Those that compute it again.
        block: The innermost block around all of them.
    """

    number: Node
    var: Var
    sources: frozenset[Node]
    uses: frozenset[Node]
    block: Block


def find_webs(func: LoweredFunc) -> list[Web]:
    """Return what is computed again, with where it was computed, in order of first use.

    Complexity:
        Linear in statements and distinct nodes, times a logarithm; no recursion.
    """
    return list(_Finder(func).webs())


class _Finder:
    def __init__(self, func: LoweredFunc) -> None:
        self.func = func
        self.graph = build_flow_graph(func)
        self.analysis = AvailableExpressions()
        [self.available] = solve([self.analysis], self.graph)
        self.places = _Places(func)

    def webs(self) -> Iterator[Web]:
        uses = self._find_uses()
        if not uses:
            return
        wanted = frozenset([number for _, number in uses])
        computing = _Computing(self.available, self.analysis, wanted)
        [computed] = solve([computing], self.graph)
        parent = list(range(len(uses)))
        by_source: dict[tuple[int, Node], int] = {}
        sources: list[frozenset[int]] = []
        for at, (point, number) in enumerate(uses):
            found = frozenset(computed.before(point).get(number) or ())
            sources.append(found)
            for source in found:
                other = by_source.setdefault((source, number), at)
                parent[find_root(parent, at)] = find_root(parent, other)
        groups: dict[int, list[int]] = {}
        for at in range(len(uses)):
            groups.setdefault(find_root(parent, at), []).append(at)
        for group in groups.values():
            number = uses[group[0]][1]
            points = {source for at in group for source in sources[at]}
            web = self._web(number, points, {uses[at][0] for at in group})
            if web is not None:
                yield web

    def _find_uses(self) -> list[tuple[int, Node]]:
        """Return the points of statements that compute an expression again, which is worth it."""
        found: dict[tuple[int, Node], None] = {}
        numbers = self.analysis.numbers
        for point, node in enumerate(self.graph.nodes):
            if self.graph.actions[point] not in (Action.EVALUATE, Action.ENTER):
                continue
            if not self._is_eligible(point):
                continue
            available = self.available.before(point)
            if not self.analysis.evaluated_at(point) or not available:
                continue
            pending: list[Node] = list(roots_of(node)[::-1])
            seen: set[Node] = set()
            while pending:
                each = pending.pop()
                if each in seen or VALUES.push[type(each)] is None or has_scopes(type(each)):
                    continue
                seen.add(each)
                number = numbers.number(each)
                if number in available and is_worth_it(each):
                    if number is not None:
                        found[point, number] = None
                    continue
                pending += VALUES.children(each)[::-1]
        return list(found)

    def _is_eligible(self, point: int) -> bool:
        """Return whether a statement stands in one place, and its operands do nothing else."""
        node = self.graph.nodes[point]
        if node not in self.places or not roots_of(node):
            return False
        accessed: tuple[object, ...] = self.graph.accesses.at(point)
        return accessed[3:] == mod_ref_of(node)[3:]

    def _web(self, number: Node, sources: set[int], uses: set[int]) -> Web | None:
        """Return the web, unless it cannot be passed on in a variable."""
        assert isinstance(number, Expr)
        points = sources | uses
        if not sources or not all(self._is_eligible(point) for point in sources):
            return None
        nodes = [self.graph.nodes[point] for point in sorted(points)]
        if not all(self._computes(point, number) for point in sources):
            return None
        block = self._common_block(nodes)
        if block is None:
            return None
        made = Var("cse", number.type)
        of = self.graph.nodes
        return Web(
            number,
            made,
            frozenset([of[point] for point in sources]),
            frozenset([of[point] for point in uses]),
            block,
        )

    def _computes(self, point: int, number: Node) -> bool:
        """Return whether a statement computes an expression where it can be replaced."""
        numbers = self.analysis.numbers
        order = VALUES.post_order(
            roots_of(self.graph.nodes[point]), lambda each: not has_scopes(type(each))
        )
        return any(
            VALUES.push[type(each)] is not None and numbers.number(each) is number
            for each in order
            if not has_scopes(type(each))
        )

    def _common_block(self, nodes: Sequence[Node]) -> Block | None:
        """Return the innermost block around statements, if no loop between runs in parallel."""
        places = self.places
        found = places.common_block(nodes)
        if found is None:
            return None
        depth = places.parallel[found]
        return found if all(places.parallel[node] == depth for node in nodes) else None


class _Places:
    """Where the statements of a function stand that stand in one place, and all they are in.

    Attributes:
        parallel: In how many loops that run in parallel each stands, itself included.
    """

    def __init__(self, func: LoweredFunc) -> None:
        users = STATEMENTS.users(func)
        self.parallel: dict[Node, int] = {}
        self._tree = DominatorTree()
        self._vertex: dict[Node | None, int] = {None: 0}
        self._block: list[Block | None] = [None]  # of each vertex, the innermost, itself included
        self._parent: dict[Node, Node | None] = {}
        pending: list[tuple[Node, Node | None]] = [(func.body, None)]
        while pending:
            node, around = pending.pop()
            self._parent[node] = around
            self._add(node, around)
            pending += [(c, node) for c in STATEMENTS.children(node) if len(users[c]) == 1]

    def _add(self, node: Node, around: Node | None) -> None:
        above = self._vertex[around]
        self._vertex[node] = self._tree.add([(above, 0)])
        self._block.append(node if isinstance(node, Block) else self._block[above])
        is_parallel = isinstance(node, (For, PolyFor)) and node.for_type is not ForType.SERIAL
        self.parallel[node] = int(is_parallel) + (0 if around is None else self.parallel[around])

    def __contains__(self, node: Node) -> bool:
        return node in self._parent

    def common_block(self, nodes: Sequence[Node]) -> Block | None:
        """Return the innermost block around statements, if there is one."""
        common = self._vertex[self._parent[nodes[0]]]
        for node in nodes[1:]:
            common, _ = self._tree.find_common(common, self._vertex[self._parent[node]])
        return self._block[common]


class _Computing(AnalysisByKind[State]):
    """For each expression that is wanted, the points that may have computed it last."""

    direction = Direction.FORWARD
    lattice = MapLattice(Powerset[int]())

    def __init__(
        self,
        available: Solution[Expressions],
        analysis: AvailableExpressions,
        wanted: frozenset[Node],
    ) -> None:
        self._available, self._analysis = available, analysis
        self._wanted = PersistentSet(wanted)

    def transfer_of(self, action: Action, _kind: type[Node], _is_tree: bool) -> Transfer | None:
        return self._compute if action in (Action.EVALUATE, Action.ENTER) else None

    def _compute(self, _node: Node, state: State) -> State:
        evaluated = self._analysis.evaluated_at(self.number)
        if not evaluated:
            return state
        wanted = evaluated.intersection(self._wanted)
        available = self._available.before(self.number)
        for number in wanted:
            if number not in available:
                state = state.set(number, PersistentSet((self.number,)))
        return state
