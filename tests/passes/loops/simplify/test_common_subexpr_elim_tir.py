"""Common subexpressions of loops in what text does not tell: sharing, calls, size.

What is declared once because it is computed twice is in ``tests/cases/rewrites``.
"""

from __future__ import annotations

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import Block, Store, Var, const
from relayish.transform import get_pass

n, x = Var("n"), Var("x", "float32")


def tensor(name: str, dtype: str = "int32") -> tir.Tensor:
    return tir.Tensor(name, (16,), dtype, tir.Buffer("_" + name, (16,), dtype))


A, C, F = tensor("A"), tensor("C"), tensor("F", "float32")


def put(value: tir.Expr, at: int = 0, to: tir.Tensor = C) -> Store:
    return Store(to, value, (const(at),))


def function(*stmts: tir.Stmt) -> IRModule:
    return IRModule({"f": tir.LoweredFunc("f", (A.buffer, C.buffer, n, x), Block(stmts))})


def text(*stmts: tir.Stmt) -> str:
    out = get_pass("CommonSubexprElimTIR")(function(*stmts))
    assert get_pass("CommonSubexprElimTIR")(out) is out
    return "\n".join(line[2:] for line in str(out["f"]).splitlines()[2:-1])


def same(*stmts: tir.Stmt) -> bool:
    mod = function(*stmts)
    return get_pass("CommonSubexprElimTIR")(mod) is mod


def test_load_is_not_reused_after_a_call_that_writes_the_buffer():
    assert same(put(A[0]), tir.Call("void", "fill", (), (A.buffer,)), put(A[0], 1))


def test_calls_of_functions_without_effect_are_made_once():
    out = text(put(tir.math.exp(x), 0, F), put(tir.math.exp(x), 1, F))
    assert out.count("exp(x)") == 1


def test_expression_that_doubles_itself_is_declared_step_by_step():
    value: tir.Expr = n
    for _ in range(60):
        value = value * value
    assert text(put(value)).count("int32 cse") == 59


def test_statement_in_several_places_stays():
    shared = put(A[0])
    assert same(Block((shared,)), Block((shared,)), Block((shared, shared)))
