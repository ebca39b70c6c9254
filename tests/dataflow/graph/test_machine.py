"""Running programs along their flow graphs gives what the interpreter gives."""

from __future__ import annotations

from relayish.interpreter import evaluate, same_value
from relayish.ir.relay.expr import GlobalVar
from tests.support.each import each
from tests.support.graph_machine import run_function, run_module
from tests.support.random_exprs import random_arguments, random_function, random_module
from tests.support.recursive_programs import random_recursive_module
from tests.support.seeds import seeds

SEEDS = seeds(30)


@each("seed", SEEDS)
def test_function_along_its_graph_gives_what_the_interpreter_gives(seed):
    function = random_function(seed)
    args = random_arguments(function, seed)
    assert same_value(run_function(function, args), evaluate(function, None, args))


@each("seed", SEEDS)
def test_module_along_its_graph_gives_what_the_interpreter_gives(seed):
    mod = random_module(seed)
    args = random_arguments(mod["main"], seed)
    assert same_value(run_module(mod, args), evaluate(GlobalVar("main"), mod, args))


@each("seed", SEEDS)
def test_recursion_along_the_graph_gives_what_the_interpreter_gives(seed):
    mod = random_recursive_module(seed)
    args = random_arguments(mod["main"], seed)
    assert same_value(run_module(mod, args), evaluate(GlobalVar("main"), mod, args))
