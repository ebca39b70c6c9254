"""What a model says, part by part: each is there again when the module is written."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import relayish as relay  # noqa: E402
from relayish.binary import from_binary, to_binary  # noqa: E402
from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.onnx import captures_of, graphs_of  # noqa: E402
from relayish.onnx.element_types import ELEMENT_TYPES, find_numpy_dtype  # noqa: E402
from tests.support.each import each  # noqa: E402
from tests.support.onnx_models import differences, facts_of_model  # noqa: E402

pytestmark = pytest.mark.references


def _info(name, shape=(2,), element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def _model(nodes, inputs=(), outputs=(), opsets=(("", 18),), **fields):
    functions = fields.pop("functions", ())
    graph = helper.make_graph(nodes, "g", list(inputs), list(outputs), **fields)
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets]
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=10)


def _relu(**fields):
    node = helper.make_node("Relu", ["x"], ["y"], name="n")
    return _model([node], [_info("x")], [_info("y")], **fields)


def _check(model):
    """Refuse a model that is not written as it was; also by way of binary form and text."""
    mod = from_onnx(model)
    for form in (mod, from_binary(to_binary(mod))):
        assert list(differences(facts_of_model(model), facts_of_model(to_onnx(form)))) == []
    for nodes in (model.graph.node, *[function.node for function in model.functions]):
        _clear_names(nodes)
    read = to_onnx(relay.parse(relay.astext(mod)))
    assert list(differences(facts_of_model(model), facts_of_model(read))) == []
    return mod


def _clear_names(nodes):
    """Clear what text does not keep: spans, which hold the names of nodes."""
    for node in nodes:
        node.ClearField("name")
        for attribute in node.attribute:
            _clear_names(attribute.g.node)


def _with_texts(model):
    model.producer_name, model.producer_version = "maker", "1.2"
    model.domain, model.model_version, model.doc_string = "org.here", 7, "of the model"
    helper.set_model_props(model, {"author": "nobody", "": "empty key", "utf": "été"})
    model.graph.doc_string = "of the graph"
    model.graph.metadata_props.add(key="g", value="1")
    node = model.graph.node[0]
    node.doc_string = "of the node"
    node.metadata_props.add(key="n", value="2")
    for value in (model.graph.input[0], model.graph.output[0]):
        value.doc_string = f"of {value.name}"
        value.metadata_props.add(key="v", value="3")
    return model


def _with_quantization(model):
    annotation = model.graph.quantization_annotation.add(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="s")
    return model


def _with_training(model):
    training = model.training_info.add()
    training.initialization.name = "init"
    training.update_binding.add(key="w", value="w_next")
    return model


def _with_odd_types(model):
    dims = model.graph.input[0].type.tensor_type.shape.dim
    dims[0].dim_value = -1
    dims.add(denotation="DATA_CHANNEL").dim_param = "a b/c"
    dims.add()
    model.graph.input[0].type.denotation = "TENSOR"
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def _with_sparse(model):
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("w", TensorProto.FLOAT, [1], [3.0]),
        helper.make_tensor("w_at", TensorProto.INT64, [1], [1]),
        [2],
    )
    model.graph.sparse_initializer.append(sparse)
    return model


def _captures():
    inner = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["a"])], "inner", [], [_info("a", None)]
    )
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["b"])], "o", [], [_info("b", None)])
    node = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=other)
    inputs = [_info("c", (), TensorProto.BOOL), _info("x")]
    weight = numpy_helper.from_array(np.ones(2, np.float32), "w")
    return _model([node], inputs, [_info("y")], initializer=[weight])


def _function():
    functions = []
    slope = helper.make_attribute("slope", 0.3)
    for x, y, attributes, defaults in (("a", "b", ["slope"], []), ("c", "d", [], [slope])):
        node = helper.make_node("LeakyRelu", [x], [y])
        node.attribute.add(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
        opsets = [helper.make_opsetid("", 18)]
        functions.append(
            helper.make_function("my", "Act", [x], [y], [node], opsets, attributes, defaults)
        )
    functions[1].overload = "second"
    functions[1].doc_string = "of the function"
    nodes = [
        helper.make_node("Act", ["x"], ["t"], domain="my", slope=0.5),
        helper.make_node("Act", ["t"], ["y"], domain="my", overload="second"),
    ]
    return _model(
        nodes, [_info("x")], [_info("y")], opsets=(("", 18), ("my", 1)), functions=functions
    )


def _kinds():
    nodes = [
        helper.make_node("Split", ["x", ""], ["", "b"], num_outputs=2),
        helper.make_node("Nothing", [], [], domain="odd"),
        helper.make_node("My-Op", ["b", ""], ["y"], domain="odd", empty=[1], text=b"\xff\0a"),
        helper.make_node("Node", ["y"], ["z"], domain="ai.onnx.ml.odd"),
    ]
    nodes[2].attribute.append(onnx.AttributeProto(name="none", type=onnx.AttributeProto.FLOATS))
    nodes[2].attribute[0].doc_string = "of the attribute"
    return _model(
        nodes, [_info("x")], [_info("z")], opsets=(("", 18), ("odd", 2), ("ai.onnx.ml.odd", 1))
    )


def _types():
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, [None, "n"])
    types = [
        helper.make_sequence_type_proto(tensor),
        helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor)),
        helper.make_map_type_proto(TensorProto.STRING, tensor),
        helper.make_sparse_tensor_type_proto(TensorProto.INT8, [3]),
        onnx.TypeProto(),
    ]
    values = [helper.make_value_info(f"v{i}", ty) for i, ty in enumerate(types)]
    nodes = [helper.make_node("Identity", [v.name], [f"w{i}"]) for i, v in enumerate(values)]
    outputs = [helper.make_value_info(f"w{i}", ty) for i, ty in enumerate(types)]
    return _model(nodes, values, outputs)


def _odd_names():
    names = ["x y", "%a", 'q"\\', "é\n", "1", "a::b", "@m", "let", "x_1", "value"]
    nodes = [
        helper.make_node("Neg", [one], [other], name=f"{one}->{other}")
        for one, other in pairwise(names)
    ]
    return _model(nodes, [_info(names[0])], [_info(names[-1])], value_info=[_info(names[2])])


MODELS = {
    "texts": lambda: _with_texts(_relu()),
    "quantization": lambda: _with_quantization(_relu()),
    "training": lambda: _with_training(_relu()),
    "odd types": lambda: _with_odd_types(_relu()),
    "sparse": lambda: _with_sparse(_relu()),
    "captures": _captures,
    "function": _function,
    "kinds of nodes": _kinds,
    "types": _types,
    "names": _odd_names,
    "input with a value": lambda: _relu(
        initializer=[numpy_helper.from_array(np.ones(2, np.float32), "x")]
    ),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_part_of_a_model_is_kept(name):
    _check(MODELS[name]())


@each("number", ELEMENT_TYPES)
def test_tensor_of_every_element_type_is_kept(number):
    name = ELEMENT_TYPES[number]
    if name == "string":
        tensor = helper.make_tensor("w", number, [3], [b"a", b"\xff\0", "é".encode()])
    else:
        count = 5
        values = np.arange(count).astype(find_numpy_dtype(number))
        tensor = numpy_helper.from_array(values, "w")
        tensor.data_type = number
    node = helper.make_node("Constant", [], ["y"])
    node.attribute.add(name="value", type=onnx.AttributeProto.TENSOR).t.CopyFrom(tensor)
    mod = _check(_model([node], (), [_info("y", None)], initializer=[tensor]))
    if name != "string":
        assert mod["main"].body.value.data.tobytes() == values.tobytes()


@each("number", [n for n, name in ELEMENT_TYPES.items() if name != "string"])
def test_elements_one_by_one_are_those_in_raw_bytes(number):
    values = np.arange(5).astype(find_numpy_dtype(number))
    packed = numpy_helper.from_array(values, "w")
    single = helper.make_tensor(
        "w",
        number,
        [5],
        values.astype(np.complex128).tolist()
        if values.dtype.kind == "c"
        else values.astype(np.float64).tolist(),
    )
    found = []
    for tensor in (packed, single):
        mod = from_onnx(_model([], (), [_info("w", None)], initializer=[tensor]))
        found.append(mod["main"].body.value.data.tobytes())
    assert found[0] == found[1] == values.tobytes()


def test_nodes_in_any_order_are_put_in_one():
    nodes = [helper.make_node("Neg", ["a"], ["y"]), helper.make_node("Relu", ["x"], ["a"])]
    again = to_onnx(from_onnx(_model(nodes, [_info("x")], [_info("y")])))
    assert [node.op_type for node in again.graph.node] == ["Relu", "Neg"]
    onnx.checker.check_model(again)


def test_graph_takes_what_it_uses_from_outside():
    call = from_onnx(_captures())["main"].body.body.value
    assert [each.name_hint for each in captures_of(call)] == ["x", "w"]
    for graph in graphs_of(call).values():
        assert relay.analysis.free_vars(graph) == ()


def test_constants_share_the_bytes_of_the_model():
    weight = numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
    model = _model([], (), [_info("w", None)], initializer=[weight])
    data = from_onnx(model)["main"].body.value.data
    assert type(data.base) is bytes


def test_frozen_inputs_are_constants():
    mod = from_onnx(MODELS["input with a value"](), freeze_params=True)
    assert mod["main"].params == ()
    onnx.checker.check_model(to_onnx(mod))


def test_text_names_operators_that_nobody_declared():
    mod = from_onnx(_kinds())
    program = (
        "import sys, relayish as relay\n"
        "mod = relay.parse(sys.stdin.read())\n"
        "print([node.op_type for node in relay.frontend.to_onnx(mod).graph.node])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=relay.astext(mod),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.strip() == "['Split', 'Nothing', 'My-Op', 'Node']"
