"""What is said of blocks and loops, beside what they compute."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import RelayishError, ScheduleError


def doubled() -> tir.Schedule:
    A = tir.placeholder("A", (8,))
    B = tir.compute((8,), lambda i: A[i] * 2, "B")
    return tir.Schedule(tir.lower("double", [A, B]))


def test_a_block_is_told_what_it_is_told_last():
    schedule = doubled()
    block = schedule.get_block("B")
    schedule.annotate(block, "tile", 4)
    schedule.annotate(block, "kind", ["a", 1])
    schedule.annotate(block, "tile", 8)
    assert dict(block.stmt.schedule_block.attrs) == {"tile": 8, "kind": ("a", 1)}


def test_a_block_that_nothing_is_said_of_any_more_has_no_attributes():
    schedule = doubled()
    before = tir.astext(schedule.func)
    block = schedule.get_block("B")
    schedule.annotate(block, "tile", 4)
    assert tir.astext(schedule.func) != before
    schedule.unannotate(block, "tile")
    assert tir.astext(schedule.func) == before


def test_a_loop_is_told_what_llvm_can_be_told():
    schedule = doubled()
    (loop,) = schedule.get_loops("B")
    schedule.annotate(loop, "unroll_mode", "full")
    schedule.annotate(loop, "vectorization", False)
    assert loop.stmt.metadata == tir.LLVMForLoopMeta(tir.UnrollMode.FULL, False)
    schedule.unannotate(loop, "unroll_mode")
    assert loop.stmt.metadata == tir.LLVMForLoopMeta(None, False)
    schedule.unannotate(loop, "vectorization")
    assert loop.stmt.metadata is None


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("unroll_mode", "half", "expected one of default, full, never"),
        ("unroll_mode", True, "expected one of default, full, never"),
        ("vectorization", "full", "expected true or false"),
        ("unrol_mode", "full", "did you mean"),
        ("tile", 4, "whatever else is to be said is said of a block"),
    ],
)
def test_a_loop_is_not_told_what_it_cannot_be(key, value, message):
    schedule = doubled()
    with pytest.raises(RelayishError, match=message):
        schedule.annotate(schedule.get_loops("B")[0], key, value)


def test_what_was_not_said_cannot_be_taken_back():
    schedule = doubled()
    (loop,) = schedule.get_loops("B")
    with pytest.raises(RelayishError, match="block B has no attribute 'tile'"):
        schedule.unannotate(schedule.get_block("B"), "tile")
    with pytest.raises(RelayishError, match="of loop i no unroll_mode is said"):
        schedule.unannotate(loop, "unroll_mode")
    schedule.annotate(loop, "vectorization", False)
    with pytest.raises(RelayishError, match="of loop i no unroll_mode is said"):
        schedule.unannotate(loop, "unroll_mode")


def test_an_attribute_that_no_trace_can_say_is_refused():
    schedule = doubled()
    with pytest.raises(ScheduleError, match="which no trace can say"):
        schedule.annotate(schedule.get_block("B"), "thing", object())
