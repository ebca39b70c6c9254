"""Primitives that move blocks, of random programs, and what they do unchecked.

What is compared is all that functions leave, in memory of their own as well, but for that of blocks
that have moved.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from relayish import tir
from relayish.errors import RelayishError, ScheduleError
from relayish.ir.scopes.renaming import replace_nodes
from relayish.tir import Schedule
from relayish.tir.schedule import relocation
from relayish.tir.schedule.instances import domain, guards_of
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.primitives import inlining
from tests.support import random_schedules
from tests.support.random_schedules import Trial, tried
from tests.support.tir_programs import arguments, same_result

SEEDS = (0, 1, 2)
"""With what memory programs are run."""

PRIMITIVES = (
    "compute_at",
    "reverse_compute_at",
    "simple_compute_at",
    "compute_inline",
    "reverse_compute_inline",
)


def steps(schedule: Schedule, draw: random.Random, name: str) -> list[functools.partial[None]]:
    """Return steps of a primitive with all its arguments, in random order."""
    blocks = [b for b in schedule.get_all_blocks() if not b.name.endswith("__reduce_init")]
    apply = getattr(schedule, name)
    if "inline" in name:
        found = [functools.partial(apply, block) for block in blocks]
    else:
        loops = schedule.get_loops()
        found = [functools.partial(apply, block, loop) for block in blocks for loop in loops]
    draw.shuffle(found)
    return found


def prepared(seed: object) -> tir.LoweredFunc:
    """Return a function of blocks, some of whose loops have been split, or moved."""
    kinds = ("split", "fuse", "reorder", "decompose_reduction")
    func = random_schedules.prepared(seed, kinds=kinds)
    draw = random.Random(f"moved {seed}")
    schedule = Schedule(func)
    if draw.random() < 0.3:
        with suppress(ScheduleError):
            steps(schedule, draw, draw.choice(PRIMITIVES))[0]()
    return schedule.func


def attempt(name: str, seed: object) -> Trial:
    """Take a step of a primitive, with the first arguments by which it makes something at all."""
    func = prepared(seed)
    with unchecked():
        number, block = _first_that_means_something(func, seed, name)

    def step(schedule: Schedule) -> None:
        steps(schedule, random.Random(f"{seed} {name}"), name)[number]()

    def is_same(before: tir.LoweredFunc, after: tir.LoweredFunc) -> bool:
        return do_the_same(before, after, block)

    def is_harmless(before: tir.LoweredFunc, after: tir.LoweredFunc) -> bool:
        return is_same(before, after) and compute_the_same(before, after)

    return tried(func, step, unchecked, is_same, is_harmless)


def do_the_same(before: tir.LoweredFunc, after: tir.LoweredFunc, moved: str) -> bool:
    """Whether two functions leave all memory alike, but that of their own which a block stores."""
    blocks = tir.collect_ir_nodes(
        before, lambda node: isinstance(node, tir.ScheduleBlock) and node.name == moved
    )
    stores = tir.collect_ir_nodes(tuple(blocks), lambda node: isinstance(node, tir.Store))
    own = {store.tensor.buffer for store in stores}
    kept = [each for each in before.temp_bufs if each in after.temp_bufs and each not in own]
    images = [
        func.with_fields(
            args=(*func.args, *kept),
            args_io=(),
            temp_bufs=tuple([each for each in func.temp_bufs if each not in kept]),
        )
        for func in (before, after)
    ]
    return same_result(*images, seeds=SEEDS)


def compute_the_same(before: tir.LoweredFunc, after: tir.LoweredFunc) -> bool:
    """Whether blocks store the same values, for each combination of values of their variables.

    So what nothing needs in the end counts as well. What only one of them runs does not.
    """
    for seed in SEEDS:
        logs = []
        for func in (before, after):
            logged, names = _logging(func)
            given = arguments(func, seed)
            made = [
                np.full(each.numpy_shape, UNTOUCHED, each.dtype.numpy) for each in names.values()
            ]
            try:
                tir.run(logged, *given, *made)
            except RelayishError:  # what was not stored is read
                return False
            logs.append(dict(zip(names, made, strict=True)))
        first, second = logs
        for name in first.keys() & second.keys():
            both = (first[name] != UNTOUCHED) & (second[name] != UNTOUCHED)
            if not np.array_equal(first[name][both], second[name][both], equal_nan=True):
                return False
    return True


UNTOUCHED = 77777
MOST_VALUES = 16
"""How many values a variable of a block has at most, from 0 on."""


class _Log(NamedTuple):
    tensor: tir.Tensor
    numpy_shape: tuple[int, ...]
    dtype: tir.Type


def _logging(func: tir.LoweredFunc) -> tuple[tir.LoweredFunc, dict[str, _Log]]:
    """A function that writes down, in more arguments, what each of its blocks stores.

    In each iteration of a loop of time around all.
    """
    logs: dict[str, _Log] = {}
    images: dict[Any, Any] = {}
    loops = tir.collect_ir_nodes(func, lambda node: isinstance(node, tir.For))
    time = tuple([each.loop_var for each in loops if each.loop_var.name.startswith("t")])
    for block in tir.collect_ir_nodes(func, lambda node: isinstance(node, tir.ScheduleBlock)):
        store = only(block.body)
        if not isinstance(store, tir.Store) or not block.iter_vars:
            continue
        indices = (*time, *block.iter_vars)
        shape = (MOST_VALUES,) * len(indices)
        dtype = store.value.type
        log = tir.Tensor(f"log_{block.name}", shape, dtype, tir.Buffer(block.name, shape, dtype))
        logs[block.name] = _Log(log, shape, dtype)
        first = tir.Store(log, store.value, indices)
        second = store.with_fields(value=tir.Load(log, indices))
        images[store] = tir.Block((first, second))
    body = replace_nodes(func.body, images)
    args = (*func.args, *[each.tensor.buffer for each in logs.values()])
    return func.with_fields(args=args, args_io=(), body=body), logs


def _first_that_means_something(func: tir.LoweredFunc, seed: object, name: str) -> tuple[int, str]:
    """Return the number of a step that makes something unchecked, if one does, and its block."""
    schedule = Schedule(func)
    found = steps(schedule, random.Random(f"{seed} {name}"), name)
    for number, step in enumerate(found):
        block = step.args[0].name
        with suppress(ScheduleError):
            step()
            return number, block
    return 0, found[0].args[0].name


@contextmanager
def unchecked() -> Iterator[None]:
    """Let primitives that move blocks do so whatever it does.

    That a block is to be run once is no question of harm.
    """

    def nothing(*_: Any, **__: Any) -> None:
        pass

    def once(*_: Any, may_repeat: bool) -> None:
        if not may_repeat:
            raise ScheduleError("it is run several times")

    def guards(used: Any, block: Any, values: Any, _: str) -> list[tir.Expr]:
        box = domain(block, used.region)
        exprs = [values[var] for var in relocation.block_of(block).iter_vars]
        return [] if box is None else guards_of(used.stored, exprs, box, used.context)

    with (
        patch.object(relocation, "check_moves", nothing),
        patch.object(relocation, "covers", lambda *_: True),
        patch.object(relocation, "check_at_once", nothing),
        patch.object(relocation.Relocation, "_check_repeated", once),
        patch.object(inlining, "check_moves", nothing),
        patch.object(inlining, "_check_computed_before", nothing),
        patch.object(inlining, "_check_same_instances", guards),
    ):
        yield
