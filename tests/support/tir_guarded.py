"""Random functions of guarded nests: conditions around bodies, temporaries, things done again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from relayish import tir
from relayish.tir import Expr, Stmt

SIZE: Final = 48
MOST: Final = 9

RELATIONS: Final = (tir.LT, tir.LE, tir.GT, tir.GE)


class GuardedGenerator:
    """Draws functions of two arrays and of two numbers, of which the first is from 1 on."""

    def __init__(self, seed: object) -> None:
        self.random = random.Random(f"guarded {seed}")
        self.n = tir.Var("n", "int32", tir.const(1), tir.const(MOST + 1))
        self.m = tir.Var("m", "int32", tir.const(-MOST), tir.const(MOST + 1))
        self.A, self.B = (self.memory(name) for name in "AB")
        self.temps: list[tir.Tensor] = []

    def memory(self, name: str, size: int = SIZE) -> tir.Tensor:
        return tir.Tensor(name, (size,), "int32", tir.Buffer(f"_{name}", (size,), "int32"))

    def function(self) -> tir.LoweredFunc:
        stmts = [self.part() for _ in range(self.random.randint(2, 4))]
        args = (self.n, self.m, self.A.buffer, self.B.buffer)
        temps = tuple([temp.buffer for temp in self.temps])
        return tir.LoweredFunc("f", args, tir.Block(tuple(stmts)), temps)

    def part(self) -> Stmt:
        kinds = (
            self.nest,
            self.nest,
            self.through_temporary,
            self.again,
            self.branches,
            self.reads,
        )
        return self.random.choice(kinds)()

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def sum_of(self, variables: list[tir.Var], most: int = 4) -> Expr:
        """A sum of multiples of variables, and a number."""
        found: Expr = tir.const(self.number(-6, 20))
        for var in self.random.sample(variables, self.number(1, len(variables))):
            found = found + var * self.random.choice((1, 1, -1, 2, most, -2))
        return found

    def place(self, variables: list[tir.Var]) -> Expr:
        """An index of an array."""
        return (self.sum_of([*variables, self.n]) % SIZE + SIZE) % SIZE

    def condition(self, variables: list[tir.Var]) -> Expr:
        relation = self.random.choice(RELATIONS)
        limit = self.random.choice((tir.const(self.number(-3, 24)), self.n * self.number(1, 4)))
        made: Expr = relation(self.sum_of(variables), limit)
        if self.random.random() < 0.3:
            made = tir.And(made, self.condition([*variables, self.m]))
        return made

    def digits(self, variables: list[tir.Var]) -> tuple[Expr, Expr]:
        """Conditions on quotients and remainders of one integer."""
        value, p, q = self.sum_of(variables), self.number(1, 4), self.number(2, 4)
        parts = [value % p, value / p % q, value / (p * q), value / p, value % (p * q)]
        first, second = self.random.sample(parts, 2)
        return tir.EQ(first, tir.const(0)), tir.EQ(second, tir.const(0))

    def extent(self) -> Expr:
        made = (
            tir.const(self.number(0, 7)),
            self.n,
            (self.n + 3) / 4,
            self.n - 2,
            self.n + self.m,
        )
        return self.random.choice(made)

    def loop(self, variables: list[tir.Var], body: Callable[[list[tir.Var]], Stmt]) -> tir.For:
        var = tir.Var("ijkl"[min(len(variables), 3)])
        low = self.random.choice(
            (tir.const(0), tir.const(0), tir.const(self.number(-3, 3)), self.m)
        )
        return tir.For(var, low, self.extent(), tir.Block((body([*variables, var]),)))

    def store(self, variables: list[tir.Var], source: tir.Tensor | None = None) -> Stmt:
        source = self.A if source is None else source
        value = self.sum_of([*variables, self.m])
        size = source.shape[0].value  # type: ignore[attr-defined]  # a literal
        place = (self.place(variables) % size) if size != SIZE else self.place(variables)
        if self.random.random() < 0.7:
            value = value + source[place]
        if self.random.random() < 0.3:
            value = tir.Select(self.condition(variables), value, source[place])
        at = self.place(variables)
        if self.random.random() < 0.3:
            value = value + self.B[at] * 3
        return tir.Store(self.B, value, (at,))

    def guarded(self, variables: list[tir.Var], source: tir.Tensor | None = None) -> Stmt:
        body: Stmt = tir.Block((self.store(variables, source),))
        if self.random.random() < 0.3:
            body = tir.Block((*body.stmts, self.store(variables, source)))  # type: ignore[attr-defined]  # a block
        if self.random.random() < 0.2:
            first, second = self.digits(variables)
            inner = tir.IfThenElse(first, body, self.other(variables))
            return tir.IfThenElse(second, tir.Block((inner,)), self.other(variables))
        if self.random.random() < 0.8:
            return tir.IfThenElse(self.condition(variables), body, self.other(variables))
        return body

    def other(self, variables: list[tir.Var]) -> Stmt | None:
        return tir.Block((self.store(variables),)) if self.random.random() < 0.2 else None

    def nest(self, variables: list[tir.Var] | None = None) -> Stmt:
        variables = variables or []
        depth = self.number(1, 2) if len(variables) < 2 else 1
        if depth == 1:
            return self.loop(variables, self.guarded)
        return self.loop(variables, self.nest)

    def through_temporary(self) -> Stmt:
        size = self.random.choice((8, 16, SIZE))
        temp = self.memory(f"T{len(self.temps)}", size)
        self.temps.append(temp)
        var = tir.Var("i")
        fill = tir.For(var, 0, size, tir.Block((tir.Store(temp, self.A[var] * 2, (var,)),)))
        return tir.Block((fill, self.loop([], lambda held: self.guarded(held, temp))))

    def again(self) -> Stmt:
        """A loop over what does not name its variable."""
        var = tir.Var("r")
        body = self.random.choice((self.nest, self.through_temporary, self.branches))()
        return tir.For(var, 0, self.extent(), tir.Block((body,)))

    def reads(self) -> Stmt:
        """A loop whose iterations read at several places."""

        def body(variables: list[tir.Var]) -> Stmt:
            places = [self.place(variables) for _ in range(self.number(2, 4))]
            total = self.sum_of(variables)
            for place in places:
                total = total + self.A[place]
            return tir.Store(self.B, total, (self.place(variables),))

        return self.loop([], body)

    def branches(self) -> Stmt:
        """Branches, of which some ask the same."""
        asked = self.condition([self.n, self.m])
        if self.random.random() < 0.3:
            asked = tir.EQ(self.B[0] % 2, tir.const(0))
        made = []
        for _ in range(3):
            condition = asked if self.random.random() < 0.7 else self.condition([self.m])
            arms = [self.loop([], self.guarded), self.other([self.m])]
            made.append(tir.IfThenElse(condition, *arms))
        return tir.Block(tuple(made))


def guarded_func(seed: object) -> tir.LoweredFunc:
    """Return a random function of guarded nests."""
    return GuardedGenerator(seed).function()


def guarded_arguments(seed: object) -> list[Any]:  # Any: arrays and numbers
    """Return arguments for any such function."""
    draw = random.Random(f"guarded arguments {seed}")
    values = [[draw.randint(-50, 50) for _ in range(SIZE)] for _ in range(2)]
    arrays = [np.array(each, "int32") for each in values]
    return [np.int32(draw.randint(1, MOST)), np.int32(draw.randint(-MOST, MOST)), *arrays]
