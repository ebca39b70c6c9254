"""What is said of how blocks are run, beside what running them shows."""

from __future__ import annotations

import itertools
import random

import pytest

from relayish import tir
from relayish.tir.analysis.dependence.accesses import collect_accesses
from relayish.tir.schedule.instances import covers, domain, guards_of, runs_once
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


def points(box):
    ends = [(low.constant, high.constant) for low, high in box]
    return set(itertools.product(*[range(low, high + 1) for low, high in ends]))


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_what_is_said_of_a_block_is_what_running_it_shows(start):
    covered = 0
    for seed in range(start, start + 50):
        func, _, runs = random_nest(random.Random(f"instances {seed}"))
        variables, access, box, context = asked(func)
        assert runs_once(access, variables, context) == (len(runs) == len(set(runs))), seed
        if box is None or not all(end.is_constant for each in box for end in each):
            continue
        assert set(runs) <= points(box), seed
        found = covers(access, variables, box, context)
        assert found == (points(box) <= set(runs)), seed
        covered += found
        guards = guards_of(access, variables, box, context)
        assert not guards, seed
        narrow = [each._replace(upper=each.upper.shifted(-1)) for each in box]
        guards = guards_of(access, variables, narrow, context)
        known = [dict(zip(variables, run, strict=True)) for run in runs]
        inside = [all(evaluate(guard, each) for guard in guards) for each in known]
        assert inside == [run in points(narrow) for run in runs], seed
    assert covered > 5
