"""Deep, long and shared programs: verified without recursion, each node once."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import VerificationError
from relayish.tir import Alloc, Block, For, Free, IfThenElse, LoweredFunc, Rule, Store, Tensor, Var
from tests.support.depth import DEPTH
from tests.support.tir_cases import A_BUFFER, ONE, A, I, func, loop, realize

LONG = 10 * DEPTH
"""Statements of a long block, 1,000,000 where DEPTH is 100,000."""


def nest(depth, body, make):
    """Return ``depth`` levels of what ``make(level, body)`` returns around a statement."""
    for level in range(depth):
        body = make(level, body)
    return body


def rules(program):
    return [found.rule for found in tir.verify(program)]


def in_loop(level, body):
    return For(Var(f"i{level}"), 0, 2, Block((body,)))


@pytest.mark.deep
def test_deep_nest_of_loops_is_accepted():
    assert rules(func(nest(DEPTH, Block(), in_loop))) == []


@pytest.mark.deep
def test_violation_at_the_bottom_of_a_deep_nest_is_found():
    bottom = Store(A, ONE, (Var("nowhere"),))
    assert rules(func(nest(DEPTH, bottom, in_loop))) == [Rule.SCOPE]


@pytest.mark.deep
def test_index_by_all_loops_of_a_deep_nest_is_bounded():
    variables = [Var(f"i{level}") for level in range(DEPTH)]
    wide = tir.Buffer("_W", (DEPTH + 1,))
    tensor = Tensor("W", (DEPTH,), "float32", wide)
    body = Block((Store(tensor, ONE, (tir.Sum(tuple(variables)),)),))
    for variable in variables:
        body = Block((For(variable, 0, 2, body),))
    assert rules(LoweredFunc("f", (wide,), body)) == [Rule.BOUNDS]


@pytest.mark.deep
def test_deep_nest_of_branches_with_allocations_is_accepted():
    buffers = [tir.Buffer(f"_T{level}", (1,)) for level in range(DEPTH)]

    def make(level, body):
        arm = Block((Alloc(buffers[level]), body, Free(buffers[level])))
        return Block((IfThenElse(level < I, arm),))

    body = loop(nest(DEPTH, Block(), make))
    assert rules(func(body, temps=buffers)) == []


@pytest.mark.deep
def test_deep_nest_of_schedule_blocks_is_accepted():
    variables = [Var(f"v{level}") for level in range(DEPTH)]
    body = Store(A, ONE, (variables[0],))
    for level, variable in enumerate(variables):
        value = variables[level + 1] if level + 1 < DEPTH else I
        body = realize((value,), (variable,), body)
    assert rules(func(loop(body))) == []


@pytest.mark.deep
def test_deep_expression_is_accepted():
    value = ONE
    for _ in range(DEPTH):
        value = tir.Add(value, ONE)
    assert rules(func(Store(A, value, (tir.const(0),)))) == []


@pytest.mark.deep
def test_long_block_is_accepted():
    stmts = [Store(A, ONE, (I,))] * 2 + [Store(A, ONE, (I,)) for _ in range(LONG)]
    assert rules(func(loop(*stmts))) == []


@pytest.mark.deep
def test_each_of_many_violations_is_reported():
    stmts = [Store(A, ONE, (Var("nowhere"),)) for _ in range(DEPTH)]
    assert rules(func(*stmts)) == [Rule.SCOPE] * DEPTH


@pytest.mark.deep
def test_error_of_many_violations_stays_short():
    stmts = [Store(A, ONE, (Var("nowhere"),)) for _ in range(DEPTH)]
    with pytest.raises(VerificationError) as raised:
        tir.check(func(*stmts))
    assert str(raised.value).count("\n") == 21
    assert len(raised.value.violations) == DEPTH


@pytest.mark.parametrize("name", ["expression", "statement", "branch"])
def test_program_with_many_paths_is_looked_at_once(name):
    """100 levels have 2**100 paths."""
    if name == "expression":
        index = I
        for _ in range(100):
            index = tir.Min(index, index)
        assert rules(func(loop(Store(A, ONE, (index,))))) == []
        return
    body = Store(A, ONE, (tir.const(0),))
    for _ in range(100):
        body = Block((body, body)) if name == "statement" else IfThenElse(ONE < 2.0, body, body)
    assert rules(func(body)) == []


@pytest.mark.parametrize("frees", [False, True])
def test_shared_statements_between_allocations_are_looked_at_for_each_state(frees):
    """The walk of lifetimes looks at a statement once for each state, not once for each path."""
    temp = tir.Buffer("_T", (1,))
    tensor = Tensor("T", (1,), "float32", temp)
    body = Block((Store(tensor, ONE, (tir.const(0),)),))
    for _ in range(100):
        body = IfThenElse(ONE < 2.0, body, body)
    last = (Free(temp),) if frees else ()
    assert rules(func(Alloc(temp), Block((body, body)), *last, temps=(temp,))) == []


def test_statement_that_is_shared_is_refused_where_it_is_out_of_scope():
    store = Store(A, ONE, (I,))
    assert rules(func(loop(store), store)) == [Rule.SCOPE]


def test_statement_that_is_shared_is_refused_where_memory_is_freed():
    temp = tir.Buffer("_T", (1,))
    store = Store(Tensor("T", (1,), "float32", temp), ONE, (tir.const(0),))
    assert rules(func(Alloc(temp), store, Free(temp), store, temps=(temp,))) == [Rule.LIFETIME]


def test_loop_that_stands_in_two_places_binds_once():
    same = loop(Store(A, ONE, (I,)))
    assert rules(func(same, same)) == []


def test_function_of_two_modules_is_verified_by_itself():
    one, other = (LoweredFunc(name, (A_BUFFER,), Block()) for name in "ab")
    assert rules(tir.Module("m", functions=(one, other))) == []


@pytest.mark.deep
def test_deep_submodules_know_the_buffers_around_them():
    buffer = tir.Buffer("_shared", (1,))
    store = Store(Tensor("shared", (1,), "float32", buffer), ONE, (tir.const(0),))
    inner = tir.Module("inner", functions=(LoweredFunc("f", (), Block((store,))),))
    for level in range(DEPTH):
        inner = tir.Module(f"m{level}", submodules=(inner,))
    assert rules(tir.Module("outer", buffers=(buffer,), submodules=(inner,))) == []
    assert rules(inner) == [Rule.SCOPE]
