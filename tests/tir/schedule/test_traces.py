"""Traces: as Python, as JSON and replayed they make the same schedule, whatever the steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir.schedule.registry import PRIMITIVES
from tests.support.cinn_schedules import CASES, computed, copied, product
from tests.tir.schedule.test_cinn_schedules import REFUSED
from tests.tir.schedule.test_padding import cached
from tests.tir.schedule.test_tensorize import axpy, rank_one

Steps = Callable[[tir.Schedule], object]


def two() -> tir.Schedule:
    """B of A, and C of B."""
    return computed((8, 8), (8, 8), (8, 8))


def block(name: str, step: Callable[[tir.Schedule, tir.BlockRV], object]) -> Steps:
    return lambda s: step(s, s.get_block(name))


def loops(name: str, step: Callable[[tir.Schedule, list[tir.LoopRV]], object]) -> Steps:
    return lambda s: step(s, s.get_loops(name))


def split_and_reordered(order: tuple[int, ...]) -> Steps:
    def take(s: tir.Schedule) -> None:
        s.split(s.get_loops("B")[0], s.sample_perfect_tile(s.get_loops("B")[0], 2, 1, [-1, 4]))
        s.split(s.get_loops("B")[2], s.sample_perfect_tile(s.get_loops("B")[2], 2, 1, [-1, 2]))
        made = s.get_loops("B")
        s.reorder([made[at] for at in order])

    return take


def waiting(s: tir.Schedule) -> None:
    s.cache_write(s.get_block("B"), 0, "local")
    s.cache_write(s.get_block("C"), 0, "local")
    s.sync_threads(s.get_block("C"), False)
    s.sync_threads(s.get_block("B"))


def noted(s: tir.Schedule) -> None:
    for key, value in {"k1": 64, "k2": True, "k3": 2.0, "k4": "v4"}.items():
        s.annotate(s.get_block("B"), key, value)


def noted_no_more(s: tir.Schedule) -> None:
    noted(s)
    for key in ("k1", "k2", "k3", "k4"):
        s.unannotate(s.get_block("B"), key)


def padded(s: tir.Schedule) -> None:
    s.pad_einsum(s.get_block("C_global_temp_buffer"), [3, 1, 3])


CINN: dict[str, tuple[Callable[[], tir.Schedule], Steps]] = {
    "Append_Replay": (CASES["split_and_fuse1"], lambda s: None),
    "GetAllBlocks": (two, lambda s: s.get_all_blocks()),
    "GetChildBlocks": (two, block("root", lambda s, root: s.get_child_blocks(root))),
    "GetLoops": (two, block("B", lambda s, b: s.get_loops(b))),
    "GetLoopsWithName": (two, lambda s: s.get_loops("B")),
    "GetBlock": (two, lambda s: s.get_block("B")),
    "GetRootBlock": (two, loops("B", lambda s, all_: s.get_root_block(all_[1]))),
    "SamplePerfectTile": (two, loops("B", lambda s, all_: s.sample_perfect_tile(all_[0], 2, 1))),
    "SampleCategorical": (two, lambda s: s.sample_categorical([1, 2, 3], [1.0, 2.0, 3.0])),
    "Split": (two, loops("B", lambda s, all_: s.split(all_[0], [4, -1]))),
    "SplitWithName": (two, loops("B", lambda s, all_: s.split(all_[1], [4, -1]))),
    "Fuse": (two, loops("B", lambda s, all_: s.fuse(all_))),
    "FuseWithName": (two, lambda s: s.fuse(s.get_loops("B"))),
    "FuseWithBlock": (two, block("B", lambda s, b: s.fuse(s.get_loops(b)))),
    "ComputeAt": (two, loops("C", lambda s, all_: s.compute_at(s.get_block("B"), all_[1]))),
    "SimpleComputeAt": (
        two,
        loops("C", lambda s, all_: s.simple_compute_at(s.get_block("B"), all_[1])),
    ),
    "ReverseComputeAt": (
        two,
        loops("B", lambda s, all_: s.reverse_compute_at(s.get_block("C"), all_[1])),
    ),
    "CacheRead": (two, block("B", lambda s, b: s.cache_read(b, 0, "local"))),
    "CacheWrite": (two, block("B", lambda s, b: s.cache_write(b, 0, "local"))),
    "SyncThreads": (two, waiting),
    "SetBuffer": (two, block("B", lambda s, b: s.set_buffer(b, "shared"))),
    "Reorder": (lambda: copied(8, 8, 4), split_and_reordered((4, 0))),
    "ReorderWithBlock": (lambda: copied(8, 8, 4), split_and_reordered((2, 3, 1, 4, 0))),
    "ReorderWithName": (lambda: copied(8, 8, 4), split_and_reordered((4, 2, 3, 1, 0))),
    "Parallel": (two, loops("B", lambda s, all_: s.parallel(all_[0]))),
    "Vectorize": (two, loops("B", lambda s, all_: s.vectorize(all_[1], 4))),
    "Unroll": (two, loops("B", lambda s, all_: s.unroll(all_[1]))),
    "ComputeInline": (two, block("B", lambda s, b: s.compute_inline(b))),
    "ReverseComputeInline": (two, block("C", lambda s, c: s.reverse_compute_inline(c))),
    "Bind": (two, loops("B", lambda s, all_: s.bind(all_[0], "blockIdx.x"))),
    "Rfactor": (
        product,
        loops("C", lambda s, all_: s.rfactor(all_[2], 0, allow_reordering=True)),
    ),
    "MergeExprs": (two, lambda s: s.merge_exprs()),
    "Annotate": (two, noted),
    "Unannotate": (two, noted_no_more),
}
"""CINN's tests of traces, by the kind of step: a schedule, and what is done to it."""

