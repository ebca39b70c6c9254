"""What CINN's tests of schedules build, by meaning: own programs, small enough to be run.

Each is a function that takes the steps; ``tests/cases/cinn_schedules.txt`` has the nest that comes
out, without braces and the root. The steps of its tests of traces stand in ``cinn_traces.txt``, of
programs that are as large as there.

What differs in the nests: conditions are asked within the innermost loop, and joined; a loop that
``rfactor`` makes results for stays where it was; sums of floats are made in another order only
where that is allowed; a barrier is a call. One index is used in CINN that is none: the second
buffer that the block of a sum reads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from relayish import tir

EXPECTED: Final = Path(__file__).parents[1] / "cases" / "cinn_schedules.txt"

TRACES: Final = EXPECTED.with_name("cinn_traces.txt")

CASES: Final[dict[str, Callable[[], tir.Schedule]]] = {}
"""By the name of CINN's test."""


def case(make: Callable[[], tir.Schedule]) -> Callable[[], tir.Schedule]:
    CASES[make.__name__] = make
    return make


def expected() -> dict[str, list[str]]:
    """Return the nests that come out, by the name of the test."""
    parts = EXPECTED.read_text(encoding="utf-8").split("== ")[1:]
    return {part.splitlines()[0]: part.splitlines()[1:] for part in parts}


@functools.cache
def traces() -> dict[str, tuple[str, str]]:
    """Return what CINN's tests of traces schedule, and the steps, by the kind of step."""
    parts = TRACES.read_text(encoding="utf-8").split("== ")[1:]
    pairs = [part.split("\n", 1) for part in parts]
    found = {}
    for head, steps in pairs:
        name, program = head.split(": ", 1)
        found[name] = program, f"schedule = tir.Schedule(func)\n{steps.rstrip()}"
    return found


def trace_of(name: str) -> tuple[tir.LoweredFunc, str]:
    """Return the function that a test of traces schedules, and the steps as Python."""
    program, steps = traces()[name]
    schedule = eval(program)
    assert isinstance(schedule, tir.Schedule)
    return schedule.func, steps


def nest(func: tir.LoweredFunc) -> list[str]:
    """Return a function as lines of loops, conditions, blocks and stores, indented as they nest."""
    text = tir.astext(func).split("#[details]")[0]
    found: list[tuple[int, str]] = []
    for line in text.splitlines()[1:]:
        stripped = line.strip()
        if stripped in ("", "{", "}") or stripped == "ScheduleBlock(root)":
            continue
        found.append((len(line) - len(line.lstrip()), stripped.removesuffix(" {")))
    ranks = {depth: at for at, depth in enumerate(sorted({depth for depth, _ in found}))}
    return [f"{'  ' * ranks[depth]}{line}" for depth, line in found]


def copied(*shape: int, needed: bool = False) -> tir.Schedule:
    """``B = A``, and, if that is needed, ``C = B``."""
    A = tir.placeholder("A", shape)
    B = tir.compute(shape, lambda *at: A[at], "B")
    C = tir.compute(shape, lambda *at: B[at], "C")
    return tir.Schedule(tir.lower("f", [A, C] if needed else [A, B]))


def copied_twice(*shape: int) -> tir.Schedule:
    """``B = A``, by two functions' bodies, one behind the other."""
    func = copied(*shape).func
    body = tir.Block((*tir.as_block(func.body).stmts, *tir.as_block(func.body).stmts))
    return tir.Schedule(func.with_fields(body=body))


def computed(
    *shapes: Sequence[int], at: Callable[..., tuple[tir.Expr, ...]] = lambda *i: i
) -> tir.Schedule:
    """``B = A * 2`` and ``C = B[at] + 1``, of the shapes of A, B and C."""
    a, b, *rest = shapes
    A = tir.placeholder("A", tuple(a))
    B = tir.compute(tuple(b), lambda *i: A[i] * 2.0, "B")
    if not rest:
        return tir.Schedule(tir.lower("f", [A, B]))
    C = tir.compute(tuple(rest[0]), lambda *i: B[at(*i)] + 1.0, "C")
    return tir.Schedule(tir.lower("f", [A, C]))


@case
def split_and_fuse1() -> tir.Schedule:
    s = copied(8, 8)
    s.split(s.fuse(s.get_loops("B")), [4, -1])
    s.split(s.fuse(s.get_loops("B")), [16, -1])
    return s


