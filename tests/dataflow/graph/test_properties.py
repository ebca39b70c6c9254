"""Flow graphs of random programs of all languages keep what graphs promise."""

from __future__ import annotations

import pytest

from relayish.dataflow import Action, FlowGraph, build_flow_graph
from relayish.dataflow.graph.build import _Builder
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import ATOMS
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.adt import Clause, Match, PatternVar
from relayish.ir.relay.expr import Tuple, Var
from relayish.ir.scopes.scoping import PROGRAM, free_variables
from tests.support import tir_deep
from tests.support.deep import doublings, let_body, let_value
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.flow_graphs import check_graph, check_operands_first
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module
from tests.support.loop_programs import random_loop_module
from tests.support.random_exprs import random_function, random_module
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

SEEDS = seeds(20)
FOREIGN = ForeignKinds()


@each("seed", SEEDS)
def test_graph_of_a_relay_function_is_sound(seed):
    function = random_function(seed)
    graph = build_flow_graph(function)
    check_graph(graph)
    check_operands_first(graph, function)


@each("seed", SEEDS)
def test_graph_of_a_relay_function_has_all_that_is_computed(seed):
    function = random_function(seed)
    graph = build_flow_graph(function)
    pointed = set(graph.nodes)
    computed = [
        node
        for node in PROGRAM.post_order(function)
        if type(node) not in ATOMS and node.held_as_ is Role.OPERAND
    ]
    assert pointed.issuperset(computed)


@each("seed", SEEDS)
def test_graph_of_a_module_is_sound(seed):
    check_graph(build_flow_graph(random_module(seed)))


@each("seed", SEEDS)
def test_graph_of_kinds_declared_outside_is_sound(seed):
    module = random_loop_module(seed)
    graph = build_flow_graph(module)
    check_graph(graph)
    for function in module.functions.values():
        check_operands_first(build_flow_graph(function), function)


@each("seed", SEEDS)
def test_graph_of_kinds_with_shared_scopes_is_sound(seed):
    with FOREIGN.declared():
        module = random_foreign_module(FOREIGN, seed)
        check_graph(build_flow_graph(module))
        for function in module.functions.values():
            check_operands_first(build_flow_graph(function), function)


def test_match_that_several_scopes_of_a_loop_share_is_there_once():
    with FOREIGN.declared():
        x, var, kept = Var("x"), Var("var"), Var("kept")
        arm = Clause(PatternVar(kept), Tuple((kept, var)))
        match = Match(x, (arm,))
        loop = FOREIGN.while_(1, var, x, Tuple((match,)), Tuple((match, match)))
        graph = build_flow_graph(loop)
        check_graph(graph)
        assert graph.nodes.count(arm.rhs) == 1


@each("seed", SEEDS)
def test_graph_of_a_loop_function_is_sound(seed):
    check_graph(build_flow_graph(random_func(seed)))


@each("seed", SEEDS)
def test_variables_that_are_captured_are_free_in_the_function(seed):
    graph = build_flow_graph(random_function(seed))
    for procedure in graph.procedures:
        if procedure.parent is not None:
            captured, free = graph.captured(procedure.node), free_variables(procedure.node)
            assert set(captured) <= set(free)


@pytest.mark.deep
@pytest.mark.parametrize("build", [let_body, let_value])
def test_points_of_deep_programs_are_linear(build):
    graph = build_flow_graph(build(DEPTH))
    assert len(graph) <= 4 * DEPTH + 4


@pytest.mark.deep
@pytest.mark.parametrize("build", [tir_deep.loop_nest, tir_deep.branch_nest, tir_deep.poly_nest])
def test_points_of_deep_loop_programs_are_linear(build):
    graph = build_flow_graph(build(DEPTH))
    assert len(graph) <= 10 * DEPTH + 10


def test_points_of_a_shared_graph_are_linear_in_distinct_nodes():
    graph = build_flow_graph(doublings(100))
    assert len(graph) == 102


def test_points_of_shared_expressions_of_a_tree_belong_to_their_statement():
    graph = build_flow_graph(tir_deep.shared_doublings(100))
    assert len(graph) < 20


def test_no_recursive_walk_is_left_to_python():
    graph = build_flow_graph(let_value(5_000))
    assert graph.actions[-1] is Action.EXIT
    assert EVERYTHING.post_order(graph.root)


@each("seed", SEEDS)
def test_points_of_lets_and_ifs_are_those_that_any_kind_like_them_has(seed, monkeypatch):
    module = random_module(seed)
    graph = build_flow_graph(module)
    with monkeypatch.context() as patched:
        patched.setattr(_Builder, "_let", _Builder._flow)
        patched.setattr(_Builder, "_if", _Builder._flow)
        like_any = build_flow_graph(module)
    assert _described(like_any) == _described(graph)


def _described(graph: FlowGraph) -> list[object]:
    starts = [graph.start(number) for number in range(len(graph))]
    return [graph.nodes, graph.actions, graph.binders, starts, list(graph.edges)]
