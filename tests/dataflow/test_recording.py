"""Recording functors: dictionaries of what a functor returned, and what for."""

from __future__ import annotations

import gc
import weakref

import pytest

from relayish import tir
from relayish.dataflow import Direction, MemorizingPolicy, Occurrence, RecordingFunctor, by_node
from relayish.dataflow.lattice import PersistentSet
from relayish.errors import AnalysisError, DeclarationError, DispatchError
from relayish.functor import (
    ExprFunctor,
    ExprMutator,
    ExprVisitor,
    Memoized,
    MixedModeMutator,
    MixedModeVisitor,
    TypeFunctor,
    expand_a_normal_form,
)
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant, If, Tuple, Var
from relayish.ir.relay.type import TupleType, scalar_type
from tests.support import deep, tir_deep
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.live_functors import LoopLive, RelayLive
from tests.support.random_exprs import random_function
from tests.support.seeds import seeds

NOTHING = PersistentSet()
X, Y, Z = [Var(name) for name in "xyz"]
PAIR = Tuple((X, Y))
AT_PAIR = Occurrence(PAIR)


class Reads(ExprFunctor[frozenset]):
    """What is read, and how often handlers were called."""

    calls = 0

    def visit_var(self, var, after):
        self.calls += 1
        return after | {var}

    def visit_tuple(self, tup, after):
        self.calls += 1
        for field in reversed(tup.fields):
            after = self.visit(field, after)
        return after


class Live(Reads):
    direction = Direction.BACKWARD


def recorded(parent=Live, root=PAIR, state=NOTHING, **options):
    recording = RecordingFunctor(parent, **options)
    recording.visit(root, state)
    return recording


# What is recorded


def test_recording_functor_returns_what_the_functor_returns():
    recording = RecordingFunctor(Live)
    assert recording.visit(PAIR, frozenset({Z})) == Live().visit(PAIR, frozenset({Z}))


def test_recording_functor_is_a_functor_of_the_class_it_records():
    recording = RecordingFunctor(Live)
    assert isinstance(recording, Live)
    assert isinstance(recording, RecordingFunctor)
    assert type(recording).__name__ == "Live"


def test_each_visit_is_recorded_by_occurrence():
    assert recorded().take() == {
        AT_PAIR: {X, Y},
        AT_PAIR.child(X): {X, Y},
        AT_PAIR.child(Y): {Y},
    }


def test_states_before_and_after_follow_the_direction():
    assert recorded().before_after()[AT_PAIR.child(X)] == ({X, Y}, {Y})
    assert recorded(Reads, direction="backward").before_after() == recorded().before_after()
    forward = recorded(Reads, direction="forward").before_after()[AT_PAIR.child(X)]
    assert forward == ({Y}, {X, Y})
    assert (forward.before, forward.after) == ({Y}, {X, Y})


def test_functor_that_does_not_say_its_direction_is_refused_by_before_after():
    recording = recorded(Reads)
    with pytest.raises(AnalysisError, match=r"Reads does not say .* before or after a node"):
        recording.before_after()


def test_direction_that_the_functor_does_not_go_is_refused():
    assert recorded(Live, direction="BACKWARD").before_after()
    with pytest.raises(
        DeclarationError, match="direction forward for Live, which says itself that it goes"
    ):
        RecordingFunctor(Live, direction="forward")


def test_node_that_stands_twice_is_recorded_at_each_place():
    root = Tuple((X, Y, X))
    states = recorded(root=root).before_after()
    at = Occurrence(root)
    assert states[at.child(X)].after == NOTHING  # visited first: the last field
    assert states[at.child(X, 1)].after == {X, Y}


def test_places_are_counted_anew_in_each_evaluation_of_the_parent():
    """Visits beyond the last place begin with the first again, as those of the body of a loop."""

    class Again(Live):
        def visit_tuple(self, tup, after):
            for _ in range(3):
                after = super().visit_tuple(tup, after)
            return after

    root = Tuple((X, X))
    at = Occurrence(root)
    assert set(recorded(Again, root).take()) == {at, at.child(X), at.child(X, 1)}


