"""What each pass that cleans up loops does, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.module import IRModule
from relayish.tir import LoweredFunc
from relayish.transform import get_pass

A, T = tir.placeholder("A", (8,), "int32"), tir.placeholder("T", (8,), "int32")
C, X, Y, Z = [tir.Var(name) for name in "cxyz"]


def put(index: Any, value: Any, tensor: tir.Tensor = A) -> tir.Stmt:
    return tir.Store(tensor, value, (index,))


def only(*stmts: tir.Stmt, temps: tuple[tir.Buffer, ...] = ()) -> LoweredFunc:
    return LoweredFunc("f", (A.buffer, C), tir.Block(stmts), temps)


def func(*stmts: tir.Stmt, temps: tuple[tir.Buffer, ...] = ()) -> LoweredFunc:
    return only(tir.Let(X, A[7]), *stmts, temps=temps)


def run(name: str, program: LoweredFunc) -> LoweredFunc:
    return get_pass(name)(IRModule({"f": program}))["f"]


def check(name: str, before: LoweredFunc, after: LoweredFunc) -> None:
    assert not tir.verify(before)
    found = run(name, before)
    assert not tir.verify(found)
    assert structural_equal(found, after), tir.astext(found)
    assert run(name, found) is found


def unchanged(name: str, *stmts: tir.Stmt, temps: tuple[tir.Buffer, ...] = ()) -> None:
    before = func(*stmts, temps=temps)
    assert not tir.verify(before)
    assert run(name, before) is before


LAST = put(0, C)
DEAD, COPY, GLOBAL = "DeadStoreElimination", "CopyPropagation", "GlobalCommonSubexprElimTIR"


def loop(*stmts: tir.Stmt, extent: Any = 4) -> tir.For:
    return tir.For(tir.Var("i"), 0, extent, tir.Block(stmts))


# Dead stores


def test_store_that_is_overwritten_goes():
    check(DEAD, func(tir.Store(X, 1), tir.Store(X, 2), put(0, X)),
          func(tir.Store(X, 2), put(0, X)))  # fmt: skip


def test_sum_that_nobody_reads_goes_with_its_loop():
    total = tir.Let(Y, tir.const(0))
    check(DEAD, func(total, loop(tir.Store(Y, Y + 1)), LAST), only(LAST))


def test_memory_that_nobody_reads_goes_with_its_allocation():
    alloc, free = tir.Alloc(T.buffer), tir.Free(T.buffer)
    program = func(alloc, loop(put(tir.const(0), 1, T)), free, LAST, temps=(T.buffer,))
    check(DEAD, program, only(LAST, temps=(T.buffer,)))


def test_branch_in_which_nothing_is_left_goes_with_what_its_condition_reads():
    program = func(tir.Let(Y, X * 2), tir.IfThenElse(Y < 1, tir.Store(X, 1)), LAST)
    check(DEAD, program, only(LAST))


def test_empty_else_goes_and_the_branch_stays():
    branch = tir.IfThenElse(C < 1, LAST, tir.Block((tir.Store(X, 1),)))
    check(DEAD, func(branch), only(tir.IfThenElse(C < 1, LAST)))


@pytest.mark.parametrize(
    "stmts",
    [
        [tir.Store(X, 1), put(0, X)],
        [put(0, X), put(0, 2)],
        [tir.Let(Y, tir.Div(C, X)), LAST],
        [tir.Let(Y, A[C + X]), LAST],
        [tir.Store(X, 1), loop(tir.IfThenElse(C < X, LAST), tir.Store(X, X + 1))],
        [tir.Let(Y), tir.IfThenElse(C < 1, tir.Store(Y, 1), tir.Store(Y, X)), put(0, Y)],
    ],
    ids=["read", "elements", "division by zero", "index", "next iteration", "declared before"],
)
def test_what_is_needed_or_may_fault_stays(stmts):
    unchanged(DEAD, *stmts)


def test_call_of_which_nothing_is_known_keeps_what_it_may_read():
    call = tir.Call("void", "who_knows")
    unchanged(DEAD, put(tir.const(0), X, T), call, LAST, temps=(T.buffer,))


def test_statement_that_stands_in_two_places_stays():
    step = tir.Store(X, 1)
    program = func(step, step, put(0, X))
    assert run(DEAD, program) is program


# Copies


def redeclared() -> LoweredFunc:
    """A variable that an inner scope declares again, which the verifier refuses."""
    inner = tir.Block((tir.Store(X, 7), tir.Let(X, tir.const(5)), put(1, X)))
    return only(tir.Let(X, C), tir.IfThenElse(C > 0, inner), put(0, X))


@pytest.mark.parametrize("name", [DEAD, COPY, GLOBAL])
def test_variable_that_is_declared_again_inside_keeps_its_value(name):
    given = np.zeros(8, "int32"), 3
    before, after = (given[0].copy() for _ in range(2))
    tir.run(redeclared(), before, given[1])
    tir.run(run(name, redeclared()), after, given[1])
    assert list(after) == list(before)


def test_copy_of_a_copy_is_the_first_variable():
    program = func(tir.Let(Y, X), tir.Let(Z, Y), put(0, Z))
    check(COPY, program, func(tir.Let(Y, X), tir.Let(Z, X), put(0, X)))


def test_copy_that_becomes_one_of_another_variable_is_used_as_that():
    program = func(tir.Let(Y, X), tir.Store(Y, Y), put(0, Y))
    check(COPY, program, func(tir.Let(Y, X), tir.Store(Y, X), put(0, X)))


def test_copy_on_both_paths_is_used_after_them():
    branch = tir.IfThenElse(C < 1, tir.Store(Y, X), tir.Block((LAST, tir.Store(Y, X))))
    check(COPY, func(tir.Let(Y), branch, put(0, Y)), func(tir.Let(Y), branch, put(0, X)))


@pytest.mark.parametrize(
    "stmts",
    [
        [tir.Let(Y, X), tir.Store(X, 1), put(0, Y)],
        [tir.Let(Y, X), tir.Store(Y, 1), put(0, Y)],
        [tir.Let(Y, tir.const(0)), tir.IfThenElse(C < 1, tir.Store(Y, X)), put(0, Y)],
        [tir.Let(Y, X), loop(put(0, Y), tir.Store(X, X + 1))],
    ],
    ids=["source assigned", "copy assigned", "one path", "assigned in the loop"],
)
def test_copy_that_may_hold_another_value_is_used_as_it_is(stmts):
    unchanged(COPY, *stmts)


def test_variable_of_a_loop_is_not_used_after_it():
    i = tir.Var("i")
    inside = tir.For(i, 0, 4, tir.Block((tir.Store(Y, i),)))
    unchanged(COPY, tir.Let(Y, tir.const(0)), inside, put(0, Y))


def test_copy_propagation_and_dead_stores_take_copies_away():
    program = func(tir.Let(Y, X), tir.Let(Z, Y), put(0, Z))
    assert structural_equal(run(DEAD, run(COPY, program)), func(put(0, X)))


# Redundant computation


def test_what_can_be_shared_once_other_things_are_is_shared_at_once():
    i, above = tir.Var("i"), X > 1
    greater = tir.Select(above, X, tir.const(1))
    body = tir.Block((put(i, greater + 0 * i), put(i, greater)))
    side_by_side = tir.For(i, 0, C, body, tir.ForType.PARALLEL)
    flag = tir.Let(Y, tir.Cast("int32", above))
    found = run(GLOBAL, func(flag, put(0, greater), side_by_side, put(1, greater)))
    assert run(GLOBAL, found) is found


def test_product_of_both_arms_is_used_after_them():
    arms = tir.IfThenElse(C < 1, put(0, X * C), put(1, X * C))
    found = run(GLOBAL, func(arms, put(2, X * C)))
    assert tir.astext(found).count("(x * c)") == 2
    assert not tir.verify(found)


def test_product_before_a_loop_is_used_in_it():
    found = run(GLOBAL, func(put(0, X * C), loop(put(1, X * C))))
    assert tir.astext(found).count("(x * c)") == 1


@pytest.mark.parametrize(
    "stmts",
    [
        [tir.IfThenElse(C < 1, put(0, X * C)), put(1, X * C)],
        [put(0, X * C), tir.Store(X, 1), put(1, X * C)],
        [put(0, A[1] * 2), put(1, A[1] * 2)],
        [loop(put(0, X * C)), put(1, X * C)],
        [tir.For(tir.Var("i"), 0, X * C, tir.Block((LAST,))), put(1, X * C)],
    ],
    ids=["one arm", "assigned", "stored", "zero-trip loop", "bound of a loop"],
)
def test_what_some_path_has_not_computed_is_computed(stmts):
    unchanged(GLOBAL, *stmts)


def test_value_is_not_passed_on_between_parallel_iterations():
    i = tir.Var("i")
    inside = tir.For(i, 0, 4, tir.Block((put(i, X * C),)), tir.ForType.PARALLEL)
    unchanged(GLOBAL, put(0, X * C), inside)
