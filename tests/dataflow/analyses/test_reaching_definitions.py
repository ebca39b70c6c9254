"""Reaching definitions and the chains between definitions and uses."""

from __future__ import annotations

from typing import Any

import pytest

from relayish import core, tir
from relayish.core.mod_ref import place_of
from relayish.dataflow import Action, build_flow_graph, solve
from relayish.dataflow.analyses import ReachingDefinitions, find_use_def_chains
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function, If, Let, Tuple, Var
from relayish.ir.scopes.scoping import bound_by
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)

A, B, C, X, N = [tir.Var(name) for name in "abcxn"]


def block(*stmts: tir.Stmt) -> tir.Block:
    return tir.Block(stmts)


def reaching(program: Any, at: Node, variable: Node) -> set[Node]:
    """The nodes that may have defined a variable before a node."""
    [found] = solve([ReachingDefinitions()], program)
    return {found.graph.nodes[number] for number in found.before(at).get(variable) or ()}


ONE, TWO, USE = tir.Store(X, 1), tir.Store(X, 2), tir.Store(A, X)


def test_global_that_a_callee_may_write_is_defined_at_the_entry_and_the_call():
    scope = core.GlobalScope()
    shared, set_ = scope.variable("g", "int32", 1), scope.declare("set", ["int32"], "void")
    with scope.function("main", {"n": "int32"}, "int32") as f:
        with f.if_(f.n < 5):
            f.call(set_, 7)
        f.retv(shared)
    main = scope.module()["main"]
    branch, use = main.body.stmts
    assert reaching(main, use, place_of(shared)) == {main, branch.then_block.stmts[0]}


def test_parameters_are_defined_at_the_entry():
    x = Var("x")
    body = Tuple((x,))
    func = Function((x,), body)
    assert reaching(func, body, x) == {func}


def test_language_declared_outside_is_understood_from_its_roles():
    lang = loop_languages
    p, q = lang.Sym("p"), lang.Sym("q")
    first, call = lang.St(p, lang.IntConst(1)), lang.Call("who_knows", ())
    load = lang.Ld(p)
    program = lang.Block((first, call, lang.St(q, load)))
    assert reaching(program, load, p) == {first, call}


def test_loop_declared_outside_may_define_its_variable_at_any_time():
    lang = loop_languages
    i, s = lang.Sym("i"), lang.Sym("s")
    load = lang.Ld(i)
    loop = lang.DoLoop(i, lang.IntConst(0), lang.Ld(s), lang.Ld(s), lang.Block((lang.St(s, load),)))
    first = lang.St(i, lang.IntConst(7))
    assert reaching(lang.Block((first, loop)), load, i) == {first, loop}


# Chains


def test_chains_lead_both_ways():
    program = block(ONE, tir.IfThenElse(B < 1, TWO), USE)
    chains = find_use_def_chains(program)
    at = {node: chains.graph.occurrences(node)[0] for node in (ONE, TWO, USE)}
    assert chains.used_at(at[USE]) == (X,)
    assert chains.definitions(at[USE], X) == (at[ONE], at[TWO])
    assert chains.uses(at[ONE], X) == chains.uses(at[TWO], X) == (at[USE],)
    assert chains.definitions(at[USE], B) == (0,)


def test_chains_of_a_statement_that_stands_twice_are_two():
    step = tir.Store(X, X + 1)
    chains = find_use_def_chains(block(step, step))
    first, second = chains.graph.occurrences(step)
    assert chains.definitions(first, X) == (0,)
    assert chains.definitions(second, X) == (first,)


def test_chains_of_relay_lead_from_lets_to_their_uses():
    x, y = Var("x"), Var("y")
    use = Tuple((y, y))
    chains = find_use_def_chains(Let(y, If(x, x, x), use))
    [at] = chains.graph.occurrences(use)
    [definition] = chains.definitions(at, y)
    assert chains.graph.binders[definition] == (y,)
    assert chains.uses(definition, y) == (at,)


@each("seed", seeds(15))
def test_every_variable_of_a_function_is_defined_where_it_is_used(seed):
    chains = find_use_def_chains(random_func(seed))
    for point in range(len(chains.graph)):
        for variable in chains.used_at(point):
            for definition in chains.definitions(point, variable):
                assert point in chains.uses(definition, variable)
            assert chains.definitions(point, variable)


@each("seed", seeds(5))
def test_definition_reaches_exactly_along_paths_that_do_not_kill_it(seed):
    graph = build_flow_graph(random_func(seed, size=8))
    [found] = solve([ReachingDefinitions()], graph)
    for start in range(len(graph)):
        accessed = graph.accesses.at(start)
        for place in (*accessed.overwrites, *accessed.changes, *graph.binders.get(start, ())):
            reached = _reached(graph, start, place)
            holding = {
                point
                for point in range(len(graph))
                if start in (found.before(point).get(place) or ())
            }
            assert holding == reached


def _reached(graph: Any, start: int, place: Node) -> set[int]:
    """The points before which a definition at ``start`` holds."""
    seen: set[int] = set()
    pending = list(graph.successors(start))
    while pending:
        point = pending.pop()
        if point in seen:
            continue
        seen.add(point)
        accessed = graph.accesses.at(point)
        killed = {*accessed.overwrites, *accessed.clears, *graph.binders.get(point, ())}
        if graph.actions[point] is Action.LEAVE:
            killed.update(bound_by(graph.nodes[point]))
        if place not in killed:
            pending += graph.successors(point)
    return seen


@pytest.mark.deep
def test_reaching_definitions_go_deep():
    nest: tir.Stmt = TWO
    for _ in range(DEPTH):
        nest = tir.IfThenElse(B < 1, nest)
    assert reaching(block(ONE, nest, USE), USE, X) == {ONE, TWO}


@pytest.mark.deep
def test_reaching_definitions_are_linear_in_nested_loops():
    nest: tir.Stmt = TWO
    for _ in range(DEPTH // 2):  # each has a variable
        nest = tir.For(tir.Var("i"), 0, 2, nest)
    assert reaching(block(ONE, nest, USE), USE, X) == {ONE, TWO}


def test_variable_of_a_loop_has_no_definition_after_it():
    i, inside = tir.Var("i"), tir.Store(X, 3)
    [found] = solve([ReachingDefinitions()], block(tir.For(i, 0, 2, inside), USE))
    assert i in found.before(inside)
    assert i not in found.before(USE)