def test_node_that_the_parent_does_not_hold_is_recorded_below_it():
    class Skipping(Live):
        def visit_tuple(self, tup, after):
            for inner in tup.fields:
                for field in inner.fields:
                    after = self.visit(field, after)
            return after

    root = Tuple((PAIR,))
    at = Occurrence(root)
    assert set(recorded(Skipping, root).take()) == {at, at.child(X), at.child(Y)}


def test_same_input_is_not_evaluated_again():
    class Twice(Live):
        def visit_tuple(self, tup, after):
            self.visit(tup.fields[0], after)
            return self.visit(tup.fields[0], after)

    recording = recorded(Twice, Tuple((X,)))
    assert recording.calls == 1


def test_other_input_is_evaluated_and_overrides_what_was_recorded():
    class Rising(Live):
        def visit_tuple(self, tup, after):
            return self.visit(tup.fields[0], self.visit(tup.fields[0], after))

    root = Tuple((X,))
    recording = recorded(Rising, root)
    assert recording.calls == 2
    assert recording.before_after()[Occurrence(root).child(X)] == ({X}, {X})


def test_override_keeps_the_last_evaluation_even_if_it_is_smaller():
    class Falling(Live):
        def visit_tuple(self, tup, after):
            self.visit(tup.fields[0], after | {Z})
            return self.visit(tup.fields[0], after)

    root = Tuple((X,))
    assert recorded(Falling, root).take()[Occurrence(root).child(X)] == {X}


def test_states_that_are_equal_count_as_the_same_input():
    class Fresh(Live):
        def visit_tuple(self, tup, after):
            self.visit(tup.fields[0], frozenset({Y, Z}))
            return self.visit(tup.fields[0], frozenset({Z, Y}))

    assert recorded(Fresh, Tuple((X,))).calls == 1


def test_several_arguments_are_one_input():
    class Within(ExprFunctor[frozenset]):
        direction = Direction.FORWARD

        def visit_tuple(self, tup, state, depth):
            for field in tup.fields:
                state = self.visit(field, state, depth + 1)
            return state

        def visit_var(self, var, state, depth):
            return state | {depth}

    recording = RecordingFunctor(Within)
    recording.visit(Tuple((X,)), NOTHING, 0)
    [(before, after)] = [s for o, s in recording.before_after().items() if o.node is X]
    assert (before, after) == ((NOTHING, 1), {1})


# Keys


def test_key_by_node_keeps_the_last_of_all_places():
    recording = recorded(root=Tuple((X, Y, X)), key=by_node)
    assert recording.before_after()[X].after == {X, Y}
    assert len(recording.take()) == 3


def test_key_that_is_the_input_makes_a_plain_memo():
    recording = recorded(root=Tuple((X, PAIR, X)), key=lambda node, *args: (node, args))
    assert recording.take()[PAIR, (frozenset({X}),)] == {X, Y}


def test_key_may_put_different_nodes_together():
    recording = recorded(key=lambda node, _: type(node))
    assert recording.take() == {Var: {X, Y}, Tuple: {X, Y}}
    assert recording.calls == 3


def test_key_that_cannot_be_hashed_is_refused():
    with pytest.raises(
        DispatchError, match=r"key function of Live returned \[\] \(list\) for \(%x, %y\)"
    ):
        recorded(key=lambda *_: [])


class Incomparable:
    """A key that cannot be compared with others."""

    def __hash__(self):
        return 0

    def __eq__(self, other):
        raise TypeError("not with that")


def test_error_of_a_key_that_is_compared_is_raised_as_it_is():
    with pytest.raises(TypeError, match="not with that"):
        recorded(key=lambda *_: Incomparable())


@pytest.mark.parametrize("key", [3, "node"])
def test_key_that_is_no_function_is_refused(key):
    with pytest.raises(DeclarationError, match=r"key .*; expected a function key\(node, \*args\)"):
        RecordingFunctor(Live, key)


def test_node_of_a_graph_occurs_once_in_its_scope_however_many_use_it():
    total = Tuple((X,))
    root = Tuple((total, Tuple((total,)), If(Y, Tuple((total, total)), total)))
    at = Occurrence(root)
    found = [o for o in recorded(RelayLive, root).take() if o.node is total]
    branch = at.child(root.fields[2])
    assert set(found) == {
        at.child(total),
        branch.child(root.fields[2].true_branch).child(total),
        branch.child(total),
    }


