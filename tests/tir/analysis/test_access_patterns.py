"""Accesses of one pattern are decided once, and each as if it were alone."""

from __future__ import annotations

import random

import pytest

from relayish import tir
from relayish.tir.analysis import dependences, is_parallel, loop_carried, parallel_loops
from relayish.tir.analysis.dependence import finder
from relayish.tir.analysis.dependence.access_patterns import PatternTable
from relayish.tir.analysis.dependence.dependences import disturbed_reads
from tests.support.seeds import seeds
from tests.support.tir_nests import draw

FEATURES = (
    *("planes", "steps", "branches", "blocks", "views", "scalars", "reductions", "vectors"),
    *("quotients", "choices", "indirect"),
)
A = tir.Tensor("A", (64,), buffer=tir.Buffer("a", (64,)))
B = tir.Tensor("B", (64,), buffer=tir.Buffer("b", (64,)))


def twice(loop, rng):
    """Return a loop whose statements stand in it again, some of them in arms, and a call."""
    again = [
        tir.IfThenElse(loop.loop_var < 2, tir.Block((stmt,))) if rng.random() < 0.5 else stmt
        for stmt in loop.body.stmts
        if not isinstance(stmt, tir.Let)
    ]
    if rng.random() < 0.2:
        again.append(tir.Call("void", "launch_rocket"))
    return loop.with_fields(body=tir.Block((*loop.body.stmts, *again)))


def answers(root):
    """Return all that the analysis of dependences tells, in order."""
    told = [(dep.source.position, dep.sink.position, *dep[2:]) for dep in dependences(root)]
    carried = [(source.position, sink.position) for source, sink in loop_carried(root)]
    near = [(source.position, sink.position) for source, sink in loop_carried(root, max_distance=1)]
    return told, carried, near, parallel_loops(root), disturbed_reads(root)


def test_answers_of_patterns_are_those_of_pairs(monkeypatch):
    patterned = 0
    for seed in seeds(2):
        rng = random.Random(f"patterns {seed}")
        root = draw(rng, tuple(rng.sample(FEATURES, 3)))[0]
        if not isinstance(root, tir.For):
            continue
        root = twice(root, rng)
        found = answers(root)
        with monkeypatch.context() as patch:
            patch.setattr(PatternTable, "_subscripts", lambda _, access: access.position)
            assert answers(root) == found
        patterned += len(found[0])
    assert patterned


def statements(count, *, is_below_branch):
    """Return a loop of statements that only repeat each other."""
    i, c = tir.Var("i"), tir.Var("c", "float32")
    m, k = tir.Var("m"), tir.Var("k")

    def stmt():
        made = tir.Store(A, A[i] + B[i] * c, (i,))
        return tir.IfThenElse(i < m + k, tir.Block((made,))) if is_below_branch else made

    return tir.For(i, 0, 64, tir.Block(tuple([stmt() for _ in range(count)])))


@pytest.fixture
def tested(monkeypatch):
    """Return the pairs of accesses that are tested."""
    found = []
    original = finder.IterationPairs.__init__

    def count(self, source, sink, *given):
        found.append((source, sink))
        original(self, source, sink, *given)

    monkeypatch.setattr(finder.IterationPairs, "__init__", count)
    return found


@pytest.mark.parametrize("is_below_branch", [False, True])
def test_pairs_tested_are_as_many_of_a_thousand_statements_as_of_ten(tested, is_below_branch):
    counts = []
    for count in (10, 100, 1000):
        tested.clear()
        loop = statements(count, is_below_branch=is_below_branch)
        assert parallel_loops(loop) == {loop}
        assert is_parallel(loop)
        assert not any(loop_carried(loop))
        counts.append(len(tested))
    assert counts == [9] * 3  # load and store, store and load, store and store; by three questions


def test_dependences_of_many_statements_take_as_many_tests_as_those_of_two(tested):
    counts, found = [], []
    for count in (2, 20, 200):
        tested.clear()
        found.append(len(dependences(statements(count, is_below_branch=False))))
        counts.append(len(tested))
    assert counts == [6] * 3
    assert found == [count + 3 * count * (count - 1) // 2 for count in (2, 20, 200)]


def test_conditions_that_ask_something_else_are_other_patterns():
    i, n = tir.Var("i"), tir.Var("n")
    shift = tir.Store(A, A[i], (i + 4,))
    low, high = (tir.IfThenElse(i < size, tir.Block((shift,))) for size in (4, n))
    assert is_parallel(tir.For(i, 0, 16, tir.Block((low, low))))
    assert not is_parallel(tir.For(i, 0, 16, tir.Block((low, high))))


def test_name_that_stands_for_another_value_is_another_pattern():
    i, v = tir.Var("i"), tir.Var("v")
    block = tir.ScheduleBlock((v,), (), (), "read", tir.Store(B, A[v], (i,)))
    write = tir.Store(A, tir.const(1.0), (i + 32,))

    def reads(*values):
        stmts = [tir.ScheduleBlockRealize((value,), block) for value in values]
        return tir.For(i, 0, 16, tir.Block((write, *stmts)))

    assert is_parallel(reads(i, i + 16))
    assert not is_parallel(reads(i, i + 17))


def test_name_without_a_value_is_another_pattern_than_one_from_outside():
    i, x = tir.Var("i"), tir.Var("x")
    write = tir.Store(A, B[i], (x + i,))
    assert is_parallel(tir.For(i, 0, 16, tir.Block((write, write))))
    assert not is_parallel(tir.For(i, 0, 16, tir.Block((write, tir.Let(x), write))))


def test_memory_of_an_iteration_is_its_own_only_below_where_it_is_allocated():
    i, temporary = tir.Var("i"), tir.Buffer("t", (4,))
    t = tir.Tensor("T", (4,), buffer=temporary)
    stored = tir.Store(t, A[i], (tir.const(0),))
    arms = [
        tir.IfThenElse(i < 8, tir.Block(stmts))
        for stmts in ((tir.Alloc(temporary), stored), (stored,))
    ]
    assert is_parallel(tir.For(i, 0, 16, tir.Block(arms[:1])))
    assert not is_parallel(tir.For(i, 0, 16, tir.Block(tuple(arms))))


def test_pairs_come_in_order_of_the_program_whatever_their_patterns():
    i = tir.Var("i")
    first, second = tir.Store(A, A[i], (i + 1,)), tir.Store(A, A[i + 1], (i + 2,))
    loop = tir.For(i, 0, 16, tir.Block((first, second, first, second)))
    positions = [sorted((source.position, sink.position)) for source, sink in loop_carried(loop)]
    assert positions == sorted(positions)
    assert len(positions) > 8
