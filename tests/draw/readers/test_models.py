"""Diagrams of models: captured values, constants, parts that exporters tell."""

from __future__ import annotations

from collections import Counter

import pytest

import relayish as relay
from relayish.draw.diagram import EdgeKind
from relayish.draw.readers.table import read
from tests.support.diagram_queries import path_of, pieces, titled

helper = pytest.importorskip("onnx").helper

pytestmark = pytest.mark.references


def test_the_example_is_one_piece():
    diagram = read(relay.frontend.from_onnx("examples/small_network.onnx"))
    assert pieces(diagram) == 1
    chosen = titled(diagram, "If")
    assert diagram.boxes[chosen].lines == ("cond = False",)
    captured = [each for each in diagram.edges if each.kind is EdgeKind.CAPTURE]
    assert Counter(diagram.boxes[each.source].title for each in captured) == {"Identity": 2}


def test_initializers_and_constant_nodes_stand_in_the_boxes_that_use_them():
    graph = helper.make_graph(
        [
            helper.make_node("Constant", [], ["two"], value_float=2.0),
            helper.make_node("Pow", ["x", "two"], ["y"]),
            helper.make_node("Add", ["y", "w"], ["z"]),
        ],
        "g",
        [helper.make_tensor_value_info(name, 1, [3]) for name in "xw"],
        [helper.make_tensor_value_info("z", 1, [3])],
        [helper.make_tensor("w", 1, [3], [1.0, 2.0, 4.0])],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    diagram = read(relay.frontend.from_onnx(model))
    assert [box.title for box in diagram.boxes] == ["x", "Pow", "Add", "z"]
    assert [box.lines for box in diagram.boxes[1:3]] == [("Y = 2.0",), ("B = [1.0, 2.0, 4.0]",)]


def test_parts_that_names_tell_are_boxes_if_several_nodes_lie_in_them():
    names = ["/a/b/Relu", "/a/b/Exp", "/a/c/Tanh", "/d/Abs"]
    values = ["x", "p", "q", "r", "y"]
    nodes = [
        helper.make_node(name.rpartition("/")[2], [one], [other], name=name)
        for name, one, other in zip(names, values, values[1:], strict=False)
    ]
    ends = [helper.make_tensor_value_info(name, 1, [3]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    model = helper.make_model(graph, ir_version=8)
    model.opset_import[0].version = 17
    mod = relay.frontend.from_onnx(model)
    diagram = relay.draw(mod, scopes=True).diagram
    found = {box.title: path_of(diagram, number) for number, box in enumerate(diagram.boxes)}
    assert found["Relu"] == found["Exp"] == ["a", "b"]
    assert found["Tanh"] == ["a"]
    assert found["Abs"] == []
    assert '"kind":"scope"' in relay.draw(mod).to_html()
    assert '"kind":"scope"' not in relay.draw(mod, scopes=False).to_html()
