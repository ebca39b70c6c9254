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
from relayish.ir.relay.expr import Call, Let, Tuple, Var
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.rfc_example import BLOCK1, ONE, A, B, X, around_statements, block

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)


def live(program: Any, *live_out: Node) -> Any:
    [found] = solve([Liveness.with_live_out(live_out)], program)
    return found


def around(program: Any, node: Node, *live_out: Node) -> tuple[set[Node], set[Node]]:
    found = live(program, *live_out)
    return set(found.before(node)), set(found.after(node))


@around_statements
def test_example_of_the_request_has_these_live_variables_around(node, before, after):
    assert around(BLOCK1, node) == (before, after)


def test_statement_that_stands_twice_has_a_state_at_each_place():
    step = tir.Store(X, ONE)
    program = block(step, tir.Store(A, X), step)
    found = live(program)
    first, second = found.graph.occurrences(step)
    assert set(found.after(first)) == {X}
    assert set(found.after(second)) == set()
    assert set(found.after(step)) == {X}


def test_axes_of_a_reduction_are_dead_outside_of_it():
    k = tir.reduce_axis("k", 4)
    array = tir.placeholder("A", (4,))
    total = tir.Store(X, tir.reduce_sum(array[k], [k]))
    assert set(live(total, X).entry) == {array.buffer}


# Relay


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
