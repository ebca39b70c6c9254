"""The RFC's functor and its example, walked by its handlers, and line for line by the solver."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relayish import tir
from relayish.dataflow import Occurrence, RecordingFunctor
from relayish.dataflow.lattice import PersistentSet
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Function, If, Let, Tuple
from relayish.ir.relay.expr import Var as RelayVar
from relayish.op import get_op
from tests.support.live_functors import LoopFlow, LoopLive, RelayFlow, RelayLive
from tests.support.rfc_example import BLOCK1, COPY, ONE, A, B, C, X, around_statements, block

INDEX, OUT, N = [tir.Var(name) for name in "ijn"]


def states_by(functor: type) -> Callable[..., dict[Occurrence, object]]:
    def liveness(root: Node, *exit_: Node) -> dict[Occurrence, object]:
        recording = RecordingFunctor(functor)
        recording.visit(root, PersistentSet(exit_))
        return recording.before_after()

    return liveness


@pytest.fixture(params=[LoopLive, LoopFlow])
def liveness(request):
    return states_by(request.param)


@pytest.fixture(params=[RelayLive, RelayFlow])
def relay_liveness(request):
    return states_by(request.param)


def around(states: dict[Occurrence, object], node: Node) -> tuple[set[Node], set[Node]]:
    """What is live before and after ``node``, which stands at one place."""
    (found,) = [states for occurrence, states in states.items() if occurrence.node is node]
    return set(found.before), set(found.after)


@around_statements
def test_example_of_the_rfc_has_these_live_variables_around(node, before, after, liveness):
    assert around(liveness(BLOCK1), node) == (before, after)


def test_example_of_the_rfc_depends_on_what_is_live_at_its_end(liveness):
    assert around(liveness(BLOCK1, A, C), COPY) == ({B}, {A, B})


def test_statement_that_stands_twice_has_states_of_its_own_at_each_place(liveness):
    twice, between = tir.Store(X, ONE), tir.Store(C, X)
    root = block(twice, between, twice)
    states = liveness(root, A)
    at = Occurrence(root)
    assert states[at.child(twice)] == ({A}, {A})  # visited first: the last in the block
    assert states[at.child(twice, 1)] == ({A}, {A, X})


def test_recorded_states_of_a_loop_are_those_of_the_fixpoint(liveness):
    copy, read = tir.Store(X, A), tir.Store(C, X)
    loop = tir.For(INDEX, 0, N, block(read, copy, tir.Store(A, B)))
    states = liveness(loop)
    assert around(states, read) == ({A, B, X}, {A, B})
    assert around(states, copy) == ({A, B}, {X, B})
    assert around(states, loop) == ({A, B, X, N}, set())


# Relay


def test_relay_example_of_the_rfc_has_its_live_variables(relay_liveness):
    a, b, c, x = [RelayVar(name) for name in "abcx"]
    one, two = RelayVar("one"), RelayVar("two")
    add = get_op("add")
    total = Call(add, (x, two))
    last = Let(c, total, c)
    branch = If(b, one, two)
    merge = Let(x, branch, last)
    root = Let(a, b, merge)
    states = relay_liveness(root)
    assert around(states, last) == ({x, two}, set())
    assert around(states, branch) == ({b, one, two}, {two})
    assert around(states, merge) == ({b, one, two}, set())
    assert around(states, root) == ({b, one, two}, set())


def test_name_of_a_function_that_calls_itself_is_not_live_before_it(relay_liveness):
    f, x, y, z = [RelayVar(name) for name in "fxyz"]
    function = Function((x,), Call(f, (Tuple((x, z)),)))
    root = Let(f, function, Call(f, (y,)))
    states = relay_liveness(root)
    assert around(states, root) == ({y, z}, set())
    assert around(states, root.body) == ({f, y}, set())
