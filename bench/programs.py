"""The programs of the bench as relayish nodes, the same as those of ``tight``."""

from __future__ import annotations

from relayish.ir.expr import Call, Constant, Expr, Let, Var
from relayish.op.registry import get_op

ADD, MULTIPLY = get_op("add"), get_op("multiply")


def dag(size: int) -> Expr:
    x: Expr
    y: Expr
    x, y = Var("x"), Var("y")
    for _ in range(size):
        x, y = y, Call(ADD, (y, x))
    return y


def foldable(size: int) -> Expr:
    one = Constant(1)
    e: Expr = one
    for _ in range(size):
        e = Call(ADD, (e, one))
    return Call(ADD, (e, Var("x")))


def tenth_foldable(size: int) -> Expr:
    one, y = Constant(1), Var("y")
    e: Expr = Var("x")
    for i in range(size):
        e = Call(ADD, (e, Call(ADD, (one, one)) if i % 10 == 0 else y))
    return e


def rewritable(size: int) -> Expr:
    zero, one, y = Constant(0), Constant(1), Var("y")
    x: Expr = Var("x")
    for _ in range(size // 4):
        x = Call(ADD, (x, zero))
        x = Call(MULTIPLY, (x, one))
        x = Call(ADD, (x, y))
        x = Call(MULTIPLY, (x, y))
    return x


def half_dead(size: int) -> Expr:
    x, y = Var("x"), Var("y")
    bindings: list[tuple[Var, Expr]] = []
    for _ in range(size // 2):
        live, dead = Var("l"), Var("d")
        bindings.append((live, Call(ADD, (x, y))))
        bindings.append((dead, Call(MULTIPLY, (live, y))))
        x = live
    e: Expr = x
    for var, value in reversed(bindings):
        e = Let(var, value, e)
    return e
