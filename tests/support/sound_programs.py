"""The random programs that abstract states are compared with, and how many of them.

In the soak they are new ones, on 10 inputs each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from relayish import tir
from relayish.dataflow.graph import FlowGraph
from relayish.ir.relay.module import IRModule
from tests.support.graph_machine import Activation, GraphMachine
from tests.support.loop_machine import WITHOUT, LoopMachine, Observe
from tests.support.random_exprs import random_arguments, random_module
from tests.support.recursive_programs import random_recursive_module
from tests.support.seeds import many, seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import arguments, random_func

Check = Callable[[Any, Any], int]
"""``check(machine, analysis)``: run a program, compare states, and return how many."""

SEEDS = seeds(28)[7:]  # the one before runs for longer than these together
EXAMPLES = len(SEEDS)
ALWAYS = range(7, 100)
"""Programs on which analyses that are broken are caught, in the soak as well."""
INPUTS = many(2, soak=10)


@lru_cache(maxsize=100)
def loop_program(seed: int) -> tir.LoweredFunc:
    """Return a function over scalars that are assigned, or of all kinds of statements, in turn."""
    if seed % 2:
        return random_counters(seed)
    return random_func(seed, size=20, without=WITHOUT, more=("rebinding",) * (seed % 4 == 0))


def check_loops(check: Check, analysis: Callable[[], Any], programs: range = SEEDS) -> int:
    """Hold programs against an analysis of each; return how many states were compared."""
    return sum([check(LoopMachine(loop_program(seed)), analysis()) for seed in programs])


def run_on_inputs(machine: LoopMachine, observe: Observe, inputs: int = INPUTS) -> list[Any]:
    """Run a program on several inputs; return what buffers hold in the end."""
    machine.observe = observe
    return [machine.run(arguments(machine.func, seed)) for seed in range(inputs)]


@lru_cache(maxsize=100)
def relay_program(seed: int) -> IRModule:
    """Return a module with recursion of several sorts, or of all kinds of nodes, in turn."""
    return random_recursive_module(seed) if seed % 2 else random_module(seed, 60)


def check_modules(check: Check, analysis: Callable[[], Any], programs: range = SEEDS) -> int:
    """Hold modules against an analysis of each; return how many states were compared."""
    return sum([check(GraphMachine(relay_program(seed)), analysis()) for seed in programs])


def call_on_inputs(machine: GraphMachine, inputs: int = INPUTS) -> None:
    """Run a module on several inputs."""
    assert machine.module is not None
    main = machine.module["main"]
    for seed in range(inputs):
        machine.run(main, random_arguments(main, seed))


def notes_of(act: Activation) -> dict[str, Any]:
    """Return what an observer has noted of an activation."""
    return act.__dict__.setdefault("notes", {})


def occurring_actions(graph: FlowGraph) -> set[str]:
    """Return which kinds of nodes have which kinds of points: ``{"for loop", ...}``."""
    pairs = zip(graph.nodes, graph.actions, strict=True)
    return {f"{type(node).visit_name} {action.value}" for node, action in pairs}
