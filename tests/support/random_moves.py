"""Random chains of blocks, primitives that move these, and whether what is refused was illegal.

What is compared is all that functions leave, in memory of their own as well, but for that of blocks
that have moved.

``python -m tests.support.random_moves 1000`` tries as many programs of each and tells figures;
``--compile 100`` runs so many of what is made, compiled.
"""

from __future__ import annotations

import argparse
import functools
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from relayish import tir
from relayish.errors import RelayishError, ScheduleError
from relayish.ir.scopes.renaming import replace_nodes
from relayish.tir import Schedule
from relayish.tir.schedule import relocation
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.instances import domain, guards_of
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.primitives import inlining
from tests.support.compiled_loops import TOGETHER, compile_all, natively, same_outcome
from tests.support.random_schedules import random_program, take_random_steps
from tests.support.tir_programs import arguments, outcome, same_result

SEEDS = (0, 1, 2)
"""With what memory programs are run."""


class Known(NamedTuple):
    """A tensor, and the part of it that has been written, as the least and the greatest index."""

    tensor: tir.Tensor
    box: tuple[tuple[int, int], ...]


class Chain:
    """Draws a function of blocks that are made of one another.

    Args:
        seed: What determines it.
    """

    def __init__(self, seed: object) -> None:
        self.random = random.Random(f"chain {seed}")
        self.count = 0
        self.temps: list[tir.Buffer] = []
        self.args: list[tir.Buffer] = []
        self.known: list[Known] = []
        self.dtype = self.random.choice(("int32", "float32"))

    def function(self) -> tir.LoweredFunc:
        """Return a function of a few blocks, some of them in a loop of time."""
        draw = self.random
        for _ in range(2):
            self.known.append(self.tensor(self.shape(), is_temp=False))
        stmts = [self.stage() for _ in range(draw.randint(2, 4))]
        if draw.random() < 0.15:
            time = tir.For(self.var("t"), 0, 2, tir.Block(tuple(stmts)))
            stmts = [time]
        body = tir.ScheduleBlock((), (), (), "root", tir.Block(tuple(stmts)))
        root = tir.Block((tir.ScheduleBlockRealize((), body),))
        used = set()
        for store in tir.collect_ir_nodes(root, lambda node: isinstance(node, tir.Store)):
            loads = tir.collect_ir_nodes(store.value, lambda node: isinstance(node, tir.Load))
            used |= {load.tensor.buffer for load in loads} - {store.tensor.buffer}
        args = [*self.args, *[each for each in self.temps if each not in used]]
        temps = [each for each in self.temps if each in used]
        return tir.LoweredFunc("f", tuple(args), root, tuple(temps))

    def shape(self) -> tuple[int, ...]:
        return tuple([self.random.randint(4, 9) for _ in range(self.random.choice((1, 1, 2)))])

    def var(self, name: str, **more: Any) -> tir.Var:
        self.count += 1
        return tir.Var(f"{name}{self.count}", "int32", **more)

    def tensor(self, shape: tuple[int, ...], *, is_temp: bool) -> Known:
        self.count += 1
        name = f"{'T' if is_temp else 'A'}{self.count}"
        buffer = tir.Buffer(f"_{name}", shape, self.dtype)
        (self.temps if is_temp else self.args).append(buffer)
        made = tir.Tensor(name, shape, self.dtype, buffer)
        return Known(made, tuple([(0, size - 1) for size in shape]))

    def stage(self) -> tir.Stmt:
        """Return a nest that stores a tensor, most of the time a new one."""
        draw = self.random
        source = draw.choice(self.known[-3:])
        kind = draw.choice(("map", "map", "stencil", "sum", "shift", "strided", "update", "scan"))
        if kind == "sum" and len(source.box) == 2:
            return self.reduction(source)
        if kind == "update":
            return self.update(source)
        if kind == "scan":
            return self.scan()
        return self.mapped(source, kind)

    def mapped(self, source: Known, kind: str) -> tir.Stmt:
        """Elements made of those of a tensor that stand near, or of two tensors."""
        draw = self.random
        reach = 2 if kind == "stencil" else 0
        offset = draw.randint(0, 2) if kind == "shift" else 0
        stride = 2 if kind == "strided" else 1
        order = list(range(len(source.box)))
        if draw.random() < 0.3:
            draw.shuffle(order)
        sizes = []
        for axis in order:
            low, high = source.box[axis]
            sizes.append(max((high - low - reach) // stride + 1, 1))
            if (high - low - reach) < 0:
                return self.mapped(source, "map")
        start = [draw.choice((0, 0, 0, 1)) for _ in sizes]
        shape = tuple([s + o + offset for s, o in zip(sizes, start, strict=True)])
        made = self.tensor(shape, is_temp=draw.random() < 0.7)
        own = [self.var("v") for _ in sizes]
        box = tuple([(o + offset, o + offset + s - 1) for s, o in zip(sizes, start, strict=True)])

        def load(at: int) -> tir.Expr:
            index: list[tir.Expr] = [tir.const(0)] * len(own)
            for axis, var, first in zip(order, own, start, strict=True):
                low = source.box[axis][0]
                moved = at if axis == order[0] else 0
                index[axis] = (var - first) * stride + (low + moved)
            return tir.Load(source.tensor, tuple([self.simple(each) for each in index]))

        value = load(0) * self.number(3)
        for at in range(1, reach + 1):
            value = value + load(at)
        other = draw.choice(self.known)
        if draw.random() < 0.3 and self.fits(other, box):
            value = value + tir.Load(other.tensor, tuple([v + offset for v in own]))
        target = tuple([v + offset if offset else v for v in own])
        self.known.append(made._replace(box=box))
        return self.nest(made, own, list(zip(start, sizes, strict=True)), target, value)

    def fits(self, other: Known, box: tuple[tuple[int, int], ...]) -> bool:
        """Whether a part of a tensor is a part of what has been written of another."""
        return len(other.box) == len(box) and all(
            low >= first and high <= last
            for (low, high), (first, last) in zip(box, other.box, strict=True)
        )

    def simple(self, index: tir.Expr) -> tir.Expr:
        return tidy(index)

    def number(self, value: int) -> tir.Expr:
        return tir.const(value, self.dtype)

    def update(self, target: Known) -> tir.Stmt:
        """A tensor that changes in place, or takes elements of another."""
        draw = self.random
        own = [self.var("v") for _ in target.box]
        spans = [(low, high - low + 1) for low, high in target.box]
        other = draw.choice(self.known)
        factor, rest = draw.choice((-3, 2, 3, 5)), draw.randint(1, 9)
        value: tir.Expr = tir.Load(target.tensor, tuple(own)) * self.number(factor)
        value = value + self.number(rest)
        if draw.random() < 0.6 and self.fits(other, target.box):
            value = tir.Load(other.tensor, tuple(own)) * self.number(5)
        return self.nest(target, own, spans, tuple(own), value)

    def scan(self) -> tir.Stmt:
        """A tensor of which each element is made of the one before."""
        target = self.random.choice(self.known)
        own = [self.var("v") for _ in target.box]
        (low, high), *rest = target.box
        spans = [(low + 1, high - low), *[(a, b - a + 1) for a, b in rest]]
        before = tir.Load(target.tensor, (own[0] - 1, *own[1:]))
        value = before + tir.Load(target.tensor, tuple(own))
        return self.nest(target, own, spans, tuple(own), value)

    def reduction(self, source: Known) -> tir.Stmt:
        """Sums over one of the axes of a tensor, as ``lower`` makes them."""
        draw = self.random
        kept = draw.choice((0, 1))
        low, high = source.box[kept]
        first, last = source.box[1 - kept]
        made = self.tensor((high + 1,), is_temp=draw.random() < 0.7)
        self.known.append(made._replace(box=((low, high),)))
        i, k, u = self.var("i"), self.var("k"), self.var("u")
        v, r = self.var("v"), self.var("r", is_reduce_axis=True)
        begin = made.tensor.with_fields(name=made.tensor.name + "__reduce_init")
        init = tir.ScheduleBlock((u,), (), (), begin.name, tir.Store(begin, self.number(0), (u,)))
        index = (v, r) if kept == 0 else (r, v)
        value = tir.Load(made.tensor, (v,)) + tir.Load(source.tensor, index)
        step = tir.ScheduleBlock(
            (v, r), (), (), made.tensor.name, tir.Store(made.tensor, value, (v,))
        )
        inner = tir.For(
            k, first, last - first + 1, tir.Block((tir.ScheduleBlockRealize((i, k), step),))
        )
        body = tir.Block((tir.ScheduleBlockRealize((i,), init), inner))
        return tir.For(i, low, high - low + 1, body)

    def nest(
        self,
        target: Known,
        own: list[tir.Var],
        spans: list[tuple[int, int]],
        index: tuple[tir.Expr, ...],
        value: tir.Expr,
    ) -> tir.Stmt:
        self.count += 1
        name = f"{target.tensor.name}_{self.count}"
        block = tir.ScheduleBlock(tuple(own), (), (), name, tir.Store(target.tensor, value, index))
        loops = [self.var("i") for _ in own]
        stmt: tir.Stmt = tir.ScheduleBlockRealize(tuple(loops), block)
        nest = list(zip(loops, spans, strict=True))
        if self.random.random() < 0.2:
            self.random.shuffle(nest)
        for loop, (low, size) in nest:
            stmt = tir.For(loop, low, size, tir.Block((stmt,)))
        return stmt


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
    draw = random.Random(f"prepared {seed}")
    if draw.random() < 0.5:
        func = Chain(seed).function()
    else:
        func = random_program(seed, dtype=draw.choice(("int32", "float32")))
    schedule = Schedule(func)
    take_random_steps(schedule, draw, draw.randint(0, 2))
    if draw.random() < 0.3:
        try:
            steps(schedule, draw, draw.choice(PRIMITIVES))[0]()
        except ScheduleError:
            return schedule.func
    return schedule.func


class Outcome(NamedTuple):
    """What became of a step.

    Attributes:
        kind: ``"legal"``, ``"refused"``, ``"lost"``: refused though it would have done no harm, or
            ``"impossible"``: there is no program that it could make.
        message: Of the refusal.
        funcs: The function before a step that was taken, and after.
    """

    kind: str
    message: str = ""
    funcs: tuple[tir.LoweredFunc, ...] = ()


def attempt(seed: object, name: str) -> Outcome:
    """Take a random step of a primitive, and tell what becomes of it.

    Raises:
        AssertionError: If the function does something else then, or the verifier reports it.
    """
    func = prepared(seed)
    with unchecked():
        number, made = _first_that_means_something(func, seed, name)
    schedule = Schedule(func)
    step = steps(schedule, random.Random(f"{seed} {name}"), name)[number]
    block = step.args[0].name
    try:
        step()
    except ScheduleError as refused:
        message = str(refused)
    else:
        found = tir.verify(schedule.func)
        assert not found, (seed, name, [str(each) for each in found])
        assert do_the_same(func, schedule.func, block), (seed, name)
        return Outcome("legal", funcs=(func, schedule.func))
    if made is None:
        return Outcome("impossible", message)
    if do_the_same(func, made, block) and compute_the_same(func, made):
        return Outcome("lost", message)
    return Outcome("refused", message)


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


def _first_that_means_something(
    func: tir.LoweredFunc, seed: object, name: str
) -> tuple[int, tir.LoweredFunc | None]:
    """Return the number of a step, and what it makes unchecked, if one makes anything."""
    schedule = Schedule(func)
    for number, step in enumerate(steps(schedule, random.Random(f"{seed} {name}"), name)):
        try:
            step()
        except ScheduleError:
            continue
        return number, schedule.func
    return 0, None


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


def compare_compiled(pairs: Sequence[tuple[tir.LoweredFunc, ...]]) -> int:
    """How many functions leave something else, compiled, than others that are interpreted."""
    differ = 0
    for start in range(0, len(pairs), TOGETHER):
        part = pairs[start : start + TOGETHER]
        named = [after.with_fields(name=f"f{at}") for at, (_, after) in enumerate(part)]
        module = compile_all(named)
        for (before, _), func in zip(part, named, strict=True):
            given = arguments(before, SEEDS[0])
            expected = outcome(before, given)
            differ += not same_outcome(expected, natively(module[func.name], given))
    return differ


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=int, nargs="?", default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--compile", type=int, default=0)
    parser.add_argument("--only", choices=PRIMITIVES, action="append")
    options = parser.parse_args()
    wrong = 0
    for name in options.only or PRIMITIVES:
        found: Counter[str] = Counter()
        made: list[tuple[tir.LoweredFunc, ...]] = []
        for seed in range(options.start, options.start + options.programs):
            try:
                result = attempt(seed, name)
            except Exception as error:  # noqa: BLE001 - reported with its seed
                result = Outcome("wrong", f"{type(error).__name__}: {error}")
            found[result.kind] += 1
            made += [result.funcs] if result.funcs else []
            if result.kind in ("lost", "wrong"):
                line = result.message.splitlines()[0]
                sys.stdout.write(f"  {name} {seed}, {result.kind}: {line[:300]}\n")
        refused = found["refused"] + found["lost"]
        loss = found["lost"] / refused if refused else 0
        differ = compare_compiled(made[: options.compile])
        sys.stdout.write(
            f"{name}: {options.programs} programs, {dict(found)}, loss {loss:.1%}; "
            f"{len(made[: options.compile])} compiled, {differ} differ\n"
        )
        sys.stdout.flush()
        wrong += found["wrong"] + differ
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
