"""Random programs evaluate without fault, always to the same."""

from __future__ import annotations

import pytest
from tests.random_exprs import (
    random_arguments,
    random_expr,
    random_function,
    random_module,
    random_type,
)

from relayish.analysis import count_nodes, free_type_vars, free_vars, well_formed
from relayish.interpreter import create_executor, evaluate, same_value
from relayish.ir.expr import Expr
from relayish.ir.node import Node
from relayish.ir.traversal import EVERYTHING

SEEDS = range(150)


def test_random_expressions_are_closed_and_well_formed():
    for seed in SEEDS:
        expr = random_expr(seed, 60)
        assert well_formed(expr)
        assert free_vars(expr) == ()
        assert free_type_vars(expr) == ()


def test_random_expressions_evaluate_to_the_same_every_time():
    for seed in SEEDS:
        first, second = (evaluate(random_expr(seed, 60)) for _ in range(2))
        assert same_value(first, second), seed


def test_random_functions_take_random_arguments():
    for seed in SEEDS:
        function = random_function(seed, 60)
        args = random_arguments(function, seed)
        assert same_value(evaluate(function, args=args), evaluate(function, args=args)), seed


def test_random_modules_run():
    for seed in SEEDS:
        mod = random_module(seed, 120)
        assert well_formed(mod)
        args = random_arguments(mod["main"], seed)
        executor = create_executor(mod=mod)
        assert same_value(executor.evaluate()(*args), executor.evaluate()(*args)), seed


def test_random_types_are_closed():
    assert all(free_type_vars(random_type(seed)) == () for seed in SEEDS)


def test_random_programs_hold_every_kind_of_expression():
    kinds: set[type[Node]] = set()
    for seed in SEEDS:
        mod = random_module(seed, 200)
        for function in mod.functions.values():
            kinds.update(map(type, EVERYTHING.pre_order(function)))
    assert Expr.kinds <= kinds


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_size_of_random_programs_follows_what_is_asked(size):
    sizes = sorted(count_nodes(random_expr(seed, size)) for seed in range(40))
    assert sizes[-1] >= size / 2
    assert sizes[-1] <= 20 * size + 60
