"""Live variables of both languages, and of kinds that packages declare."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import build_flow_graph, solve
from relayish.dataflow.analyses import Liveness
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Function, If, Let, Tuple, Var
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.rfc_example import BLOCK1, ONE, TWO, A, B, C, X, around_statements, block

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)

K, J, N = [tir.Var(name) for name in "kjn"]


def live(program: Any, *live_out: Node) -> Any:
    [found] = solve([Liveness.with_live_out(live_out)], program)
    return found


def around(program: Any, node: Node, *live_out: Node) -> tuple[set[Node], set[Node]]:
    found = live(program, *live_out)
    return set(found.before(node)), set(found.after(node))


@around_statements
def test_example_of_the_request_has_these_live_variables_around(node, before, after):
    assert around(BLOCK1, node) == (before, after)


def test_if_without_else_keeps_what_is_live_after_it():
    branch = tir.IfThenElse(B < 1, tir.Store(X, ONE))
    assert around(branch, branch, X, C) == ({B, X, C}, {X, C})


def test_loop_may_run_not_even_once():
    loop = tir.For(K, A, N, tir.Store(X, K + B))
    assert around(loop, loop, X, C) == ({A, N, B, X, C}, {X, C})


def test_bounds_of_a_loop_are_dead_in_its_body():
    body = tir.Store(X, K)
    assert around(tir.For(K, A, N, body), body, X)[0] == {K}


def test_loop_carries_what_the_next_iteration_uses():
    body = tir.Store(X, X + K)
    assert around(tir.For(K, 0, 4, body), body) == ({X, K}, {X})


def test_increment_uses_what_it_assigns():
    step = tir.Store(X, X + 1)
    assert around(step, step, X) == ({X}, {X})


def test_nested_if_keeps_outer_variables_alive_after_the_inner_one():
    inner = tir.IfThenElse(B < 1, tir.Store(X, ONE), tir.Store(X, TWO))
    after_inner = tir.Store(A, X + 1)
    outer = tir.IfThenElse(N < 1, block(inner, after_inner), tir.Store(A, C))
    last = tir.Store(J, A + C)
    program = block(outer, last)
    assert around(program, inner, J) == ({B, C}, {X, C})
    assert around(program, after_inner, J) == ({X, C}, {A, C})


def test_variables_of_one_name_in_nested_scopes_are_two():
    outer, inner = tir.Var("x"), tir.Var("x")
    use = tir.Store(A, inner)
    program = block(tir.Let(outer, B), block(tir.Let(inner, C), use), tir.Store(J, outer))
    assert around(program, use, A, J) == ({inner, outer}, {A, outer})


def test_statement_that_stands_twice_has_a_state_at_each_place():
    step = tir.Store(X, ONE)
    program = block(step, tir.Store(A, X), step)
    found = live(program)
    first, second = found.graph.occurrences(step)
    assert set(found.after(first)) == {X}
    assert set(found.after(second)) == set()
    assert set(found.after(step)) == {X}


def test_store_to_an_element_neither_uses_nor_kills_its_buffer():
    array = tir.placeholder("A", (4,))
    part = tir.Store(array, B, (K,))
    program = block(part, tir.Store(C, array[J]))
    assert around(program, part, C) == ({array.buffer, B, K, J}, {array.buffer, J})


def test_buffers_of_the_caller_are_live_where_a_function_ends():
    given, own = tir.placeholder("A", (4,)), tir.placeholder("T", (4,))
    first, second = tir.Store(own, B, (0,)), tir.Store(given, C, (0,))
    func = tir.LoweredFunc("f", (given.buffer, B, C), block(first, second), (own.buffer,))
    assert around(func, second)[1] == {given.buffer}


def test_call_of_unknown_effect_reads_buffers_but_no_scalar_that_is_not_exposed():
    array = tir.placeholder("A", (4,))
    call = tir.Call("void", "who_knows")
    program = block(tir.Store(X, ONE), tir.Store(array, B, (0,)), call, tir.Store(X, TWO))
    assert around(program, call, X) == ({array.buffer}, set())


def test_call_of_unknown_effect_reads_scalars_whose_address_was_taken():
    call = tir.Call("void", "who_knows")
    take = tir.Call("void", "register", (tir.GetAddr(X),))
    program = block(tir.Store(X, ONE), take, tir.Store(X, TWO), call)
    assert X in around(program, call)[0]


def test_freed_memory_is_dead_before():
    array = tir.placeholder("T", (4,))
    store, free = tir.Store(array, B, (0,)), tir.Free(array.buffer)
    assert around(block(store, free), free) == (set(), set())


def test_axes_of_a_reduction_are_dead_outside_of_it():
    k = tir.reduce_axis("k", 4)
    array = tir.placeholder("A", (4,))
    total = tir.Store(X, tir.reduce_sum(array[k], [k]))
    assert set(live(total, X).entry) == {array.buffer}


# Relay


def test_branches_of_relay_join_where_the_variable_is_bound():
    c, x, y, z = [Var(name) for name in "cxyz"]
    branching = If(c, x, y)
    program = Let(z, branching, Tuple((z, y)))
    assert around(program, branching) == ({c, x, y}, {y})


def test_captured_variables_are_used_where_the_closure_is_made():
    x, y, f = Var("x"), Var("y"), Var("f")
    closure = Function((y,), Tuple((x, y)))
    program = Let(f, closure, Call(f, (f,)))
    assert around(program, closure)[0] == {x}
    assert around(program, program.body) == ({f}, set())


def test_recursive_functions_use_themselves_in_their_bodies():
    f, y = Var("f"), Var("y")
    again = Call(f, (y,))
    found = live(Let(f, Function((y,), again), f))
    assert set(found.before(again)) == {f, y}
    assert set(found.entry) == set()


# Kinds declared outside


def test_loop_declared_outside_carries_what_its_scopes_use():
    x, n, i = Var("x"), Var("n"), Var("i")
    body = Tuple((i, n))
    loop = loop_kinds.While(i, x, Call(relay.op.get("less"), (i, n)), body)
    assert around(loop, loop) == ({x, n}, set())
    assert around(loop, body)[0] == {i, n}


def test_language_declared_outside_is_understood_from_its_roles():
    sym = loop_languages
    p, q, r = sym.Sym("p"), sym.Sym("q"), sym.Sym("r")
    first, second = sym.St(p, sym.Ld(q)), sym.St(r, sym.Ld(p))
    program = sym.Block((first, second))
    assert set(live(program, r).entry) == {q}
    assert around(program, first, r) == (set(), {p})


def test_indirect_store_declared_outside_kills_nothing_and_uses_the_address():
    sym = loop_languages
    p, q = sym.Sym("p"), sym.Sym("q")
    through = sym.Ist(sym.Ld(p), sym.IntConst(1))
    program = sym.Block((through, sym.St(q, sym.Ld(q))))
    assert set(live(program, q).entry) == {p, q}
    assert around(program, through, q)[1] == {q}


def test_loop_with_a_variable_that_it_writes_kills_nothing():
    sym = loop_languages
    i, n, s = sym.Sym("i"), sym.Sym("n"), sym.Sym("s")
    body = sym.Block((sym.St(s, sym.Ld(i)),))
    loop = sym.DoLoop(i, sym.IntConst(0), sym.Ld(n), sym.Ld(i), body)
    assert around(loop, loop, s)[0] == {i, n, s}


# Complexity


def sequential_ifs(count: int) -> tir.Stmt:
    return block(*[tir.IfThenElse(B < 1, tir.Store(X, X + 1), tir.Store(X, A))] * count)


def test_visits_of_sequential_ifs_are_linear():
    counts = [live(sequential_ifs(count)).visits for count in (4, 8, 16)]
    assert counts == [4 * 4 + 4, 4 * 8 + 4, 4 * 16 + 4]


def test_visits_of_nested_loops_are_linear_in_depth():
    def nest(depth: int) -> tir.Stmt:
        stmt: tir.Stmt = tir.Store(X, X + 1)
        for _ in range(depth):
            stmt = tir.For(tir.Var("i"), 0, 3, block(stmt, tir.Store(A, A + 1)))
        return stmt

    visits = [live(nest(depth)).visits for depth in range(1, 13)]
    growth = {after - before for before, after in pairwise(visits[2:])}
    assert len(growth) == 1


def test_visits_of_a_chain_of_lets_are_its_points():
    x = Var("x")
    body: relay.Expr = x
    for _ in range(1000):
        body = Let(Var("v"), Tuple((x, x)), body)
    assert live(body).visits == len(build_flow_graph(body))


def test_shared_expressions_are_looked_at_once():
    shared: Any = X
    for _ in range(100):
        shared = shared + shared
    assert set(live(tir.Store(A, shared)).entry) == {X}


@pytest.mark.deep
def test_liveness_goes_deep():
    x = Var("x")
    body: relay.Expr = x
    for _ in range(DEPTH):
        body = Let(Var("v"), Tuple((x, x)), body)
    nest: tir.Stmt = tir.Store(X, X + 1)
    for _ in range(DEPTH):
        nest = tir.IfThenElse(B < 1, nest)
    assert set(live(body).entry) == {x}
    assert set(live(nest).entry) == {B, X}


def test_size_of_memory_is_live_where_an_element_is_found_by_it():
    n, i = tir.Var("n"), tir.Var("i")
    buffer = tir.Buffer("_A", (n, n))
    tensor = tir.Tensor("A", (n, n), "float32", buffer)
    store = tir.Store(tensor, tir.const(1.0), (i, i))
    [found] = solve([Liveness()], tir.Block((store,)))
    assert {n, i} <= set(found.before(store))
    assert n not in found.after(store)
