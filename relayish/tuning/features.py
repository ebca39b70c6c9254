"""Features of programs by counting: what runs how often, over which memory, in which steps.

Each statement is looked at within its loops: how many times it runs, in which strides the innermost
loop goes through memory, and of each cache how many lines have to be brought into it: where what
the loops from some level inwards touch fits, it is brought there once for each iteration outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relayish.ir.nodes.node import Node
from relayish.tir.analysis.work.count import Count, sum_of
from relayish.tir.analysis.work.count_work import count_work
from relayish.tir.analysis.work.tally import size_of
from relayish.tir.analysis.work.work import AccessWork, Operations, Work
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Buffer, Store

CACHES: Final = (32 << 10, 1 << 20, 32 << 20)
"""Bytes of the caches that are counted with, innermost first: what many processors have."""
LINE: Final = 64
"""Bytes that are brought into a cache at once."""
VECTOR: Final = 32
"""Bytes that are computed with at once."""
_LOAD: Final = 6
"""So many operations one load counts as."""
_UNKNOWN: Final = 64
"""Iterations of a loop of which nobody knows how many it has."""

NAMES: Final = (
    *("runs", "vector_runs", "scalar_runs", "chained_runs", "loop_steps", "entries", "reloads"),
    *("gathers", "conflicts", "innermost", "unrolled", "parallel", "operations"),
    *(f"lines_{level}" for level in range(1, len(CACHES) + 1)),
)
"""What is counted, in order; of each the logarithm."""


class Loop(NamedTuple):
    """A loop around a statement: the loop, how many iterations it has, its kind."""

    node: Node
    times: int
    kind: ForType


class Step(NamedTuple):
    """A store within its loops.

    Attributes:
        loops: Around it, outermost first.
        accesses: What it reads, and last what it writes.
    """

    loops: Sequence[Loop]
    accesses: Sequence[AccessWork]


def count_features(func: LoweredFunc) -> NDArray[np.float64]:
    """Return the features of a function, as :data:`NAMES` says; schedule blocks are looked into.

    Complexity:
        That of :func:`relayish.tir.analysis.count_work`, and linear in the number of accesses times
        the depth of loops.
    """
    work = count_work(func)
    sums = dict.fromkeys(NAMES, 0.0)
    for step in steps(work):
        _add(sums, step)
    done = _operations(work.operations).number or 0
    for name, times in (("innermost", 1), ("unrolled", 1), ("operations", done)):
        sums[name] *= times / max(sums["runs"], 1.0)
    return np.array([math.log2(1 + sums[name]) for name in NAMES])


def prior_cost(features: NDArray[np.float64]) -> float:
    """Return the logarithm of what a program is likely to cost, by its features alone."""
    found = dict(zip(NAMES, np.exp2(np.minimum(features, _MOST)) - 1, strict=True))
    return math.log2(1 + sum([weight * found[name] for name, weight in _WEIGHTS.items()]))


_MOST: Final = 200.0
_WEIGHTS: Final = {
    "vector_runs": 1.0,
    "scalar_runs": 1.0,
    "chained_runs": 3.0,
    "loop_steps": 1.0,
    "entries": 2.0,
    "reloads": 12.0,
    "gathers": 1.0,
    "conflicts": 4.0,
    "operations": 0.1,
    "lines_1": 2.0,
    "lines_2": 6.0,
    "lines_3": 30.0,
}
"""Cycles, roughly, of each that is counted."""


def _add(sums: dict[str, float], step: Step) -> None:
    loops = [each for each in step.loops if each.times > 1]
    runs = math.prod([float(each.times) for each in loops])
    rolled = [each for each in loops if not each.kind & ForType.UNROLLED]
    unrolled = runs / math.prod([float(each.times) for each in rolled])
    node, count, kind = rolled[-1] if rolled else (None, 1, ForType.SERIAL)
    strides = [_stride(each, node) for each in step.accesses]
    is_chained = bool(rolled) and strides[-1] == 0
    is_vector = not is_chained and count > 1 and all(stride in (0, 1) for stride in strides)
    lanes = 1.0
    if is_vector:
        lanes = count / math.ceil(count * size_of(step.accesses[-1].buffer) / VECTOR)
    sums["runs"] += runs
    sums["vector_runs"] += runs / lanes if is_vector else 0
    sums["scalar_runs"] += 0 if is_vector else runs
    sums["chained_runs"] += runs / unrolled if is_chained else 0
    sums["loop_steps"] += sum(_prefixes(rolled)) / (lanes if kind & ForType.VECTORIZED else 1)
    sums["entries"] += runs / count
    around = _stride(step.accesses[-1], rolled[-2].node) if len(rolled) > 1 else 1
    sums["reloads"] += runs / count if around == 0 and count <= _SHORT else 0
    sums["gathers"] += runs * sum(stride not in (0, 1) for stride in strides)
    sums["conflicts"] += runs * sum(_conflicts(each, rolled[-3:]) for each in step.accesses)
    sums["innermost"] += runs * count
    sums["unrolled"] += runs * unrolled
    sums["parallel"] += math.prod([n for _, n, kind in loops if kind & ForType.PARALLEL])
    sums["operations"] += runs / lanes
    for level, size in enumerate(CACHES, 1):
        sums[f"lines_{level}"] += _lines(step, size)


def _stride(access: AccessWork, loop: Node | None) -> int:
    """Return by how many elements a loop moves a place; what is not told counts as nothing."""
    return 0 if loop is None else access.strides.get(loop) or 0


def _conflicts(access: AccessWork, loops: Sequence[Loop]) -> float:
    """Return how many lines an iteration brings in vain, since a cache keeps them in few places."""
    strides = [(_stride(access, each.node), each.times) for each in loops]
    size = size_of(access.buffer)
    if not any(
        stride and stride * size % _ALIASED == 0 and count > _WAYS for stride, count in strides
    ):
        return 0.0
    return size / LINE if strides[-1][0] == 1 else float(strides[-1][0] != 0)


_SHORT: Final = 16
"""Of so few iterations the last store is still on its way when the first load comes again."""
_ALIASED: Final = 512
_WAYS: Final = 8
"""So many lines a cache keeps whose places are alike."""


def _prefixes(loops: Sequence[Loop]) -> Iterator[float]:
    """Yield how often each loop steps."""
    steps = 1.0
    for each in loops:
        steps *= each.times
        yield steps


def _lines(step: Step, size: int) -> float:
    """Return how many lines have to be brought into a cache of a size."""
    outside = math.prod([float(each.times) for each in step.loops])
    found = outside * len(step.accesses)
    for level in range(len(step.loops), -1, -1):
        inner = step.loops[level:]
        parts = [_footprint(each, inner) for each in _distinct(step.accesses)]
        if sum([number for number, _ in parts]) * LINE > size and level < len(step.loops):
            return found
        found = outside * sum([number for number, _ in parts])
        if level:
            outside /= step.loops[level - 1].times
    return found


def _distinct(accesses: Sequence[AccessWork]) -> Sequence[AccessWork]:
    """Return accesses of which one goes where another does but once."""
    found = {(each.buffer, frozenset(each.strides.items())): each for each in accesses}
    return list(found.values())


def _footprint(access: AccessWork, loops: Sequence[Loop]) -> tuple[float, int]:
    """Return how many lines an access touches in loops, and the elements next to one another."""
    pairs = [(abs(_stride(access, each.node)), each.times) for each in loops]
    moved = sorted([pair for pair in pairs if pair[0]])
    size = _elements(access.buffer)
    run = 1
    for stride, count in moved:
        if stride > run:
            break
        run += stride * (count - 1)
    elements = math.prod([float(count) for _, count in moved])
    elements = min(elements, float(size))
    run = min(run, size)
    pieces = max(elements / max(run, 1), 1.0)
    return pieces * max(1.0, run * size_of(access.buffer) / LINE), run


def steps(work: Work) -> Iterator[Step]:
    """Yield the stores of a function, each within its loops."""
    around: list[Loop] = []
    nests: dict[Node | None, Sequence[Loop]] = {None: ()}
    for each in work.loops:
        count = each.extent.number
        kind = ForType.SERIAL if isinstance(each.loop, Reduce) else each.loop.for_type
        around[each.depth :] = [Loop(each.loop, _UNKNOWN if count is None else max(count, 1), kind)]
        nests[each.loop] = tuple(around)
    held: list[AccessWork] = []
    for access in work.accesses:
        held.append(access)
        if isinstance(access.access, Store):
            yield Step(nests[access.loop], tuple(held))
            held.clear()


def _operations(done: Operations) -> Count:
    """Return how many operations there are, a load being some, with what finds its place."""
    return sum_of([done.flops, done.integer_operations, done.loads * _LOAD])


def _elements(buffer: Buffer) -> int:
    return math.prod([constant(size) or _UNKNOWN for size in buffer.shape])
