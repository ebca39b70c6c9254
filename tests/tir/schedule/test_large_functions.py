"""Steps cost what they change, however many other statements a function has."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from relayish import tir
from tests.support.tir_small import memory
from tests.support.work import calls_made


def nest(name: str, store: tir.Store, variables: Sequence[tir.Var]) -> tir.Stmt:
    loops = [tir.Var(f"l{at}") for at in range(len(variables))]
    block = tir.ScheduleBlock(tuple(variables), (), (), name, store)
    stmt: tir.Stmt = tir.ScheduleBlockRealize(tuple(loops), block)
    for loop in loops[::-1]:
        stmt = tir.For(loop, 0, 4, tir.Block((stmt,)))
    return stmt


def sums(tensor: tir.Tensor, source: tir.Tensor) -> tir.Stmt:
    """Sums of rows, as ``lower`` makes them."""
    v, r, u, i, k = [tir.Var(n, is_reduce_axis=n == "r") for n in ("v", "r", "u", "i", "k")]
    first = tensor.with_fields(name=f"{tensor.name}__reduce_init")
    start = tir.ScheduleBlock((u,), (), (), first.name, tir.Store(first, tir.const(0), (u,)))
    store = tir.Store(tensor, tensor[v] + source[v, r], (v,))
    step = tir.ScheduleBlock((v, r), (), (), tensor.name, store)
    inner = tir.For(k, 0, 4, tir.Block((tir.ScheduleBlockRealize((i, k), step),)))
    return tir.For(i, 0, 4, tir.Block((tir.ScheduleBlockRealize((i,), start), inner)))


@functools.cache
def chain(count: int) -> tir.LoweredFunc:
    """So many times four nests: ``P`` of what was before, ``R`` of sums, ``Q`` of both, ``S``."""
    last = given = memory("A", 4, 4)
    temps, stmts = [], []
    for at in range(count):
        p, r, q, s = [memory(f"{n}{at}", *[4] * (1 + (n != "R"))) for n in "PRQS"]
        i, j = tir.Var("i"), tir.Var("j")
        stmts += [
            nest(p.name, tir.Store(p, last[i, j] * 2, (i, j)), (i, j)),
            sums(r, p),
            nest(q.name, tir.Store(q, r[i] + p[i, j], (i, j)), (i, j)),
            nest(s.name, tir.Store(s, q[i, j] + 1, (i, j)), (i, j)),
        ]
        temps += [each.buffer for each in (p, r, q, s)]
        last = s
    root = tir.ScheduleBlock((), (), (), "root", tir.Block(tuple(stmts)))
    body = tir.Block((tir.ScheduleBlockRealize((), root),))
    return tir.LoweredFunc("f", (given.buffer, last.buffer), body, tuple(temps[:-1]))


Step = Callable[..., Any]

STEPS: dict[str, Step] = {
    "get_block": lambda s, p, r, q, t: s.get_block(p.name),
    "get_loops": lambda s, p, r, q, t: s.get_loops(p.name),
    "split": lambda s, p, r, q, t: s.split(loops(s, p)[0], [-1, 2]),
    "fuse": lambda s, p, r, q, t: s.fuse(loops(s, p)),
    "reorder": lambda s, p, r, q, t: s.reorder(loops(s, p)[::-1]),
    "loop_partition": lambda s, p, r, q, t: s.loop_partition(loops(s, p)[0], [2]),
    "parallel": lambda s, p, r, q, t: s.parallel(loops(s, p)[0]),
    "vectorize": lambda s, p, r, q, t: s.vectorize(loops(s, p)[1], 2),
    "annotate": lambda s, p, r, q, t: s.annotate(p, "key", 1),
    "decompose_reduction": lambda s, p, r, q, t: s.decompose_reduction(r, loops(s, r)[0]),
    "rfactor": lambda s, p, r, q, t: s.rfactor(loops(s, r)[1], 0),
    "compute_at": lambda s, p, r, q, t: s.compute_at(r, loops(s, q)[0]),
    "simple_compute_at": lambda s, p, r, q, t: s.simple_compute_at(q, loops(s, r)[0]),
    "reverse_compute_at": lambda s, p, r, q, t: s.reverse_compute_at(q, loops(s, r)[0]),
    "compute_inline": lambda s, p, r, q, t: s.compute_inline(p),
    "reverse_compute_inline": lambda s, p, r, q, t: s.reverse_compute_inline(t),
    "cache_read": lambda s, p, r, q, t: s.cache_read(p, 0, "local"),
    "cache_write": lambda s, p, r, q, t: s.cache_write(p, 0, "local"),
    "set_buffer": lambda s, p, r, q, t: s.set_buffer(p, "local"),
    "transform_layout": lambda s, p, r, q, t: s.transform_layout(p, 0, lambda i, j: (j, i)),
    "sync_threads": lambda s, p, r, q, t: s.sync_threads(loops(s, p)[0]),
}


def loops(schedule: tir.Schedule, block: Any) -> list[Any]:
    return [*schedule.get_loops(block)]


def calls_of_step(name: str, count: int) -> int:
    """How many functions a step calls on one of so many nests, once all tables are made."""
    schedule = tir.Schedule(chain(count))
    found = []
    for at in (count // 2, count // 2 + 1):
        blocks = [schedule.get_block(f"{letter}{at}") for letter in "PRQS"]
        found.append(calls_made(functools.partial(STEPS[name], schedule, *blocks)))
    return found[-1]


@pytest.mark.parametrize("name", STEPS)
def test_step_costs_the_same_in_a_longer_function(name):
    assert calls_of_step(name, 10) == calls_of_step(name, 40)