@case
def split_and_fuse2() -> tir.Schedule:
    s = copied(8, 8)
    s.split(s.fuse(s.get_loops("B")), [-1, 5])
    return s


def reordered(first: int, second: int, order: Sequence[int]) -> tir.Schedule:
    s = copied(8, 8, 4)
    s.split(s.get_loops("B")[0], [-1, first])
    s.split(s.get_loops("B")[2], [-1, second])
    loops = s.get_loops("B")
    s.reorder([loops[at] for at in order])
    return s


@case
def reorder1() -> tir.Schedule:
    return reordered(4, 2, (4, 0))


@case
def reorder2() -> tir.Schedule:
    return reordered(4, 2, (4, 2, 3, 1, 0))


@case
def reorder3() -> tir.Schedule:
    return reordered(5, 2, (3, 1, 2, 0, 4))


@case
def reorder4() -> tir.Schedule:
    return reordered(3, 5, (0, 2, 1, 3, 4))


@case
def parallel() -> tir.Schedule:
    s = copied(8, 8)
    s.parallel(s.get_loops("B")[0])
    return s


@case
def vectorize() -> tir.Schedule:
    s = copied(8, 8)
    s.vectorize(s.get_loops("B")[1], 4)
    return s


@case
def unroll() -> tir.Schedule:
    s = copied(8, 2)
    s.unroll(s.get_loops("B")[1])
    return s


@case
def bind() -> tir.Schedule:
    s = copied(8, 2)
    s.bind(s.get_loops("B")[0], "blockIdx.x")
    return s


def fused_and_split(s: tir.Schedule, *names: str, by: int) -> list[tir.LoopRV]:
    for name in names:
        loops = s.split(s.fuse(s.get_loops(name)), [-1, by])
    return loops


@case
def simple_compute_at() -> tir.Schedule:
    s = copied(16, 10, needed=True)
    inner = fused_and_split(s, "B", "C", by=64)[1]
    s.simple_compute_at(s.get_block("B"), inner)
    return s


@case
def compute_at0() -> tir.Schedule:
    s = copied(16, 10, needed=True)
    inner = fused_and_split(s, "B", "C", by=64)[1]
    s.compute_at(s.get_block("B"), inner)
    return s


def in_second_loop(memory: str = "") -> tir.Schedule:
    s = copied(8, 8, 4, needed=True)
    if memory:
        s.set_buffer(s.get_block("B"), memory)
    s.compute_at(s.get_block("B"), s.get_loops("C")[1])
    return s


@case
def compute_at1() -> tir.Schedule:
    return in_second_loop()


def of_the_diagonal(memory: str = "") -> tir.Schedule:
    s = computed((16, 16), (16, 16), (8, 8), at=lambda i, j: (i + j, i + j))
    if memory:
        s.set_buffer(s.get_block("B"), memory)
    s.compute_at(s.get_block("B"), s.get_loops("C")[0])
    return s


@case
def compute_at2() -> tir.Schedule:
    return of_the_diagonal()


def in_fused_and_split(at: int, memory: str = "") -> tir.Schedule:
    s = copied(16, 16, needed=True)
    if memory:
        s.set_buffer(s.get_block("B"), memory)
    s.split(s.fuse(s.get_loops("C")), [8, -1])
    s.compute_at(s.get_block("B"), s.get_loops("C")[at])
    return s


@case
def compute_at3() -> tir.Schedule:
    return in_fused_and_split(0)


@case
def compute_at4() -> tir.Schedule:
    return in_second_loop("local")


@case
def compute_at5() -> tir.Schedule:
    return of_the_diagonal("local")


@case
def compute_at6() -> tir.Schedule:
    return in_fused_and_split(1, "local")


def both_read(wait: bool) -> tir.Schedule:
    s = computed((16, 16), (8, 8), (4, 4))
    s.cache_read(s.get_block("B"), 0, "local")
    s.cache_read(s.get_block("C"), 0, "local")
    if wait:
        s.sync_threads(s.get_loops("C")[1], False)
        s.sync_threads(s.get_loops("B")[1])
    return s


@case
def cache_read1() -> tir.Schedule:
    return both_read(wait=False)


