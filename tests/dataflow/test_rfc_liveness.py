"""The RFC's functor and its example, walked by its handlers, and line for line by the solver."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relayish import tir
from relayish.dataflow import Occurrence, RecordingFunctor
from relayish.dataflow.lattice import PersistentSet
from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Function, If, Let, Tuple
from relayish.ir.relay.expr import Var as RelayVar
from relayish.op import get_op
from tests.support.live_functors import LoopFlow, LoopLive, RelayFlow, RelayLive
from tests.support.rfc_example import BLOCK1, COPY, ONE, TWO, A, B, C, X, around_statements, block

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


# Branches and loops


def test_if_without_else_keeps_what_is_live_after_it(liveness):
    branch = tir.IfThenElse(B < 1, tir.Store(X, ONE))
    assert around(liveness(branch, X, C), branch) == ({B, X, C}, {X, C})


def test_nested_if_keeps_outer_variables_alive_after_the_inner_one(liveness):
    """The code after the inner branch reads x; that after the outer one reads a and c."""
    inner = tir.IfThenElse(B < 1, tir.Store(X, ONE), tir.Store(X, TWO))
    after_inner = tir.Store(A, X + 1)
    outer = tir.IfThenElse(N < 1, block(inner, after_inner), tir.Store(A, C))
    last = tir.Store(OUT, A + C)
    states = liveness(block(outer, last), OUT)
    assert around(states, inner) == ({B, C}, {X, C})
    assert around(states, after_inner) == ({X, C}, {A, C})
    assert around(states, outer) == ({N, B, C}, {A, C})


def test_loop_that_may_not_run_keeps_what_is_live_after_it(liveness):
    loop = tir.For(INDEX, 0, N, tir.Store(X, ONE))
    assert around(liveness(loop, X), loop) == ({N, X}, {X})


def test_variable_that_the_next_iteration_reads_is_live_after_the_body(liveness):
    read, write = tir.Store(C, X), tir.Store(X, ONE)
    loop = tir.For(INDEX, 0, N, block(read, write))
    states = liveness(loop, C)
    assert around(states, write) == ({C}, {C, X})
    assert around(states, loop) == ({C, N, X}, {C})


def test_loop_variable_is_live_in_the_body_only(liveness):
    body = tir.Store(X, X + INDEX)
    loop = tir.For(INDEX, 0, N, body)
    states = liveness(loop, X)
    assert around(states, body) == ({X, INDEX}, {X})
    assert around(states, loop) == ({X, N}, {X})


def test_statement_that_reads_what_it_writes_has_it_live_before(liveness):
    update = tir.Store(X, X + 1)
    assert around(liveness(update, X), update) == ({X}, {X})
    assert around(liveness(update), update) == ({X}, set())


def test_variables_of_one_name_are_told_apart_by_declaration(liveness):
    inner = tir.Var("x")
    declare, use = tir.Let(inner, ONE), tir.Store(C, inner)
    states = liveness(block(block(declare, use), tir.Store(A, X)))
    assert around(states, use) == ({inner, X}, {X})
    assert around(states, declare) == ({X}, {inner, X})


def test_store_to_an_element_keeps_the_buffer_alive(liveness):
    buffer = tir.Buffer("_m", (8,), "int32")
    memory = tir.Tensor("m", (8,), "int32", buffer)
    store = tir.Store(memory, X, (INDEX,))
    assert around(liveness(store, buffer), store) == ({buffer, X, INDEX}, {buffer})
    assert around(liveness(store), store) == ({X, INDEX}, set())


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


def test_relay_nested_if_keeps_outer_variables_alive(relay_liveness):
    r, v, w, c, d, y = [RelayVar(name) for name in "rvwcdy"]
    inner = If(d, v, w)
    use = Call(get_op("add"), (y, r))
    outer = If(c, Let(y, inner, use), w)
    root = Call(get_op("add"), (outer, v))
    states = relay_liveness(root)
    assert around(states, use) == ({y, r, v}, {v})
    assert around(states, inner) == ({d, v, w, r}, {v, r})
    assert around(states, outer) == ({c, d, v, w, r}, {v})


def test_name_of_a_function_that_calls_itself_is_not_live_before_it(relay_liveness):
    f, x, y, z = [RelayVar(name) for name in "fxyz"]
    function = Function((x,), Call(f, (Tuple((x, z)),)))
    root = Let(f, function, Call(f, (y,)))
    states = relay_liveness(root)
    assert around(states, root) == ({y, z}, set())
    assert around(states, root.body) == ({f, y}, set())
