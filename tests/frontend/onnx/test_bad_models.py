"""What is no model, or none that can be run: one clear error each, and nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from relayish.errors import ModelError  # noqa: E402
from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from tests.support.each import each  # noqa: E402
from tests.support.seeds import SOAK, many  # noqa: E402

pytestmark = pytest.mark.references

FLIPS = many(300)


def _info(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])


def _model(*nodes, opset=18, **fields):
    nodes = nodes or (helper.make_node("Relu", ["x"], ["y"], name="n"),)
    graph = helper.make_graph(list(nodes), "g", [_info("x")], [_info("y")], **fields)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def _node(op_type="Relu", inputs=("x",), outputs=("y",), **fields):
    return helper.make_node(op_type, list(inputs), list(outputs), **fields)


def _initializer(**fields):
    return _model(initializer=[TensorProto(name="w", **fields)])


def _twice(part):
    model = _model()
    getattr(model.graph, part).append(getattr(model.graph, part)[0])
    return model


def _twice_an_attribute():
    node = _node("LeakyRelu", alpha=1.0)
    node.attribute.append(node.attribute[0])
    return _model(node)


def _nested(levels):
    """Return a model whose graphs stand in one another, so many levels deep."""
    model = _model()
    graph = model.graph
    for _ in range(levels):
        node = graph.node.add(op_type="If")
        graph = node.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH).g
        graph.name = "inner"
    return model


def _circle():
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)]
    model = _model(_node("A", domain="f"))
    model.opset_import.append(opsets[1])
    for one, other in (("A", "B"), ("B", "A")):
        node = helper.make_node(other, ["a"], ["b"], domain="f")
        model.functions.append(helper.make_function("f", one, ["a"], ["b"], [node], opsets))
    return model


def _two_functions():
    model = _circle()
    model.functions[1].name = "A"
    return model


def _damaged_name():
    return _model().SerializeToString().replace(b"Relu", b"Re\xffu")


def _damaged_producer():
    model = _model()
    model.producer_name = "maker"
    return model.SerializeToString().replace(b"maker", b"ma\xffer")


def _opsets(*versions):
    model = _model()
    del model.opset_import[:]
    model.opset_import.extend([helper.make_opsetid("", version) for version in versions])
    return model


def _attribute(**fields):
    node = _node("Custom")
    node.attribute.add(**fields)
    return _model(node)


MODELS = {
    "nothing": (lambda: b"", "has no graph"),
    "other bytes": (lambda: b"\x89PNG\r\n\x1a\n" * 9, "no model of ONNX, or was cut off"),
    "cut off": (lambda: _model().SerializeToString()[:-9], "or was cut off"),
    "no graph": (lambda: onnx.ModelProto(ir_version=9), "has no graph"),
    "another class": (lambda: 7, "is no model; expected a ModelProto"),
    "no opset": (_opsets, "imports no operator set"),
    "newer opset": (lambda: _opsets(99), "version 99 of the operator set ''.*install a newer"),
    "opset zero": (lambda: _opsets(0), "version 0 of the operator set"),
    "two opsets": (lambda: _opsets(17, 18), "versions 17 and 18"),
    "other domain": (lambda: _model(_node(domain="odd")), "is of domain 'odd', of which"),
    "cycle": (lambda: _model(_node(inputs="a"), _node(inputs="y", outputs="a")), "has a cycle"),
    "own value": (lambda: _model(_node(inputs="y")), "has a cycle"),
    "value twice": (lambda: _model(_node(), _node()), "two values of the graph are called 'y'"),
    "input twice": (lambda: _twice("input"), "two values of the graph are called 'x'"),
    "never given": (lambda: _model(_node(inputs=["q"])), "use 'q', which nothing"),
    "output never given": (lambda: _model(_node(outputs=["q"])), "use 'y', which nothing"),
    "no op_type": (lambda: _model(_node("")), "says no op_type"),
    "attribute twice": (_twice_an_attribute, "two attributes called 'alpha'"),
    "attribute without name": (lambda: _attribute(f=1.0, type=1), "attribute without a name"),
    "attribute without value": (lambda: _attribute(name="a"), "no value of a type of ONNX, but 0"),
    "initializer without name": (
        lambda: _model(initializer=[TensorProto(data_type=1)]),
        "initializer has no name",
    ),
    "initializer of no type": (lambda: _initializer(dims=[0]), "elements of type 0"),
    "initializer of odd type": (lambda: _initializer(data_type=99), "elements of type 99"),
    "negative size": (lambda: _initializer(data_type=1, dims=[-2]), r"the shape \(-2,\)"),
    "too few bytes": (
        lambda: _initializer(data_type=1, dims=[2], raw_data=bytes(7)),
        "has 7 bytes; expected 8",
    ),
    "too many bytes": (
        lambda: _initializer(data_type=22, dims=[3], raw_data=bytes(3)),
        "has 3 bytes; expected 2",
    ),
    "too few elements": (
        lambda: _initializer(data_type=1, dims=[3], float_data=[1, 2]),
        "has 2 elements in float_data; expected 3",
    ),
    "elements in another field": (
        lambda: _initializer(data_type=7, dims=[1], int32_data=[1]),
        "has 0 elements in int64_data; expected 1",
    ),
    "strings as bytes": (
        lambda: _initializer(data_type=8, dims=[1], raw_data=b"a"),
        "strings as raw bytes",
    ),
    "three gigabytes in a kilobyte": (
        lambda: _initializer(data_type=1, dims=[3 << 28]),
        "expected 805306368 for float32",
    ),
    "more than memory": (
        lambda: _initializer(data_type=1, dims=[1 << 40, 1 << 40]),
        "which no memory can hold",
    ),
    "nothing of much": (
        lambda: _initializer(data_type=1, dims=[0, 1 << 62, 1 << 62]),
        "which no memory can hold",
    ),
    "too many axes": (lambda: _initializer(data_type=1, dims=[1] * 65), "no memory can hold"),
    "elsewhere, of bytes": (
        lambda: _initializer(data_type=1, dims=[1], data_location=1),
        "nobody said where that is",
    ),
    "initializer twice": (
        lambda: _model(initializer=[numpy_helper.from_array(np.ones(2), "w")] * 2),
        "two values of the graph are called 'w'",
    ),
    "value of an input twice": (
        lambda: _model(initializer=[numpy_helper.from_array(np.ones(2), "x")] * 2),
        "two initializers are called 'x'",
    ),
    "nested": (lambda: _nested(1000), "nested more than 32 deep"),
    "functions in a circle": (_circle, "in a circle: '[AB]', '[AB]'"),
    "two functions": (_two_functions, "two functions of the model are called 'f::A'"),
    "name of odd bytes": (_damaged_name, "not UTF-8"),
    "producer of odd bytes": (_damaged_producer, "not UTF-8"),
    "element type of an input": (
        lambda: helper.make_model(
            helper.make_graph([], "g", [helper.make_tensor_value_info("x", 99, [1])], [])
        ),
        "elements of type 99",
    ),
}


@each("name", MODELS)
def test_bad_model_is_refused_by_one_line(name):
    make, message = MODELS[name]
    model = make()
    with pytest.raises(ModelError, match=message) as caught:
        from_onnx(model)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.onnx", "No such file"), (".", "Is a directory"), ("a\0b", "names no file")],
)
def test_bad_path_is_refused(tmp_path, name, message):
    with pytest.raises(ModelError, match=message):
        from_onnx(f"{tmp_path}/{name}")


def test_graphs_as_deep_as_protobuf_reads_are_read():
    model = _nested(32)
    assert to_onnx(from_onnx(model.SerializeToString())) == model


def test_flipped_bytes_are_refused_or_read():
    data = _circle().SerializeToString()
    inner = helper.make_graph([_node()], "inner", [], [_info("y")])
    weights = [numpy_helper.from_array(np.ones((2, 3), np.float16), "w")]
    whole = _model(_node("If", then_branch=inner, else_branch=inner), initializer=weights)
    whole.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    generator = random.Random(SOAK or 7)
    read = 0
    for original in (data, whole.SerializeToString()):
        for _ in range(FLIPS):
            damaged = bytearray(original)
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
            try:
                mod = from_onnx(bytes(damaged))
                read += 1
                to_onnx(mod)
            except ModelError:
                continue
    assert read