def test_node_that_is_both_branches_occurs_in_each():
    root = If(Y, PAIR, PAIR)
    states = recorded(RelayLive, root).before_after()
    at = Occurrence(root)
    assert {o for o in states if o.node is PAIR} == {at.child(PAIR), at.child(PAIR, 1)}


def test_shared_nodes_are_visited_in_polynomial_time():
    """Each level is visited for what is live after its first use, and after its second."""

    class Counting(RelayLive):
        def visit_tuple(self, tup, after):
            self.calls += 1
            return self.visit_expr(tup, after)

        calls = 0

    root = X
    for level in range(100):
        root = Tuple((Var(f"v{level}"), root, root))
    assert recorded(Counting, root).calls == 100 * 101 // 2


def test_shared_nodes_are_recorded_by_node_in_linear_time():
    recording = recorded(root=deep.doublings(100, X), key=by_node, parent=RelayLive)
    assert len(recording.take()) == 102  # with the operator


def test_functor_without_arguments_keeps_its_memo():
    class Size(ExprFunctor[int]):
        direction = Direction.FORWARD
        calls = 0

        def visit_var(self, var):
            return 1

        def visit_call(self, call):
            self.calls += 1
            return sum([self.visit(arg) for arg in call.args])

    recording = RecordingFunctor(Size)
    root = deep.doublings(100, X)
    assert recording.visit(root) == 2**100
    assert recording.calls == 100
    assert recording.take()[Occurrence(root)] == 2**100
    recording.visit(root)
    with pytest.raises(AnalysisError, match=r"Size visited .* without a state; before_after"):
        recording.before_after()


# Policies, what the dictionary begins with


@pytest.mark.parametrize("policy", [MemorizingPolicy.OVERRIDE, "override", "OVERRIDE"])
def test_policy_is_given_as_it_is_or_by_name(policy):
    assert RecordingFunctor(Live, None, policy).policy is MemorizingPolicy.OVERRIDE


@pytest.mark.parametrize("policy", ["join", None, 0, Direction.FORWARD, "overide"])
def test_policy_that_is_none_is_refused(policy):
    with pytest.raises(DeclarationError, match=r"given the policy .*; expected override"):
        RecordingFunctor(Live, None, policy)


def test_direction_that_is_none_is_refused():
    with pytest.raises(DeclarationError, match=r"direction 'up'; expected forward or backward"):
        RecordingFunctor(Live, direction="up")


def test_dictionary_begins_with_what_is_given():
    recording = RecordingFunctor(Live, by_node, "override", {X: "old", Z: "kept"})
    for _ in range(2):
        recording.visit(PAIR, NOTHING)
        assert set(recording.before_after()) == {PAIR, X, Y}
        assert recording.take() == {PAIR: {X, Y}, X: {X, Y}, Y: {Y}, Z: "kept"}


def test_dictionary_may_begin_with_pairs_that_come_once():
    recording = RecordingFunctor(Live, by_node, "override", iter([(Z, "kept")]))
    for _ in range(2):
        recording.visit(X, NOTHING)
        assert recording.take() == {X: {X}, Z: "kept"}


@pytest.mark.parametrize("init", [(3,), ({}, {}), ([1, 2],)])
def test_what_makes_no_dictionary_is_refused(init):
    with pytest.raises(DeclarationError, match="RecordingFunctor cannot make a dictionary of"):
        RecordingFunctor(Live, None, "override", *init)


# Taking, using again


def test_dictionary_can_be_taken_once():
    recording = recorded()
    recording.take()
    for ask in (recording.take, recording.before_after):
        with pytest.raises(AnalysisError, match="nothing recorded: it was taken; visit a program"):
            ask()


def test_nothing_can_be_taken_before_a_visit():
    with pytest.raises(AnalysisError, match="nothing recorded: no visit has ended"):
        RecordingFunctor(Live).take()


def test_second_use_starts_afresh_and_leaves_alone_what_was_taken():
    recording = RecordingFunctor(Live)
    recording.visit(PAIR, NOTHING)
    states, first = recording.before_after(), recording.take()
    kept = dict(first)
    recording.visit(X, frozenset({Z}))
    assert recording.take() == {Occurrence(X): {X, Z}}
    assert first == kept
    assert set(states) == set(kept)