@case
def cache_read2() -> tir.Schedule:
    s = computed((16, 8), (16, 8))
    copy = s.cache_read(s.get_block("B"), 0, "local")
    s.compute_at(copy, s.get_loops("B")[1])
    return s


def both_written(memory: str = "") -> tir.Schedule:
    s = computed((16, 8), (16, 8), (16, 8))
    if memory:
        s.set_buffer(s.get_block("B"), memory)
    s.cache_write(s.get_block("B"), 0, "local")
    s.cache_write(s.get_block("C"), 0, "local")
    return s


@case
def cache_write1() -> tir.Schedule:
    return both_written()


@case
def cache_write2() -> tir.Schedule:
    s = computed((16, 8), (16, 8))
    copy = s.cache_write(s.get_block("B"), 0, "local")
    s.compute_at(copy, s.get_loops("B")[1])
    return s


@case
def cache_read3() -> tir.Schedule:
    return both_read(wait=True)


@case
def cache_write3() -> tir.Schedule:
    s = both_written("shared")
    s.sync_threads(s.get_loops("C")[0], False)
    s.sync_threads(s.get_loops("B")[0])
    return s


@case
def sync_threads() -> tir.Schedule:
    s = both_written("shared")
    s.sync_threads(s.get_block("C"), False)
    s.sync_threads(s.get_block("B"))
    return s


def reduced() -> tir.Schedule:
    A = tir.placeholder("A", (8, 2, 4))
    j0, k0 = tir.reduce_axis("j0", 2), tir.reduce_axis("k0", 4)
    B = tir.compute((8,), lambda i: tir.reduce_sum(A[i, j0, k0], [j0, k0]), "B")
    return tir.Schedule(tir.lower("f", [A, B]))


@case
def rfactor() -> tir.Schedule:
    s = reduced()
    s.rfactor(s.get_loops("B")[2], 0, allow_reordering=True)
    return s


@case
def rfactor1() -> tir.Schedule:
    s = reduced()
    s.rfactor(s.get_loops("B")[1], 1, allow_reordering=True)
    return s


def product(rows: int = 8, inner: int = 4, columns: int = 2) -> tir.Schedule:
    A, B = tir.placeholder("A", (rows, inner)), tir.placeholder("B", (inner, columns))
    k0 = tir.reduce_axis("k0", inner)
    shape = (rows, columns)
    C = tir.compute(shape, lambda i, j: tir.reduce_sum(A[i, k0] * B[k0, j], [k0]), "C")
    return tir.Schedule(tir.lower("f", [A, B, C]))


@case
def rfactor2() -> tir.Schedule:
    s = product()
    s.rfactor(s.get_loops("C")[2], 0, allow_reordering=True)
    return s


def inlined(turned: bool, memory: str = "") -> tir.Schedule:
    shape = (8, 8, 4)
    s = computed(shape, shape, shape, at=(lambda i, j, k: (j, i, k)) if turned else lambda *i: i)
    if memory:
        s.set_buffer(s.get_block("B"), memory)
    if not turned:
        s.compute_at(s.get_block("B"), s.get_loops("C")[1])
    s.compute_inline(s.get_block("B"))
    return s


@case
def compute_inline1() -> tir.Schedule:
    return inlined(turned=True)


@case
def compute_inline2() -> tir.Schedule:
    return inlined(turned=False)


@case
def compute_inline3() -> tir.Schedule:
    return inlined(turned=True, memory="local")


@case
def compute_inline4() -> tir.Schedule:
    return inlined(turned=False, memory="local")


@case
def reverse_compute_inline1() -> tir.Schedule:
    s = computed((8, 16), (8, 16), (16, 8), at=lambda i, j: (j, i))
    s.reverse_compute_inline(s.get_block("C"))
    return s


@case
def reverse_compute_inline2() -> tir.Schedule:
    s = computed((8, 8, 4), (8, 8, 4), (8, 8, 4), at=lambda i, j, k: (j, i, k))
    s.reverse_compute_inline(s.get_block("C"))
    return s


def transforms_copied(*shapes: Sequence[int], turned: bool) -> tir.Schedule:
    s = computed(*shapes, at=(lambda i, j, k: (j, i, k)) if turned else lambda *i: i)
    s.split(s.get_loops("C")[1], [-1, 4])
    s.split(s.get_loops("C")[0], [-1, 2])
    s.copy_transform_and_loop_info(s.get_block("B"), s.get_block("C"))
    return s


