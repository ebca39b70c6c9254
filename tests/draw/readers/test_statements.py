"""Programs of statements in pictures: boxes within boxes, and what wrote what is read."""

from __future__ import annotations

import pytest

from relayish import core, tir
from relayish.draw.diagram import BoxKind, Diagram, EdgeKind
from relayish.draw.drawing import draw
from relayish.draw.readers.last_writers import MOST_WRITERS
from relayish.ir.nodes.node import Node
from tests.support.depth import DEPTH
from tests.support.loop_languages import DECLARED, For, Load, LoopVar, Store, Tensor

PRODUCT = """\
function mm (_A, _B, _C)
{
  parallel for (i, 0, 16)
  {
    for (j, 2, 8)
    {
      ScheduleBlock(C_init)
      {
        i0, i1 = axis.bind(i, j)
        C[i0, i1] = 0.0f
      }
      for (k, 0, 16)
      {
        ScheduleBlock(C)
        {
          i0, i1, k0 = axis.bind(i, j, k)
          C[i0, i1] = (C[i0, i1] + (A[i0, k0] * B[k0, i1]))
        }
      }
    }
  }
}
"""


def read(node: Node) -> Diagram:
    return draw(node).diagram


def edges(diagram: Diagram, *kinds: EdgeKind) -> set[tuple[str, str]]:
    keys = [box.key for box in diagram.boxes]
    wanted = kinds or (EdgeKind.VALUE, EdgeKind.MEMORY)
    return {(keys[e.source], keys[e.target]) for e in diagram.edges if e.kind in wanted}


def test_loops_hold_what_is_in_them() -> None:
    diagram = read(tir.parse(PRODUCT))
    assert diagram.title == "function mm"
    told = [(box.kind, box.title, box.lines) for box in diagram.boxes if box.parent is not None]
    assert told == [
        (BoxKind.LOOP, "for j in [2, 10)", ()),
        (BoxKind.BLOCK, "block C_init", ("i0 = i", "i1 = j")),
        (BoxKind.STATEMENT, "store", ("C[i0, i1] = 0.0",)),
        (BoxKind.LOOP, "for k in [0, 16)", ()),
        (BoxKind.BLOCK, "block C", ("i0 = i", "i1 = j", "k0 = k")),
        (BoxKind.STATEMENT, "store", ("C[i0, i1] = (C[i0, i1] + (A[i0, k0] *", "B[k0, i1]))")),
    ]
    [outer] = [box for box in diagram.boxes if box.key == "for i"]
    assert (outer.title, outer.lines) == ("for i in [0, 16)", ("parallel",))


def test_reads_hang_on_the_last_writer_and_on_arguments() -> None:
    diagram = read(tir.parse(PRODUCT))
    init, update = "for i/for j/block C_init/store C", "for i/for j/for k/block C/store C"
    assert edges(diagram, EdgeKind.MEMORY) == {
        ("_C", init),
        (init, update),
        ("_A", update),
        ("_B", update),
        (update, update),  # from one iteration to the next
        (update, "_C'"),
    }
    [result] = [box for box in diagram.boxes if box.kind is BoxKind.OUTPUT]
    assert (result.title, result.lines) == ("_C", ("float32[16, 10]",))


x, y, c = tir.Var("x"), tir.Var("y"), tir.Var("c")


def store(place: tir.Var, value: object) -> tir.Store:
    return tir.Store(place, value)


def test_writes_of_both_arms_reach_what_reads_behind_them() -> None:
    branch = tir.IfThenElse(c < 1, store(x, 1), store(x, 2))
    diagram = read(tir.Block((store(x, 0), branch, store(y, x))))
    assert edges(diagram) == {
        ("c", "if"),
        ("if/then/store x", "store y"),
        ("if/else/store x", "store y"),
    }


def test_write_before_a_branch_without_else_reaches_what_is_behind_it() -> None:
    diagram = read(tir.Block((store(x, 0), tir.IfThenElse(c < 1, store(x, 1)), store(y, x))))
    found = edges(diagram)
    assert {("store x", "store y"), ("if/store x", "store y")} <= found


