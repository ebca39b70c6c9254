"""Definite initialisation of variables and memory."""

from __future__ import annotations

from typing import Any

import pytest

from relayish import tir
from relayish.dataflow import solve
from relayish.dataflow.analyses import DefiniteInitialisation, uninitialised_uses
from relayish.ir.relay.expr import Function, If, Let, Tuple, Var
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)

A, B, X, N = [tir.Var(name) for name in "abxn"]
DECLARE, ASSIGN, USE = tir.Let(X), tir.Store(X, 1), tir.Store(A, X)


def block(*stmts: tir.Stmt) -> tir.Block:
    return tir.Block(stmts)


def uninitialised(program: Any) -> list[tuple[str, Any]]:
    [found] = solve([DefiniteInitialisation()], program)
    return [(var.name, point.node) for var, point in uninitialised_uses(found)]


@pytest.mark.parametrize(
    "program",
    [
        block(DECLARE, ASSIGN, USE),
        block(tir.Let(X, B), USE),
        block(DECLARE, tir.IfThenElse(B < 1, ASSIGN, tir.Store(X, 2)), USE),
        block(DECLARE, ASSIGN, tir.For(tir.Var("i"), 0, N, USE)),
        USE,
    ],
    ids=["assigned", "declared with a value", "in both arms", "before a loop", "from outside"],
)
def test_variable_is_initialised_on_all_paths(program):
    assert uninitialised(program) == []


@pytest.mark.parametrize(
    "program",
    [
        block(DECLARE, USE),
        block(DECLARE, tir.IfThenElse(B < 1, ASSIGN), USE),
        block(DECLARE, tir.For(tir.Var("i"), 0, N, ASSIGN), USE),
        tir.For(tir.Var("i"), 0, N, block(DECLARE, USE, ASSIGN)),
    ],
    ids=["never", "in one arm", "in a loop", "in the iteration before"],
)
def test_variable_is_not_initialised_on_some_path(program):
    assert uninitialised(program) == [("x", USE)]


def temporary(*stmts: tir.Stmt) -> tir.LoweredFunc:
    return tir.LoweredFunc("f", (B,), block(*stmts), (T.buffer,))


T = tir.placeholder("T", (4,))
FILL, READ = tir.Store(T, B, (0,)), tir.Store(A, T[0])


def test_temporary_buffer_holds_nothing_at_first():
    assert uninitialised(temporary(READ)) == [("_T", READ)]
    assert uninitialised(temporary(FILL, READ)) == []


def test_allocated_and_freed_memory_holds_nothing():
    assert uninitialised(temporary(FILL, tir.Alloc(T.buffer), READ)) == [("_T", READ)]
    assert uninitialised(temporary(FILL, tir.Free(T.buffer), READ)) == [("_T", READ)]


def test_buffers_of_the_caller_hold_values():
    func = tir.LoweredFunc("f", (T.buffer,), READ)
    assert uninitialised(func) == []


def test_address_that_is_given_away_initialises_nothing():
    take = tir.Call("void", "who_knows", (tir.GetAddr(X),))
    found = uninitialised(block(DECLARE, take, USE))
    assert ("x", USE) in found


def test_variables_of_relay_are_initialised_where_they_are_known():
    x, y, c = Var("x"), Var("y"), Var("c")
    func = Function((c, x), Let(y, If(c, x, x), Tuple((y, Function((), Tuple((x, y)))))))
    assert uninitialised(func) == []


def test_declaration_without_operands_declared_outside_gives_no_value():
    lang = loop_languages
    p, q = lang.Sym("p"), lang.Sym("q")
    load = lang.Ld(p)
    declared = lang.Block((lang.Declare(p, lang.IntConst(1)), lang.St(q, load)))
    assert uninitialised(declared) == []


@each("seed", seeds(15))
def test_what_runs_without_error_is_reported_at_most_for_paths_that_it_does_not_take(seed):
    """Random functions are sound, so what is reported is in loops, branches, or after these."""
    func = random_func(seed)
    [found] = solve([DefiniteInitialisation()], func)
    straight = set(found.graph.blocks[0])
    assert not [point for _, point in uninitialised_uses(found) if point.number in straight]
