"""Live variables of random programs: what is not live is taken away, and nothing misses it."""

from __future__ import annotations

from relayish.dataflow import Action, solve
from relayish.dataflow.analyses.liveness import Liveness
from relayish.interpreter import evaluate, same_value
from relayish.ir.relay.expr import GlobalVar, Tuple
from tests.support.each import each
from tests.support.graph_machine import Activation, GraphMachine
from tests.support.random_exprs import random_arguments
from tests.support.sound_programs import INPUTS, SEEDS, relay_program


class ForgetsTuples(Liveness):
    """Unsound: tuples use nothing."""

    def transfer_of(self, action, kind, is_tree):
        return None if kind is Tuple else super().transfer_of(action, kind, is_tree)


def run_with_live_variables_only(mod, args, analysis):
    machine = GraphMachine(mod)
    [solution] = solve([analysis], machine.graph)

    def forget(point: int, act: Activation) -> None:
        if machine.graph.actions[point] is Action.ENTRY:
            return  # parameters are bound there
        live = solution.before(point)
        for variable in list(act.variables):
            if variable not in live:
                del act.variables[variable]

    machine.observe = forget
    return machine.run(mod["main"], args)


@each("seed", SEEDS)
def test_variable_that_is_not_live_is_missed_by_nothing(seed):
    mod = relay_program(seed)
    for number in range(INPUTS):
        args = random_arguments(mod["main"], 100 * seed + number)
        value = run_with_live_variables_only(mod, args, Liveness())
        assert same_value(value, evaluate(GlobalVar("main"), mod, args))


def test_transfer_that_forgets_a_use_is_caught():
    caught = 0
    for seed in SEEDS:
        mod = relay_program(seed)
        try:
            run_with_live_variables_only(mod, random_arguments(mod["main"], seed), ForgetsTuples())
        except KeyError:
            caught += 1
    assert caught
