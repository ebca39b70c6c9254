"""Evaluation of deep programs, and of programs that recurse deeply, at the default limit."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from relayish.interpreter import Closure, evaluate
from relayish.ir.relay.adt import Clause, Match, PatternVar
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Tuple, Var
from relayish.op.declaration.registry import get_op
from tests.support.deep import DEEP_NESTS, doublings, pattern_nest
from tests.support.depth import DEPTH


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(set(DEEP_NESTS) - {"tuple_nest", "function_nest"}))
def test_deep_nest_evaluates_to_what_its_leaf_does(kind):
    limit = sys.getrecursionlimit()
    leaf = Constant(True) if kind == "if_cond" else Constant(5)
    expected = leaf.data + DEPTH if kind == "call_chain" else leaf.data
    assert evaluate(DEEP_NESTS[kind](DEPTH, leaf)) == expected
    assert sys.getrecursionlimit() == limit


@pytest.mark.deep
def test_deep_tuple_evaluates_to_a_tuple_as_deep():
    value, depth = evaluate(DEEP_NESTS["tuple_nest"](DEPTH)), 0
    while isinstance(value, tuple):
        (value,) = value
        depth += 1
    assert (value, depth) == (0, DEPTH)


@pytest.mark.deep
def test_deep_function_evaluates_to_a_closure():
    assert isinstance(evaluate(DEEP_NESTS["function_nest"](DEPTH)), Closure)


def test_nested_functions_may_all_be_applied():
    # the innermost body reads the outermost and the innermost variable
    add, levels = get_op("add"), 5_000
    variables = [Var(f"x{level}") for level in range(levels)]
    expr = Call(add, (variables[0], variables[-1]))
    for var in reversed(variables):
        expr = Function((var,), expr)
    for level in range(levels):
        expr = Call(expr, (Constant(level),))
    assert evaluate(expr) == levels - 1


def test_every_level_may_read_every_variable_around_it_in_little_time():
    add, levels = get_op("add"), 5_000
    variables = [Var(f"x{level}") for level in range(levels)]
    total = Constant(0)
    for var in variables:
        total = Call(add, (total, var))
    for var in reversed(variables):
        total = Function((var,), total)
    for _ in range(levels):
        total = Call(total, (Constant(1),))
    assert evaluate(total) == levels


def test_node_shared_by_all_levels_of_functions_is_evaluated_in_the_outermost():
    add, levels = get_op("add"), 5_000
    shared = Call(add, (Constant(1), Constant(1)))
    expr = shared
    for _ in range(levels):
        expr = Call(Function((Var("x"),), Call(add, (expr, shared))), (Constant(0),))
    assert evaluate(expr) == 2 * (levels + 1)


@pytest.mark.deep
def test_deep_pattern_matches_a_deep_tuple():
    var = Var("x")
    data, pattern = DEEP_NESTS["tuple_nest"](DEPTH), pattern_nest(DEPTH, PatternVar(var))
    assert evaluate(Match(data, (Clause(pattern, Tuple((var, var))),))) == (0, 0)


def countdown(rounds, tail):
    n, f = Var("n"), Var("f")
    again = Call(f, (Call(get_op("subtract"), (n, Constant(1))),))
    step = again if tail else Call(get_op("add"), (again, Constant(1)))
    body = If(Call(get_op("less"), (Constant(0), n)), step, Constant(0))
    return Let(f, Function((n,), body), Call(f, (Constant(rounds),)))


@pytest.mark.deep
@pytest.mark.parametrize("tail", [True, False])
def test_recursive_function_may_recurse_deeply(tail):
    assert evaluate(countdown(DEPTH, tail)) == (0 if tail else DEPTH)


@pytest.mark.deep
def test_tail_calls_do_not_count_as_under_way():
    assert evaluate(countdown(min(DEPTH, 10_000), tail=True), max_depth=10) == 0


def test_doublings_evaluate_each_node_once():
    # 2 ** 31 wraps to the smallest int32, doubled once more it is 0
    assert evaluate(doublings(31)) == np.iinfo("int32").min
    assert evaluate(doublings(1000)) == 0


@pytest.mark.deep
def test_a_long_chain_of_nodes_that_branches_share_evaluates():
    x = Var("x")
    chain = [Call(get_op("add"), (x, Constant(1)))]
    for _ in range(min(DEPTH, 20_000)):
        chain.append(Call(get_op("add"), (chain[-1], Constant(1))))
    body = x
    for shared in chain:
        inner = If(Call(get_op("less"), (x, Constant(0))), shared, body)
        body = If(Call(get_op("less"), (x, Constant(5))), inner, shared)
    assert evaluate(Function((x,), body), args=[7]) == 7 + len(chain)
