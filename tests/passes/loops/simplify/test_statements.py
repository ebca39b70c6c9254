"""Simplification of statements in many places, and what other packages say of it.

What becomes of branches, loops, blocks and declarations is in ``tests/cases/rewrites``.
"""

from __future__ import annotations

from operator import attrgetter

import pytest

import relayish as relay
from relayish import tir
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import node
from relayish.ir.relay.module import IRModule
from relayish.passes.loops.simplify.rules import SIMPLIFICATIONS
from relayish.tir import Block, For, IfThenElse, Store, Var, const
from relayish.tir.analysis.facts.faults import FAULTS
from relayish.tir.ir.operators import as_expr
from relayish.transform import get_pass

i, j, n, m = (Var(name) for name in "ijnm")
x = Var("x", "float32")


def tensor(name: str, *shape: int, dtype: str = "int32") -> tir.Tensor:
    sizes = tuple(map(const, shape))
    return tir.Tensor(name, sizes, dtype, tir.Buffer("_" + name, sizes, dtype))


A, B, T = tensor("A", 16), tensor("B", 16), tensor("T", 16)


def put(value: int | tir.Expr, at: int | tir.Expr = 0) -> Store:
    return Store(A, as_expr(value), (as_expr(at),))


def loop(var: Var, low: int | tir.Expr, extent: int | tir.Expr, *body: tir.Stmt) -> For:
    return For(var, as_expr(low), as_expr(extent), Block(body))


def if_(condition: tir.Expr, *body: tir.Stmt, orelse: tuple[tir.Stmt, ...] | None = None):
    return IfThenElse(condition, Block(body), None if orelse is None else Block(orelse))


def simplified(*stmts: tir.Stmt, by: str = "Simplify") -> tir.LoweredFunc:
    func = tir.LoweredFunc("f", (A.buffer, B.buffer, n, m, x), Block(stmts), (T.buffer,))
    out = get_pass(by)(IRModule({"f": func}))["f"]
    assert get_pass(by)(IRModule({"f": out}))["f"] is out
    return out


def text(*stmts: tir.Stmt, by: str = "Simplify") -> str:
    """Return the body, one statement after the other, without indentation or braces of blocks."""
    lines = str(simplified(*stmts, by=by)).splitlines()[2:-1]
    return "\n".join(line[2:] for line in lines)


def same(*stmts: tir.Stmt, by: str = "Simplify") -> bool:
    func = tir.LoweredFunc("f", (A.buffer, B.buffer, n, m, x), Block(stmts), (T.buffer,))
    mod = IRModule({"f": func})
    return get_pass(by)(mod) is mod


def test_statement_in_two_places_is_simplified_once_for_both():
    shared = Block((loop(i, 0, 4, put(i % 4, i)),))
    out = simplified(if_(n < 3, shared, orelse=(put(7), shared)))
    branch = out.body.stmts[0]
    assert branch.true_case.stmts[0] is branch.false_case.stmts[1]
    assert str(branch).count("A[i] = i") == 2


@pytest.mark.parametrize("by", ["IfSimplify", "Simplify", "SimplifyBlocks"])
def test_statement_in_exponentially_many_places_takes_linear_time(by):
    body: tir.Stmt = Block((put(n % 4),))
    for level in range(60):
        body = Block((if_(n < level, body, orelse=(body,)),))
    merged: tir.Stmt = Block((put(n % 4),))
    for _ in range(60):
        merged = Block((merged, merged))
    assert simplified(body, merged, by=by) is not None


def test_expression_that_doubles_itself_takes_linear_time():
    value: tir.Expr = n
    for _ in range(100):
        value = value + value
    assert text(put(value)) == "A[0] = 0"


def test_program_of_other_functions_is_left_alone():
    v = relay.var("v")
    mod = IRModule({"main": relay.Function((v,), v)})
    assert get_pass("Simplify")(mod) is mod


class TestExtensions:
    def test_rule_of_a_package_is_asked_after_those_of_the_family(self, declarations):
        @node("thrice", effect=Effect.NONE)
        class Thrice(tir.UnaryOpNode):
            """Three times its operand."""

        SIMPLIFICATIONS.register(Thrice, lambda thrice, _: thrice.v * 3)
        assert text(put(Thrice(n + n))) == "A[0] = (6 * n)"

    def test_expression_of_a_package_is_dropped_only_if_it_cannot_fault(self, declarations):
        @node("checked", effect=Effect.NONE)
        class Checked(tir.Expr):
            """Its operand, if that has some property."""

            v: tir.Expr

            derive_type = attrgetter("v.type")

        assert same(put(Checked(n) * 0))
        FAULTS.register(Checked, lambda *_: False)
        assert text(put(Checked(n) * 0)) == "A[0] = 0"


def test_reduction_that_becomes_two_has_axes_for_each():
    axis = Var("k", "int32", const(0), const(3), is_reduce_axis=True)
    total = tir.Reduce(tir.ReduceType.SUM, const(0), (n % 8) * axis, (axis,))
    within = if_(tir.And(n >= 0, n < 8), put(total, 0))
    func = tir.LoweredFunc("f", (A.buffer, n), Block((within, put(total, 1))))
    image = get_pass("Simplify")(IRModule({"f": func}))["f"]
    assert image is not func
    assert tir.verify(image) == ()


def test_loop_that_stays_where_nothing_runs_has_a_variable_of_its_own():
    shared = loop(i, 1, 8, put(i, (i % 16 + 16) % 16))
    never = loop(j, 0, 4, if_(j > 5, shared))
    func = tir.LoweredFunc("f", (A.buffer,), Block((shared, never)))
    image = get_pass("VarModSimplify")(IRModule({"f": func}))["f"]
    assert image is not func
    assert tir.verify(image) == ()
