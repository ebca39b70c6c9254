"""Clean-up of loops where statements are shared and variables declared again.

What each pass does, and what it leaves alone, is in ``tests/cases/rewrites``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.module import IRModule
from relayish.tir import LoweredFunc
from relayish.transform import get_pass

A = tir.placeholder("A", (8,), "int32")
C, X, Y, Z = [tir.Var(name) for name in "cxyz"]


def put(index: Any, value: Any) -> tir.Stmt:
    return tir.Store(A, value, (index,))


def func(*stmts: tir.Stmt) -> LoweredFunc:
    return LoweredFunc("f", (A.buffer, C), tir.Block((tir.Let(X, A[7]), *stmts)))


def run(name: str, program: LoweredFunc) -> LoweredFunc:
    return get_pass(name)(IRModule({"f": program}))["f"]


DEAD, COPY, GLOBAL = "DeadStoreElimination", "CopyPropagation", "GlobalCommonSubexprElimTIR"


def test_statement_that_stands_in_two_places_stays():
    step = tir.Store(X, 1)
    program = func(step, step, put(0, X))
    assert run(DEAD, program) is program


def redeclared() -> LoweredFunc:
    """A variable that an inner scope declares again, which the verifier refuses."""
    inner = tir.Block((tir.Store(X, 7), tir.Let(X, tir.const(5)), put(1, X)))
    body = (tir.Let(X, C), tir.IfThenElse(C > 0, inner), put(0, X))
    return LoweredFunc("f", (A.buffer, C), tir.Block(body))


@pytest.mark.parametrize("name", [DEAD, COPY, GLOBAL])
def test_variable_that_is_declared_again_inside_keeps_its_value(name):
    given = np.zeros(8, "int32"), 3
    before, after = (given[0].copy() for _ in range(2))
    tir.run(redeclared(), before, given[1])
    tir.run(run(name, redeclared()), after, given[1])
    assert list(after) == list(before)


def test_copy_propagation_and_dead_stores_take_copies_away():
    program = func(tir.Let(Y, X), tir.Let(Z, Y), put(0, Z))
    assert structural_equal(run(DEAD, run(COPY, program)), func(put(0, X)))
