"""Smooth random programs of scalars, for gradients."""

from __future__ import annotations

import random

import numpy as np

import relayish as relay
from relayish import op

SCALAR = relay.TensorType((), "float64")


class Programs:
    """Makes smooth random programs of scalars; what was made before is used again.

    Args:
        seed: The same programs for the same seed.
        first_order: Whether to keep to operators, tuples and lets.
    """

    def __init__(self, seed, *, first_order=False):
        self.chance = random.Random(seed)
        self.depth = 0
        self.flat = [self.binary, self.unary, self.projection]
        self.makers = [*self.flat, self.binary, self.bound]
        if not first_order:
            self.makers += [self.branch, self.application, self.closure, self.cell, self.again]

    def function(self, size=12):
        params = tuple(relay.Var(name, SCALAR) for name in "xyz")
        return relay.Function(params, self.grown(list(params), size))

    def grown(self, known, size):
        """Return an expression of ``size`` steps over what is ``known``, the last ones favoured."""
        self.depth += 1
        for _ in range(size):
            known.append(self.chance.choice(self.makers if self.depth < 4 else self.flat)(known))
        self.depth -= 1
        return known[-1]

    def pick(self, known):
        return self.chance.choice(known[-4:] if self.chance.random() < 0.7 else known)

    def unary(self, known):
        return self.chance.choice((op.sin, op.tanh, op.negative))(self.pick(known))

    def binary(self, known):
        build = self.chance.choice((op.add, op.multiply, op.subtract))
        return build(self.pick(known), self.pick(known))

    def small(self, known):
        return self.grown(list(known), self.chance.randint(1, 3))

    def bound(self, known):
        var = relay.Var("v")
        return relay.Let(var, self.small(known), self.small([*known, var]))

    def projection(self, known):
        fields = tuple(self.pick(known) for _ in range(3))
        return relay.TupleGetItem(relay.Tuple(fields), self.chance.randrange(3))

    def branch(self, known):
        cond = op.less(self.pick(known), relay.Constant(np.float64(self.chance.uniform(-1, 1))))
        return relay.If(cond, self.small(known), self.small(known))

    def application(self, known):
        param = relay.Var("p", SCALAR)
        return relay.Call(
            relay.Function((param,), self.small([*known, param])), (self.pick(known),)
        )

    def closure(self, known):
        name, param = relay.Var("f"), relay.Var("p", SCALAR)
        func = relay.Function((param,), self.small([*known, param]))
        once = relay.Call(name, (self.pick(known),))
        return relay.Let(name, func, relay.Call(name, (op.tanh(once),)))

    def cell(self, known):
        ref, done = relay.Var("r"), relay.Var("u")
        write = relay.RefWrite(ref, op.tanh(op.multiply(relay.RefRead(ref), self.pick(known))))
        return relay.Let(
            ref, relay.RefCreate(self.small(known)), relay.Let(done, write, relay.RefRead(ref))
        )

    def again(self, known):
        return op.annotation.checkpoint(self.small(known))