def test_second_visit_of_the_same_program_evaluates_again():
    recording = recorded()
    recording.visit(PAIR, NOTHING)
    assert recording.calls == 6


def test_what_was_taken_may_be_changed():
    recording = recorded()
    recording.take().clear()
    recording.visit(PAIR, NOTHING)
    assert len(recording.take()) == 3


def test_visit_that_fails_leaves_nothing_to_take():
    recording = recorded()
    with pytest.raises(DispatchError, match="Live has no handler for Constant"):
        recording.visit(Tuple((X, Constant(1))), NOTHING)
    with pytest.raises(AnalysisError, match="no visit has ended"):
        recording.take()
    recording.visit(X, NOTHING)
    assert set(recording.take()) == {Occurrence(X)}


def test_handler_that_catches_an_error_goes_on_at_its_own_occurrence():
    class Careful(Live):
        def visit_tuple(self, tup, after):
            for field in tup.fields:
                try:
                    after = self.visit(field, after)
                except DispatchError:
                    after |= {Z}
            return after

    root = Tuple((Tuple((Constant(1), Y)), X))
    at = Occurrence(root)
    inner = at.child(root.fields[0])
    assert recorded(Careful, root).take() == {
        at: {X, Y, Z},
        at.child(X): {X, Y, Z},
        inner: {Y, Z},
        inner.child(Y): {Y, Z},
    }


def test_programs_are_let_go_when_dictionaries_are():
    recording = RecordingFunctor(Live)

    class Marker:
        """Something that a state refers to."""

    marker = Marker()
    recording.visit(PAIR, frozenset({marker}))
    gone = weakref.ref(marker)
    del marker
    recording.take()
    gc.collect()
    assert gone() is None


# Parents


def test_object_is_copied():
    live = Live()
    live.calls = 10
    recording = recorded(live)
    assert (live.calls, recording.calls) == (10, 13)
    assert len(recording.take()) == 3


def test_object_that_was_used_is_recorded_from_the_start():
    class Size(ExprFunctor[int]):
        remembers = True

        def visit_var(self, var):
            return 1

    for size in (Size(), Size):
        recording = RecordingFunctor(size)
        for _ in range(2):
            assert recording.visit(X) == 1
            assert recording.take() == {Occurrence(X): 1}


def test_class_that_needs_arguments_is_refused_and_an_object_of_it_recorded():
    class From(Live):
        def __init__(self, start):
            self.start = start

    with pytest.raises(DeclarationError, match=r"cannot make a From: .*'start'; give an object"):
        RecordingFunctor(From)
    assert recorded(From(3)).start == 3


def test_parent_may_be_given_by_name():
    assert RecordingFunctor(parent=Live, key=by_node).visit(PAIR, NOTHING) == {X, Y}


def test_recording_nothing_is_refused():
    with pytest.raises(DeclarationError, match="given None; expected a functor"):
        RecordingFunctor()


@pytest.mark.parametrize("parent", [None, dict, {}, Live.visit_var, X, "Live"])
def test_parent_that_is_no_functor_is_refused(parent):
    with pytest.raises(DeclarationError, match=r"RecordingFunctor is given .*; expected a functor"):
        RecordingFunctor(parent)


def test_functor_that_records_already_is_refused():
    with pytest.raises(DeclarationError, match="given Live, which records already"):
        RecordingFunctor(RecordingFunctor(Live))


def test_memoized_functor_is_refused():
    """What a memo answers is not visited, so it would be missing."""
    with pytest.raises(DeclarationError, match="given Live, which is memoized"):
        RecordingFunctor(Memoized(Live))


def test_recording_functor_is_not_memoized():
    with pytest.raises(DeclarationError, match=r"overrides visit\(\), which a memo would skip"):
        Memoized(RecordingFunctor(Live))


def test_functor_that_overrides_visit_is_recorded_around_that():
    class Marking(Live):
        def visit(self, node, after):
            return super().visit(node, after) | {Z}

    assert recorded(Marking).before_after()[AT_PAIR.child(X)] == ({X, Y, Z}, {Y, Z})


def test_visitor_is_recorded_at_all_it_reaches():
    class Names(ExprVisitor):
        def visit_var(self, var):
            return var.name_hint

    recording = RecordingFunctor(Names)
    recording.visit(Tuple((PAIR,)))
    names = {occurrence.node: value for occurrence, value in recording.take().items()}
    assert (names[X], names[Y]) == ("x", "y")
    assert PAIR in names


