"""Loop-invariant code motion: what moves how far, and what has to stay where it is."""

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
I, J, N, M, X = (tir.Var(name) for name in "ijnmx")  # noqa: E741
F = tir.Var("f", "float32")
B = tir.Var("b", "bool")
BUFFER, FLOATS = tir.Buffer("_A", (16,), "int32"), tir.Buffer("_B", (16,))
LOCAL_BUFFER = tir.Buffer("_T", (16,), "int32")
A, FLOAT = tir.Tensor("A", (16,), "int32", BUFFER), tir.Tensor("B", (16,), "float32", FLOATS)
LOCAL = tir.Tensor("T", (16,), "int32", LOCAL_BUFFER)
FOUR = tir.const(4)


def block(*stmts):
    return tir.Block(stmts)


def store(value, index=I, tensor=A):
    return tir.Store(tensor, value, (index if isinstance(index, tir.Expr) else tir.const(index),))


def loop(*stmts, var=I, extent=4, **info):
    return tir.For(var, 0, extent, block(*stmts), **info)


def function(*stmts):
    return tir.LoweredFunc("f", (BUFFER, FLOATS, N, M, F, B), block(*stmts), (LOCAL_BUFFER,))


def applied(func):
    return get_pass("LoopInvariantCodeMotion")(IRModule({"f": func}))["f"]


def lines(*stmts):
    """What becomes of the statements, line by line."""
    image = applied(function(*stmts))
    assert tir.verify(image) == ()
    text = str(image).split("#[details]")[0]
    return [line.strip() for line in text.splitlines()[1:] if line.strip() not in "{}"]


def stays(*stmts):
    func = function(*stmts)
    return applied(func) is func


def test_sum_of_what_is_outside_moves_before_the_loop():
    assert lines(loop(store(N + M))) == [
        "int32 invariant = (n + m)",
        "serial for (i, 0, 4)",
        "A[i] = invariant",
    ]


def test_each_part_moves_as_far_as_it_can():
    inner = loop(store(I + (N * M) + J, J), var=J)
    assert lines(loop(inner)) == [
        "int32 invariant = (n * m)",
        "serial for (i, 0, 4)",
        "int32 invariant_0 = (i + invariant)",
        "serial for (j, 0, 4)",
        "A[j] = (invariant_0 + j)",
    ]


def test_value_that_two_statements_compute_is_declared_once():
    found = lines(loop(store(N * M), store(N * M + 1, 3)))
    assert found[:2] == ["int32 invariant = (n * m)", "int32 invariant_0 = (invariant + 1)"]


def test_load_of_an_argument_moves_where_nothing_writes_it():
    assert lines(loop(store(tir.Cast("float32", A[3]), I, FLOAT))) == [
        "float32 invariant = float32(A[3])",
        "serial for (i, 0, 4)",
        "B[i] = invariant",
    ]


def test_load_moves_out_of_a_loop_that_writes_other_elements():
    assert lines(loop(store(A[3], I + 4))) == [
        "int32 invariant = A[3]",
        "serial for (i, 0, 4)",
        "A[(i + 4)] = invariant",
    ]


def test_load_moves_out_of_the_inner_loop_only_where_the_outer_one_writes_its_element():
    found = lines(loop(store(N, 3), loop(store(A[3], J + 4), var=J)))
    assert found[-3:] == [
        "int32 invariant = A[3]",
        "serial for (j, 0, 4)",
        "A[(j + 4)] = invariant",
    ]


def test_call_that_gives_a_float_moves():
    assert lines(loop(store(tir.math.exp(F), I, FLOAT)))[0] == "float32 invariant = exp(f)"


def test_declaration_in_a_loop_keeps_its_place_and_loses_its_value():
    assert lines(loop(tir.Let(X, N * M), store(X))) == [
        "int32 invariant = (n * m)",
        "serial for (i, 0, 4)",
        "int32 x = invariant",
        "A[i] = x",
    ]


STAYING = {
    "loop that may not run": (loop(store(N + M), extent=N),),
    "loop with a condition": (
        tir.PolyFor(I, tir.const(0), I < M, tir.const(1), store(N + M, 0)),
    ),
    "arm of a branch": (loop(tir.IfThenElse(B, store(N + M))),),
    "loop that threads share": (
        loop(
            store(N + M),
            for_type=tir.ForType.GPU_THREAD,
            bind_info=tir.BindInfo(tir.ForType.GPU_THREAD, 0),
        ),
    ),
    "scalar that is assigned in the loop": (
        tir.Let(X, tir.const(0)),
        loop(store(X + N), tir.Store(X, I, ())),
    ),
    "scalar that a call may write": (
        tir.Let(X, tir.const(0)),
        loop(store(X + N), tir.Call("void", "g", (tir.GetAddr(X),))),
    ),
    "memory that is written in the loop": (loop(store(A[3])),),
    "memory that a call may write": (
        loop(store(FLOAT[3] + F, I, FLOAT), tir.Call("void", "g", (), (BUFFER,))),
    ),
    "quotient that may fault": (loop(store(tir.Div(M, N))),),
    "load that may be out of range": (loop(store(FLOAT[N] + F, I, FLOAT)),),
    "cast that may not fit": (loop(store(tir.Cast("int32", F))),),
    "temporary memory, which may hold nothing": (
        tir.Alloc(LOCAL_BUFFER),
        loop(store(LOCAL[3])),
    ),
    "variable that may hold nothing": (tir.Let(X), loop(store(X + N))),
    "call of which nothing is known": (
        loop(store(tir.Call("int32", "g", (N,)))),
    ),
    "bounds of a loop": (loop(tir.For(J, 0, tir.Min(N, FOUR), store(J, J))),),
    "reduction": (
        loop(store(tir.Reduce(tir.ReduceType.SUM, N, M, (tir.Var("k", "int32", 0, 4),)))),
    ),
    "vector": (
        loop(tir.Store(A, tir.Broadcast(N, 4), (tir.Ramp(tir.const(0), tir.const(1), 4),))),
    ),
    "schedule block": (
        loop(
            tir.ScheduleBlockRealize(
                (I,), tir.ScheduleBlock((J,), (), (), "block", store(N + M, J))
            )
        ),
    ),
}  # fmt: skip
"""Programs in which nothing may be moved."""


@pytest.mark.parametrize("name", STAYING)
def test_what_may_not_be_moved_stays(name):
    assert stays(*STAYING[name])


def test_statement_in_several_places_is_left_alone():
    shared = loop(store(N + M))
    assert stays(shared, shared)


def test_loop_that_runs_because_of_a_condition_is_known_to_run():
    found = lines(tir.IfThenElse(N > 0, loop(store(N * M), extent=N)))
    assert found == [
        "if ((n > 0)) {",
        "int32 invariant = (n * m)",
        "serial for (i, 0, n)",
        "A[i] = invariant",
    ]


def test_nothing_leaves_an_inner_loop_that_may_not_run():
    assert stays(loop(loop(store(N + M, J), var=J, extent=N)))


def test_what_precedes_a_loop_that_may_not_run_still_moves():
    found = lines(loop(store(N * M), loop(store(N + M, J), var=J, extent=N)))
    assert found[0] == "int32 invariant = (n * m)"
    assert "A[j] = (n + m)" in found


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
