"""What is said of how blocks are run, beside what running them shows."""

from __future__ import annotations

import itertools
import random

import pytest

from relayish import tir
from relayish.tir.analysis.dependence.accesses import collect_accesses
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.schedule.instances import Span, covers, domain, guards_of, runs_once
from tests.support.tir_integers import evaluate
from tests.support.tir_small import memory


def random_nest(draw):
    """A block of one or two variables, sums of loops, perhaps under a condition."""
    loops = [
        (tir.Var(f"i{n}"), draw.randint(0, 2), draw.randint(0 if draw.random() < 0.1 else 1, 4))
        for n in range(draw.randint(1, 3))
    ]
    own = tuple([tir.Var(f"v{n}") for n in range(draw.randint(1, 2))])
    values = []
    for _ in own:
        value = tir.const(draw.randint(0, 2), "int32")
        for var, _, _ in draw.sample(loops, draw.randint(1, min(2, len(loops)))):
            value = value + var * draw.choice((1, 1, 2, 3, 4, -1))
        values.append(draw.choice((value, value, value / 2)))
    target = memory("T", 99, 99)
    store = tir.Store(target, tir.const(1, "int32"), (own * 2)[:2])
    block = tir.ScheduleBlock(own, (), (), "B", store)
    stmt = tir.ScheduleBlockRealize(tuple(values), block)
    conditions = []
    while draw.random() < 0.4:
        form = draw.choice((values[0], loops[0][0] + loops[-1][0]))
        condition = draw.choice((tir.LT, tir.GE))(form, tir.const(draw.randint(0, 8), "int32"))
        conditions.append(condition)
        stmt = tir.IfThenElse(condition, tir.Block((stmt,)))
    for var, low, extent in reversed(loops):
        stmt = tir.For(var, low, extent, tir.Block((stmt,)))
    names = [var for var, _, _ in loops]
    ranges = [range(low, low + extent) for _, low, extent in loops]
    iterations = [dict(zip(names, each, strict=True)) for each in itertools.product(*ranges)]
    runs = [
        tuple([evaluate(value, each) for value in values])
        for each in iterations
        if all(evaluate(condition, each) for condition in conditions)
    ]
    return tir.LoweredFunc("f", (target.buffer,), tir.Block((stmt,))), own, runs


def asked(func):
    schedule = tir.Schedule(func)
    [block] = schedule.get_all_blocks()
    state = schedule.state
    region = state.body
    [access] = [each for each in collect_accesses(region.stmt).all if each.writes]
    return (
        block.stmt.schedule_block.iter_vars,
        access,
        domain(block.ref, region),
        state.context(region),
    )


def moved(span, by):
    return span._replace(upper=tuple([each.shifted(by) for each in span.upper]))


def points(box):
    ends = [
        (max(low.constant for low in lower), min(high.constant for high in upper))
        for lower, upper in box
    ]
    return set(itertools.product(*[range(low, high + 1) for low, high in ends]))


@pytest.mark.parametrize("start", range(0, 100, 25))
def test_what_is_said_of_a_block_is_what_running_it_shows(start):
    covered = 0
    for seed in range(start, start + 25):
        func, _, runs = random_nest(random.Random(f"instances {seed}"))
        variables, access, box, context = asked(func)
        assert runs_once(access, variables, context) == (len(runs) == len(set(runs))), seed
        if box is None or not all(end.is_constant for each in box for part in each for end in part):
            continue
        assert set(runs) <= points(box), seed
        found = covers(access, variables, box, context)
        assert found == (points(box) <= set(runs)), seed
        covered += found
        guards = guards_of(access, variables, box, context)
        assert not guards, seed
        narrow = [moved(each, -1) for each in box]
        guards = guards_of(access, variables, narrow, context)
        known = [dict(zip(variables, run, strict=True)) for run in runs]
        inside = [all(evaluate(guard, each) for guard in guards) for each in known]
        assert inside == [run in points(narrow) for run in runs], seed
    assert covered > 2


def test_bound_of_a_size_does_not_hide_another():
    n = tir.Var("n", "int32", tir.const(0), tir.const(8))
    target, i, v = memory("T", 16), tir.Var("i"), tir.Var("v")
    block = tir.ScheduleBlock((v,), (), (), "B", tir.store(target, 1, v))
    realize = tir.ScheduleBlockRealize((i,), block)
    guard = tir.IfThenElse(i >= 3, tir.Block((realize,)))
    nest = tir.For(i, n, 16 - n, tir.Block((guard,)))
    variables, access, _, context = asked(
        tir.LoweredFunc("f", (n, target.buffer), tir.Block((nest,)))
    )
    everything = Span((linear_form(n),), (Affine(15, {}),))
    assert not covers(access, variables, [everything], context)


@pytest.mark.parametrize("factor", [1024, 7])
def test_loops_that_are_fused_and_split_again_are_covered(factor):
    A = tir.placeholder("A", (128, 10))
    schedule = tir.Schedule(tir.lower("f", [A, tir.compute((128, 10), lambda i, j: A[i, j], "B")]))
    schedule.split(schedule.fuse(schedule.get_loops("B")), [-1, factor])
    variables, access, box, context = asked(schedule.func)
    assert covers(access, variables, box, context)
    assert runs_once(access, variables, context)
    wider = [moved(box[0], 1), box[1]]
    assert not covers(access, variables, wider, context)


def test_tail_of_a_tile_is_told_in_the_loop_of_tiles():
    A = tir.placeholder("A", (7,))
    schedule = tir.Schedule(tir.lower("f", [A, tir.compute((7,), lambda i: A[i], "B")]))
    outer, _ = schedule.split(schedule.get_loops("B")[0], [-1, 3])
    [block] = schedule.get_all_blocks()
    region = block.ref.state.ref(outer.stmt.body)
    [access] = [each for each in collect_accesses(region.stmt).all if each.writes]
    variables, context = block.stmt.schedule_block.iter_vars, block.ref.state.context(region)
    box = domain(block.ref, region)
    assert covers(access, variables, box, context)
    assert not covers(access, variables, [moved(box[0], 1)], context)
