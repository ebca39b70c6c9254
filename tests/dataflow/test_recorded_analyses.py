"""Recording functors of analyses that the solver walks."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.dataflow import (
    UNREACHABLE,
    ForwardDataFlow,
    Occurrence,
    RecordingFunctor,
    bfdfa,
    by_node,
    ffdfa,
    solve,
)
from relayish.dataflow.lattice import IsLattice, Lattice, PersistentSet, Powerset
from relayish.errors import AnalysisError, DispatchError
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Tuple, Var
from tests.support import deep, tir_deep
from tests.support.depth import DEPTH
from tests.support.live_functors import LoopFlow, LoopHandlers, RelayFlow

NOTHING = Powerset().bottom
X, Y, N = [tir.Var(name) for name in "xyn"]
WRITE, COPY = tir.Store(X, tir.const(1)), tir.Store(Y, X)
BLOCK = tir.Block((WRITE, COPY))
AT_BLOCK = Occurrence(BLOCK)


class Incomparable:
    """A key that cannot be compared with others."""

    def __hash__(self):
        return 0

    def __eq__(self, other):
        raise TypeError("not with that")


class Written(ForwardDataFlow):
    """The variables that were stored to."""

    lattice = Powerset()

    def visit_store(self, store, written):
        return written.add(store.tensor)


def test_analysis_of_the_solver_is_recorded_at_each_statement():
    recording = RecordingFunctor(LoopFlow)
    assert recording.visit(BLOCK, PersistentSet([Y])) == NOTHING
    assert recording.before_after() == {
        AT_BLOCK: (NOTHING, {Y}),
        AT_BLOCK.child(WRITE): (NOTHING, {X}),
        AT_BLOCK.child(COPY): ({X}, {Y}),
    }
    assert isinstance(recording, LoopFlow)
    assert isinstance(recording, RecordingFunctor)


def test_forward_analysis_is_recorded_the_other_way_round():
    recording = RecordingFunctor(Written)
    assert recording.visit(BLOCK, NOTHING) == {X, Y}
    assert recording.before_after()[AT_BLOCK.child(COPY)] == ({X}, {X, Y})
    assert recording.take() == {
        AT_BLOCK: {X, Y},
        AT_BLOCK.child(WRITE): {X},
        AT_BLOCK.child(COPY): {X, Y},
    }


def test_names_of_the_rfc_mean_the_classes_of_the_library():
    class Live(LoopHandlers, bfdfa):
        pass

    class Stored(ffdfa):
        lattice = Powerset()
        visit_store = Written.visit_store

    assert IsLattice is Lattice
    assert Live().visit(BLOCK, NOTHING) == NOTHING
    assert Stored().visit(BLOCK, NOTHING) == {X, Y}


def test_statement_that_stands_twice_is_recorded_at_each_place():
    root = tir.Block((WRITE, COPY, WRITE))
    at = Occurrence(root)
    backward = RecordingFunctor(LoopFlow)
    backward.visit(root, NOTHING)
    states = backward.before_after()
    assert states[at.child(WRITE)] == (NOTHING, NOTHING)  # met first: the last one
    assert states[at.child(WRITE, 1)] == (NOTHING, {X})
    forward = RecordingFunctor(Written)
    forward.visit(root, NOTHING)
    states = forward.before_after()
    assert states[at.child(WRITE)] == (NOTHING, {X})
    assert states[at.child(WRITE, 1)] == ({X, Y}, {X, Y})


def test_key_tells_what_is_recorded_together():
    recording = RecordingFunctor(LoopFlow, by_node)
    root = tir.Block((WRITE, COPY, WRITE))
    recording.visit(root, NOTHING)
    assert recording.before_after()[WRITE].after == {X}  # the last that the analysis came to
    by_kind = RecordingFunctor(LoopFlow, lambda node, _: type(node))
    by_kind.visit(root, NOTHING)
    assert by_kind.take().keys() == {tir.Block, tir.Store}


def test_key_that_cannot_be_hashed_is_refused():
    with pytest.raises(DispatchError, match=r"key function of LoopFlow returned \[\]"):
        RecordingFunctor(LoopFlow, lambda *_: []).visit(BLOCK, NOTHING)


def test_error_of_a_key_that_is_compared_is_raised_as_it_is():
    with pytest.raises(TypeError, match="not with that"):
        RecordingFunctor(LoopFlow, lambda *_: Incomparable()).visit(BLOCK, NOTHING)


def test_what_is_never_reached_is_not_recorded():
    class Decided(Written):
        def assume(self, condition, truth, written):
            return written if truth else UNREACHABLE

    branch = tir.IfThenElse(N < 1, WRITE, COPY)
    recording = RecordingFunctor(Decided)
    recording.visit(branch, NOTHING)
    assert recording.take() == {Occurrence(branch): {X}, Occurrence(branch).child(WRITE): {X}}


def test_second_use_starts_afresh():
    recording = RecordingFunctor(LoopFlow)
    recording.visit(BLOCK, NOTHING)
    first = recording.take()
    kept = dict(first)
    with pytest.raises(AnalysisError, match="nothing recorded: it was taken"):
        recording.before_after()
    recording.visit(COPY, NOTHING)
    assert recording.take() == {Occurrence(COPY): {X}}
    assert first == kept


def test_what_stands_in_functions_is_recorded_below_them():
    a, b, f = Var("a"), Var("b"), Var("f")
    inner = Call(f, (b,))
    function = Function((b,), Tuple((inner,)))
    root = Let(a, function, Tuple((a, If(a, Tuple((a,)), Let(b, Constant(1), b)))))
    recording = RecordingFunctor(RelayFlow)
    recording.visit(root, NOTHING)
    found = recording.take()
    at_function = Occurrence(root).child(function)
    at_body = at_function.child(function.body)
    assert found[at_body.child(inner)] == {f, b}
    at_branch = Occurrence(root).child(root.body).child(root.body.fields[1])
    assert at_branch.child(at_branch.node.true_branch) in found
    assert at_branch.child(at_branch.node.false_branch) in found


def test_visit_without_a_state_begins_with_the_boundary():
    assert LoopFlow().visit(COPY) == {X}


def test_analysis_can_be_visited_after_it_was_solved():
    live = LoopFlow()
    solve([live], BLOCK)
    assert live.visit(COPY, NOTHING) == {X}
    assert live.solution.before(COPY) == {X}


@pytest.mark.deep
def test_deep_nests_of_loops_are_recorded():
    root = tir_deep.loop_nest(DEPTH).body
    recording = RecordingFunctor(LoopFlow)
    recording.visit(root, NOTHING)
    assert len(recording.take()) == 2 * DEPTH + 2


@pytest.mark.deep
@pytest.mark.parametrize("program", [deep.let_body, deep.let_value, deep.if_true])
def test_deep_graphs_are_recorded(program):
    root = program(DEPTH, Tuple((Var("x"),)))
    recording = RecordingFunctor(RelayFlow)
    recording.visit(root, NOTHING)
    assert len(recording.take()) == DEPTH + 1