def test_statements_in_no_other_order_are_in_that_of_the_text() -> None:
    diagram = read(tir.Block((store(x, 0), store(y, 1), store(x, y))))
    assert edges(diagram, EdgeKind.CONTROL) == {("store x", "store y")}
    assert edges(diagram) == {("store y", "store x#2")}


def test_let_gives_its_value_to_what_follows() -> None:
    diagram = read(tir.Block((tir.Let(x, tir.const(1, "int32")), store(y, x))))
    assert edges(diagram, EdgeKind.VALUE) == {("let x", "store y")}


def test_memory_of_a_function_is_there_before_it_is_written() -> None:
    held = tir.Buffer("_T", (4,))
    view = tir.Tensor("T", (4,), buffer=held)
    func = tir.LoweredFunc("f", (), tir.Block((tir.Store(view, 1.0, (0,)),)), temp_bufs=(held,))
    assert edges(read(func)) == {("_T", "store T")}


def test_many_arms_are_told_by_the_box_around_them() -> None:
    many: tir.Stmt = store(x, 0)
    for number in range(20):
        many = tir.IfThenElse(c < number, many, store(x, number))
    diagram = read(tir.Block((many, store(y, x))))
    found = {source for source, target in edges(diagram) if target == "store y"}
    assert len(found) <= MOST_WRITERS
    assert any(source.endswith("/if") for source in found)


def test_core_shows_registers_as_values_and_branches_as_boxes() -> None:
    scope = core.GlobalScope()
    with scope.function("sum", {"n": "int32"}, "int32") as f:
        i, total = f.local("i"), f.preg("int32", "total")
        f.store(total, 0)
        with f.do_loop(i, 0, i < f.n), f.if_(i < 8):
            f.store(total, total + i)
        f.retv(total)
    diagram = read(scope.module()["sum"])
    inner = "for %i/if/stp"
    assert edges(diagram, EdgeKind.VALUE) == {
        ("n", "for %i"),
        ("stp", inner),
        (inner, inner),
        ("stp", "retv"),
        (inner, "retv"),
    }
    [loop] = [box for box in diagram.boxes if box.kind is BoxKind.LOOP]
    assert loop.title + " " + " ".join(loop.lines) == (
        "for %i = 0; lt(ld(%i), ld(%n)); add(ld(%i), 1)"
    )


def test_kinds_that_nobody_described_are_read_by_their_roles() -> None:
    with DECLARED:
        i, n, a = LoopVar("i"), LoopVar("n"), Tensor("a")
        loop = For(i, n, n, Store(a, Load(a, (i,)), (i,)))
        diagram = read(loop)
    kinds = [(box.kind, box.title) for box in diagram.boxes]
    assert (BoxKind.LOOP, "for") in kinds
    assert (BoxKind.OPERATOR, "store") in kinds
    assert ("for/store", "for/load") in edges(diagram, EdgeKind.MEMORY)  # in the next iteration


@pytest.mark.deep
def test_nests_of_any_depth_are_drawn() -> None:
    nest: tir.Stmt = store(x, x)
    for number in range(DEPTH):
        nest = tir.For(tir.Var(f"i{number}"), 0, 4, nest)
    diagram = read(nest)
    assert len(diagram.boxes) == DEPTH + 2
    assert len(diagram.edges) == 2
    keys = {box.key for box in diagram.boxes}
    assert len(keys) == len(diagram.boxes)
    assert max(map(len, keys)) < 300


def test_calls_read_and_write_what_the_module_shares() -> None:
    scope = core.GlobalScope()
    shared = scope.variable("shared", "int32")
    with scope.function("other") as other:
        other.ret()
    with scope.function("f", result="int32") as f:
        f.store(shared, 1)
        f.call(core.Global("other", "() -> void"))
        f.retv(core.load(shared))
    assert edges(read(scope.module()["f"])) == {
        ("st", "call @other"),
        ("st", "retv"),
        ("call @other", "retv"),
    }
