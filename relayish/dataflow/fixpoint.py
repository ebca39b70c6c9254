"""Fixpoints of loops, for functors whose handlers iterate by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from relayish.dataflow.lattice import Lattice
from relayish.dataflow.occurrence import Occurrence
from relayish.dataflow.occurrence_functor import OccurrenceFunctor
from relayish.errors import AnalysisError, UndeclaredError
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.node import Node

N = TypeVar("N", bound=Node)
S = TypeVar("S")

MAX_ITERATIONS: Final = 1000


class _Found(NamedTuple, Generic[S]):
    """What was found for a loop: from which state on, with which further arguments."""

    start: S
    context: tuple[object, ...]
    state: S


class FixpointFunctor(OccurrenceFunctor[N, S]):
    """Structural data-flow analysis: handlers hand states on, and iterate over loops by hand.

    Its subclasses say their ``lattice``, and find the state of a loop with :meth:`fixpoint`. What
    was found for a loop at one occurrence is where the next search begins that comes from around
    it, as long as what comes in only grows; so nested loops cost no more for being nested.

    Handlers take the state before further arguments, if there are any. They must be pure and
    monotone, states immutable.

    Complexity:
        With states of bounded height, nests of loops are visited in time linear in their depth. If
        each search began anew it would be exponential.

    Source:
        TVM's data-flow RFC (#4468) for handlers; OCaml's liveness (pull request 10404) for what is
        kept of inner loops.

    Example:
        >>> from relayish.dataflow.lattice import Powerset
        >>> class Live(FixpointFunctor, tir.ExprFunctor, tir.StmtFunctor):
        ...     lattice = Powerset()
        ...
        ...     def visit_for(self, loop, after):
        ...         def around(live):
        ...             return self.visit(loop.body, live) - {loop.loop_var}
        ...
        ...         return self.visit(loop.extent, self.fixpoint(after, around))
        ...
        ...     def visit_store(self, store, after):
        ...         return self.visit(store.value, after - {store.tensor})
        ...
        ...     def visit_var(self, var, after):
        ...         return after | {var}
        >>> i, n, x, y = [tir.Var(name) for name in "inxy"]
        >>> loop = tir.For(i, 0, n, tir.Store(x, y))
        >>> sorted(map(str, Live().visit(loop, Powerset().bottom)))
        ['n', 'y']
    """

    lattice: Lattice[S]
    """The lattice that the states are elements of."""
    widen_after: int = 3
    """How often the state of a loop grows before it is widened."""
    max_iterations: int = MAX_ITERATIONS
    """How often the state of a loop may grow before the search counts as endless."""

    _loops: dict[tuple[Occurrence, int], _Found[S]]
    _results: dict[Occurrence, tuple[tuple[Any, ...], S]]  # Any: arguments of visits

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: as the functor's
        self._loops, self._results = {}, {}
        return super()._begin_visit(work, subject, args)

    def visit(self, node: N, *args: Any) -> S:  # Any: whatever the handlers take
        """Return what the handler of ``node`` returns; of loops, what it did for these."""
        if self._levels is None:
            begun: S = self._begin_visit(FixpointFunctor.visit, node, args)
            return begun
        outer = entered = self._visiting
        if entered is None or entered.is_entered:
            entered = self._enter(node)
        known = self._results.get(entered.occurrence)
        if known is not None and known[0] == args:
            return known[1]
        entered.is_entered = True
        entered.context = args[1:]
        self._visiting = entered
        try:
            if not args:
                state = super().visit(node)
            elif len(args) == 1:  # spelt out: f(*args) would cross C at every level
                state = super().visit(node, args[0])
            else:
                state = super().visit(node, *args)
        finally:
            self._visiting = outer
        if entered.fixpoints:
            self._results[entered.occurrence] = (args, state)
        return state

    def fixpoint(self, start: S, step: Callable[[S], S]) -> S:
        """Return the least fixpoint: the least state above ``start`` that ``step`` does not raise.

        To be called in the handler of a loop. Of a backward analysis, ``start`` is the state after
        the loop, ``step`` takes the state after an iteration to that before it, and what is
        returned is the state wherever an iteration begins or the loop ends.

        Args:
            start: What is joined to the result: the loop may run not even once.
            step: What one iteration does; monotone. After :attr:`widen_after` iterations the state
                is widened.

        Raises:
            AnalysisError: If there is no end after :attr:`max_iterations`, naming the loop.
            UndeclaredError: If the class has no ``lattice``.
        """
        evaluation = self._visiting
        if evaluation is None:
            raise AnalysisError(
                f"{type(self).__name__}.fixpoint is called outside of a visit; "
                f"call it in the handler of a loop"
            )
        lattice = self._declared_lattice()
        place = (evaluation.occurrence, evaluation.fixpoints)
        evaluation.fixpoints += 1
        state = start
        context = evaluation.context
        known = self._loops.get(place)
        if known and known.context == context and lattice.leq(known.start, start):
            state = lattice.join(known.state, start)
        for count in range(self.max_iterations):
            raised = lattice.join(state, step(state))
            if raised is state or lattice.leq(raised, state):
                self._loops[place] = _Found(start, context, state)
                return state
            state = lattice.widen(state, raised) if count >= self.widen_after else raised
        raise AnalysisError(
            f"{type(self).__name__} finds no fixpoint of {one_line_at(evaluation.occurrence.node)} "
            f"in {self.max_iterations:,} iterations, now at {state!r}; states must not rise "
            f"without end: widen them, or raise max_iterations"
        )

    def _declared_lattice(self) -> Lattice[S]:
        try:
            found = self.lattice
        except AttributeError:
            name = type(self).__name__
            raise UndeclaredError(
                f"{name} has no lattice, by which fixpoint joins states; write "
                f"lattice = Powerset() in the class"
            ) from None
        return found
