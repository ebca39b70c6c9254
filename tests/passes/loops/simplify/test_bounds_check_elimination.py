"""Bounds-check elimination: what goes because of what flows, and what has to stay."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from relayish.transform import get_pass
from tests.support.seeds import seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import same_result

SEEDS = seeds(25)
I, P, X, Y, N = (tir.Var(name) for name in "ipxyn")  # noqa: E741
B = tir.Var("b", "bool")
BUFFER = tir.Buffer("_A", (16,), "int32")
A = tir.Tensor("A", (16,), "int32", BUFFER)
USE = tir.Store(A, tir.const(1), (X,))
OTHER = tir.Store(A, tir.const(2), (X,))


def assign(var, value):
    return tir.Store(var, value if isinstance(value, tir.Expr) else tir.const(value), ())


def block(*stmts):
    return tir.Block(stmts)


def function(*stmts):
    return tir.LoweredFunc("f", (BUFFER, N), block(*stmts))


def applied(func, name="BoundsCheckElimination"):
    return get_pass(name)(IRModule({"f": func}))["f"]


def conditions(func):
    return [n.condition for n in PROGRAM.post_order(func) if isinstance(n, tir.IfThenElse)]


def check(use=USE, otherwise=None):
    return tir.IfThenElse(tir.And(X >= 0, X < 16), use, otherwise)


START = tir.Let(X, tir.const(0))
COUNT = tir.IfThenElse(X < 15, assign(X, X + 1))

FLOWING = {
    "assigned scalar": (START, assign(X, 7), check()),
    "counter that is held back": (START, tir.For(I, 0, N, block(check(), COUNT))),
    "loop with a condition of its own": (
        START,
        tir.PolyFor(P, tir.const(0), X < 16, tir.const(1), block(check(), assign(X, X + 1))),
    ),
    "loop that was left": (
        START,
        tir.PolyFor(P, tir.const(0), X < 9, tir.const(1), block(assign(X, X + 1))),
        check(),
    ),
    "condition that was assigned": (
        tir.Let(X, tir.Mod(N, tir.const(5))),
        tir.Let(B, X > 0),
        tir.IfThenElse(B, check()),
    ),
    "arm that is not run": (START, tir.IfThenElse(N > 0, assign(X, 3)), check()),
    "arm that corrects": (
        tir.Let(X, N),
        tir.IfThenElse(tir.Or(X < 0, X >= 16), assign(X, 0)),
        check(),
    ),
    "branch that was not taken": (
        tir.Let(X, N),
        assign(X, X),
        tir.IfThenElse(X < 0, assign(Y, 1), tir.IfThenElse(X < 16, check())),
    ),
}
"""Programs with a check that is needless because of what flows to it."""


@pytest.mark.parametrize("name", FLOWING)
def test_check_goes_that_if_simplify_leaves(name):
    func = function(tir.Let(Y, tir.const(0)), *FLOWING[name])
    assert len(conditions(applied(func, "IfSimplify"))) == len(conditions(func))
    image = applied(func)
    [kept] = [n for n in PROGRAM.post_order(image) if n is USE] or [None]
    assert kept is USE
    assert not any(isinstance(each, tir.And) for each in conditions(image))
    assert tir.verify(image) == ()


@pytest.mark.parametrize(
    ("stmts", "left"),
    [
        ((START, assign(X, 20), check()), []),
        ((START, assign(X, 20), check(USE, OTHER)), [OTHER]),
        ((START, assign(X, -1), tir.IfThenElse(X < 0, OTHER, USE)), [OTHER]),
        ((START, tir.For(I, 0, X, USE)), []),
    ],
)
def test_what_is_never_run_goes(stmts, left):
    found = PROGRAM.post_order(applied(function(*stmts)))
    assert [n for n in found if n in (USE, OTHER)] == left


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (tir.And(X >= 0, N > 3), "(n > 3)"),
        (tir.And(N > 3, X >= 0), "(n > 3)"),
        (tir.And(tir.And(X >= 0, N > 3), tir.And(X < 16, N < 9)), "((n > 3) and (n < 9))"),
        (tir.Or(X < 0, N > 3), "(n > 3)"),
        (tir.And(N > 3, N > 2), "(n > 3)"),
    ],
)
def test_parts_of_a_condition_that_decide_nothing_go(condition, expected):
    func = function(tir.Let(X, tir.const(0)), COUNT, tir.IfThenElse(condition, USE))
    assert str(conditions(applied(func))[-1]) == expected


@pytest.mark.parametrize(
    "stmts",
    [
        (tir.Let(X, N), check()),
        (START, tir.For(I, 0, N, block(check(), assign(X, X + 1)))),
        (tir.Let(X, N), tir.IfThenElse(N > 0, assign(X, 16)), check()),
        (tir.Let(X), tir.IfThenElse(N > 0, assign(X, 3)), check()),
    ],
)
def test_check_that_decides_stays(stmts):
    func = function(*stmts)
    assert applied(func) is func


def test_condition_that_may_fault_is_still_asked():
    holds = tir.Or(tir.EQ(tir.Mod(tir.const(5), N), tir.const(0)), X >= 0)
    func = function(tir.Let(X, tir.const(0)), COUNT, tir.IfThenElse(holds, USE))
    assert same_result(func, applied(func), seeds=range(20))
    assert any(isinstance(n, tir.Mod) for n in PROGRAM.post_order(applied(func)))


def test_statement_in_two_places_keeps_the_check_that_one_of_them_needs():
    both = check()
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
