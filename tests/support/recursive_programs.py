"""Random programs that recurse: folds over lists, even and odd, references through closures."""

from __future__ import annotations

from collections.abc import Callable

from relayish.ir.relay.adt import Clause, Match, PatternConstructor, PatternVar
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Var,
)
from relayish.ir.relay.module import IRModule
from tests.support.random_exprs import (
    BOOL,
    CONS,
    COST_LIMIT,
    FLOAT,
    INT,
    LIST,
    LIST_TYPE,
    NIL,
    Generator,
    Ty,
    call,
    to_type,
)

CELL: Ty = ("ref", INT)
EVEN, ODD = GlobalVar("even"), GlobalVar("odd")


class RecursiveGenerator(Generator):
    """Puts recursion of several sorts where a tensor, tuple or list is wanted."""

    def rules(self, ty: Ty) -> list[Callable[[Ty, int], Expr]]:
        rules = super().rules(ty)
        if ty[0] in ("tensor", "tuple", "list"):
            rules += [self.fold] * 2 + [self.parity] * 2 + [self.count_through_closure] * 2
        return rules

    def fold(self, ty: Ty, depth: int) -> Expr:
        """Fold a list by a function that calls itself on the rest."""
        again, items, held = Var("fold"), self.var(LIST_TYPE, True), self.var(ty, True)
        head, tail = self.var(FLOAT, True), self.var(LIST_TYPE, False)
        cost = self.cost
        step = self.scoped(ty, depth, [(FLOAT, head), (ty, held)])
        spent = (self.cost - cost + 8) * 4
        data: Expr = self.expr(LIST_TYPE, depth)
        if cost + spent >= COST_LIMIT:
            data = Call(NIL, ())
        self.cost = cost + spent
        full = Clause(
            PatternConstructor(CONS, (PatternVar(head), PatternVar(tail))),
            Call(again, (tail, step)),
        )
        empty = Clause(PatternConstructor(NIL, ()), held)
        function = Function((items, held), Match(items, (full, empty)), to_type(ty))
        return Let(again, function, Call(again, (data, self.expr(ty, depth))))

    def parity(self, ty: Ty, depth: int) -> Expr:
        """Ask functions of the module that call one another, and note in a cell what they saw."""
        cell, found, last = Var("cell"), Var("found"), Var("last")
        self.cost += 60
        start = Constant(self.random.randrange(5))
        chosen, either = Var("chosen"), self.random.random() < 0.5
        callee = chosen if either else self.random.choice((EVEN, ODD))
        asked = Call(callee, (start, cell))
        condition = self.expr(BOOL, depth)
        self.effects += 1
        rest = self.scoped(ty, depth, [(BOOL, found), (INT, last)])
        choice = If(found, rest, self.scoped(ty, depth, [(INT, last)]))
        chain = Let(found, asked, Let(last, RefRead(cell), choice))
        if either:
            chain = Let(chosen, If(condition, EVEN, ODD), chain)
        return Let(cell, RefCreate(Constant(-1)), chain)

    def count_through_closure(self, ty: Ty, depth: int) -> Expr:
        """Write to a reference that a closure has captured, as often as another one calls it."""
        cell, bump, again, done = Var("cell"), Var("bump"), Var("again"), Var("done")
        by, left, total, nothing = self.var(INT, True), self.var(INT, True), Var("t"), Var("_")
        self.cost += 80
        self.effects += 1
        added = call("add", RefRead(cell), by)
        write = Let(nothing, RefWrite(cell, added), RefRead(cell))
        step = Let(Var("_"), Call(bump, (left,)), Call(again, (call("subtract", left, one()),)))
        body = If(call("less", Constant(0), left), step, RefRead(cell))
        start = Constant(self.random.randrange(4))
        rest = self.scoped(ty, depth, [(INT, total), (INT, done), (CELL, cell)])
        rest = Let(done, Call(again, (start,)), Let(total, RefRead(cell), rest))
        rest = Let(again, Function((left,), body, to_type(INT)), rest)
        rest = Let(bump, Function((by,), write, to_type(INT)), rest)
        return Let(cell, RefCreate(self.expr(INT, depth)), rest)


def one() -> Constant:
    return Constant(1)


def even_and_odd() -> dict[GlobalVar, Function]:
    """Return two functions that call one another, and write what they are given to a cell."""
    made = {}
    for name, other, at_zero in ((EVEN, ODD, True), (ODD, EVEN, False)):
        number, cell = Var("n", to_type(INT)), Var("cell", to_type(CELL))
        less = Call(other, (call("subtract", number, one()), cell))
        write = RefWrite(cell, number)
        deeper = Let(Var("_"), write, less)
        body = If(call("less", Constant(0), number), deeper, Constant(at_zero))
        made[name] = Function((number, cell), body, to_type(BOOL))
    return made


def random_recursive_module(seed: int, size: int = 60) -> IRModule:
    """Return a module with ``main``, functions it may call, and the definition of lists."""
    generator = RecursiveGenerator(("recursive", seed), size)
    functions = even_and_odd() | generator.helpers(3, size // 4)
    generator.left = size
    return IRModule({**functions, "main": generator.main()}, {LIST.header: LIST})
