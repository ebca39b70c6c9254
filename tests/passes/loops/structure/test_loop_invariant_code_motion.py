"""Loop-invariant code motion: what it costs, and that values stay.

What moves how far, and what stays where it is, is in ``tests/cases/rewrites``.
"""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.dataflow import build_flow_graph
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM, has_scopes, operands
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.seeds import seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_deep import loop_nest
from tests.support.tir_programs import arguments, random_func, same_result
from tests.support.tir_trace import trace

SEEDS = seeds(20)
I, J, N, M = (tir.Var(name) for name in "ijnm")  # noqa: E741
F = tir.Var("f", "float32")
BUFFER, FLOATS = tir.Buffer("_A", (16,), "int32"), tir.Buffer("_B", (16,))
LOCAL_BUFFER = tir.Buffer("_T", (16,), "int32")
A, FLOAT = tir.Tensor("A", (16,), "int32", BUFFER), tir.Tensor("B", (16,), "float32", FLOATS)
LOCAL = tir.Tensor("T", (16,), "int32", LOCAL_BUFFER)


def block(*stmts):
    return tir.Block(stmts)


def store(value, index=I, tensor=A):
    return tir.Store(tensor, value, (index if isinstance(index, tir.Expr) else tir.const(index),))


def loop(*stmts, var=I, extent=4, **info):
    return tir.For(var, 0, extent, block(*stmts), **info)


def function(*stmts):
    return tir.LoweredFunc("f", (BUFFER, FLOATS, N, M, F), block(*stmts), (LOCAL_BUFFER,))


def applied(func):
    return get_pass("LoopInvariantCodeMotion")(IRModule({"f": func}))["f"]


def stays(*stmts):
    func = function(*stmts)
    return applied(func) is func


def test_memory_that_a_call_may_write_is_read_where_it_was():
    assert stays(loop(store(FLOAT[3] + F, I, FLOAT), tir.Call("void", "g", (), (BUFFER,))))


def test_statement_in_several_places_is_left_alone():
    shared = loop(store(N + M))
    assert stays(shared, shared)


def cost(func, seed=0):
    """How many operators are evaluated when ``func`` is run."""
    graph, spent = build_flow_graph(func), 0
    sizes = {}

    def size(stmt):
        if stmt not in sizes:
            roots = operands(stmt)
            nodes = PROGRAM.post_order(tuple(roots)) if roots else ()
            found = [n for n in nodes if isinstance(n, tir.Expr) and PROGRAM.children(n)]
            sizes[stmt] = sum(not isinstance(n, tir.Tensor) for n in found)
        return sizes[stmt]

    def see(moment):
        nonlocal spent
        stmt = graph.nodes[moment.point]
        if not moment.is_after and (not has_scopes(type(stmt)) or isinstance(stmt, tir.IfThenElse)):
            spent += size(stmt)

    assert trace(func, arguments(func, seed), see, graph) is None
    return spent


def test_fewer_operators_are_evaluated():
    inner = loop(store(A[(I * 4) % 16] * (N + M) + J, J, LOCAL), var=J, extent=16)
    func = function(loop(tir.Alloc(LOCAL_BUFFER, body=block(inner)), extent=16))
    assert cost(applied(func)) < cost(func) / 2


def test_no_program_evaluates_more_than_before():
    fewer = 0
    for seed in SEEDS:
        func = random_func(seed)
        before, after = cost(func), cost(applied(func))
        assert after <= before, seed
        fewer += after < before
    assert fewer > len(SEEDS) / 4


def test_random_programs_compute_the_same_after():
    for seed in SEEDS:
        for func in (random_counters(seed), random_func(seed, size=25, faulty=seed % 2 == 0)):
            image = applied(func)
            assert same_result(func, image), seed
            assert applied(image) is image, seed
            assert not tir.verify(image) or tir.verify(func), seed


@pytest.mark.deep
def test_value_leaves_a_deep_nest_at_once():
    nest = store(N + M, 0)
    for level in range(DEPTH):
        nest = tir.For(tir.Var(f"i{level}"), 0, 1, nest)
    image = applied(function(nest))
    assert str(image.body.stmts[0]) == "int32 invariant = (n + m)"


def test_nest_without_anything_to_move_is_the_same_object():
    func = loop_nest(3)
    assert applied(func) is func
