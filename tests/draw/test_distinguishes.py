"""Programs that differ have pictures that differ, in every form that is shown."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

import relayish as relay
from relayish import core, tir
from relayish.dataflow import build_flow_graph
from relayish.dataflow_pattern import is_op, wildcard
from relayish.draw.drawing import Drawing, draw
from tests.support.each import each


def svg_texts(drawing: Drawing) -> object:
    """Return what is seen of a picture: texts and where they are, ways of edges; no tooltips."""
    root = ET.fromstring(drawing.to_svg())
    found = root.iter("{http://www.w3.org/2000/svg}text")
    texts = [(each.text, each.get("x"), each.get("y")) for each in found]
    return texts, [each.get("d") for each in root.iter("{http://www.w3.org/2000/svg}path")]


def dot_texts(drawing: Drawing) -> object:
    return re.sub(r', tooltip="(?:[^"\\]|\\.)*"', "", drawing.to_dot())


def page_texts(drawing: Drawing) -> object:
    """Return what is seen on a page before anything is clicked."""
    found = re.search(r' id="document">(.*?)</script>', drawing.to_html(), re.DOTALL)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    boxes = [(box["title"], box.get("lines"), box.get("inputs")) for box in document["boxes"]]
    return document["title"], boxes, document["edges"]


FORMS: dict[str, Callable[[Drawing], object]] = {
    "svg": svg_texts,
    "dot": dot_texts,
    "text": Drawing.to_text,
    "html": page_texts,
}

x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
c = relay.var("c", "bool")
i, n = tir.Var("i"), tir.Var("n")
A = tir.Tensor("A", (8,), buffer=tir.Buffer("_A", (8,)))


def inside(value: relay.Expr) -> relay.Function:
    """Return a function whose branch takes one of two values from outside."""
    chosen = relay.If(c, relay.abs(value), relay.const([0.0, 0.0]))
    return relay.Function([x, y, c], relay.Tuple([chosen, x, y]))


def loop(value: tir.Expr, **more: Any) -> tir.For:
    return tir.For(i, 0, 7, tir.Store(A, value, (i,)), **more)


def core_sum(first: str, second: str) -> core.FuncEntry:
    scope = core.GlobalScope()
    with scope.function("f", {"a": "int32", "b": "int32"}, "int32") as f:
        f.retv(core.as_expr(getattr(f, first)) - core.as_expr(getattr(f, second)))
    return scope.module()["f"]  # type: ignore[no-any-return]  # it is one of core


PAIRS = {
    "operand order": (relay.power(x, y), relay.power(y, x)),
    "small constant": (relay.power(x, relay.const(2.0)), relay.power(x, relay.const(0.5))),
    "last digit of a constant": (
        relay.multiply(x, relay.const(0.12345678)),
        relay.multiply(x, relay.const(0.12345679)),
    ),
    "constant as another operand": (
        relay.power(x, relay.const(2.0)),
        relay.power(relay.const(2.0), x),
    ),
    "attribute": (relay.nn.leaky_relu(x, 0.1), relay.nn.leaky_relu(x, 0.2)),
    "attribute of a function": (
        relay.Function([x], x).with_attr("Compiler", "a"),
        relay.Function([x], x).with_attr("Compiler", "b"),
    ),
    "captured value": (inside(x), inside(y)),
    "element that is read": (loop(A[i]), loop(A[i + 1])),
    "operand order of loops": (loop(A[i] - A[i + 1]), loop(A[i + 1] - A[i])),
    "kind of loop": (loop(A[i]), loop(A[i], for_type=tir.ForType.PARALLEL)),
    "extent": (loop(A[i]), loop(A[i]).with_fields(extent=tir.const(8, "int32"))),
    "condition": (tir.IfThenElse(i < n, loop(A[i])), tir.IfThenElse(n < i, loop(A[i]))),
    "order of statements": (
        tir.Block((tir.Store(i, 0), tir.Store(n, 1))),
        tir.Block((tir.Store(n, 1), tir.Store(i, 0))),
    ),
    "operands of an expression of loops": (i - n, n - i),
    "literal of an expression of loops": (i - 2, 2 - i),
    "core": (core_sum("a", "b"), core_sum("b", "a")),
    "flow graph": (
        build_flow_graph(relay.If(c, relay.abs(x), x)),
        build_flow_graph(relay.If(c, x, relay.abs(x))),
    ),
    "pattern": (is_op("power")(x, wildcard()), is_op("power")(wildcard(), x)),
}


@each("form", FORMS)
@each("name", PAIRS)
def test_pictures_differ_where_programs_do(name: str, form: str) -> None:
    one, other = [FORMS[form](draw(thing)) for thing in PAIRS[name]]
    assert one != other


@pytest.mark.references
@each("form", FORMS)
def test_pictures_of_models_differ_where_models_do(form: str) -> None:
    helper = pytest.importorskip("onnx.helper")
    from_onnx = relay.frontend.from_onnx

    def model(name: str, inputs: list[str], **attributes: object) -> Drawing:
        values = [helper.make_tensor_value_info(each, 1, [2]) for each in ("a", "k", "out")]
        held = [helper.make_tensor(f"c{value}", 1, [], [value]) for value in (2.0, 0.5)]
        node = helper.make_node(name, inputs, ["out"], **attributes)
        graph = helper.make_graph([node], "g", values[:2], values[2:], held)
        opset = [helper.make_opsetid("", 17)]
        return draw(from_onnx(helper.make_model(graph, opset_imports=opset, ir_version=8)))

    for one, other in (
        (model("Pow", ["a", "c2.0"]), model("Pow", ["a", "c0.5"])),
        (model("Pow", ["a", "k"]), model("Pow", ["k", "a"])),
        (model("LeakyRelu", ["a"], alpha=0.1), model("LeakyRelu", ["a"], alpha=0.2)),
    ):
        assert FORMS[form](one) != FORMS[form](other)
