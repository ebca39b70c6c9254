"""Random programs of blocks in nests, and random steps, for tests of schedules.

Programs are affine, of integers, small enough to be run thousands of times. Memory of their own is
stored to before it is read.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

import numpy as np

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.compiled_loops import same_outcome
from tests.support.random_chains import Chain
from tests.support.tir_programs import arguments, outcome

SIZES = (1, 2, 3, 4, 6)


def random_program(seed: object, *, dtype: str = "int32", in_place: bool = True) -> tir.LoweredFunc:
    """Return a function of a few nests, each of which computes an array of one or two dimensions.

    Args:
        seed: What determines it.
        dtype: Of all arrays.
        in_place: Whether a nest may store to an array again, which it may read at other places.
    """
    draw = random.Random(f"schedule {seed}")
    given = [
        tir.placeholder(name, tuple(draw.choices(SIZES, k=draw.randint(1, 2))), dtype)
        for name in ("A", "B")[: draw.randint(1, 2)]
    ]
    is_repeated = draw.random() < 0.25
    made: list[tir.Tensor] = []
    for name in "CDEF"[: draw.randint(1, 4)]:
        made.append(_computed(draw, name, [*given, *made, *made], dtype, is_repeated))
    outputs = [each for each in made[:-1] if draw.random() < 0.3] + made[-1:]
    func = tir.lower("f", [*given, *outputs])
    while in_place and draw.random() < 0.4:
        func = _with_update(draw, func)
    return _repeated(func) if is_repeated else func


def _repeated(func: tir.LoweredFunc) -> tir.LoweredFunc:
    """The function whose nests are run twice, by a loop around all of them, of other values."""
    [realize] = func.body.stmts
    body = realize.schedule_block.body
    held = body if isinstance(body, tir.Block) else tir.Block((body,))
    given = [
        arg
        for arg, kind in zip(func.args, func.args_io, strict=True)
        if kind is tir.ArgumentIO.INPUT
    ]
    stmts = (*held.stmts, *[_change(each) for each in given])
    loop = tir.For(tir.Var("t"), 0, 2, tir.Block(stmts))
    image = realize.schedule_block.with_fields(body=loop)
    return func.with_fields(body=tir.Block((realize.with_fields(schedule_block=image),)))


def _change(buffer: tir.Buffer) -> tir.Stmt:
    """Loops that change all elements of a buffer."""
    view = tir.Tensor(f"changed{buffer.name}", buffer.shape, buffer.dtype, buffer)
    own = tuple([tir.Var(f"i{at}") for at in range(len(buffer.shape))])
    loops = tuple([tir.Var(f"c{at}") for at in range(len(buffer.shape))])
    store = tir.Store(view, view[own] * -3 + 7, own)
    block = tir.ScheduleBlock(own, (), (), view.name, store)
    nest: tir.Stmt = tir.ScheduleBlockRealize(loops, block)
    for var, size in zip(loops, buffer.shape, strict=True):
        nest = tir.For(var, 0, size, tir.Block((nest,)))
    return nest


def _computed(
    draw: random.Random, name: str, sources: list[tir.Tensor], dtype: str, is_repeated: bool
) -> tir.Tensor:
    """A tensor; what is repeated has sums alone, since maxima do not tell how often."""
    shape = draw.choices(SIZES, k=draw.choice((1, 2, 2)))
    over = [
        tir.reduce_axis(f"k{at}", draw.choice(SIZES)) for at in range(draw.choice((0, 0, 1, 1, 2)))
    ]
    reduce = draw.choice((tir.reduce_sum, tir.reduce_max, tir.reduce_sum)[is_repeated * 2 :])

    def body(*axes: tir.Var) -> tir.Expr:
        sizes = dict(zip(axes, shape, strict=True))
        sizes.update({axis: axis.upper_bound.value for axis in over})
        value = _value(draw, sources, sizes, dtype) + (5 if is_repeated else 0)
        return reduce(value, over) if over else value

    return tir.compute(tuple(shape), body, name)


def _value(
    draw: random.Random, sources: list[tir.Tensor], sizes: dict[tir.Var, int], dtype: str
) -> tir.Expr:
    value = _load(draw, draw.choice(sources), sizes)
    for _ in range(draw.choice((0, 1, 1, 2))):
        other = _load(draw, draw.choice(sources), sizes)
        value = draw.choice((tir.Add, tir.Sub, tir.Mul, tir.Max))(value, other)
    return value + tir.const(draw.randint(1, 3), dtype) if draw.random() < 0.3 else value


def _load(draw: random.Random, source: tir.Tensor, sizes: dict[tir.Var, int]) -> tir.Expr:
    return source[tuple([_index(draw, size.value, sizes) for size in source.shape])]


def _index(draw: random.Random, size: int, sizes: dict[tir.Var, int]) -> tir.Expr:
    """An index of a dimension, affine in the variables, quotients and remainders included."""
    found: list[tir.Expr] = []
    for var, count in sizes.items():
        if count <= size:
            found += [var, var, var + draw.randint(0, size - count), (size - 1) - var]
        if 2 * count - 1 <= size:
            found.append(var * 2 + draw.randint(0, size - 2 * count + 1))
        if (count + 1) // 2 <= size:
            found.append(var / 2)
        found.append(var % size)
        for other, more in sizes.items():
            if other is not var and count + more - 1 <= size:
                found.append(var + other)
            if other is not var and count * more <= size:
                found.append(var * more + other)
    found.append(tir.const(draw.randrange(size), "int32"))
    return draw.choice(found)


def _with_update(draw: random.Random, func: tir.LoweredFunc) -> tir.LoweredFunc:
    """The function with a nest more, somewhere, that stores to an array that is there already."""
    [realize] = func.body.stmts
    body = realize.schedule_block.body
    stmts = list(body.stmts) if isinstance(body, tir.Block) else [body]
    at = draw.randint(1, len(stmts))
    known: dict[tir.Buffer, tir.Tensor] = {}
    for node in tir.collect_ir_nodes(tir.Block(tuple(stmts[:at])), lambda _: True):
        if isinstance(node, (tir.Store, tir.Load)):
            known.setdefault(node.tensor.buffer, node.tensor)
    tensors = sorted(known.values(), key=lambda each: each.name)
    stored = {
        node.tensor.buffer
        for stmt in stmts[:at]
        for node in tir.collect_ir_nodes(stmt, lambda each: isinstance(each, tir.Store))
    }
    target = draw.choice([each for each in tensors if each.buffer in stored])
    names = [f"u{n}" for n in range(draw.randint(1, 3))]
    sizes = {tir.Var(name): draw.choice(SIZES) for name in names}
    inner = {tir.Var(f"i{n}", "int32", 0, size): size for n, size in enumerate(sizes.values())}
    indices = tuple([_index(draw, size.value, inner) for size in target.shape])
    sources = [target, *tensors]
    store = tir.Store(target, _value(draw, sources, inner, str(target.dtype)), indices)
    block = tir.ScheduleBlock(tuple(inner), (), (), f"update{len(stmts)}", store)
    nest: Any = tir.ScheduleBlockRealize(tuple(sizes), block)
    for var, size in reversed(sizes.items()):
        nest = tir.For(var, 0, size, tir.Block((nest,)))
    stmts.insert(at, nest)
    image = realize.schedule_block.with_fields(body=tir.Block(tuple(stmts)))
    return func.with_fields(body=tir.Block((realize.with_fields(schedule_block=image),)))


def take_random_steps(
    schedule: tir.Schedule,
    draw: random.Random,
    count: int,
    kinds: Iterable[str] = ("split", "fuse", "reorder", "decompose_reduction"),
) -> None:
    """Take up to ``count`` steps, drawn among ``kinds``; those that are refused are left out."""
    for _ in range(count):
        with suppress(ScheduleError):
            STEPS[draw.choice(list(kinds))](schedule, draw)


def _random_split(schedule: tir.Schedule, draw: random.Random) -> None:
    loops = schedule.get_loops()
    if loops:
        schedule.split(draw.choice(loops), draw.choice(([-1, 2], [2, -1], [-1, 3], [2, -1, 2])))


def _random_fuse(schedule: tir.Schedule, draw: random.Random) -> None:
    loops = schedule.get_loops(draw.choice(schedule.get_all_blocks()))
    at = draw.randrange(max(len(loops), 1))
    schedule.fuse(loops[at : at + 2])


def _random_reorder(schedule: tir.Schedule, draw: random.Random) -> None:
    loops = schedule.get_loops(draw.choice(schedule.get_all_blocks()))
    schedule.reorder(draw.sample(loops, len(loops)))


def _random_decomposition(schedule: tir.Schedule, draw: random.Random) -> None:
    block = draw.choice(schedule.get_all_blocks())
    loops = schedule.get_loops(block)
    if loops:
        schedule.decompose_reduction(block, draw.choice(loops))


def _random_location(schedule: tir.Schedule, draw: random.Random) -> None:
    blocks = schedule.get_all_blocks()
    at = draw.randrange(len(blocks))
    loops = schedule.get_loops(draw.choice(blocks[at:]))
    if loops:
        schedule.compute_at(blocks[at], draw.choice(loops))


STEPS: dict[str, Callable[[tir.Schedule, random.Random], None]] = {
    "split": _random_split,
    "fuse": _random_fuse,
    "reorder": _random_reorder,
    "decompose_reduction": _random_decomposition,
    "compute_at": _random_location,
}
"""Steps with random arguments, by the names of their primitives."""


def prepared(seed: object, *, kinds: Iterable[str] = STEPS) -> tir.LoweredFunc:
    """Return a function of blocks after a few steps."""
    draw = random.Random(f"prepared {seed}")
    if draw.random() < 0.5:
        func = Chain(seed).function()
    else:
        func = random_program(seed, dtype=draw.choice(("int32", "float32")))
    schedule = tir.Schedule(func)
    take_random_steps(schedule, draw, draw.randint(0, 3), kinds)
    return schedule.func


class Trial(NamedTuple):
    """What came of a step.

    Attributes:
        what: ``"legal"``; ``"refused"``, and ``"lost"`` where it would have done no harm;
            ``"impossible"`` where it cannot be taken at all, by force neither.
        before: The program.
        after: What became of it, by force where the step is refused.
        message: Of the refusal.
    """

    what: str
    before: tir.LoweredFunc
    after: tir.LoweredFunc
    message: str = ""


Step = Callable[[tir.Schedule], object]
"""Takes a step; what raises an IndexError finds nothing to take it of."""

Same = Callable[[tir.LoweredFunc, tir.LoweredFunc], bool]


def tried(
    func: tir.LoweredFunc,
    step: Step,
    disarm: Callable[[], AbstractContextManager[None]],
    is_same: Same,
    is_harmless: Same | None = None,
) -> Trial:
    """Take a step of a program, by force where it is refused, and say what came of it.

    Args:
        func: The program.
        step: Takes the step, the same each time.
        disarm: Switches the checks of legality off.
        is_same: Whether a program that a step made does what it did before.
        is_harmless: The same of one that was made by force, where more is asked of it.

    Raises:
        AssertionError: If the step changes what is computed, the verifier finds something then, or
            a replay makes another program.
    """
    schedule = tir.Schedule(func)
    try:
        step(schedule)
    except IndexError:
        return Trial("impossible", func, func)
    except ScheduleError as error:
        forced = tir.Schedule(func)
        try:
            with disarm():
                step(forced)
        except ScheduleError:
            return Trial("impossible", func, func, str(error))
        is_lost = not tir.verify(forced.func) and (is_harmless or is_same)(func, forced.func)
        return Trial("lost" if is_lost else "refused", func, forced.func, str(error))
    problems = tir.verify(schedule.func)
    assert not problems, [str(each) for each in problems]
    assert is_same(func, schedule.func), "runs are different"
    again = schedule.trace.replay(func)
    assert tir.astext(again.func) == tir.astext(schedule.func), "a replay makes something else"
    return Trial("legal", func, schedule.func)


def inputs(func: tir.LoweredFunc) -> Iterator[list[Any]]:
    """Yield arguments: memory with other numbers, of each size that there may be."""
    for n in range(5 if any(isinstance(arg, tir.Var) for arg in func.args) else 3):
        pairs = zip(func.args, arguments(func, n), strict=True)
        yield [np.int32(n) if isinstance(arg, tir.Var) else given for arg, given in pairs]


def leave_the_same(before: tir.LoweredFunc, after: tir.LoweredFunc) -> bool:
    """Whether two functions leave the same bits in their arguments."""
    return all(
        same_outcome(outcome(before, given), outcome(after, given)) for given in inputs(before)
    )
