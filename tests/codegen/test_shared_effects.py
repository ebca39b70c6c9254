"""Python does what the evaluator does, as often and in the same order, where effects are shared."""

from __future__ import annotations

import random

import pytest

import relayish as relay
from relayish.codegen import to_python
from relayish.codegen.python import matches, writer
from relayish.interpreter import evaluate, same_value
from tests.support.seeds import seeds

SEEDS = seeds(15)
CUTS = [(12, 64, 8), (0, 0, 8), (1, 2, 0), (3, 1, 8)]
"""How much stands together in one function: levels of blocks, inner functions, cases."""


class Shared:
    """Makes programs whose branches and functions share nodes that write to a trace."""

    def __init__(self, seed):
        self.random = random.Random(f"shared effects {seed}")
        self.trace = relay.Var("trace")
        self.conds = [relay.Var(f"c{index}") for index in range(3)]
        self.pool = [relay.const(1), relay.const(2)]

    def function(self):
        for number in range(self.random.randrange(6, 30)):
            make = self.random.choice([*KINDS, Shared.note])
            self.pool.append(make(self, number))
        results = [self.pool[-1], self.random.choice(self.pool), self.random.choice(self.pool)]
        body = relay.Tuple([*results, relay.RefRead(self.trace)])
        return relay.Function(
            self.conds, relay.Let(self.trace, relay.RefCreate(relay.const(0)), body)
        )

    def part(self):
        return self.random.choice(self.pool[-8:])

    def cond(self):
        return self.random.choice(self.conds)

    def note(self, number):
        """Write ``number`` to the trace; which number and when tells from its value."""
        known = relay.multiply(relay.RefRead(self.trace), relay.const(7))
        write = relay.RefWrite(self.trace, relay.add(known, relay.const(number)))
        return relay.TupleGetItem(relay.Tuple([relay.const(number), write]), 0)

    def total(self, _):
        return relay.add(self.part(), self.part())

    def branches(self, number):
        inner = relay.If(self.cond(), self.part(), self.part())
        return relay.If(self.cond(), relay.add(self.part(), self.note(number)), inner)

    def let(self, _):
        v = relay.Var("v")
        return relay.Let(v, self.part(), relay.add(v, self.part()))

    def called_twice(self, _):
        f, a = relay.Var("f"), relay.Var("a")
        calls = relay.add(relay.Call(f, [self.part()]), relay.Call(f, [self.part()]))
        return relay.Let(f, relay.Function([a], relay.add(a, self.part())), calls)

    def thunk(self, number):
        return relay.Call(relay.Function([], relay.add(self.part(), self.note(number))), [])

    def field(self, _):
        parts = [self.part() for _ in range(3)]
        return relay.TupleGetItem(relay.Tuple(parts), self.random.randrange(3))

    def match(self, _):
        x, y = relay.Var("x"), relay.Var("y")
        pattern = relay.PatternTuple([relay.PatternVar(x), relay.PatternVar(y)])
        body = relay.add(x, relay.add(y, self.part()))
        return relay.Match(relay.Tuple([self.part(), self.part()]), [relay.Clause(pattern, body)])


KINDS = [
    Shared.total,
    Shared.branches,
    Shared.let,
    Shared.called_twice,
    Shared.thunk,
    Shared.field,
    Shared.match,
]


@pytest.mark.parametrize(("levels", "inner", "cases"), CUTS)
def test_shared_effects_happen_as_often_and_in_the_order_in_which_they_do(levels, inner, cases):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "LEVELS", levels)
        patch.setattr(writer, "INNER", inner)
        patch.setattr(matches, "MOST_CASES", cases)
        for seed in SEEDS:
            func = Shared(seed).function()
            args = [bool((seed >> bit) & 1) for bit in range(3)]
            assert same_value(to_python(func).run()(*args), evaluate(func, args=args)), seed
