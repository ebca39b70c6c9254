"""Arenas: what is needed at one time stands apart, and little more memory is taken than must be."""

from itertools import pairwise

import numpy as np

from relayish import tir
from relayish.codegen.c.arena import ALIGNMENT, bytes_of, hoist_temporaries, plan_arena
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.type import VOID
from tests.support.each import each
from tests.support.work import calls_made


def call(*tensors):
    return tir.Call(VOID, "f", tensors[:-1], tensors[-1:], call_type=CallType.CINN)


def random_function(seed):
    """A function of calls that each fill a buffer and read a few, and these buffers."""
    generator = np.random.default_rng(seed)
    tensors = [
        tir.placeholder(f"t{at}", (int(size),), str(generator.choice(["int8", "float64"])))
        for at, size in enumerate(generator.integers(0, 400, generator.integers(1, 30)))
    ]
    calls = []
    for at, tensor in enumerate(tensors):
        read = generator.choice(at, min(at, 2), replace=False) if at else []
        calls.append(call(*[tensors[each] for each in read], tensor))
    buffers = [each.buffer for each in tensors]
    return tir.LoweredFunc("main", buffers, tir.Block(calls)), buffers


def lives(func, buffer):
    """The calls from the first to the last that are given a buffer."""
    given = [
        at
        for at, stmt in enumerate(func.body.stmts)
        if any(each.buffer is buffer for each in (*stmt.read_args, *stmt.write_args))
    ]
    return set(range(given[0], given[-1] + 1))


@each("seed", range(60))
def test_what_is_needed_at_one_time_stands_apart(seed):
    func, buffers = random_function(seed)
    arena = plan_arena(func, buffers)
    spans = {each: (arena.offsets[each], arena.offsets[each] + bytes_of(each)) for each in buffers}
    assert all(first % ALIGNMENT == 0 and last <= arena.size for first, last in spans.values())
    for at, a in enumerate(buffers):
        for b in buffers[:at]:
            if lives(func, a) & lives(func, b):
                assert spans[a][1] <= spans[b][0] or spans[b][1] <= spans[a][0]


def test_little_more_memory_is_taken_than_is_needed_at_one_time():
    ratios = []
    for seed in range(100, 160):
        func, buffers = random_function(seed)
        needed = max(
            sum(-(-bytes_of(each) // ALIGNMENT) for each in buffers if at in lives(func, each))
            for at in range(len(buffers))
        )
        ratios.append(plan_arena(func, buffers).size / (needed * ALIGNMENT))
    assert max(ratios) < 1.35
    assert np.mean(ratios) < 1.03


def test_a_chain_takes_memory_for_two():
    tensors = [tir.placeholder(f"t{at}", (1000,)) for at in range(1000)]
    calls = [call(*pair) for pair in pairwise(tensors)]
    buffers = [each.buffer for each in tensors]
    func = tir.LoweredFunc("main", buffers, tir.Block(calls))
    assert plan_arena(func, buffers).size == 2 * 4032


@each("size", [1000, tir.Var("n")])
def test_places_in_a_loop_are_found_in_linear_work(size):
    calls = []
    for count in (50, 100):
        tensors = [tir.placeholder(f"t{at}", (size,)) for at in range(count)]
        body = tir.Block([call(tensors[0]), *[call(*pair) for pair in pairwise(tensors)]])
        buffers = [each.buffer for each in tensors]
        loop = tir.For(tir.Var("i"), 0, 9, body)
        func = tir.LoweredFunc("main", buffers, tir.Block((loop,)))
        calls.append(calls_made(lambda func=func, buffers=buffers: plan_arena(func, buffers)))
    assert calls[1] < 2.4 * calls[0]


@each("size", [1000, tir.Var("n")])
def test_a_branch_takes_memory_for_one_arm(size):
    both, one, other = [tir.placeholder(name, (size,)) for name in ("both", "one", "other")]
    arms = [tir.Block((call(both), call(both, each))) for each in (one, other)]
    body = tir.Block((tir.IfThenElse(tir.Var("c", "bool"), *arms),))
    buffers = [each.buffer for each in (both, one, other)]
    arena = plan_arena(tir.LoweredFunc("main", buffers, body), buffers)
    slots = [{each.name for each in slot} for slot in arena.slots]
    if size == 1000:
        assert arena.offsets[buffers[1]] == arena.offsets[buffers[2]] != arena.offsets[buffers[0]]
        assert arena.size == 2 * 4032
    else:
        assert sorted(slots, key=len) == [{"_both"}, {"_one", "_other"}]


@each("size", [1000, tir.Var("n")])
def test_what_nothing_is_said_of_stands_apart(size):
    used, unused = tir.placeholder("used", (size,)), tir.placeholder("unused", (size,))
    buffers = [used.buffer, unused.buffer]
    func = tir.LoweredFunc("main", buffers, tir.Block((call(used),)))
    arena = plan_arena(func, buffers)
    assert [len(each) for each in arena.slots] == ([] if size == 1000 else [1, 1])
    assert arena.size == (2 * 4032 if size == 1000 else 0)


def lowered(name, size):
    given = tir.placeholder("given", (size,))
    twice = tir.compute((size,), lambda i: given[i] * 2.0, "twice")
    turned = tir.compute((size,), lambda i: twice[size - 1 - i] + twice[i], "turned")
    return tir.lower(name, [given, turned])


def test_temporaries_too_large_for_the_stack_are_given():
    small, large = lowered("small", 8), lowered("large", 8000)
    a, b, c = (tir.placeholder(each, (8000,)) for each in "abc")
    calls = [
        tir.Call(VOID, "large", (a,), (b,), call_type=CallType.CINN),
        tir.Call(VOID, "large", (b,), (c,), call_type=CallType.CINN),
    ]
    main = tir.LoweredFunc("main", [each.buffer for each in (a, b, c)], tir.Block(calls))
    main, (first, second), memory = hoist_temporaries(main, [small, large])
    assert first is small
    assert not second.temp_bufs
    assert [bytes_of(each) for each in memory] == [32000, 32000]
    assert [len(each.write_args) for each in main.body.stmts] == [2, 2]
    assert plan_arena(main, memory).size == 8000 * 4
