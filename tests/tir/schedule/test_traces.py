"""Traces: as Python, as JSON and replayed they make the same schedule, whatever the steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from relayish import tir
from relayish.codegen.c import to_c
from relayish.errors import ScheduleError
from relayish.tir.schedule.registry import PRIMITIVES
from tests.support.cinn_schedules import CASES, computed, copied, product, trace_of, traces
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


def padded(s: tir.Schedule) -> None:
    s.pad_einsum(s.get_block("C_global_temp_buffer"), [3, 1, 3])


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
"""Primitives that CINN's tests of traces leave out: a schedule, and what is done to it."""


def run(steps: str, func: tir.LoweredFunc) -> dict[str, Any]:
    """Return the names that a trace as Python makes, with what they stand for."""
    known = {"tir": tir, "func": func}
    exec(steps, known)
    return known


def results(steps: str, known: dict[str, Any]) -> list[str]:
    """Return what the last step makes, as text."""
    names = steps.splitlines()[-1].rpartition(" = ")[0]
    made = [known[name.strip()] for name in names.split(",") if name.strip()]
    return [str(each if isinstance(each, int) else each.stmt) for each in made]


def check(schedule: tir.Schedule) -> None:
    """Raise unless a trace makes the same again, in each of its forms."""
    stored, text = schedule.trace.to_json(), tir.astext(schedule.func)
    assert tir.Trace.from_json(stored).to_json() == stored
    again = tir.Trace.from_json(stored).replay(schedule.program)
    for other in (again, run(str(schedule.trace), schedule.program)["schedule"]):
        assert isinstance(other, tir.Schedule)
        assert tir.astext(other.func) == text
        assert other.trace.to_json() == stored


@pytest.mark.parametrize("name", traces())
def test_a_trace_by_hand_and_what_is_recorded_of_it_make_the_same(name):
    """As CINN asks of each kind of step: results of the last, programs, and their text in C."""
    func, steps = trace_of(name)
    known = run(steps, func)
    schedule = known["schedule"]
    assert str(schedule.trace) == steps
    assert tir.verify(schedule.func) == ()
    check(schedule)
    again = run(str(tir.Trace.from_json(schedule.trace.to_json())), func)
    assert results(steps, again) == results(steps, known)
    assert to_c(again["schedule"].func).text == to_c(schedule.func).text


def test_all_of_cinns_tests_of_traces_are_there():
    assert len(traces()) == 33


def test_factors_that_are_drawn_given_or_of_a_loop_by_name_split_alike():
    func, steps = trace_of("Split")
    expected = results(steps, run(steps, func))
    for loop in (lambda s: s.get_loops(s.get_block("B"))[0], lambda s: s.get_loops("B")[0]):
        schedule = tir.Schedule(func)
        assert [str(each.stmt) for each in schedule.split(loop(schedule), [4, -1])] == expected


@pytest.mark.parametrize("name", OTHERS)
def test_a_step_is_taken_again_from_python_and_from_json(name):
    make, take = OTHERS[name]
    schedule = make()
    take(schedule)
    check(schedule)


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_whole_schedules_are_made_again_from_python_and_from_json(name):
    check(CASES[name]())


def test_every_primitive_is_taken_again():
    taken = set(re.findall(r"schedule\.(\w+)\(", "".join(steps for _, steps in traces().values())))
    for make, take in OTHERS.values():
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
