"""Liveness: which values are needed after each let, and which variables may share memory.

The analysis is of programs in A-normal form: operands are variables, constants and names. A value
is needed as long as a variable that may hold on to it is; see :mod:`relayish.analysis.aliasing`.
"""

from __future__ import annotations

from typing import TypeAlias

from relayish.analysis.aliasing import Aliases, is_closure, is_new, may_defer
from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.control_flow import is_let
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action
from relayish.dataflow.lattice import AnySet, PersistentSet, Powerset
from relayish.dataflow.results import flow_graph
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.errors import PassError
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.getters import compile_getter, scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.relay.expr import Function, Let
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.scopes.scoping import operands, operands_of

Needed: TypeAlias = AnySet[Node]


def analyse_liveness(func: Function) -> Liveness:
    """Return which variables of ``func``, in A-normal form, are needed after each let.

    Raises:
        PassError: If an operand is no atom.

    Complexity:
        Linear in distinct nodes, but that what functions, branches and arms need of the blocks
        around them is counted for each of these; no recursion.

    Source:
        RAF ``LivenessAnalysis``.

    Example:
        >>> from relayish.ir.relay.expr import Call, Var
        >>> from relayish.op import get_op
        >>> x, a, b = Var("x"), Var("a"), Var("b")
        >>> exp = get_op("exp")
        >>> body = Let(a, Call(exp, (x,)), Let(b, Call(exp, (a,)), b))
        >>> found = analyse_liveness(Function((x,), body))
        >>> found.is_needed_after(a, a), found.is_needed_after(a, b), found.is_needed_after(x, a)
        (True, False, False)
    """
    return Liveness(func)


class Liveness:
    """What is needed when; made by :func:`analyse_liveness`."""

    def __init__(self, func: Function) -> None:
        self._func = func
        self._aliases = Aliases(func)
        graph = flow_graph(func)
        analysis = NeededValues(self._aliases)
        self._needed: Solution[Needed]
        [self._needed] = solve([analysis], graph)
        self._bound: dict[Node, int] = {}  # for each variable, the point where it is bound
        self._points: dict[Node, int] = {}  # the same for those of lets, but for kernels
        for number, variables in graph.binders.items():
            self._bound.update(dict.fromkeys(variables, number))
            if type(graph.nodes[number]) is Let and not analysis.in_kernel[number]:
                self._points.update(dict.fromkeys(variables, number))

    def is_needed_after(self, var: Node, let_var: Node) -> bool:
        """Return whether the value of ``var`` may be used after ``let_var`` was bound."""
        return var in self._aliases.escaped or var in self._find_needed(let_var)

    def needed_after(self, let_var: Node) -> frozenset[Node]:
        """Return the variables whose values may be used after ``let_var`` was bound."""
        return frozenset([*self._aliases.escaped, *self._find_needed(let_var)])

    def _find_needed(self, let_var: Node) -> PersistentSet[Node]:
        found = self._needed.after(self._points[let_var])
        assert isinstance(found, PersistentSet)  # never all there are
        return found

    def may_overwrite(self, let_var: Node, shared: Node) -> bool:
        """Return whether the value of ``let_var`` may be written where ``shared`` is.

        It may not if what is there is needed later, is constant, or belongs to whoever calls the
        function, unless that is the outermost one, whose parameters are given away.
        """
        owner_of, points = self._aliases.owner, self._points
        owner = owner_of(let_var)
        if owner is None or let_var not in points:
            return False  # in a kernel, or nowhere
        if self._bound.get(shared, 0) > points[let_var]:
            return False  # it is not there yet
        names, places = self._aliases.origins(shared)
        for name in names:
            given = self._aliases.is_given(name) and owner is not self._func
            if given or owner_of(name) is not owner or self.is_needed_after(name, let_var):
                return False
        return all(is_new(place) or type(place) in VARIABLES for place in places)


