"""What programs do is among what points-to and escape analysis say that they may."""

from __future__ import annotations

import os
import random

import pytest

from relayish.dataflow import UNKNOWN, solve
from relayish.dataflow.analyses import Escape
from relayish.ir.node import VARIABLES
from tests.support.higher_order import Drawing, Machine, Thing

EXAMPLES = int(os.environ.get("EXAMPLES", "60"))
RUNS = 5


class Checker:
    """Holds what is evaluated against what was found."""

    def __init__(self, mod, entries):
        [self.solution] = solve([Escape()], mod, entries=entries)
        self.sites = self.solution.calls
        self.found = self.sites.points_to
        self.points = {}
        for number, node in enumerate(self.solution.graph.nodes):
            if self.solution.graph.actions[number].value == "evaluate":
                self.points.setdefault(node, []).append(number)
        self.evaluated = 0
        self.escaped = 0

    def value(self, node, value, env):
        """Check that the value of ``node`` was created where it may be."""
        if not isinstance(value, Thing):
            return
        self.evaluated += 1
        sites = self.found.of(node)
        if value.site in sites:
            return
        assert UNKNOWN in sites
        assert value.site is None or value.site in self.found.escaped

    def point(self, node, env):
        """Check that the point is reached, and that what has escaped there is told."""
        [number] = self.points[node]
        assert self.solution.is_reached(number)
        state = self.solution.before(number)
        escaped = self.machine.escaped()
        for variable, value in env.items():
            if isinstance(value, Thing) and value in escaped and type(variable) in VARIABLES:
                self.escaped += value.site is not None
                sites = self.found.of(variable)
                assert UNKNOWN in sites or value.site in state

    def run(self, mod, types, rng):
        self.machine = Machine(mod, rng, self.value, self.point)
        self.machine.run(types)


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_what_is_evaluated_is_what_may_be(seed):
    rng = random.Random(seed)
    drawing = Drawing(rng)
    mod = drawing.program()
    checker = Checker(mod, ["main"])
    for _ in range(RUNS):
        checker.run(mod, drawing.types, rng)
