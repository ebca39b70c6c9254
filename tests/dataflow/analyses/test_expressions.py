"""Available and very busy expressions, and the numbers that expressions go by."""

from __future__ import annotations

from typing import Any

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import build_flow_graph, solve
from relayish.dataflow.analyses import AvailableExpressions, ValueNumbers
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Let, RefCreate, Var
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)

A, B, C, X, Y, N = [tir.Var(name) for name in "abcxyn"]


def block(*stmts: tir.Stmt) -> tir.Block:
    return tir.Block(stmts)


def assign(var: Any = A, value: Any = None) -> tir.Store:
    return tir.Store(var, X + Y if value is None else value)


def available(program: Any, at: Node, expr: Node) -> bool:
    analysis = AvailableExpressions()
    [found] = solve([analysis], program)
    return analysis.numbers.number(expr) in found.before(at)


# Relay


def call(name: str, *args: relay.Expr) -> relay.Expr:
    return relay.Call(relay.op.get(name), args)


def test_new_reference_is_never_available():
    assert ValueNumbers().number(RefCreate(Var("x"))) is None


def test_calls_of_operators_with_state_and_of_variables_have_no_number():
    numbers, x = ValueNumbers(), Var("x")
    assert numbers.number(call("annotation.checkpoint", x)) is not None
    assert numbers.number(call("memory.kill", x)) is None
    assert numbers.number(relay.Call(Var("f"), ())) is None


def test_attributes_tell_calls_apart():
    numbers, x = ValueNumbers(), Var("x")
    first, second, third = relay.sum(x, axis=0), relay.sum(x, axis=0), relay.sum(x, axis=1)
    assert numbers.number(first) is numbers.number(second)
    assert numbers.number(first) is not numbers.number(third)


def test_constants_of_other_types_or_bits_are_told_apart():
    numbers = ValueNumbers()
    found = [numbers.number(relay.const(value)) for value in (1, 1.0, True, 0.0, -0.0)]
    assert len(set(found)) == 5
    assert numbers.number(relay.const(1)) is found[0]


def test_expression_of_a_kind_declared_outside_is_compared_by_what_it_holds():
    numbers, x = ValueNumbers(), Var("x")
    scale = loop_kinds.Scale
    assert numbers.number(scale(x, 2.0)) is numbers.number(scale(x, 2.0))
    assert numbers.number(scale(x, 2.0)) is not numbers.number(scale(x, 3.0))
    assert numbers.number(loop_kinds.Opaque(1, x)) is None


def test_load_of_a_language_declared_outside_is_killed_by_an_indirect_store():
    lang = loop_languages
    p, q = lang.Sym("p"), lang.Sym("q")
    load, again = lang.Ld(p), lang.Ld(p)
    through = lang.Ist(lang.IntConst(8), lang.IntConst(1))
    calm = lang.Block((lang.St(q, load), lang.St(q, again)))
    wild = lang.Block((lang.St(q, load), through, lang.St(q, again)))
    assert available(calm, again, load)
    assert not available(wild, again, load)


def test_shared_expressions_are_numbered_once():
    first: Any = X
    second: Any = X
    for _ in range(100):
        first, second = first + first, second + second
    numbers = ValueNumbers()
    assert numbers.number(first) is numbers.number(second)


@each("seed", seeds(10))
def test_available_expressions_are_computed_on_every_path(seed):
    """By definition: from no entry a path leads there that does not compute it after a kill."""
    graph = build_flow_graph(random_func(seed, size=8))
    analysis = AvailableExpressions()
    [found] = solve([analysis], graph)
    expressions = {e for point in range(len(graph)) for e in analysis.evaluated_at(point)}
    for expr in expressions:
        missing = _missing(graph, analysis, expr)
        for point in range(len(graph)):
            assert (expr in found.before(point)) is (point not in missing)


def _missing(graph: Any, analysis: AvailableExpressions, expr: Node) -> set[int]:
    """The points before which an expression is not available."""
    missing = {procedure.entry for procedure in graph.procedures}
    pending = list(missing)
    depends = set(analysis.numbers.depends_on(expr))
    for point in range(len(graph)):
        if _kills(graph, point, depends, analysis, expr):
            pending += [each for each in graph.successors(point) if each not in missing]
            missing.update(graph.successors(point))
    while pending:
        point = pending.pop()
        if expr in analysis.evaluated_at(point):
            continue
        for target in graph.successors(point):
            if target not in missing:
                missing.add(target)
                pending.append(target)
    return missing


def _kills(
    graph: Any, point: int, depends: set[Node], analysis: AvailableExpressions, expr: Node
) -> bool:
    accessed = graph.accesses.at(point)
    written = (*accessed.overwrites, *accessed.changes, *accessed.clears)
    if not depends.isdisjoint((*written, *graph.binders.get(point, ()))):
        return True
    aliased = graph.accesses.aliased
    if analysis.numbers.reads_memory(expr) and any(place in aliased for place in written):
        return True
    may_write = bool(accessed.effect & (relay.Effect.WRITES | relay.Effect.UNKNOWN))
    reads = analysis.numbers.reads_memory(expr) or any(place in aliased for place in depends)
    return may_write and reads


def test_visits_of_sequential_ifs_are_linear():
    def visits(count: int) -> int:
        program = block(*[tir.IfThenElse(B < 1, assign(), assign(C))] * count)
        [found] = solve([AvailableExpressions()], program)
        return found.visits

    assert visits(16) - visits(8) == 2 * (visits(8) - visits(4))


@pytest.mark.deep
def test_expressions_go_deep():
    x = Var("x")
    body: relay.Expr = x
    for _ in range(DEPTH):
        body = Let(Var("v"), call("add", x, x), body)
    [found] = solve([AvailableExpressions()], body)
    assert len(found.exit) == 1
