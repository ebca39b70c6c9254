"""Building flow graphs: control flow of a program, told from the roles of its kinds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish._support.collector import pause_collection
from relayish.dataflow.graph.control_flow import CONTROL_FLOW, TestedLoop, may_skip
from relayish.dataflow.graph.flow_graph import Edges, FlowGraph
from relayish.dataflow.graph.point import Action, Branch, Procedure
from relayish.dataflow.graph.scope_contents import Contents, PlacedContents, contents_of
from relayish.errors import AnalysisError, indefinite
from relayish.ir.fields.field import Shape
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import Module
from relayish.ir.nodes.getters import ScopeFields, compile_getter, scope_fields
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import Scope, binders, has_parts, outer_operands, scopes

MAX_POINTS: Final = 100_000_000
"""How many points a graph has at most, unless it is told otherwise."""


def build_flow_graph(root: Node | Module[Any], *, max_points: int = MAX_POINTS) -> FlowGraph:
    """Return the flow graph of a program.

    Args:
        root: A function, whose body is analysed; any other node, which is; or a module, all of
            whose functions are. Functions in these are procedures of their own.
        max_points: How many points there may be. A statement that stands in many places has many.

    Raises:
        AnalysisError: If there would be more points, or this is no program.

    Complexity:
        Linear in the points, and in distinct nodes; no recursion.

    Source:
        Relay's liveness analysis has such a graph of programs in A-normal form, and relax the
        analysis of TVM's request #15689.

    Example:
        >>> from relayish.ir.relay.expr import If, Var
        >>> c, x, y = Var("c"), Var("x"), Var("y")
        >>> graph = build_flow_graph(If(c, x, y))
        >>> [point.action.value for point in graph.points]
        ['entry', 'enter', 'yield', 'yield', 'leave', 'exit']
        >>> graph.successors(1), graph.predecessors(4)
        ((2, 3), (2, 3))
    """
    given: object = root  # still to be checked
    if not isinstance(given, (Node, Module)):
        raise AnalysisError(
            f"programs are nodes or modules; found {indefinite(type(given))}; give a function, an "
            f"expression, a statement, or a module"
        )
    if isinstance(given, Node) and given.held_as_ is not Role.OPERAND:
        raise AnalysisError(
            f"{one_line(given)} is {indefinite(type(given))}, which is not evaluated; give a "
            f"function, an expression, a statement, or a module"
        )
    with pause_collection():
        return _Builder(root, max_points).build()


class _Pending(NamedTuple):
    """A procedure whose points are not made yet."""

    node: Node
    scope: int | None
    parent: int | None
    contents: Contents


_Flow: TypeAlias = Iterator[Sequence[Node]]
"""Makes the points of a node with scopes; yields what is evaluated in each of these."""

_Source: TypeAlias = "tuple[int, Branch | None]"


class _Builder:
    def __init__(self, root: Node | Module[Any], max_points: int) -> None:
        self._root = root
        self._max_points = max_points
        self._nodes: list[Node] = []
        self._actions: list[Action] = []
        self._binders: dict[int, tuple[Node, ...]] = {}
        self._jumps: dict[int, tuple[int, ...]] = {}
        self._joins: dict[int, tuple[int, ...]] = {}
        self._branches: dict[tuple[int, int], Branch] = {}
        self._starts: dict[int, int] = {}
        self._procedures: list[Procedure] = []
        self._is_tree: list[bool] = []
        self._pending: deque[_Pending] = deque()
        self._sources: list[_Source] | None = None  # of the next point; None: the last one
        self._returns: list[_Source] = []  # the points from which control leaves the procedure
        self._contents: Contents

    def build(self) -> FlowGraph:
        root = self._root
        roots = list(root.functions.values()) if isinstance(root, Module) else [root]
        for root in roots:
            deferred = _deferred(root)
            contents = contents_of(root)
            if deferred:
                self._defer(root, deferred, None, contents)
            else:
                self._pending.append(_Pending(root, None, None, contents))
        while self._pending:
            self._build_procedure(self._pending.popleft())
        return FlowGraph(
            self._root,
            self._nodes,
            self._actions,
            self._binders,
            Edges(self._jumps, self._joins, self._branches),
            self._starts,
            tuple(self._procedures),
            self._is_tree,
        )

    def _defer(
        self, node: Node, deferred: Iterable[int], parent: int | None, contents: Contents
    ) -> None:
        self._pending += [_Pending(node, number, parent, contents) for number in deferred]

    def _build_procedure(self, pending: _Pending) -> None:
        node, scope, parent, self._contents = pending
        entry = len(self._nodes)
        self._sources = None
        self._returns = []
        self._joins[entry] = ()
        self._emit(node, Action.ENTRY, () if scope is None else scopes(node)[scope].binders)
        if scope is None:
            self._run(self._contents.of_root(node))
        else:
            run = scopes(node)[scope]
            self._run(self._contents.of_scope(node, scope, run))
            self._give(node, scope, run)
        if self._returns:
            self._sources = [*self._ends(), *self._returns]
        exit_ = self._emit(node, Action.EXIT)
        self._jumps[exit_] = ()
        number = len(self._procedures)
        self._procedures.append(Procedure(number, node, scope, parent, entry, exit_))
        self._is_tree.append(self._contents.is_tree)

    def _run(self, contents: Sequence[Node]) -> None:
        """Make the points of what is evaluated, on a stack of our own."""
        nodes, actions, number = self._nodes, self._actions, len(self._procedures)
        flows: list[_Flow] = []
        evaluating: list[Iterator[Node]] = [iter(contents)]
        is_plain, evaluate, most = _IS_PLAIN, Action.EVALUATE, self._max_points
        is_placed = isinstance(self._contents, PlacedContents)
        no_node: Iterator[Node] = iter(())
        while evaluating:
            for node in evaluating[-1]:
                kind = type(node)
                plain = is_plain[kind]
                if plain is False or plain is _LIKE_LET or plain is _LIKE_IF:
                    if not is_placed or plain is False:
                        flows.append(self._flow(node))
                    else:
                        flows.append(self._let(node) if plain is _LIKE_LET else self._if(node))
                    evaluating.append(no_node)
                    break
                if self._sources is None:
                    nodes.append(node)
                    actions.append(evaluate)
                    if len(nodes) > most:
                        self._refuse(node)
                else:
                    self._emit(node, evaluate)
                if plain is _NOTED:
                    self.note(node, number)
                elif plain is _LEAVES:
                    self._returns.append((len(nodes) - 1, None))
                    self._sources = []
            else:
                evaluating.pop()
                if flows:
                    following = next(flows[-1], None)
                    if following is None:
                        flows.pop()
                    else:
                        evaluating.append(iter(following))

    def note(self, node: Node, procedure: int) -> None:
        """Note what a node without scopes that run binds, and what it defers."""
        bound = binders(node)
        deferred = _deferred(node)
        if deferred:
            self._defer(node, deferred, procedure, self._contents)
        elif bound:
            self._binders[len(self._nodes) - 1] = bound

    def _emit(self, node: Node, action: Action, bound: tuple[Node, ...] = ()) -> int:
        """Make a point after what comes before it; return its number."""
        number = len(self._nodes)
        if number >= self._max_points:
            self._refuse(node)
        self._nodes.append(node)
        self._actions.append(action)
        if bound:
            self._binders[number] = bound
        sources = self._sources
        if sources is not None:
            came = [source for source, _ in sources]
            self._joins[number] = tuple(came if len(came) == 1 else dict.fromkeys(came))
            self._jump(number, sources)
            self._sources = None
        return number

    def _join(self, target: int, sources: Sequence[_Source]) -> None:
        """Lead control back to a point that there is already."""
        self._joins[target] = (
            *self._joins.get(target, (target - 1,)),
            *dict.fromkeys([source for source, _ in sources]),
        )
        self._jump(target, sources)

    def _jump(self, target: int, sources: Sequence[_Source]) -> None:
        jumps, joins = self._jumps, self._joins
        for source, branch in sources:
            before = jumps.get(source)
            if not before:
                following = source + 1
                runs_on = following < len(self._nodes) and following not in joins
                before = (following,) if runs_on else ()
            if target not in before:
                jumps[source] = (*before, target)
            if branch is not None:
                self._branches[source, target] = branch

    def _ends(self) -> list[_Source]:
        """Return from where control goes on."""
        if self._sources is None:
            return [(len(self._nodes) - 1, None)]
        return self._sources

    def _refuse(self, node: Node) -> None:
        raise AnalysisError(
            f"the flow graph has more than {self._max_points} points at {one_line(node)}: "
            f"statements that are shared occur again and again; copy none of them, or raise "
            f"max_points"
        )

    # A node with scopes

    def _let(self, let: Node) -> _Flow:
        """Do for a node like a let what :meth:`_flow` does, sooner."""
        contents = self._contents
        assert isinstance(contents, PlacedContents)
        value, body = _LET_FIELDS[type(let)](let)
        start = len(self._nodes)
        before, after, given = contents.of_binding(let, value, body)
        if before:
            yield before
        self._emit(let, Action.BIND, binders(let))
        if after:
            yield after
        if given is not None:
            self._emit(given, Action.YIELD)
        self._starts[self._emit(let, Action.LEAVE)] = start

    def _if(self, node: Node) -> _Flow:
        """Do for a node like an if what :meth:`_flow` does, sooner."""
        contents = self._contents
        assert isinstance(contents, PlacedContents)
        roots = _BRANCHES[type(node)](node)
        enter = self._emit(node, Action.ENTER)
        ends: list[_Source] = []
        for case, (inside, given) in enumerate(contents.of_branches(node, roots)):
            self._sources = [(enter, Branch(node, case))]
            if inside:
                yield inside
            if given is not None:
                self._emit(given, Action.YIELD)
            ends += self._ends()
        self._sources = ends
        self._starts[self._emit(node, Action.LEAVE)] = enter

    def _flow(self, node: Node) -> _Flow:
        inner = [(case, s) for case, s in enumerate(scopes(node)) if s.runs is not Runs.DEFERRED]
        if not inner:
            self._emit(node, Action.EVALUATE)
            self.note(node, len(self._procedures))
            return
        start = len(self._nodes)
        contents = self._contents
        recursive = contents.before_binding(node)
        if outer_operands(node) or not _begins_with_binder(inner, recursive):
            self._emit(node, Action.ENTER)
        if recursive:
            yield recursive
        around = contents.shared(node)
        loop = CONTROL_FLOW[type(node)].loop
        at = 0
        while at < len(inner):
            group = [inner[at]]
            while (
                at + len(group) < len(inner) and inner[at + len(group)][1].runs is group[0][1].runs
            ):
                group.append(inner[at + len(group)])
            at += len(group)
            match group[0][1].runs:
                case Runs.ONCE:
                    yield from self._sequence(node, group, around)
                case Runs.ONE_OF:
                    yield from self._branching(node, group, around)
                case _ if loop is not None:
                    yield from self._tested_loop(node, dict(group), loop, around)
                case _:
                    yield from self._loop(node, group, around)
            around = ()
        leave = self._emit(node, Action.LEAVE)
        if start != leave:
            self._starts[leave] = start

    def _sequence(
        self, node: Node, group: list[tuple[int, Scope]], around: Sequence[Node]
    ) -> _Flow:
        """Run scopes one after the other."""
        known: tuple[Node, ...] = ()
        for case, scope in group:
            if scope.binders and scope.binders != known:
                self._emit(node, Action.BIND, scope.binders)
                known = scope.binders
            if around:
                yield around
                around = ()
            yield self._contents.of_scope(node, case, scope)
            self._give(node, case, scope)

    def _branching(
        self, node: Node, group: list[tuple[int, Scope]], around: Sequence[Node]
    ) -> _Flow:
        """Run one of several scopes, or none."""
        if around:
            self._bind(node, group[0][1].binders)
            yield around
        ends: list[_Source] = []
        deciding = self._deciding(node)
        for case, scope in group:
            self._sources = [(source, Branch(node, case)) for source, _ in deciding]
            if not around and scope.binders:
                self._emit(node, Action.BIND, scope.binders)
            yield self._contents.of_scope(node, case, scope)
            self._give(node, case, scope)
            ends += self._ends()
        if may_skip(node, len(group)):
            ends += [(source, Branch(node, None)) for source, _ in deciding]
        self._sources = ends

    def _loop(self, node: Node, group: list[tuple[int, Scope]], around: Sequence[Node]) -> _Flow:
        """Run scopes any number of times, in any order."""
        header = self._emit(node, Action.LOOP)
        deciding: list[_Source] = [(header, None)]
        if around:
            self._bind(node, group[0][1].binders)
            yield around
            deciding = self._deciding(node)
        for case, scope in group:
            self._sources = [(source, Branch(node, case)) for source, _ in deciding]
            if not around and scope.binders:
                self._emit(node, Action.BIND, scope.binders)
            yield self._contents.of_scope(node, case, scope)
            self._give(node, case, scope)
            self._join(header, self._ends())
        self._sources = [(header, Branch(node, None))]

    def _tested_loop(
        self, node: Node, group: dict[int, Scope], loop: TestedLoop, around: Sequence[Node]
    ) -> _Flow:
        """Run what decides whether there is an iteration, then that, again and again."""
        header = self._emit(node, Action.LOOP)
        self._bind(node, group[loop.test].binders)
        if around:
            yield around
        for case in loop.before:
            yield from self._scope(node, case, group[case])
        yield from self._scope(node, loop.test, group[loop.test])
        deciding = self._deciding(node)
        self._sources = [(source, Branch(node, loop.first)) for source, _ in deciding]
        for case in loop.body:
            yield from self._scope(node, case, group[case])
        self._join(header, self._ends())
        self._sources = [(source, Branch(node, None)) for source, _ in deciding]

    def _scope(self, node: Node, case: int, scope: Scope) -> _Flow:
        """Run what a scope evaluates."""
        yield self._contents.of_scope(node, case, scope)
        self._give(node, case, scope)

    def _give(self, node: Node, case: int, scope: Scope) -> None:
        """Make the point where a scope gives what is not evaluated in it."""
        given = self._contents.given(node, case, scope)
        if given is not None:
            self._emit(given, Action.YIELD)

    def _deciding(self, node: Node) -> list[_Source]:
        """Return the last point, which decides how control goes on; a new one if need be."""
        ends = self._ends()
        if len(ends) == 1 and ends[0][1] is None:
            return ends
        return [(self._emit(node, Action.BIND), None)]

    def _bind(self, node: Node, bound: tuple[Node, ...]) -> None:
        if bound:
            self._emit(node, Action.BIND, bound)


def _begins_with_binder(inner: list[tuple[int, Scope]], recursive: Sequence[Node] | None) -> bool:
    """Return whether a node is nothing but a binding, as a let is."""
    if recursive is None and not inner[0][1].binders:
        return False
    return len(inner) == 1 and inner[0][1].runs is Runs.ONCE


def _deferred(node: Node) -> list[int]:
    return [case for case, s in enumerate(scopes(node)) if s.runs is Runs.DEFERRED]


def _plain_of_kind(kind: type[Node]) -> object:
    """Return whether a node of that kind is one point, or what it is besides."""
    fields = scope_fields(kind)
    if CONTROL_FLOW[kind].leaves:
        return _LEAVES
    if has_parts(kind):
        return False
    if all(f.runs is Runs.DEFERRED for f in fields.scopes):
        return _NOTED if fields.scopes or fields.binders else True
    if _is_like_let(fields):
        return _LIKE_LET
    return _LIKE_IF if _is_like_if(fields) else False


def _is_like_let(fields: ScopeFields) -> bool:
    """Return whether a node is nothing but a binding of one value for one body."""
    if fields.outside or len(fields.recursive) != 1 or len(fields.scopes) != 1:
        return False
    [value], [body] = fields.recursive, fields.scopes
    return body.runs is Runs.ONCE and value.shape is body.shape is Shape.ONE


def _is_like_if(fields: ScopeFields) -> bool:
    """Return whether a node evaluates an operand, then one of some scopes, and binds nothing."""
    if fields.recursive or fields.binders or not any(f.shape is Shape.ONE for f in fields.outside):
        return False
    return len(fields.scopes) > 1 and all(
        f.runs is Runs.ONE_OF and f.shape is Shape.ONE and not f.block for f in fields.scopes
    )


_NOTED: Final = "binds or defers"
_LEAVES: Final = "leaves the function"
_LIKE_LET: Final = "is like a let"
_LIKE_IF: Final = "is like an if"
_IS_PLAIN: Final = CONTROL_FLOW.derive(_plain_of_kind)
_BRANCHES: Final = ByKind(lambda kind: compile_getter(scope_fields(kind).scopes))
_LET_FIELDS: Final = ByKind(
    lambda kind: compile_getter([*scope_fields(kind).recursive, *scope_fields(kind).scopes])
)
