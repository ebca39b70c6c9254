"""Bounds-check elimination keeps values.

What goes because of what flows, and what has to stay, is in ``tests/cases/rewrites``.
"""

from __future__ import annotations

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from relayish.transform import get_pass
from tests.support.seeds import seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import same_result

SEEDS = seeds(25)
X, N = tir.Var("x"), tir.Var("n")
A = tir.placeholder("A", (16,), "int32")
USE = tir.Store(A, tir.const(1), (X,))


def assign(var, value):
    return tir.Store(var, value, ())


def function(*stmts):
    return tir.LoweredFunc("f", (A.buffer, N), tir.Block(stmts))


def applied(func, name="BoundsCheckElimination"):
    return get_pass(name)(IRModule({"f": func}))["f"]


def conditions(func):
    return [n.condition for n in PROGRAM.post_order(func) if isinstance(n, tir.IfThenElse)]


def test_condition_that_may_fault_is_still_asked():
    holds = tir.Or(tir.EQ(tir.Mod(tir.const(5), N), tir.const(0)), X >= 0)
    func = function(
        tir.Let(X, tir.const(0)),
        tir.IfThenElse(X < 15, assign(X, X + 1)),
        tir.IfThenElse(holds, USE),
    )
    assert same_result(func, applied(func), seeds=range(20))
    assert any(isinstance(n, tir.Mod) for n in PROGRAM.post_order(applied(func)))


def test_statement_in_two_places_keeps_the_check_that_one_of_them_needs():
    both = tir.IfThenElse(tir.And(X >= 0, X < 16), USE)
    func = function(tir.Let(X, tir.const(3)), both, assign(X, N), both)
    assert applied(func) is func


def test_random_counters_compute_the_same_after():
    left = {"IfSimplify": 0, "BoundsCheckElimination": 0}
    for seed in SEEDS:
        func = random_counters(seed)
        for name in left:
            image = applied(func, name)
            assert same_result(func, image, seeds=(0, 1, 2)), (name, seed)
            left[name] += len(conditions(image))
        assert applied(image) is image, seed
        assert not tir.verify(image), seed
    assert left["BoundsCheckElimination"] < left["IfSimplify"] / 2
