"""Steps of schedules with random arguments, on random nests: what they allow, and what they refuse.

python -m tests.support.schedules reorder 1000             # each program run before and after
python -m tests.support.schedules reorder 1000 --compile 100
python -m tests.support.schedules reorder --only 1234      # one program, printed before and after

What is refused is tried by force: where a step is taken without asking, and all runs are the same
after all, the check has lost something. Steps that cannot even be taken by force are no such loss.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import pkgutil
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir.schedule import primitives
from tests.support.compiled_loops import TOGETHER, compile_all, natively
from tests.support.tir_nests import Nest, OutOfRange, Run

KINDS = (
    ("perfect",),
    ("perfect", "planes"),
    ("perfect", "symbolic"),
    ("perfect", "sums"),
    ("perfect", "planes", "sums", "symbolic"),
    ("perfect", "blocks", "planes"),
    ("perfect", "blocks", "branches"),
    ("perfect", "branches", "symbolic"),
    ("perfect", "quotients"),
    ("perfect", "reductions", "planes"),
    ("planes", "scalars", "branches"),
    ("steps", "perfect"),
)
"""What programs consist of: affine all of them, with blocks and without, of sizes not known, too.

Loops begin at -1 to 2, or where one around them is; some run never, some as often as others tell.
"""


class Case(NamedTuple):
    """A program, and a step.

    Attributes:
        func: The program.
        root: The nest that it consists of.
        name: The primitive.
        given: What it is given, by handles of a schedule of the program.
    """

    func: tir.LoweredFunc
    root: tir.For
    name: str
    given: Callable[[tir.Schedule], tuple[Any, ...]]


class Result(NamedTuple):
    """What became of a step: ``"legal"``, ``"refused"``, ``"lost"`` or ``"impossible"``."""

    what: str
    func: tir.LoweredFunc | None = None
    message: str = ""


def random_nest(rng: random.Random) -> tuple[tir.LoweredFunc, Any]:
    """Return a function of one nest, of which all indices are in range, and the nest."""
    kinds = (*rng.choice(KINDS), "distinct", "kept")
    while True:
        nest = Nest(rng, kinds)
        buffers = {each.buffer: None for each in nest.tensors}
        try:
            for n in range(5 if nest.sizes else 1):
                Run(nest.root, dict.fromkeys(nest.sizes, n))
        except OutOfRange:
            continue
        func = tir.LoweredFunc("f", (*nest.sizes, *buffers), tir.Block((nest.root,)))
        if not tir.verify(func):
            return func, nest.root


def random_case(name: str, seed: int) -> Case:
    """Return a program, and a step with arguments."""
    rng = random.Random(f"{name} {seed}")
    while True:
        func, root = random_nest(rng)
        loops = tir.Schedule(func).get_loops()
        given = DRAWS[name](rng, [each.stmt for each in loops]) if loops else None
        if given is not None:
            return Case(func, root, name, given)


def inputs(func: tir.LoweredFunc) -> Iterator[list[Any]]:
    """Yield arguments: of each size that there may be, memory with other numbers."""
    sizes = [arg for arg in func.args if isinstance(arg, tir.Var)]
    random_ = np.random.default_rng(0)
    for n in range(5 if sizes else 2):
        yield [
            np.int32(n)
            if isinstance(arg, tir.Var)
            else random_.integers(-(1 << 20), 1 << 20, [size.value for size in arg.shape], "int32")
            for arg in func.args
        ]


def leaves(func: tir.LoweredFunc) -> list[list[bytes]]:
    found = []
    for given in inputs(func):
        tir.run(func, *given)
        found.append([np.asarray(arg).tobytes() for arg in given])
    return found


def take(case: Case) -> Result:
    """Take a step, and compare runs; take it by force where it is refused."""
    schedule = tir.Schedule(case.func)
    try:
        schedule.apply(case.name, *case.given(schedule))
    except ScheduleError as error:
        assert schedule.func.body is tir.Schedule(case.func).func.body or len(schedule.trace.steps)
        return Result(_by_force(case), message=str(error))
    problems = tir.verify(schedule.func)
    assert not problems, [str(each) for each in problems]
    assert leaves(case.func) == leaves(schedule.func), "runs are different"
    again = schedule.trace.replay(case.func)
    assert tir.astext(again.func) == tir.astext(schedule.func), "a replay makes something else"
    return Result("legal", schedule.func)


def _by_force(case: Case) -> str:
    if case.name in CONFLICTS:
        schedule = tir.Schedule(case.func)
        (loop, *rest) = case.given(schedule)
        return "refused" if CONFLICTS[case.name](case, loop.stmt, rest) else "lost"
    with unchecked():
        schedule = tir.Schedule(case.func)
        try:
            schedule.apply(case.name, *case.given(schedule))
        except ScheduleError:
            return "impossible"
    return "lost" if leaves(case.func) == leaves(schedule.func) else "refused"


CHECKS = ("check_directions", "check_kinds", "check_at_once", "check_fixed_bounds", "check_order")
"""What decides whether a step is legal; all else that is refused cannot be done."""


@contextmanager
def unchecked() -> Iterator[None]:
    """Let primitives do what they are told."""
    with ExitStack() as stack:
        for each in pkgutil.iter_modules(primitives.__path__, f"{primitives.__name__}."):
            module = importlib.import_module(each.name)
            for name in CHECKS:
                if hasattr(module, name):
                    stack.enter_context(patch.object(module, name, lambda *_, **__: None))
        yield


# Arguments


def _chain(loops: Sequence[tir.For]) -> list[list[int]]:
    """Return which loops hold nothing but one another, by their numbers."""
    found = []
    for at in range(len(loops)):
        chain = [at]
        while True:
            body: Any = loops[chain[-1]].body
            while isinstance(body, tir.Block) and len(body.stmts) == 1:
                body = body.stmts[0]
            if not isinstance(body, tir.For):
                break
            chain.append(loops.index(body))
        found.append(chain)
    return found


Given = Callable[[tir.Schedule], tuple[Any, ...]] | None


def _split(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    at = rng.randrange(len(loops))
    factors: list[int | None] = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.8:
        factors[rng.randrange(len(factors))] = rng.choice([-1, None])
    return lambda schedule: (schedule.get_loops()[at], factors)


def _adjacent(rng: random.Random, loops: Sequence[tir.For]) -> list[int] | None:
    chain = rng.choice(_chain(loops))
    return chain[: rng.randint(2, 3)] if len(chain) > 1 else None


def _fuse(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    chain = _adjacent(rng, loops)
    if chain is None:
        return None
    return lambda schedule: ([schedule.get_loops()[at] for at in chain],)


def _flatten(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    chain = _adjacent(rng, loops)
    force = rng.random() < 0.5
    if chain is None:
        return None
    return lambda schedule: ([schedule.get_loops()[at] for at in chain], force)


def _reorder(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    chain = rng.choice(_chain(loops))
    if len(chain) < 2:
        return None
    order = rng.sample(chain, rng.randint(2, len(chain)))
    if order == sorted(order):
        order.reverse()
    return lambda schedule: ([schedule.get_loops()[at] for at in order],)


def _one(*more: Sequence[Any]) -> Callable[[random.Random, Sequence[tir.For]], Given]:
    def draw(rng: random.Random, loops: Sequence[tir.For]) -> Given:
        at = rng.randrange(len(loops))
        rest = [rng.choice(each) for each in more]
        return lambda schedule: (schedule.get_loops()[at], *rest)

    return draw


def _partition(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    at = rng.randrange(len(loops))
    cuts = sorted(rng.sample(range(1, 4), rng.randint(1, 2)))
    return lambda schedule: (schedule.get_loops()[at], cuts)


DRAWS: dict[str, Callable[[random.Random, Sequence[tir.For]], Given]] = {
    "split": _split,
    "fuse": _fuse,
    "flatten_loops": _flatten,
    "reorder": _reorder,
    "loop_partition": _partition,
    "parallel": _one(),
    "vectorize": _one((2, 3, 4, None)),
    "unroll": _one(),
    "bind": _one(("blockIdx.x", "threadIdx.x")),
    "sample_perfect_tile": _one((2, 3)),
}
"""Random arguments, by primitive; ``None`` where a program has nothing for it."""


# Conflicts


def _conflicts(case: Case, loop: tir.For) -> Iterator[tuple[Any, Any, int, int]]:
    """Yield accesses of one element in two iterations of one run of a loop, one of which writes."""
    own = _same_loop(case, loop)
    sizes = [arg for arg in case.func.args if isinstance(arg, tir.Var)]
    for n in range(5 if sizes else 1):
        run = Run(case.root, dict.fromkeys(sizes, n))
        touching: dict[Any, list[Any]] = {}
        for number, (node, writes, element, loops) in enumerate(run.events):
            at = next((at for at, (each, _) in enumerate(loops) if each is own), None)
            if at is not None:
                key = element, tuple([i for _, i in loops[:at]])
                touching.setdefault(key, []).append((number, node, writes, loops[at][1]))
        for events in touching.values():
            for one, other in itertools.combinations(events, 2):
                if one[3] != other[3] and (one[2] or other[2]):
                    yield one, other, one[3], other[3]


def _same_loop(case: Case, loop: tir.For) -> tir.For:
    """Return the loop of the program that one of a schedule is."""
    mine = list(tir.collect_ir_nodes_in_order(case.root, _is_loop))
    theirs = tir.collect_ir_nodes_in_order(tir.Schedule(case.func).func.body, _is_loop)
    names = [each.loop_var.name for each in theirs]
    assert len(mine) == len(names)
    return mine[names.index(loop.loop_var.name)]


def _is_loop(node: Any) -> bool:
    return isinstance(node, tir.For)


def _any_conflict(case: Case, loop: tir.For, _: Sequence[Any]) -> bool:
    return next(_conflicts(case, loop), None) is not None


def _conflict_of_lanes(case: Case, loop: tir.For, rest: Sequence[Any]) -> bool:
    """Whether lanes of one vector cannot do each statement one after the other, all at once."""
    factor = rest[0] if rest and rest[0] else getattr(loop.extent, "value", 0)
    if not factor or factor < 1:
        return True  # it is not told how many lanes
    has_loops = any(_is_loop(each) for each in tir.collect_ir_nodes(loop.body, _is_loop))
    order = {node: at for at, node in enumerate(tir.collect_ir_nodes(loop.body, lambda _: True))}
    for (_, one, *_a), (_, other, *_b), early, late in _conflicts(case, loop):
        if abs(late - early) < factor and (has_loops or not _keeps(order, one, other)):
            return True
    return False


def _keeps(order: dict[Any, int], early: Any, late: Any) -> bool:
    """Whether an access of an early lane is made before that of a later lane, in one statement."""
    if early is late:
        return True  # lanes store in order
    if isinstance(late, tir.Store) and _is_within(early, late):
        return True
    return order[early] < order[late] and not _is_within(late, early)


def _is_within(node: Any, root: Any) -> bool:
    return any(each is node for each in tir.collect_ir_nodes(root, lambda _: True))


CONFLICTS: dict[str, Callable[[Case, tir.For, Sequence[Any]], bool]] = {
    "parallel": _any_conflict,
    "bind": _any_conflict,
    "vectorize": _conflict_of_lanes,
}
"""Of primitives that let iterations run at once: whether some of a loop cannot."""


def compare_compiled(funcs: Sequence[tuple[tir.LoweredFunc, tir.LoweredFunc]]) -> int:
    """Return how many functions leave something else than others when they are compiled."""
    wrong = 0
    for start in range(0, len(funcs), TOGETHER):
        part = funcs[start : start + TOGETHER]
        made = [after.with_fields(name=f"f{at}") for at, (_, after) in enumerate(part)]
        module = compile_all(made)
        for (before, _), func in zip(part, made, strict=True):
            for given in inputs(before):
                expected = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in given]
                tir.run(before, *expected)
                found = natively(module[func.name], given)
                wrong += not all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("primitive", choices=sorted(DRAWS))
    parser.add_argument("programs", type=int, nargs="?", default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--compile", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.start, options.start + options.programs)
    count: Counter[str] = Counter()
    made = []
    for seed in seeds if options.only is None else [options.only]:
        case = random_case(options.primitive, seed)
        if options.only is not None:
            sys.stdout.write(f"{tir.astext(case.func)}\n")
            schedule = tir.Schedule(case.func)
            sys.stdout.write(f"{case.name}{case.given(schedule)}\n")
        try:
            found = take(case)
        except Exception as error:  # noqa: BLE001 - reported with its seed
            count["wrong"] += 1
            sys.stdout.write(f"{seed}: {type(error).__name__}: {error}\n")
            continue
        count[found.what] += 1
        if found.func is not None:
            made.append((case.func, found.func))
        if found.what == "lost" or options.only is not None:
            sys.stdout.write(f"{seed}: {found.what}: {found.message}\n")
        if options.only is not None and found.func is not None:
            sys.stdout.write(f"{tir.astext(found.func)}\n")
    wrong = compare_compiled(made[: options.compile])
    loss = count["lost"] / max(count["lost"] + count["refused"], 1)
    sys.stdout.write(
        f"{options.primitive}: {sum(count.values())} programs, {dict(count)}, loss {loss:.1%}; "
        f"{min(len(made), options.compile)} compiled, {wrong} differ\n"
    )
    return bool(count["wrong"] or wrong)


if __name__ == "__main__":
    sys.exit(main())
