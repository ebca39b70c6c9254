"""Calls of random Relay programs: what is called, and what values are, is among what may be."""

from __future__ import annotations

import pytest

from relayish.dataflow import UNKNOWN
from relayish.dataflow.solver.calls import CallSites
from relayish.interpreter.value import RefValue
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Op, RefCreate
from tests.support.graph_machine import Activation, Closure, GraphMachine
from tests.support.sound_programs import ALWAYS, EXAMPLES, call_on_inputs, check_modules


class Traced(GraphMachine):
    """Compares callees and creation sites with what was found."""

    def __init__(self, machine: GraphMachine, targets: type[Targets]) -> None:
        super().__init__(machine.module)
        self.targets = targets(CallSites(self.graph, entries=["main"]))
        self.made: dict[object, Node] = {}
        self.checked = 0
        self.recursion: set[Node] = set()
        self.running: list[Node] = []
        self.observe = self.check_variables

    def check_variables(self, _point: int, act: Activation) -> None:
        for var, value in act.variables.items():
            self.check_value(var, value)

    def check_value(self, node: Node, value: object) -> None:
        site = self.made.get(value) if isinstance(value, RefValue) else None
        if isinstance(value, Closure):
            site = value.procedure.node
        if site is not None:
            found = self.targets.sites.points_to.of(node)
            assert site in found or UNKNOWN in found, "what a value is was found"
            self.checked += 1

    def _compute(self, node: Node, act: Activation) -> object:
        if isinstance(node, Call) and not isinstance(node.op, (Op, Constructor)):
            called = self.operand(node.op, act).procedure
            assert self.targets.may_call(node, called.number), "what is called was found"
            self.checked += 1
            if called.node in self.running:
                self.recursion.add(called.node)
            self.running.append(called.node)
            value = super()._compute(node, act)
            self.running.pop()
        else:
            value = super()._compute(node, act)
        if isinstance(node, RefCreate):
            self.made[value] = node
        self.check_value(node, value)
        return value


class Targets:
    """Which procedures a call may enter."""

    def __init__(self, sites: CallSites) -> None:
        self.sites = sites
        self.found: dict[Node, set[int]] = {}
        for each in sites.at.values():
            for site in each:
                called = self.found.setdefault(site.node, set())
                called.update(self.callees(site))

    def callees(self, site: object) -> list[int]:
        return [callee.procedure.number for callee in site.callees]

    def may_call(self, call: Node, procedure: int) -> bool:
        return procedure in self.found.get(call, ())


def count_called(machine: GraphMachine, targets: type[Targets]) -> int:
    """Run a module; return how many values and calls were what was found."""
    traced = Traced(machine, targets)
    call_on_inputs(traced)
    return traced.checked


def test_what_is_called_is_what_may_be():
    assert check_modules(count_called, lambda: Targets) > 50 * EXAMPLES


def count_recursive(machine: GraphMachine, targets: type[Targets]) -> int:
    traced = Traced(machine, targets)
    call_on_inputs(traced)
    return len(traced.recursion)


def test_programs_recurse():
    assert check_modules(count_recursive, lambda: Targets) > EXAMPLES // 4


class ForgetsOneCallee(Targets):
    """Unsound: takes it that each call enters all that it may but the last."""

    def callees(self, site):
        return super().callees(site)[: max(1, len(site.callees) - 1)]


def test_forgotten_callee_is_caught():
    with pytest.raises(AssertionError, match="called was found"):
        check_modules(count_called, lambda: ForgetsOneCallee, ALWAYS)