class NeededValues(AnalysisByKind[Needed]):
    """Live variables, of which one that is used uses all that its value may hold on to.

    So whatever a live variable holds on to is live as well. Of the variables of loops, which other
    packages declare, it is taken that they may be what the loop was given first whenever an
    iteration begins.
    """

    direction = Direction.BACKWARD
    lattice = Powerset[Node]()

    def __init__(self, aliases: Aliases) -> None:
        self._aliases = aliases
        self._held: dict[Node, list[Node]] = {}
        self.in_kernel: list[bool] = []

    def transfers(self, graph: FlowGraph) -> list[Transfer | None]:
        """Return the transfer of each point; those of primitive functions have none."""
        found = list(super().transfers(graph))
        self.in_kernel = [False] * len(graph)
        kernels: set[int] = set()
        for procedure in graph.procedures:
            if procedure.parent in kernels or is_primitive(procedure.node):
                kernels.add(procedure.number)
                for number in range(procedure.entry, procedure.exit + 1):
                    found[number], self.in_kernel[number] = None, True
        return found

    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:  # noqa: ARG002
        match action:
            case Action.YIELD:
                return self._use if kind in VARIABLES else None
            case Action.EVALUATE | Action.ENTER:
                return self._evaluation(kind)
            case Action.BIND:
                return self._let(kind) if is_let(kind) else self._bind
            case Action.LOOP:
                return self._repeat
            case _:
                return None

    def _evaluation(self, kind: type[Node]) -> Transfer:
        taken_by, use, check = operands_of(kind), self._use, self._check
        binds = bool(scope_fields(kind).binders)
        captured = self._aliases.captured
        variables = VARIABLES

        def evaluate(node: Node, needed: Needed) -> Needed:
            if binds:
                needed = needed.difference(self.bound)
            for operand in taken_by(node):
                if type(operand) not in variables:
                    check(operand, node)
                elif operand not in needed:
                    needed = use(operand, needed)
            return needed

        def make_function(node: Node, needed: Needed) -> Needed:
            for variable in captured.get(node, ()):
                needed = use(variable, needed)
            return needed if kind is Function else evaluate(node, needed)

        return make_function if may_defer(kind) else evaluate

    def _check(self, operand: Node, node: Node) -> None:
        """Refuse an operand that is no atom, nor a function."""
        if type(operand) not in ATOMS and not is_closure(operand):
            raise PassError(
                f"{describe(operand)} is an operand of {describe(node)}; liveness is known of "
                f"programs in A-normal form, where operands are bound by lets; run ToANormalForm "
                f"before"
            )

    def _let(self, kind: type[Node]) -> Transfer:
        """Return the transfer of points where a let, or what is like one, binds its variable."""
        value_of, use = compile_getter(scope_fields(kind).recursive), self._use

        def bind_all(node: Node, needed: Needed) -> Needed:
            needed = needed.difference(self.bound)
            for value in value_of(node):
                if type(value) in VARIABLES:
                    needed = use(value, needed)
            return needed

        def bind(let: Let, needed: Needed) -> Needed:
            var, value = let.var, let.value
            needed = needed.discard(var)
            if var.may_share is not None:
                needed = use(var.may_share, needed)
            return use(value, needed) if type(value) in VARIABLES else needed

        return bind if kind is Let else bind_all

    def _bind(self, _: Node, needed: Needed) -> Needed:
        return needed.difference(self.bound)

    def _repeat(self, node: Node, needed: Needed) -> Needed:
        """Use all that an iteration may begin with."""
        for operand in operands(node):
            needed = self._use(operand, needed)
        for number in self.graph.successors(self.number):
            needed = needed.update(self.graph.binders.get(number, ()))
        return needed

    def _use(self, var: Node, needed: Needed) -> Needed:
        """Return ``needed`` with ``var`` and all that its value may hold on to."""
        held_by, find_held, variables = self._held, self._aliases.find_held, VARIABLES
        stack = [var]
        seen: set[Node] = set()
        while stack:
            node = stack.pop()
            if node in seen or node in needed:
                continue
            seen.add(node)
            if type(node) in variables:
                needed = needed.add(node)
            held = held_by.get(node)
            if held is None:
                held = held_by[node] = find_held(node)
            stack += held
        return needed
