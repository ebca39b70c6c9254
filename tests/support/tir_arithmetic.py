"""Expressions for simplification: over variables of known ranges, computed for all values."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from relayish import tir
from relayish.errors import RelayishError
from relayish.tir import Expr, LoweredFunc, Var

Ranges = Mapping[Var, tuple[int, int]]
"""The first value of each variable, and the first one after its last."""


def function_of(value: Expr, ranges: Ranges, *args: tir.Parameter) -> LoweredFunc:
    """Return the function that stores ``value`` for all values of variables, one loop for each."""
    sizes = [high - low for low, high in ranges.values()] or [1]
    lanes = value.type.lanes
    shape = tuple(map(tir.const, [*sizes, lanes] if lanes > 1 else sizes))
    buffer = tir.Buffer("_R", shape, value.type.scalar)
    tensor = tir.Tensor("R", shape, value.type.scalar, buffer)
    indices: list[Expr] = [tir.Cast("int64", var) - low for var, (low, _) in ranges.items()] or [
        tir.const(0, "int64")
    ]
    if lanes > 1:
        indices.append(tir.Ramp(tir.const(0, "int64"), tir.const(1, "int64"), lanes))
    body: tir.Stmt = tir.Block((tir.Store(tensor, value, tuple(indices)),))
    for var, (low, high) in reversed(ranges.items()):
        first, count = tir.const(low, var.type), tir.const(high - low, var.type)
        body = tir.Block((tir.For(var, first, count, body),))
    return LoweredFunc("f", (buffer, *args), body)


def stored(func: LoweredFunc) -> Expr:
    """Return the value that the only store of a function stores."""
    stmt: Any = func.body
    while not isinstance(stmt, tir.Store):
        stmt = stmt.stmts[0] if isinstance(stmt, tir.Block) else stmt.body
    return stmt.value


def values(func: LoweredFunc, *args: Any) -> np.ndarray[Any, Any] | str:
    """Return what a function stores, or the name of the error it ends in."""
    buffer = func.args[0]
    assert isinstance(buffer, tir.Buffer)
    out = np.zeros([size.value for size in buffer.shape], buffer.dtype.numpy)
    try:
        tir.run(func, out, *args)
    except RelayishError as error:
        return type(error).__name__
    return out


class RandomArithmetic:
    """Draws integer expressions of narrow types over variables of small ranges."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.random.choice(("int8", "uint8", "int8", "int16", "int32"))
        self.ranges: dict[Var, tuple[int, int]] = {}
        for name in ("i", "j", "k")[: self.random.randint(1, 3)]:
            first = self.random.choice((0, 0, 0, 1, 3, -4, -1, 100))
            if self.dtype.startswith("u"):
                first = self.random.choice((0, 0, 1, 5, 200))
            self.ranges[Var(name, self.dtype)] = (first, first + self.random.choice((2, 4, 5, 8)))

    def number(self) -> Expr:
        choices = (0, 1, 2, 3, 4, 4, 6, 8, 16, 5, 7, 127)
        sign = -1 if not self.dtype.startswith("u") and self.random.random() < 0.25 else 1
        return tir.const(sign * self.random.choice(choices), self.dtype)

    def expr(self, depth: int) -> Expr:
        draw = self.random
        if depth == 0 or draw.random() < 0.1:
            return draw.choice(list(self.ranges)) if draw.random() < 0.7 else self.number()
        kind = draw.choice(
            ("add", "add", "sub", "mul", "mul", "div", "mod", "div", "mod", "min", "max", "neg",
             "select", "cast", "same")
        )  # fmt: skip
        a = self.expr(depth - 1)
        if kind == "neg":
            return -a
        if kind == "cast":
            other = draw.choice(("int8", "uint8", "int16", "int32", "int64", "float32", "bool"))
            return tir.Cast(self.dtype, tir.Cast(other, a))
        if kind == "same":
            b = self.expr(depth - 2) if depth > 1 else self.number()
            c = tir.const(draw.choice((2, 3, 4)), self.dtype)
            return draw.choice((a / c * c + a % c, a - a / c * c, a + b - a, (a + b) * c - b * c))
        if kind == "select":
            return tir.Select(self.condition(depth - 1), a, self.expr(depth - 1))
        b = self.number() if draw.random() < 0.5 else self.expr(depth - 1)
        if kind in ("div", "mod") and isinstance(b, tir.IntImm | tir.UIntImm) and not b.value:
            b = tir.const(4, self.dtype)
        kinds = {
            "add": tir.Add, "sub": tir.Sub, "mul": tir.Mul, "div": tir.Div, "mod": tir.Mod,
            "min": tir.Min, "max": tir.Max,
        }  # fmt: skip
        return kinds[kind](a, b)

    def condition(self, depth: int) -> Expr:
        draw = self.random
        kind = draw.choice((tir.LT, tir.LE, tir.GT, tir.GE, tir.EQ, tir.NE, tir.And, tir.Or, None))
        if depth <= 0 and kind in (tir.And, tir.Or, None):
            kind = tir.LT
        if kind is None:
            return tir.Not(self.condition(depth - 1))
        if kind in (tir.And, tir.Or):
            return kind(self.condition(depth - 1), self.condition(depth - 1))
        a, b = self.expr(max(depth - 1, 0)), self.expr(max(depth - 1, 0))
        if draw.random() < 0.4:
            a, b = a + self.expr(1), a + self.expr(1)
        return kind(a, b)
