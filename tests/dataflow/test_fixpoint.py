"""Fixpoints of loops that handlers iterate by hand."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest

from relayish import tir
from relayish.dataflow import FixpointFunctor, RecordingFunctor
from relayish.dataflow.lattice import Lattice, PersistentSet, Powerset
from relayish.errors import AnalysisError, UndeclaredError
from tests.support import tir_deep
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.live_functors import LoopHandlers, LoopLive

X, N = tir.Var("x"), tir.Var("n")
NOTHING = Powerset().bottom
ENDLESS = tir.For(tir.Var("i"), 0, N, tir.Block(()))


class Counting(LoopHandlers):
    """Counts how often it is in the innermost body, and in bodies at all."""

    stores = visits = 0

    def visit_store(self, store, after):
        self.stores += 1
        return super().visit_store(store, after)

    def visit_for(self, loop, after):
        self.visits += 1
        return super().visit_for(loop, after)


class Counted(Counting, FixpointFunctor, tir.IRFunctor):
    pass


def search(state, step):
    raised = state | step(state)
    while raised != state:
        state, raised = raised, raised | step(raised)
    return state


class FromStart(Counting, tir.IRFunctor):
    """Begins each search with what comes in."""

    def fixpoint(self, start, step):
        return search(start, step)


class FromBottom(Counting, tir.IRFunctor):
    """Begins each search with nothing."""

    def fixpoint(self, start, step):
        return search(NOTHING, lambda state: start | step(state))


def nest(depth: int, body: tir.Stmt) -> tir.Stmt:
    for level in range(depth):
        body = tir.For(tir.Var(f"i{level}"), 0, N, tir.Block((body,)))
    return body


def counting_nest(depth: int) -> tir.Stmt:
    """Loops that each count in a variable of their own: nothing of an inner one is live outside."""
    body: tir.Stmt = tir.Store(X, X + 1)
    for level in range(depth):
        count = tir.Var(f"c{level}")
        loop = tir.For(tir.Var(f"i{level}"), 0, N, tir.Block((body, tir.Store(count, count + 1))))
        body = tir.Block((tir.Let(count, tir.const(0)), loop))
    return body


def visits(functor, root, after=NOTHING):
    live = functor()
    return live.visit(root, after), live.stores, live.visits


@each("depth", range(1, 13))
def test_nested_loops_are_visited_in_time_linear_in_depth(depth):
    live, stores, loops = visits(Counted, nest(depth, tir.Store(X, X + 1)))
    assert live == {X, N}
    assert stores <= 3
    assert loops < 2 * depth
    live, stores, loops = visits(Counted, counting_nest(depth))
    assert live == {X, N}
    assert stores <= 3 * depth + 2
    assert loops < 2 * depth


@pytest.mark.parametrize("depth", range(1, 13))
def test_searches_that_begin_anew_take_exponential_time(depth):
    assert visits(FromBottom, nest(depth, tir.Store(X, X + 1)))[1] == 2**depth
    assert visits(FromBottom, counting_nest(depth))[1] == 3 * 2**depth - 2
    assert visits(FromStart, counting_nest(depth))[1] == 3 * 2**depth - 2


class Faint(Counting):
    """What is stored in a variable that nobody reads makes nothing live."""

    def visit_store(self, store, after):
        if store.tensor in after:
            return super().visit_store(store, after)
        self.stores += 1
        return after


class CountedFaint(Faint, FixpointFunctor, tir.IRFunctor):
    pass


class FaintFromBottom(Faint, FromBottom):
    pass


def copies(length: int) -> tir.Stmt:
    """``x = v0; v0 = v1; v1 = v2; ...``: each iteration of a loop finds one more variable live."""
    chain = [X, *(tir.Var(f"v{n}") for n in range(length))]
    return tir.Block(tuple([tir.Store(one, other) for one, other in pairwise(chain)]))


def test_what_is_live_through_many_iterations_is_found():
    live, stores, _ = visits(CountedFaint, nest(1, copies(9)), PersistentSet([X]))
    assert {var.name for var in live} == {"n", "x", *(f"v{n}" for n in range(9))}
    assert stores == 10 * 9


def test_many_iterations_in_nested_loops_stay_linear_in_depth():
    counts = [visits(CountedFaint, nest(n, copies(9)), PersistentSet([X]))[1] for n in range(1, 13)]
    assert counts[-1] <= counts[0] + 9 * 11
    assert visits(FaintFromBottom, nest(3, copies(9)), PersistentSet([X]))[1] > counts[-1]


@pytest.mark.parametrize("depth", range(1, 7))
def test_result_is_that_of_the_naive_search(depth):
    inner = tir.Var("t")
    body = tir.Block((tir.Let(inner, X + 1), copies(3), tir.Store(N, inner)))
    two = tir.Block((nest(depth, body), tir.Store(X, inner), nest(depth, body)))
    root = nest(2, two)
    assert visits(Counted, root)[0] == visits(FromBottom, root)[0]


def test_one_loop_at_two_places_has_a_state_at_each():
    """After the second, nothing is live; were its state that of the first, x would be."""
    empty = tir.For(tir.Var("i"), 0, 2, tir.Block(()))
    recording = RecordingFunctor(LoopLive)
    outer = tir.For(tir.Var("j"), 0, 2, tir.Block((tir.Store(X, tir.const(0)), empty)))
    root = tir.Block((empty, tir.Store(N, X), tir.Store(X, tir.const(1)), empty, outer))
    recording.visit(root, NOTHING)
    states = recording.before_after()
    found = sorted(
        (sorted(map(str, s.after)) for o, s in states.items() if o.node is empty), key=len
    )
    assert found == [[], [], ["x"]]


def test_state_that_shrinks_is_searched_for_anew():
    """A handler that tries a larger state first gets the least fixpoint for the smaller one."""

    class Twice(LoopHandlers, FixpointFunctor, tir.IRFunctor):
        def visit_block(self, block, after):
            self.visit(block.stmts[0], after.add(X))
            return self.visit(block.stmts[0], after)

    loop = tir.For(tir.Var("i"), 0, 2, tir.Store(N, N + 1))
    assert Twice().visit(tir.Block((loop,)), NOTHING) == {N}


def test_state_is_searched_for_anew_for_other_arguments():
    class Used(FixpointFunctor, tir.StmtFunctor):
        lattice = Powerset()

        def visit_block(self, block, after, used):
            self.visit(block.stmts[0], after, X)
            return self.visit(block.stmts[0], after, N)

        def visit_for(self, loop, after, used):
            return self.fixpoint(after, lambda live: live.add(used))

    assert Used().visit(tir.Block((ENDLESS,)), NOTHING, None) == {N}


def test_functor_may_be_visited_without_a_state():
    class Sizes(FixpointFunctor, tir.StmtFunctor):
        lattice = Numbers()

        def visit_for(self, loop):
            return self.fixpoint(0, lambda size: min(size + 1, 2)) + 1

    assert Sizes().visit(ENDLESS) == 3


def test_each_visit_from_outside_begins_anew():
    live = Counted()
    loop = nest(2, tir.Store(X, X + 1))
    assert live.visit(loop, PersistentSet([X])) == {X, N}
    first, live.stores = live.stores, 0
    live.visit(loop, PersistentSet([X]))
    assert live.stores == first


def test_handler_may_ask_for_several_fixpoints():
    class Both(LoopHandlers, FixpointFunctor, tir.IRFunctor):
        def visit_for(self, loop, after):
            first = self.fixpoint(after, lambda live: live.add(X))
            second = self.fixpoint(after, lambda live: live.add(N))
            return (first, second)

    assert Both().visit(tir.For(tir.Var("i"), 0, 2, tir.Block(())), NOTHING) == ({X}, {N})


class Numbers(Lattice[float]):
    """Numbers, of which chains are endless."""

    bottom, top = 0, inf

    def join(self, a, b):
        return max(a, b)

    def meet(self, a, b):
        return min(a, b)

    def widen(self, old, new):
        return new


class Widened(Numbers):
    def widen(self, old, new):
        return old if new <= old else self.top


class Steps(FixpointFunctor, tir.StmtFunctor):
    """Counts iterations: there is no end."""

    lattice = Numbers()
    max_iterations = 50
    calls = 0

    def visit_for(self, loop, steps):
        def around(found):
            self.calls += 1
            return found + 1

        return self.fixpoint(steps, around)


def test_search_without_end_names_the_loop():
    with pytest.raises(
        AnalysisError, match=r"Steps finds no fixpoint of for .*i.* in 50 iterations, now at 50"
    ):
        Steps().visit(ENDLESS, 0)


@pytest.mark.parametrize("after", [0, 3, 7])
def test_state_is_widened_after_it_grew_some_times(after):
    class Ending(Steps):
        lattice = Widened()
        widen_after = after

    steps = Ending()
    assert steps.visit(ENDLESS, 0) == inf
    assert steps.calls == after + 2


def test_fixpoint_without_a_lattice_is_refused():
    class Unsaid(FixpointFunctor, tir.StmtFunctor):
        def visit_for(self, loop, after):
            return self.fixpoint(after, lambda live: live)

    with pytest.raises(UndeclaredError, match=r"Unsaid has no lattice.*write lattice = Powerset"):
        Unsaid().visit(tir.For(tir.Var("i"), 0, N, tir.Block(())), NOTHING)


def test_fixpoint_outside_of_a_handler_is_refused():
    class Idle(FixpointFunctor, tir.StmtFunctor):
        lattice = Powerset()

    with pytest.raises(AnalysisError, match=r"Idle\.fixpoint is called outside of a visit"):
        Idle().fixpoint(NOTHING, lambda live: live)


def test_handler_may_catch_an_error_and_go_on():
    class Careful(LoopHandlers, FixpointFunctor, tir.IRFunctor):
        def visit_let(self, let, after):
            raise ValueError("not here")

        def visit_block(self, block, after):
            for stmt in reversed(block.stmts):
                try:
                    after = self.visit(stmt, after)
                except ValueError:
                    after = after.add(N)
            return after

    body = tir.Block((tir.Store(X, X + 1), tir.Let(tir.Var("t"))))
    assert Careful().visit(tir.For(tir.Var("i"), 0, 2, body), NOTHING) == {X, N}


def test_fixpoint_functor_refuses_what_is_no_node():
    with pytest.raises(Exception, match=r"Counted\.visit got a list; expected a node"):
        Counted().visit([X], NOTHING)


@pytest.mark.deep
def test_deep_nests_of_loops_are_linear_and_reach_the_bottom():
    root = tir_deep.loop_nest(DEPTH).body
    live = Counted()
    (buffer,) = live.visit(root, NOTHING)
    assert buffer.name == "_A"
    assert live.stores <= 3
    assert live.visits < 2 * DEPTH
