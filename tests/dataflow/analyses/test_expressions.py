"""Available and very busy expressions, and the numbers that expressions go by."""

from __future__ import annotations

from typing import Any

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import build_flow_graph, solve
from relayish.dataflow.analyses import AvailableExpressions, ValueNumbers, VeryBusyExpressions
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import If, Let, RefCreate, RefRead, Var
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)

A, B, C, X, Y, N = [tir.Var(name) for name in "abcxyn"]
SUM = X + Y


def block(*stmts: tir.Stmt) -> tir.Block:
    return tir.Block(stmts)


def assign(var: Any = A, value: Any = None) -> tir.Store:
    return tir.Store(var, X + Y if value is None else value)


def available(program: Any, at: Node, expr: Node) -> bool:
    analysis = AvailableExpressions()
    [found] = solve([analysis], program)
    return analysis.numbers.number(expr) in found.before(at)


def very_busy(program: Any, at: Node, expr: Node) -> bool:
    analysis = VeryBusyExpressions()
    [found] = solve([analysis], program)
    return analysis.numbers.number(expr) in found.before(at)


USE = assign(B)


@pytest.mark.parametrize(
    ("stmts", "expected"),
    [
        ([assign()], True),
        ([assign(), assign(X, 1)], False),
        ([assign(X)], False),
        ([assign(), assign(C, 1)], True),
        ([tir.IfThenElse(C < 1, assign(), assign(N))], True),
        ([tir.IfThenElse(C < 1, assign())], False),
        ([tir.For(tir.Var("i"), 0, N, assign())], False),
        ([assign(), tir.For(tir.Var("i"), 0, N, assign(Y, 2))], False),
        ([assign(), tir.Call("void", "who_knows")], True),
        ([assign(), tir.Let(X, C)], False),
    ],
    ids=[
        *("computed", "assigned after", "assigned by itself", "another assigned", "both arms"),
        *("one arm", "in a loop", "assigned in a loop", "unknown call", "bound anew"),
    ],
)
def test_sum_is_available_before_its_second_use(stmts, expected):
    assert available(block(*stmts, USE), USE, SUM) is expected


@pytest.mark.parametrize(
    ("stmts", "expected"),
    [
        ([USE], True),
        ([assign(X, 1), USE], False),
        ([tir.IfThenElse(C < 1, assign(), assign(N))], True),
        ([tir.IfThenElse(C < 1, assign())], False),
        ([tir.IfThenElse(C < 1, assign()), USE], True),
        ([tir.For(tir.Var("i"), 0, N, assign())], False),
    ],
    ids=["computed", "assigned before", "both arms", "one arm", "after one arm", "in a loop"],
)
def test_sum_is_very_busy_at_the_beginning(stmts, expected):
    assert very_busy(block(*stmts), stmts[0], SUM) is expected


ARRAY, OTHER = tir.placeholder("A", (4,)), tir.placeholder("B", (4,))


@pytest.mark.parametrize(
    ("stmt", "expected"),
    [
        (tir.Store(OTHER, C, (0,)), True),
        (tir.Store(ARRAY, C, (0,)), False),
        (tir.Call("void", "who_knows"), False),
        (tir.Alloc(ARRAY.buffer), False),
        (tir.Store(A, tir.math.sqrt(tir.Var("f", "float32")), ()), True),
    ],
    ids=["another buffer", "its buffer", "unknown call", "allocation", "pure call"],
)
def test_load_is_available_as_long_as_nobody_writes_there(stmt, expected):
    use = tir.Store(B, ARRAY[X])
    last = tir.Store(N, ARRAY[X])
    assert available(block(use, stmt, last), last, ARRAY[X]) is expected


def test_view_of_a_buffer_is_killed_by_a_store_through_another():
    view = tir.Tensor("view", (2, 2), "float32", ARRAY.buffer)
    use, last = tir.Store(B, ARRAY[X]), tir.Store(C, ARRAY[X])
    assert not available(block(use, tir.Store(view, N, (0, 0)), last), last, ARRAY[X])


def test_loop_variable_kills_what_mentions_it():
    i = tir.Var("i")
    inside = tir.Store(A, i * 2)
    assert not available(tir.For(i, 0, 4, block(inside)), inside, i * 2)


# Relay


def call(name: str, *args: relay.Expr) -> relay.Expr:
    return relay.Call(relay.op.get(name), args)


def test_call_of_relay_is_available_after_both_branches():
    c, x, y, z = [Var(name) for name in "cxyz"]
    branching = If(c, call("add", x, y), call("multiply", call("add", x, y), x))
    last = call("add", x, y)
    assert available(Let(z, branching, last), last, call("add", x, y))


def test_read_of_a_reference_is_killed_by_what_may_write():
    r, f, a, b, c = [Var(name) for name in "rfabc"]
    read = RefRead(r)
    calm = Let(a, RefRead(r), Let(b, call("add", a, a), Let(c, read, c)))
    assert available(calm, read, read)
    wild = Let(a, RefRead(r), Let(b, relay.Call(f, ()), Let(c, read, c)))
    assert not available(wild, read, read)


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


def test_what_a_reduction_begins_with_is_not_evaluated_where_its_value_is_used():
    k = tir.Var("k", "int32", tir.const(0), tir.const(2), True)
    reduction = tir.Reduce(tir.ReduceType.SUM, SUM, X * Y, (k,))
    stmt = tir.Store(A, reduction)
    analysis = VeryBusyExpressions()
    [found] = solve([analysis], block(stmt))
    [at] = found.graph.occurrences(stmt)
    assert analysis.numbers.number(SUM) not in found.before(at)
    assert analysis.numbers.number(SUM) in found.before(found.graph.begin(at))
