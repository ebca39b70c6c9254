"""Random programs that assign to scalars: counters, flags, loops and branches that test both.

What they compute is put into memory at places that are checked, mostly in vain.
"""

from __future__ import annotations

import random

from relayish import tir
from relayish.tir import Expr, LoweredFunc, Stmt

TYPES = ("int32", "int32", "int32", "int8", "uint8")
COMPARISONS = (tir.LT, tir.LE, tir.GT, tir.GE, tir.EQ, tir.NE)
SIZE = 12


class CounterGenerator:
    """Draws statements over a few integers and truth values."""

    def __init__(self, seed: object) -> None:
        self.random = random.Random(f"counters {seed}")
        self.buffer = tir.Buffer("_A", (SIZE,), "int32")
        self.tensor = tir.Tensor("A", (SIZE,), "int32", self.buffer)
        types = [self.random.choice(TYPES) for _ in range(3)]
        self.counters = [tir.Var(f"x{at}", ty) for at, ty in enumerate(types)]
        self.flags = [tir.Var(f"b{at}", "bool") for at in range(2)]
        self.given = [tir.Var(f"n{at}", "int32") for at in range(2)]
        self.indices: list[tir.Var] = []
        self.loops = 0
        self.budget = 0

    def function(self, size: int) -> LoweredFunc:
        self.budget = size
        declared: list[Stmt] = [
            tir.Let(var, tir.const(self.number(var), var.dtype)) for var in self.counters
        ]
        declared += [tir.Let(flag, tir.const(value=False)) for flag in self.flags]
        body = self.stmts(3, 5)
        shown = [
            tir.Store(self.tensor, tir.Cast("int32", var), (tir.const(at),))
            for at, var in enumerate(self.counters)
        ]
        args = (self.buffer, *self.given)
        return LoweredFunc("f", args, tir.Block((*declared, *body, *shown)))

    def number(self, var: tir.Var) -> int:
        low = 0 if var.dtype.is_uint else -3
        return self.random.choice((low, 0, 1, 5, self.random.randint(low, 100)))

    # expressions

    def operand(self) -> tir.Var:
        return self.random.choice((*self.counters, *self.counters, *self.given, *self.indices))

    def value(self, ty: tir.Type) -> Expr:
        var = self.operand()
        found = var if var.dtype == ty else tir.Cast(ty, var)
        draw, by = self.random.random(), tir.const(self.random.choice((0, 1, 1, 2, 3, 50)), ty)
        if draw < 0.15:
            return by
        if draw < 0.25:
            return found
        if draw < 0.35:
            other = self.operand()
            return tir.Add(found, other if other.dtype == ty else tir.Cast(ty, other))
        kinds = (tir.Add, tir.Add, tir.Add, tir.Sub, tir.Sub, tir.Mul, tir.Min, tir.Max)
        return self.random.choice(kinds)(found, by)

    def condition(self, depth: int = 2) -> Expr:
        draw = self.random.random()
        if depth and draw < 0.3:
            kind = self.random.choice((tir.And, tir.Or))
            return kind(self.condition(depth - 1), self.condition(depth - 1))
        if depth and draw < 0.36:
            return tir.Not(self.condition(depth - 1))
        if draw < 0.5:
            return self.random.choice(self.flags)
        var = self.operand()
        left = self.value(var.dtype) if self.random.random() < 0.2 else var
        right = tir.const(self.random.choice((0, 1, 5, 7, SIZE, 30)), var.dtype)
        if self.random.random() < 0.2:
            right = self.value(var.dtype)
        pair = (left, right) if self.random.random() < 0.8 else (right, left)
        return self.random.choice(COMPARISONS)(*pair)

    # statements

    def stmts(self, depth: int, count: int) -> list[Stmt]:
        found = []
        while len(found) < count and self.budget > 0:
            self.budget -= 1
            found.append(self.statement(depth))
        return found

    def block(self, depth: int) -> tir.Block:
        return tir.Block(tuple(self.stmts(depth - 1, self.random.choice((1, 2, 3)))))

    def statement(self, depth: int) -> Stmt:
        rules = [self.assignment] * 3 + [self.flag, self.checked]
        rules += [self.branch] * 3 * (depth > 0)
        rules += [self.loop, self.tested_loop] * (depth > 0 and self.loops < 3)
        return self.random.choice(rules)(depth)

    def assignment(self, _depth: int) -> Stmt:
        var = self.random.choice(self.counters)
        return tir.Store(var, self.value(var.dtype), ())

    def flag(self, _depth: int) -> Stmt:
        return tir.Store(self.random.choice(self.flags), self.condition(), ())

    def checked(self, _depth: int) -> Stmt:
        """A store to memory, within the check that its index is in range."""
        var = self.operand()
        index = var if var.dtype == tir.as_type("int32") else tir.Cast("int32", var)
        inside = tir.And(index >= 0, index < SIZE)
        return tir.IfThenElse(inside, tir.Store(self.tensor, tir.const(7), (index,)))

    def branch(self, depth: int) -> Stmt:
        otherwise = self.block(depth) if self.random.random() < 0.5 else None
        return tir.IfThenElse(self.condition(), self.block(depth), otherwise)

    def loop(self, depth: int) -> Stmt:
        var = tir.Var(f"i{self.budget}")
        first, extent = (
            self.random.choice((0, 0, -2, 3)),
            tir.const(self.random.choice((0, 1, 3, 6))),
        )
        if self.random.random() < 0.4:
            extent = tir.Min(self.random.choice(self.given), extent)
        return tir.For(var, first, extent, self.inside(var, depth))

    def tested_loop(self, depth: int) -> Stmt:
        """A loop with a condition on scalars, which ends for certain."""
        var = tir.Var(f"p{self.budget}")
        step = self.random.choice((1, 2))
        self.indices.append(var)
        condition = tir.And(var < tir.const(self.random.choice((1, 4, 7))), self.condition())
        self.indices.pop()
        return tir.PolyFor(var, tir.const(0), condition, tir.const(step), self.inside(var, depth))

    def inside(self, var: tir.Var, depth: int) -> tir.Block:
        self.indices.append(var)
        self.loops += 1
        body = self.block(depth)
        self.loops -= 1
        self.indices.pop()
        return body


def random_counters(seed: object, size: int = 25) -> LoweredFunc:
    """Return a function of about ``size`` statements that assign to scalars.

    It is given a buffer, where they end, and two numbers.
    """
    return CounterGenerator(seed).function(size)