def test_mutator_is_recorded_with_the_images():
    class Swap(ExprMutator):
        def visit_var(self, var):
            return Y if var is X else var

    recording = RecordingFunctor(Swap)
    image = recording.visit(PAIR)
    assert image.fields == (Y, Y)
    assert recording.take() == {AT_PAIR: image, AT_PAIR.child(X): Y, AT_PAIR.child(Y): Y}


class Swap(ExprMutator):
    def visit_tuple(self, tup):
        return Tuple(tuple([self.visit(field) for field in reversed(tup.fields)]))


class SwapInChains(Swap):
    def visit_let(self, let):
        def keep(let):
            return let.with_fields(value=self.visit(let.value), body=self.visit(let.body))

        expand_a_normal_form(let, lambda let: self.visit(let.value), keep)
        return self.memo_map[let]


class SwapAfterwards(MixedModeMutator):
    def rewrite_tuple(self, pre, post):
        return Tuple(post.fields[::-1])


@each("functor", [Swap, SwapInChains, SwapAfterwards])
@each("seed", seeds(5))
def test_recording_changes_nothing_of_what_mutators_do(functor, seed):
    function = random_function(seed, 60)
    recording = RecordingFunctor(functor)
    image = recording.visit(function)
    assert structural_equal(image, functor().visit(function))
    assert recording.take()[Occurrence(function)] is image


@pytest.mark.parametrize("functor", [ExprVisitor, MixedModeVisitor])
@each("seed", seeds(5))
def test_recording_changes_nothing_of_the_order_of_visits(functor, seed):
    class Calls(functor):
        def __init__(self):
            super().__init__()
            self.met = []

        def visit_call(self, call):
            self.met.append(call)
            return super().visit_call(call)

    function = random_function(seed, 60)
    recording, calls = RecordingFunctor(Calls), Calls()
    recording.visit(function)
    calls.visit(function)
    assert recording.met == calls.met


def test_functor_of_types_is_recorded():
    class Arity(TypeFunctor[int]):
        direction = Direction.FORWARD

        def visit_tuple_type(self, ty, found):
            return sum([self.visit(field, found) for field in ty.fields])

        def visit_tensor_type(self, ty, found):
            return found

    scalar = scalar_type("int32")
    root = TupleType((scalar, TupleType((scalar, scalar))))
    recording = RecordingFunctor(Arity)
    assert recording.visit(root, 1) == 3
    assert len(recording.take()) == 5


def test_functor_over_expressions_and_statements_is_recorded_at_both():
    recording = RecordingFunctor(LoopLive)
    n, x = tir.Var("n"), tir.Var("x")
    store = tir.Store(x, n)
    recording.visit(store, NOTHING)
    assert set(recording.take()) == {Occurrence(store), Occurrence(store).child(n)}


def test_node_that_is_none_is_refused_as_by_the_functor():
    with pytest.raises(DispatchError, match=r"Live\.visit got a list; expected a node"):
        recorded(root=[X])


# Depth


@pytest.mark.deep
@pytest.mark.parametrize("key", [None, by_node])
def test_deep_programs_are_recorded_to_the_bottom(key):
    recording = recorded(root=deep.tuple_nest(DEPTH, X), key=key)
    assert len(recording.take()) == DEPTH + 1


@pytest.mark.deep
def test_deep_program_is_recorded_twice_in_linear_time():
    """The second evaluation, for another state, meets equal occurrences all the way down."""

    class Twice(Live):
        def visit_call(self, call, after):
            return self.visit(call.args[0], self.visit(call.args[0], after))

    live = recorded(Twice, deep.call_chain(1, deep.tuple_nest(DEPTH, X)))
    assert live.calls == 2 * (DEPTH + 1)


@pytest.mark.deep
def test_deep_nests_of_loops_are_recorded_to_the_bottom():
    levels = min(DEPTH, 20_000)
    recording = RecordingFunctor(LoopLive)
    recording.visit(tir_deep.loop_nest(levels).body, NOTHING)
    loops = [o for o in recording.before_after() if isinstance(o.node, tir.For)]
    assert len(loops) == levels
