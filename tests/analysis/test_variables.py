from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import (
    all_type_vars,
    all_vars,
    bound_type_vars,
    bound_vars,
    count_nodes,
    free_type_vars,
    free_vars,
    post_order_visit,
)
from relayish.ir.relay.op import intern_op
from tests.support.deep import DEEP_NESTS, doublings, type_nest
from tests.support.depth import DEPTH
from tests.support.each import each

add = intern_op("add")
v, w, x, y, z = (relay.Var(name) for name in "vwxyz")
a, b, c = (relay.TypeVar(name) for name in "abc")


def test_variables_come_in_order_of_first_occurrence():
    expr = relay.Let(x, relay.Tuple((z, y)), relay.Function((w,), relay.Tuple((v, w, x, z))))
    assert free_vars(expr) == (z, y, v)
    assert bound_vars(expr) == (x, w)
    assert all_vars(expr) == (x, z, y, w, v)


def test_variables_of_an_if_come_cond_first():
    assert free_vars(relay.If(x, y, z)) == (x, y, z)


def test_variables_a_pattern_binds_are_bound():
    pattern = relay.PatternTuple(
        (relay.PatternVar(y), relay.PatternWildcard(), relay.PatternVar(z))
    )
    expr = relay.Match(x, (relay.Clause(pattern, relay.Tuple((z, y, w))),))
    assert free_vars(expr) == (x, w)
    assert bound_vars(expr) == (y, z)


def test_a_variable_is_its_own_free_variable():
    assert free_vars(x) == all_vars(x) == (x,)
    assert bound_vars(x) == ()


def test_variables_of_one_name_are_different():
    assert len(free_vars(relay.Tuple((relay.Var("same"), relay.Var("same"))))) == 2


def test_unused_binders_are_bound_variables():
    assert bound_vars(relay.Let(x, relay.Constant(1), relay.Function((y,), relay.Constant(1)))) == (
        x,
        y,
    )


@pytest.mark.deep
@each("kind", sorted(DEEP_NESTS))
def test_free_variable_is_found_at_any_depth(kind):
    assert free_vars(DEEP_NESTS[kind](DEPTH, x)) == (x,)


def test_shared_nodes_are_looked_at_once():
    assert free_vars(doublings(1000, x)) == (x,)


def test_type_variables_of_a_polymorphic_function():
    function = relay.Function((relay.Var("x", a),), relay.Constant(1), b, (a, c))
    assert free_type_vars(function) == (b,)
    assert bound_type_vars(function) == (a, c)
    assert all_type_vars(function) == (a, c, b)


def test_type_variables_of_type_arguments_come_before_those_of_arguments():
    call = relay.Call(relay.Function((), relay.Constant(1)), (relay.Var("x", a),), None, (b,))
    assert all_type_vars(call) == (b, a)


def test_type_variables_of_a_type():
    ty = relay.TupleType((a, relay.FuncType((b,), c, (b,))))
    assert free_type_vars(ty) == (a, c)
    assert bound_type_vars(ty) == (b,)


def test_type_variables_of_a_definition_are_bound_by_it():
    header = relay.GlobalTypeVar("List")
    cons = relay.Constructor("Cons", (a, relay.TypeCall(header, (a,))), header)
    assert free_type_vars(relay.TypeData(header, (a,), (cons,))) == ()


def test_type_variables_of_a_constructor_that_is_used_do_not_count():
    cons = relay.Constructor("Cons", (a,), relay.GlobalTypeVar("List"))
    pattern = relay.PatternConstructor(cons, (relay.PatternWildcard(),))
    expr = relay.Match(
        relay.Call(cons, (relay.Constant(1),)), (relay.Clause(pattern, relay.Constant(2)),)
    )
    assert all_type_vars(expr) == ()


@pytest.mark.deep
def test_type_variable_is_found_at_any_depth_of_types():
    assert free_type_vars(relay.Var("x", type_nest(DEPTH, a))) == (a,)


@pytest.mark.deep
def test_type_variable_is_found_at_any_depth_of_expressions():
    assert free_type_vars(DEEP_NESTS["let_value"](DEPTH, relay.Var("x", a))) == (a,)


def collected(expr):
    found = []
    post_order_visit(expr, found.append)
    return found


def test_post_order_visits_callee_then_arguments_then_call():
    call = relay.Call(add, (x, y))
    assert collected(call) == [add, x, y, call]


def test_post_order_visits_variable_value_body_of_a_let():
    let = relay.Let(x, y, z)
    assert collected(let) == [x, y, z, let]


def test_post_order_visits_parameters_before_the_body():
    function = relay.Function((x, y), z)
    assert collected(function) == [x, y, z, function]


def test_post_order_visits_what_patterns_hold_but_not_patterns():
    nil = relay.Constructor("Nil", (), relay.GlobalTypeVar("List"))
    clauses = (
        relay.Clause(relay.PatternConstructor(nil, ()), y),
        relay.Clause(relay.PatternVar(z), w),
    )
    match = relay.Match(x, clauses)
    assert collected(match) == [x, nil, y, z, w, match]


def test_post_order_visits_shared_nodes_once():
    shared = relay.RefCreate(x)
    pair = relay.Tuple((shared, shared))
    whole = relay.Tuple((pair, shared, pair))
    assert collected(whole) == [x, shared, pair, whole]


def test_post_order_visits_each_node_of_a_dag_once():
    assert len(collected(doublings(1000))) == 1002
    assert count_nodes(doublings(1000)) == 1002


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["let_value", "function_nest", "match_nest"])
def test_post_order_reaches_any_depth(kind):
    leaf = relay.Var("leaf")
    expr = DEEP_NESTS[kind](DEPTH, leaf)
    found = collected(expr)
    assert found[-1] is expr
    assert leaf in found
