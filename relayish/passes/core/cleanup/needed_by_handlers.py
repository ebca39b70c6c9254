"""Strong liveness of core by handlers: statements are visited backwards, loops until all is known.

A context holds what is live, and handlers change it. The same is found by the solver of data-flow
problems, in ``needed_by_solver``.
"""

from __future__ import annotations

from typing import Any, Final

from relayish.core.ir import stmt as run
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.memory import Idname, Ild, Lda
from relayish.core.mod_ref import place_of
from relayish.dataflow.graph.mod_ref import mod_ref_of
from relayish.dataflow.lattice import AnySet, PersistentSet, Powerset
from relayish.domain import AnalyzeCtx, DefaultHandler, Visitor
from relayish.domain.dispatch import Dispatch
from relayish.ir.nodes.node import Node
from relayish.passes.core.cleanup.candidates import Candidates

Live = AnySet[Node]
_SETS: Final = Powerset[Node]()
_NOTHING: Final[Live] = PersistentSet()


def find_needed(func: FuncEntry) -> set[Node]:
    """Return the stores of a function that are needed, or that are no candidates for removal.

    Complexity:
        Linear in statements and distinct expressions, but where loops carry what is live in turns:
        a loop that is met again with the same variables live after it is not visited again.
    """
    exposed = _Anything()
    Visitor(exposed, _FindExposed, occurrences=False).visit(func.body)
    found = _Liveness(Candidates(func, exposed.places))
    Visitor(found, _FindNeeded, occurrences=False).visit(func.body)
    return found.needed


class _Anything(AnalyzeCtx):
    """Walks through nodes of any domain.

    Attributes:
        places: The variables whose addresses are taken, other than to load or store there at once.
    """

    def __init__(self) -> None:
        self.places: set[Node] = set()

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        return self.handle_node(visitor, node)


class _FindExposed(DefaultHandler, domain="core"):
    """Finds variables that others may reach."""

    def handle_lda(self, visitor: Dispatch, node: Lda) -> None:
        visitor.context.places.add(place_of(node.symbol))

    def handle_ild(self, visitor: Dispatch, node: Ild) -> None:
        for operand in mod_ref_of(node).evaluates:
            visitor.visit(operand)

    handle_ist = handle_ild


class _Liveness(_Anything):
    """What is live before the statement that was visited last.

    Attributes:
        live: The symbols that may be read later.
        needed: The stores of what is read, and those that stay in any case.
        loops: For each loop what was live after it, at its head when iterations had been visited
            until nothing changed, and before it.
    """

    def __init__(self, candidates: Candidates) -> None:
        super().__init__()
        self.candidates = candidates
        self.live = _NOTHING
        self.needed: set[Node] = set()
        self.loops: dict[Node, tuple[Live, Live, Live]] = {}


class _FindNeeded(DefaultHandler, domain="core"):
    """Visits statements backwards; of expressions, the symbols are what is visited."""

    def handle_symbol(self, visitor: Dispatch, node: Symbol) -> None:
        context: _Liveness = visitor.context
        context.live = context.live.add(place_of(node))

    def handle_idname(self, visitor: Dispatch, node: Idname) -> None:
        """Do nothing: the symbol is named, and not read."""

    def handle_block(self, visitor: Dispatch, node: run.Block) -> None:
        for stmt in reversed(node.stmts):
            visitor.forget()
            visitor.visit(stmt)

    def handle_ret(self, visitor: Dispatch, _node: run.Ret) -> None:
        visitor.context.live = _NOTHING

    def handle_retv(self, visitor: Dispatch, node: run.Retv) -> None:
        visitor.context.live = _NOTHING
        visitor.visit(node.value)

    def handle_st(self, visitor: Dispatch, node: Stmt) -> None:
        """Visit what a store evaluates, if what it writes is live or it stays in any case."""
        context: _Liveness = visitor.context
        if context.candidates.is_needed(node, context.live):
            context.needed.add(node)
            self.handle_call(visitor, node)

    handle_stf = handle_sto = handle_ist = handle_stp = handle_stpf = handle_st

    def handle_call(self, visitor: Dispatch, node: Stmt) -> None:
        """Visit what a statement evaluates; what it writes is dead before."""
        context: _Liveness = visitor.context
        accessed = mod_ref_of(node)
        context.live = context.live.difference(accessed.overwrites)
        for operand in accessed.evaluates:
            visitor.visit(operand)

    handle_icall = handle_call

    def handle_if(self, visitor: Dispatch, node: run.If) -> None:
        context: _Liveness = visitor.context
        after = context.live
        visitor.visit(node.then_block)
        then, context.live = context.live, after
        visitor.visit(node.else_block)
        context.live = _SETS.join(context.live, then)
        self._use(visitor, node.condition)

    def handle_while_do(self, visitor: Dispatch, node: run.WhileDo) -> None:
        def iterate(live: Live) -> Live:
            visitor.context.live = live
            self._use(visitor, node.condition)
            before: Live = visitor.context.live
            visitor.visit(node.body)
            return before

        self._repeat(visitor, node, iterate)

    def handle_do_while(self, visitor: Dispatch, node: run.DoWhile) -> None:
        def iterate(live: Live) -> Live:
            visitor.context.live = live
            self._use(visitor, node.condition)
            visitor.visit(node.body)
            before: Live = visitor.context.live
            return before

        self._repeat(visitor, node, iterate)

    def handle_do_loop(self, visitor: Dispatch, node: run.DoLoop) -> None:
        context: _Liveness = visitor.context
        place = place_of(node.iv)

        def iterate(live: Live) -> Live:
            context.live = live
            self._use(visitor, node.compare)
            before = context.live
            context.live = before.discard(place)
            self._use(visitor, node.increment)
            visitor.visit(node.body)
            return before

        self._repeat(visitor, node, iterate)
        context.live = context.live.discard(place)
        self._use(visitor, node.init)

    def _use(self, visitor: Dispatch, expr: Expr) -> None:
        visitor.forget()
        visitor.visit(expr)

    def _repeat(self, visitor: Dispatch, node: Stmt, iterate: Any) -> None:  # Any: see the callers
        """Visit the iterations of a loop, backwards, until nothing more becomes live.

        Args:
            visitor: What visits.
            node: The loop.
            iterate: Takes what is live where the loop is left or goes on, leaves what is live at
                the beginning of an iteration as that of the context, and returns what is live
                where the loop begins.
        """
        context: _Liveness = visitor.context
        after = context.live
        known = context.loops.get(node)
        if known is not None and known[0] == after:
            context.live = known[2]
            return
        again = _NOTHING if known is None else known[1]
        while True:
            before: Live = iterate(_SETS.join(after, again))
            if _SETS.leq(context.live, again):
                break
            again = _SETS.join(again, context.live)
        context.loops[node] = (after, again, before)
        context.live = before
