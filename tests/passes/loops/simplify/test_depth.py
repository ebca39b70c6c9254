"""Simplification of programs as deep, as wide and as shared as one likes."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import Block, Expr, For, IfThenElse, Let, LoweredFunc, Stmt, Store, Var, const
from relayish.tir.rewriting.linear import LinearForms
from relayish.transform import get_pass
from tests.support.tir_deep import LEVELS

n = Var("n")
A = tir.Tensor("A", (const(16),), "int32", tir.Buffer("_A", (const(16),), "int32"))


def put(value: Expr, at: int = 0) -> Store:
    return Store(A, value, (const(at),))


def loops() -> Stmt:
    body: Stmt = put(n)
    for _ in range(LEVELS):
        body = For(Var("i"), const(0), const(2), Block((body,)))
    return body


def loops_that_run_once() -> Stmt:
    var = Var("i")
    body: Stmt = put(var)
    for _ in range(LEVELS):
        outer = Var("i")
        body = Block((put(outer), For(var, outer, const(1), Block((body,)))))
        var = outer
    return For(var, n, const(1), Block((body,)))


def branches() -> Stmt:
    body: Stmt = put(n)
    for level in range(LEVELS):
        body = IfThenElse(n < level + 5, Block((body,)), Block((put(n % 4),)))
    return body


def blocks() -> Stmt:
    body: Stmt = put(n)
    for _ in range(LEVELS):
        body = Block((put(n), body, put(n, 1)))
    return body


def statements() -> Stmt:
    return Block(tuple([put(n + 1, at % 16) for at in range(LEVELS)]))


def declarations() -> Stmt:
    stmts: list[Stmt] = []
    last = n
    for _ in range(LEVELS):
        var = Var("v")
        stmts.append(Let(var, last + 1))
        last = var
    return Block((*stmts, put(last)))


def sums() -> Stmt:
    value: Expr = n
    for level in range(LEVELS):
        value = value + A[level % 16]
    return put(value)


def products() -> Stmt:
    value: Expr = n
    for level in range(LEVELS):
        value = value * n + A[level % 16]
    return put(value)


def casts() -> Stmt:
    value: Expr = n
    for _ in range(LEVELS):
        value = tir.Cast("int32", tir.Cast("int64", value))
    return put(value)


def conditions() -> Stmt:
    value: Expr = n < 3
    for level in range(LEVELS):
        value = (value & (n < level)) if level % 2 else ~value
    return IfThenElse(value, Block((put(n),)))


def quotients() -> Stmt:
    value: Expr = n
    for level in range(LEVELS):
        value = tir.Min(value / 3, n + level)
    return put(value)


def shared() -> Stmt:
    value: Expr = n
    for _ in range(100):
        value = tir.Min(value * value, value)
    return put(value)


STATEMENTS = (loops, loops_that_run_once, branches, blocks, statements, declarations)
EXPRESSIONS = (sums, products, casts, conditions, quotients, shared)
PROGRAMS = {
    "CastSimplify": (loops, casts),
    "CommonSubexprElimTIR": (*STATEMENTS, *EXPRESSIONS),
    "ConditionalConstantPropagationTIR": (*STATEMENTS, *EXPRESSIONS),
    "FoldConstantTIR": (*STATEMENTS, *EXPRESSIONS),
    "IfSimplify": (branches, blocks),
    "Simplify": (*STATEMENTS, *EXPRESSIONS),
    "SimplifyBlocks": (*STATEMENTS, sums),
    "SimplifyForLoops": (loops, loops_that_run_once),
    "VarModSimplify": (loops, quotients),
}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "build"), [(name, build) for name, builds in PROGRAMS.items() for build in builds]
)
def test_deep_program_is_simplified_and_then_left_alone(name, build):
    func = LoweredFunc("f", (A.buffer, n), Block((build(),)))
    out = get_pass(name)(IRModule({"f": func}))
    assert get_pass(name)(out) is out


def test_parts_of_sums_that_were_walked_are_not_walked_again(monkeypatch):
    asked: list[Expr] = []
    find = LinearForms._form
    monkeypatch.setattr(LinearForms, "_form", lambda self, e: asked.append(e) or find(self, e))
    terms = [Var(f"i{at}") for at in range(8)]
    found: Expr = terms[0]
    for at in range(160):
        found = found + terms[at % 8]
    func = LoweredFunc("f", (A.buffer, *terms), Block((put(found),)))
    image = get_pass("Simplify")(IRModule({"f": func}))["f"]
    assert "(((21 * i0) + (20 * i1)) + (20 * i2))" in tir.astext(image)
    assert len(asked) < 160 * 10
