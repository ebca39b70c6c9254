"""Constants of random programs: each value that is known is what is computed, wherever it is."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.dataflow import solve
from relayish.dataflow.lattice import TOP
from relayish.interpreter.constants import Constants, describes
from relayish.ir.relay.expr import Call, Function, If, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.op.declaration.registry import get_op
from relayish.text import parse
from tests.support.graph_machine import Activation, GraphMachine
from tests.support.random_exprs import random_arguments
from tests.support.sound_programs import EXAMPLES, INPUTS, SEEDS, relay_program


def count_checked(mod: IRModule, inputs: list[tuple[object, ...]], analysis: Constants) -> int:
    """Run a module; return how many values were known, each of which was right."""
    machine = GraphMachine(mod)
    [solution] = solve([analysis], machine.graph)
    checked = 0

    def check(point: int, act: Activation) -> None:
        nonlocal checked
        assert solution.is_reached(point), f"control comes to {machine.graph.point(point)}"
        for held in (act.variables, act.values):
            for node, value in [next(reversed(held.items()))] if held else ():
                known = solution.value(node)
                assert describes(known, value), (node, known, value)
                checked += known is not TOP
        for node, known in solution.before(point).items():
            for held in (act.variables, act.values):
                if node in held:
                    assert describes(known, held[node]), (node, known, held[node])
                    checked += 1

    machine.observe = check
    for args in inputs:
        machine.run(mod["main"], args)
    return checked


@pytest.mark.parametrize("interprocedural", [False, True])
def test_what_is_known_is_what_is_computed(interprocedural: bool) -> None:
    checked = 0
    for seed in SEEDS:
        mod = relay_program(seed)
        inputs = [random_arguments(mod["main"], seed + 1000 * at) for at in range(INPUTS)]
        checked += count_checked(mod, inputs, Constants(interprocedural=interprocedural))
    assert checked > 10 * EXAMPLES


BRANCHES = parse("""#[version = "0.0.5"]
def @main(%a: int32, %c: bool) -> int32 {
  let %loop = fn (%n: int32, %x: int32) -> int32 {
    if (less(%n, 1)) { %x } else { %loop(subtract(%n, 1), if (equal(%x, 1)) { 1 } else { 2 }) }
  };
  let %y = if (equal(%a, 3)) { add(%a, 1) } else { if (%c) { %a } else { 4 } };
  let %z = if (logical_and(%c, not_equal(%y, 4))) { multiply(%y, %a) } else { %loop(3, 1) };
  let %w = @twice(%z);
  if (equal(%z, 1)) { add(%z, %w) } else { @twice(%y) }
}
def @twice(%x: int32) -> int32 { if (equal(%x, 0)) { %x } else { add(%x, %x) } }
""")


@pytest.mark.parametrize("interprocedural", [False, True])
def test_what_branches_say_is_what_is_computed(interprocedural: bool) -> None:
    inputs = [(np.int32(a), np.bool_(c)) for a in range(-1, 6) for c in (True, False)]
    assert count_checked(BRANCHES, inputs, Constants(interprocedural=interprocedural)) > 100


class TakesOneBranch(Constants):
    """Unsound: believes that conditions hold of which nothing is known."""

    def truth(self, value: object) -> bool | None:
        found = super().truth(value)
        return True if found is None else found


def test_analysis_that_takes_one_branch_is_caught() -> None:
    with pytest.raises(AssertionError, match="control comes to"):
        count_checked(BRANCHES, [(np.int32(0), np.bool_(False))], TakesOneBranch())


class ConfusesSums(Constants):
    """Unsound: sums are what they are added to."""

    def operator_transfer(self, operator: object) -> object:
        is_sum = operator is get_op("add")
        return (lambda _, a, b: a) if is_sum else super().operator_transfer(operator)


def test_wrong_transfer_is_caught() -> None:
    a, y = Var("a"), Var("y")
    value = If(a, Call(get_op("add"), (y, y)), y)
    body = Let(y, Call(get_op("add"), (relay_one(), relay_one())), value)
    mod = IRModule({"main": Function((a,), body)})
    with pytest.raises(AssertionError, match=r"\), (np\.int32\()?1\)?, "):
        count_checked(mod, [(np.bool_(True),)], ConfusesSums())


def relay_one() -> object:
    return parse('#[version = "0.0.5"]\ndef @main() { 1 }')["main"].body
