"""Pictures of loops that tell what these do, and of schedules."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import relayish as relay
from relayish import tir
from relayish.draw.diagram import BoxKind
from relayish.draw.drawing import draw
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func
from tests.support.tir_small import loop, memory

A, B, C = memory("A", 64, 32), memory("B", 32), memory("C", 64)
I, J, N = tir.Var("i"), tir.Var("j"), tir.Var("n")  # noqa: E741


def sums(size: tir.Expr | int = 64) -> tir.LoweredFunc:
    step = tir.Store(C, C[I] + A[I, J] * B[J], (I,))
    rows = loop(I, 0, size, loop(J, 0, 32, step), kind="PARALLEL")
    scalars = (size,) if isinstance(size, tir.Var) else ()
    return tir.LoweredFunc("sums", (*scalars, A.buffer, B.buffer, C.buffer), tir.Block((rows,)))


def test_tree_tells_what_loops_do_and_touch() -> None:
    assert draw(sums(), work=True).to_text() == (
        "function sums\n"
        "├─ _A {int32[64, 32]}\n"
        "├─ _B {int32[32]}\n"
        "├─ _C {int32[64]}\n"
        "├─ for i in [0, 64) {parallel; 64 iterations; 4,096 integer operations; reads and writes "
        "_C: 256 B; reads _A: 8,192 B; reads _B: 128 B}\n"
        "│ └─ for j in [0, 32) {2,048 iterations; 4,096 integer operations; reads and writes "
        "_C: 4 B; reads _A: 128 B; reads _B: 128 B}\n"
        "│   └─ %0 = store(◂ _C, ◂ _A, ◂ _B, ◂ %0 _C) {C[i] = (C[i] + (A[i, j] * B[j]))}\n"
        "└─ _C#2(◂ %0) {int32[64]}\n"
    )


def test_picture_tells_what_all_of_it_does() -> None:
    notes = draw(sums(), work=True).diagram.notes
    assert notes == {"loads": "6,144", "stores": "2,048", "bytes touched": "8,576"}


def test_sizes_are_put_in() -> None:
    diagram = draw(sums(N), work=True, sizes={"n": 5}).diagram
    [rows] = [box for box in diagram.boxes if box.title == "for i in [0, n)"]
    assert rows.lines[1:3] == ("5 iterations", "320 integer operations")


def test_picture_without_work_is_as_it_was() -> None:
    plain = draw(sums()).diagram
    assert [box.lines for box in plain.boxes if box.kind is BoxKind.LOOP] == [("parallel",), ()]
    assert not plain.notes


def test_schedule_is_drawn_as_the_function_it_holds_with_work() -> None:
    x = tir.placeholder("X", (64,))
    func = tir.lower("double", [x, tir.compute((64,), lambda i: x[i] * 2, "Y")])
    schedule = tir.Schedule(func)
    schedule.split(schedule.get_loops("Y")[0], [-1, 16])
    shown = draw(schedule)
    assert shown.to_text() == draw(schedule.func, work=True).to_text()
    assert "for i_0 in [0, 4) {4 iterations; 64 flops; reads _X: 256 B; " in shown.to_text()
    assert draw(schedule, work=False).to_text() == draw(schedule.func).to_text()


def test_loops_of_a_module_tell_what_they_do() -> None:
    mod = relay.IRModule({"first": sums(), "second": sums()})
    shown = draw(mod, work=True).to_text()
    assert shown.count("2,048 iterations") == 2
    assert "iterations" not in draw(mod).to_text()
    assert "2,048 iterations" in draw(mod, only="first", work=True).to_text()


def test_svg_shows_what_the_tree_does() -> None:
    picture = draw(sums(), work=True)
    root = ET.fromstring(picture.to_svg())
    shown = [each_one.text for each_one in root.iter() if each_one.tag.endswith("text")]
    assert "reads and writes _C: 256 B" in shown
    assert "4,096 integer operations" in shown


def test_page_tells_what_all_of_it_does() -> None:
    assert "bytes touched" in draw(sums(), work=True).to_html()


@each("seed", seeds(25))
def test_each_loop_of_any_program_tells_its_own_work(seed: int) -> None:
    func = random_func(seed)
    loops = [
        each_one
        for each_one in tir.analysis.count_work(func).loops
        if not isinstance(each_one.loop, tir.Reduce)
    ]
    boxes = [
        box for box in relay.draw(func, work=True).diagram.boxes if box.title.startswith("for ")
    ]
    told = [[line for line in box.lines if "iterations" in line] for box in boxes]
    assert len(boxes) == len(loops)
    for lines, work in zip(told, loops, strict=True):
        assert bool(lines) == bool(work.iterations.terms)
