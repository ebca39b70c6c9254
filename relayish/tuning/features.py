"""Features of programs by counting: what runs how often, over which memory, in which steps.

Each statement is looked at within its loops: how many times it runs, in which strides the innermost
loop goes through memory, and of each cache how many lines have to be brought into it: where what
the loops from some level inwards touch fits, it is brought there once for each iteration outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relayish.ir.kinds.trip_count import trip_count
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.ir.type import Type

CACHES: Final = (32 << 10, 1 << 20, 32 << 20)
"""Bytes of the caches that are counted with, innermost first: what many processors have."""
LINE: Final = 64
"""Bytes that are brought into a cache at once."""
VECTOR: Final = 32
"""Bytes that are computed with at once."""
_UNKNOWN: Final = 64
"""Iterations of a loop of which nobody knows how many it has."""

NAMES: Final = (
    *("runs", "vector_runs", "scalar_runs", "chained_runs", "loop_steps", "entries", "reloads"),
    *("gathers", "conflicts", "innermost", "unrolled", "parallel", "operations"),
    *(f"lines_{level}" for level in range(1, len(CACHES) + 1)),
)
"""What is counted, in order; of each the logarithm."""


class Access(NamedTuple):
    """One access to memory.

    Attributes:
        memory: What is accessed.
        bytes: Those of an element.
        strides: By loop, how many elements one iteration is from the next.
        size: How many elements there are.
    """

    memory: Node
    bytes: int
    strides: Mapping[Var, int]
    size: int


class Step(NamedTuple):
    """A statement within its loops.

    Attributes:
        loops: Around it, outermost first: the variable, how many iterations, and their kind.
        accesses: What it reads, and last what it writes.
        operations: How many operations it is.
    """

    loops: tuple[tuple[Var, int, ForType], ...]
    accesses: Sequence[Access]
    operations: int


def count_features(func: LoweredFunc) -> NDArray[np.float64]:
    """Return the features of a function, as :data:`NAMES` says; schedule blocks are looked into.

    Complexity:
        Linear in the size of the function times the depth of its loops.
    """
    sums = dict.fromkeys(NAMES, 0.0)
    for step in steps(func):
        _add(sums, step)
    for name in ("innermost", "unrolled"):
        sums[name] /= max(sums["runs"], 1.0)
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
    loops = [each for each in step.loops if each[1] > 1]
    runs = math.prod([float(count) for _, count, _ in loops])
    rolled = [each for each in loops if not each[2] & ForType.UNROLLED]
    unrolled = runs / math.prod([float(count) for _, count, _ in rolled])
    var, count, kind = rolled[-1] if rolled else (None, 1, ForType.SERIAL)
    strides = [each.strides.get(var, 0) if var is not None else 0 for each in step.accesses]
    is_chained = bool(rolled) and strides[-1] == 0
    is_vector = not is_chained and count > 1 and all(stride in (0, 1) for stride in strides)
    lanes = 1.0
    if is_vector:
        lanes = count / math.ceil(count * step.accesses[-1].bytes / VECTOR)
    sums["runs"] += runs
    sums["vector_runs"] += runs / lanes if is_vector else 0
    sums["scalar_runs"] += 0 if is_vector else runs
    sums["chained_runs"] += runs / unrolled if is_chained else 0
    sums["loop_steps"] += sum(_prefixes(rolled)) / (lanes if kind & ForType.VECTORIZED else 1)
    sums["entries"] += runs / count
    around = step.accesses[-1].strides.get(rolled[-2][0], 0) if len(rolled) > 1 else 1
    sums["reloads"] += runs / count if around == 0 and count <= _SHORT else 0
    sums["gathers"] += runs * sum(stride not in (0, 1) for stride in strides)
    sums["conflicts"] += runs * sum(_conflicts(each, rolled[-3:]) for each in step.accesses)
    sums["innermost"] += runs * count
    sums["unrolled"] += runs * unrolled
    sums["parallel"] += math.prod([n for _, n, kind in loops if kind & ForType.PARALLEL])
    sums["operations"] += step.operations * runs / lanes
    for level, size in enumerate(CACHES, 1):
        sums[f"lines_{level}"] += _lines(step, size)


def _conflicts(access: Access, loops: Sequence[tuple[Var, int, ForType]]) -> float:
    """Return how many lines an iteration brings in vain, since a cache keeps them in few places."""
    strides = [(access.strides.get(var, 0), count) for var, count, _ in loops]
    if not any(
        stride and stride * access.bytes % _ALIASED == 0 and count > _WAYS
        for stride, count in strides
    ):
        return 0.0
    return access.bytes / LINE if strides[-1][0] == 1 else float(strides[-1][0] != 0)


_SHORT: Final = 16
"""Of so few iterations the last store is still on its way when the first load comes again."""
_ALIASED: Final = 512
_WAYS: Final = 8
"""So many lines a cache keeps whose places are alike."""


def _prefixes(loops: Sequence[tuple[Var, int, ForType]]) -> Iterator[float]:
    """Yield how often each loop steps."""
    steps = 1.0
    for _, count, _ in loops:
        steps *= count
        yield steps


def _lines(step: Step, size: int) -> float:
    """Return how many lines have to be brought into a cache of a size."""
    outside = math.prod([float(count) for _, count, _ in step.loops])
    found = outside * len(step.accesses)
    for level in range(len(step.loops), -1, -1):
        inner = step.loops[level:]
        parts = [_footprint(each, inner) for each in _distinct(step.accesses)]
        if sum([number for number, _ in parts]) * LINE > size and level < len(step.loops):
            return found
        found = outside * sum([number for number, _ in parts])
        if level:
            outside /= max(step.loops[level - 1][1], 1)
    return found


def _distinct(accesses: Sequence[Access]) -> Sequence[Access]:
    """Return accesses of which one goes where another does but once."""
    return list({(each.memory, tuple(each.strides.items())): each for each in accesses}.values())


def _footprint(access: Access, loops: Sequence[tuple[Var, int, ForType]]) -> tuple[float, int]:
    """Return how many lines an access touches in loops, and the elements next to one another."""
    moved = sorted(
        [(abs(access.strides[var]), count) for var, count, _ in loops if access.strides.get(var)]
    )
    run = 1
    for stride, count in moved:
        if stride > run:
            break
        run += stride * (count - 1)
    elements = math.prod([float(count) for _, count in moved])
    elements = min(elements, float(access.size))
    run = min(run, access.size)
    pieces = max(elements / max(run, 1), 1.0)
    return pieces * max(1.0, run * access.bytes / LINE), run


def steps(func: LoweredFunc) -> Iterator[Step]:
    """Yield the stores of a function, each within its loops."""
    waiting: list[tuple[Node, tuple[tuple[Var, int, ForType], ...], dict[Var, Expr]]]
    waiting = [(func.body, (), {})]
    while waiting:
        node, loops, bound = waiting.pop()
        if isinstance(node, Store):
            yield _step(node, loops, bound)
            continue
        if isinstance(node, For):
            counted = trip_count(node)
            count = _UNKNOWN if counted is None else max(counted, 1)
            loops = (*loops, (node.loop_var, count, node.for_type))
        elif isinstance(node, ScheduleBlockRealize):
            block = node.schedule_block
            bound = {**bound, **dict(zip(block.iter_vars, node.iter_values, strict=True))}
            waiting.append((block.body, loops, bound))
            continue
        elif isinstance(node, Alloc):
            continue
        waiting += [(child, loops, bound) for child in reversed(list(STATEMENTS.children(node)))]


def _step(
    store: Store, loops: tuple[tuple[Var, int, ForType], ...], bound: Mapping[Var, Expr]
) -> Step:
    read = []
    operations = 0
    for each in PROGRAM.pre_order(store.value):
        if isinstance(each, Load):
            read.append(_access(each.tensor, each.indices, bound, each.type))
        elif isinstance(each, Expr):
            operations += 1
    written = _access(store.tensor, store.indices, bound, store.value.type)
    return Step(loops, (*read, written), operations)


def _access(memory: Node, indices: Sequence[Expr], bound: Mapping[Var, Expr], ty: Type) -> Access:
    shape = memory.shape if isinstance(memory, Tensor) else ()
    sizes = [constant(size) or _UNKNOWN for size in shape]
    strides: dict[Var, int] = {}
    step = 1
    for index, size in zip(reversed(indices), reversed(sizes), strict=False):
        for var, coefficient in _coefficients(index, bound):
            strides[var] = strides.get(var, 0) + step * coefficient
        step *= size
    buffer = memory.buffer if isinstance(memory, Tensor) else memory
    return Access(buffer or memory, max(ty.bits // 8, 1), strides, math.prod(sizes))


def _coefficients(index: Expr, bound: Mapping[Var, Expr]) -> Iterator[tuple[Var, int]]:
    """Yield the variables of loops that an index is a sum of, each with its factor.

    What is no multiple of a variable is left out.
    """
    waiting = [(index, 1)]
    while waiting:
        expr, factor = waiting.pop()
        if not expr.type.is_integer:
            continue
        for term, coefficient in linear_form(expr).terms.items():
            if not isinstance(term, Var):
                continue
            value = bound.get(term)
            if value is None:
                yield term, factor * coefficient
            else:
                waiting.append((value, factor * coefficient))
