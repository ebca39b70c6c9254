"""Steps of schedules with random arguments, on random nests of affine programs."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from relayish import tir
from relayish.tir.schedule import primitives
from tests.support.random_schedules import Trial, leave_the_same, tried
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
        if name == "compute_with":
            func = _apart(rng, func)
        loops = tir.Schedule(func).get_loops()
        given = DRAWS[name](rng, [each.stmt for each in loops]) if loops else None
        if given is not None:
            return Case(func, root, name, given)


def _apart(rng: random.Random, func: tir.LoweredFunc) -> tir.LoweredFunc:
    """Return a function in which statements of a loop are loops, that run equally often, by force.

    What it does may be something else.
    """
    schedule = tir.Schedule(func)
    several = [each for each in schedule.get_loops() if len(_held(each.stmt)) > 1]
    if several:
        with unchecked(), schedule.attempt():
            schedule.fission(rng.choice(several))
    return schedule.func


def attempt(name: str, seed: int) -> Trial:
    """Take a step of a random nest.

    Of those that let iterations run at once, conflicts between iterations are counted instead.
    """
    case = random_case(name, seed)

    def step(schedule: tir.Schedule) -> None:
        schedule.apply(name, *case.given(schedule))

    found = tried(case.func, step, unchecked, leave_the_same)
    if name in CONFLICTS and found.what != "legal":
        loop, *rest = case.given(tir.Schedule(case.func))
        what = "refused" if CONFLICTS[name](case, loop.stmt, rest) else "lost"
        return found._replace(what=what)
    return found


CHECKS = (
    *("check_directions", "check_kinds", "check_at_once", "check_fixed_bounds", "check_order"),
    "check_turned",
)
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


def _fission(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    several = [at for at, loop in enumerate(loops) if len(_held(loop)) > 1]
    if not several:
        return None
    at = rng.choice(several)
    return lambda schedule: (schedule.get_loops()[at],)


def _compute_with(rng: random.Random, loops: Sequence[tir.For]) -> Given:
    pairs = [
        (loops.index(one), loops.index(other))
        for loop in loops
        for one, other in itertools.pairwise(_held(loop))
        if isinstance(one, tir.For) and isinstance(other, tir.For)
    ]
    if not pairs:
        return None
    pair = rng.choice(pairs)
    return lambda schedule: tuple([schedule.get_loops()[at] for at in pair])


def _held(loop: tir.For) -> Sequence[Any]:
    return loop.body.stmts if isinstance(loop.body, tir.Block) else ()


DRAWS: dict[str, Callable[[random.Random, Sequence[tir.For]], Given]] = {
    "split": _split,
    "fuse": _fuse,
    "flatten_loops": _flatten,
    "reorder": _reorder,
    "fission": _fission,
    "compute_with": _compute_with,
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