OTHERS: dict[str, tuple[Callable[[], tir.Schedule], Steps]] = {
    "flatten_loops": (two, loops("B", lambda s, all_: s.flatten_loops(all_, True))),
    "fission": (two, loops("C", lambda s, all_: s.fission(all_[0]))),
    "compute_with": (two, lambda s: s.compute_with(*[s.get_loops(each)[0] for each in "BC"])),
    "loop_partition": (two, loops("B", lambda s, all_: s.loop_partition(all_[0], [2, 5]))),
    "copy_transform_and_loop_info": (
        two,
        lambda s: (
            s.split(s.get_loops("C")[0], [2, -1]),
            s.copy_transform_and_loop_info(s.get_block("B"), s.get_block("C")),
        ),
    ),
    "decompose_reduction": (
        product,
        loops("C", lambda s, all_: s.decompose_reduction(s.get_block("C"), all_[0])),
    ),
    "transform_layout": (
        two,
        block("B", lambda s, b: s.transform_layout(b, 0, lambda i, j: (j, i))),
    ),
    "tensorize": (
        lambda: tir.Schedule(rank_one()),
        lambda s: s.tensorize(s.split(s.get_loops()[-1], [-1, 8])[-1], axpy()),
    ),
    "pad_einsum": (lambda: cached(product().program)[0], padded),
    "tag_post_schedule": (two, lambda s: s.tag_post_schedule()),
}
"""The same of primitives that CINN's tests of traces leave out."""


def check(schedule: tir.Schedule) -> None:
    """Raise unless a trace makes the same again, in each of its forms."""
    stored, text = schedule.trace.to_json(), tir.astext(schedule.func)
    assert tir.Trace.from_json(stored).to_json() == stored
    again = tir.Trace.from_json(stored).replay(schedule.program)
    known = {"tir": tir, "func": schedule.program}
    exec(str(schedule.trace), known)
    for other in (again, known["schedule"]):
        assert isinstance(other, tir.Schedule)
        assert tir.astext(other.func) == text
        assert other.trace.to_json() == stored


@pytest.mark.parametrize("name", [*CINN, *OTHERS])
def test_a_step_is_taken_again_from_python_and_from_json(name):
    make, take = {**CINN, **OTHERS}[name]
    schedule = make()
    take(schedule)
    check(schedule)


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_whole_schedules_are_made_again_from_python_and_from_json(name):
    check(CASES[name]())


def test_every_primitive_is_taken_again():
    taken = set()
    for make, take in [*CINN.values(), *OTHERS.values()]:
        schedule = make()
        take(schedule)
        taken |= {step.name for step in schedule.trace.steps}
    own = {name for name, made in PRIMITIVES.items() if made.__module__.startswith("relayish.tir")}
    assert own - taken == set()


def test_a_trace_on_another_shape_makes_other_loops():
    trace = CASES["split_and_fuse2"]().trace
    other = trace.replay(copied(4, 6).program)
    outer, inner = other.get_loops("B")
    assert (outer.stmt.extent.value, inner.stmt.extent.value) == (5, 5)
    assert tir.verify(other.func) == ()


def test_a_trace_on_a_shape_where_its_conditions_do_not_hold_says_which_step():
    schedule = two()
    schedule.split(schedule.get_loops("B")[0], [2, 4])
    with pytest.raises(ScheduleError) as found:
        schedule.trace.replay(computed((9, 8), (9, 8), (9, 8)).program)
    assert "in step 1, split" in str(found.value.__notes__)
