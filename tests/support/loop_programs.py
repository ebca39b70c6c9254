"""Random well-typed programs with loops and logs, which evaluate without error."""

from __future__ import annotations

from collections.abc import Callable

from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Constant, Expr, Let, Tuple, TupleGetItem
from relayish.ir.relay.module import IRModule
from tests.support.random_exprs import BOOL, COST_LIMIT, INT, LIST, Generator, Ty, call

DECLARED = declared_temporarily()
with DECLARED:
    from while_loops import Log, While  # the package of the example, found by pythonpath


class LoopGenerator(Generator):
    """Puts loops where a tensor, tuple or list is wanted, and logs around what is computed."""

    def __init__(self, seed: object, size: int) -> None:
        super().__init__(seed, size)
        self.labels = 0

    def rules(self, ty: Ty) -> list[Callable[[Ty, int], Expr]]:
        rules = super().rules(ty)
        if ty[0] in ("tensor", "tuple", "list"):
            rules += [self.counted_loop] * 3 + [self.log] * 2
        return rules

    def counted_loop(self, ty: Ty, depth: int) -> Expr:
        """A loop over a counter and a value; what it does may depend on both."""
        rounds = self.random.randrange(4)
        state: Ty = ("tuple", (INT, ty))
        var = self.var(state, annotated=self.random.random() < 0.5)
        init = Tuple((Constant(0), self.expr(ty, depth)))
        known: list[tuple[Ty, Expr]] = [
            (INT, TupleGetItem(var, 0)),
            (ty, TupleGetItem(var, 1)),
            (state, var),
        ]
        cost, effects = self.cost, self.effects
        holds = call("less", TupleGetItem(var, 0), Constant(rounds))
        if self.random.random() < 0.3:
            other = self.scoped(BOOL, depth, known)
            holds = call("logical_and", holds, call("logical_or", other, Constant(True)))
        body = self.scoped(ty, depth, known)
        spent = self.cost - cost + 6
        self.cost = cost + spent * (rounds + 1)
        if self.cost >= COST_LIMIT:
            self.cost = cost
            rounds = 0
            holds = Constant(False)
        step = Tuple((call("add", TupleGetItem(var, 0), Constant(1)), body))
        loop = While(var, init, holds, step)
        if self.effects > effects:
            self.effects += 1
            bound = self.var(state, annotated=False)
            return Let(bound, loop, TupleGetItem(bound, 1))
        return TupleGetItem(loop, 1)

    def log(self, ty: Ty, depth: int) -> Expr:
        value = self.expr(ty, depth)
        self.effects += 1
        self.labels += 1
        bound = self.var(ty, annotated=self.random.random() < 0.3)
        return Let(bound, Log(value, f"note {self.labels}"), bound)


def random_loop_module(seed: int, size: int = 50) -> IRModule:
    """Return a module with ``main`` and functions it may call, with loops and logs in them."""
    generator = LoopGenerator(("loops", seed), size)
    helpers = generator.helpers(3, size // 4)
    generator.left = size
    return IRModule({**helpers, "main": generator.main()}, {LIST.header: LIST})
