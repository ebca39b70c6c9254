"""Expressions of languages other than Relay in pictures."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.draw.diagram import BoxKind, Diagram, EdgeKind
from relayish.draw.drawing import draw
from tests.support.depth import DEPTH

x, y = tir.Var("x"), tir.Var("y")


def shown(diagram: Diagram) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [
        (box.title, box.lines, box.inputs) for box in diagram.boxes if box.kind is BoxKind.OPERATOR
    ]


def test_operands_and_literals_are_told_apart() -> None:
    diagram = draw((x - y) * (2 - x)).diagram
    assert shown(diagram) == [
        ("sub", (), ("a", "b")),
        ("sub", ("a: 2",), ()),
        ("mul", (), ("a", "b")),
    ]
    titles = [box.title for box in diagram.boxes]
    assert [(titles[e.source], e.input) for e in diagram.edges if titles[e.target] == "sub"] == [
        ("x", 0),
        ("y", 1),
        ("x", 0),  # the literal is no edge
    ]


def test_shared_expression_is_one_box() -> None:
    both = x + y
    assert [title for title, _, _ in shown(draw(both * both).diagram)] == ["add", "mul"]


def test_load_hangs_on_its_memory_and_indices() -> None:
    memory = tir.Buffer("_A", (8,))
    diagram = draw(tir.Tensor("A", (8,), buffer=memory)[x]).diagram
    keys = [box.key for box in diagram.boxes]
    assert {(keys[e.source], keys[e.target], e.kind) for e in diagram.edges} == {
        ("_A", "load", EdgeKind.MEMORY),
        ("x", "load", EdgeKind.VALUE),
        ("load", "result", EdgeKind.VALUE),
    }


def test_scope_takes_what_is_outside_by_a_box_of_its_own() -> None:
    zero, four = tir.const(0, "int32"), tir.const(4, "int32")
    axis = tir.Var("r", lower_bound=zero, upper_bound=four)
    total = tir.Reduce(tir.ReduceType.SUM, zero, axis * y, (axis,))
    diagram = draw(total + y).diagram
    loop = next(n for n, box in enumerate(diagram.boxes) if box.kind is BoxKind.LOOP)
    inside = [(box.kind, box.title) for box in diagram.boxes if box.parent == loop]
    assert inside == [
        (BoxKind.INPUT, "r"),
        (BoxKind.CAPTURE, "y"),
        (BoxKind.OPERATOR, "mul"),
        (BoxKind.OUTPUT, "body"),
    ]
    [capture] = [e for e in diagram.edges if e.kind is EdgeKind.CAPTURE]
    assert diagram.boxes[capture.source].title == "y"
    assert diagram.boxes[loop].lines == ("r in [0, 4)", "init: 0")


@pytest.mark.deep
def test_expressions_of_any_depth_are_drawn() -> None:
    expr: tir.Expr = x
    for _ in range(DEPTH):
        expr = expr + 1
    assert len(draw(expr).diagram.boxes) == DEPTH + 2