@case
def copytransform1() -> tir.Schedule:
    return transforms_copied((8, 8, 4), (8, 8, 4), (8, 8, 4), turned=True)


@case
def copytransform2() -> tir.Schedule:
    return transforms_copied((8, 16, 4), (8, 16, 4), (8, 8, 4), turned=False)


def annotated() -> tir.Schedule:
    s = copied(8, 8)
    s.fuse(s.get_loops("B"))
    for key, value in NOTES.items():
        s.annotate(s.get_block("B"), key, value)
    return s


NOTES: Final = {"k1": 64, "k2": True, "k3": 2.0, "k4": "v4"}


@case
def Annotate() -> tir.Schedule:
    return annotated()


@case
def Unannotate() -> tir.Schedule:
    s = annotated()
    for key in NOTES:
        s.unannotate(s.get_block("B"), key)
    return s


def indices_of_tiles(order: Sequence[int]) -> tir.Schedule:
    """Loops of a sum in some order; the copy of a part of it stands in the second of them."""
    A = tir.placeholder("A", (8, 16), "int32")
    k = tir.reduce_axis("k", 16)
    s = tir.Schedule(
        tir.lower("f", [A, tir.compute((8,), lambda i: tir.reduce_sum(A[i, k], [k]), "B")])
    )
    s.decompose_reduction(s.get_block("B"), s.get_loops("B")[0])
    s.split(s.get_loops("B")[0], [4, -1])
    s.split(s.get_loops("B")[2], [8, -1])
    loops = s.get_loops("B")
    s.reorder([loops[at] for at in order])
    copy = s.cache_read(s.get_block("B"), 0, "shared")
    s.compute_at(copy, s.get_loops("B")[0])
    sums = s.cache_write(s.get_block("B"), 0, "local")
    s.reverse_compute_at(s.get_block("B"), s.get_loops(sums)[list(order).index(0)])
    return s


@case
def ComplexIndices() -> tir.Schedule:
    """Refused: the copy of a sum would be stored in each step of the sum, while it is not done."""
    return indices_of_tiles((2, 0, 3, 1))


def stored_in_each_step(zeros: bool) -> tir.LoweredFunc:
    """What comes out of ``ComplexIndices`` in CINN: sums in memory of their own, of which no zeros.

    Args:
        zeros: Whether the zeros go to that memory, and not to where its copy goes.
    """
    A, B = tir.placeholder("A", (8, 16), "int32"), tir.placeholder("B", (8,), "int32")
    sums = tir.Tensor("S", (8,), "int32", tir.Buffer("_S", (8,), "int32"))

    def tile(k: tir.Expr, i: tir.Expr) -> tir.Stmt:
        def add(at: tir.Expr, by: tir.Expr) -> tir.Stmt:
            return tir.store(sums, sums[i * 2 + at] + A[i * 2 + at, k * 2 + by], i * 2 + at)

        adding = tir.for_("k1", 2, lambda by: tir.for_("i1", 2, lambda at: add(at, by)))
        back = tir.for_("at", 2, lambda at: tir.store(B, sums[i * 2 + at], i * 2 + at))
        return tir.block(adding, back)

    first = tir.for_("i", 8, lambda i: tir.store(sums if zeros else B, tir.const(0), i))
    steps = tir.for_("k0", 8, lambda k: tir.for_("i0", 4, lambda i: tile(k, i)))
    return tir.LoweredFunc("f", (A, B), tir.block(first, steps), (sums.buffer,))


@case
def GetChildBlocks() -> tir.Schedule:
    s = in_second_loop()
    root = s.get_root_block(s.get_loops("B")[1])
    assert [each.name for each in s.get_child_blocks(root)] == ["B", "C"]
    return s


@case
def SamplePerfectTile() -> tir.Schedule:
    s = copied(64)
    tile = s.sample_perfect_tile(s.get_loops("B")[0], 3, 64)
    assert len(tile) == 3
    return s


@case
def SampleCategorical() -> tir.Schedule:
    s = copied(8, 8, 4)
    assert s.sample_categorical([1, 2, 3], [1.0, 2.0, 3.0]) in (1, 2, 3)
    return s
