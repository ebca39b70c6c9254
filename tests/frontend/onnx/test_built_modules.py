"""Modules that were not read from ONNX, or were changed since, as models."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import relayish as relay  # noqa: E402
from relayish.draw.readers.texts import node_name  # noqa: E402
from relayish.errors import ModelError  # noqa: E402
from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.ir.attributes.dictionary import DictAttrs  # noqa: E402
from relayish.onnx import find_operator, info, make_call  # noqa: E402
from relayish.onnx.reading.notes import span_of_name  # noqa: E402
from relayish.passes.onnx.opset.step import describe  # noqa: E402
from tests.support.depth import DEPTH  # noqa: E402

pytestmark = pytest.mark.references


def _x(name="x", shape=(2, 3)):
    return relay.var(name, shape=shape, dtype="float32")


def _call(name, *inputs, since=13, **attributes):
    return make_call(find_operator(name, since), inputs, attributes)


def _neg(x):
    return _call("Neg", x)


def _module(params, body, **attrs):
    return relay.IRModule({"main": relay.Function(params, body, attrs=DictAttrs(attrs))})


def _write(mod):
    """Return a module as a model that the checker of ONNX finds valid."""
    model = to_onnx(mod)
    onnx.checker.check_model(model, full_check=True)
    return model


def _names(model):
    return [(node.op_type, list(node.input), list(node.output)) for node in model.graph.node]


def test_nested_calls_become_nodes():
    x = _x()
    weight = relay.Constant(np.ones((3, 4), np.float32))
    model = _write(_module([x], _call("Relu", _call("MatMul", x, weight), since=14)))
    assert _names(model) == [
        ("MatMul", ["x", "constant"], ["MatMul"]),
        ("Relu", ["MatMul"], ["Relu"]),
    ]


def test_types_of_outputs_are_inferred():
    model = _write(_module([_x()], relay.Constant(np.ones(2, np.float16))))
    assert model.graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT16


def test_types_of_outputs_are_those_annotated():
    x = _x()
    func = relay.Function([x], _neg(x), ret_type=relay.TensorType((2, 3), "float32"))
    model = _write(relay.IRModule({"main": func}))
    assert [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim] == [2, 3]


def test_opset_is_the_lowest_that_means_all_operators():
    x = _x()
    model = _write(_module([x], _call("Relu", _call("Softmax", x, since=11), since=6)))
    assert [(each.domain, each.version) for each in model.opset_import] == [("", 11)]


def test_operators_of_versions_that_never_met_are_refused():
    x = _x()
    mod = _module([x], _call("Add", _call("Softmax", x, since=11), x, since=14))
    with pytest.raises(ModelError, match=r"Softmax \(version 11\).*version 14.*ConvertOpset"):
        to_onnx(mod)


def test_operator_of_another_version_than_the_model_says_is_refused():
    x = _x()
    mod = _module([x], _call("Add", x, x, since=14))
    mod = relay.IRModule(dict(mod.functions.items()), attrs=DictAttrs({info.OPSETS: {"": 13}}))
    with pytest.raises(ModelError, match=r"Add \(version 14\).*version 13.*ConvertOpset"):
        to_onnx(mod)


@pytest.mark.parametrize(("since", "expected"), [(6, 3), (14, 7)])
def test_version_of_the_format_follows_from_operators(since, expected):
    x = _x()
    assert _write(_module([x], _call("Relu", x, since=since))).ir_version == expected


def test_version_of_the_format_is_late_enough_for_constants():
    x = _x()
    mod = _module([x], _call("Add", x, relay.const(1.0), since=7))
    mod = relay.IRModule(dict(mod.functions.items()), attrs=DictAttrs({info.IR_VERSION: 3}))
    assert _write(mod).ir_version == 4


def test_variables_of_one_name_get_names_of_their_own():
    x, one, other = _x(), relay.Var("x"), relay.Var("x")
    body = relay.Let(one, _neg(x), relay.Let(other, _neg(one), other))
    assert _names(_write(_module([x], body))) == [
        ("Neg", ["x"], ["x_1"]),
        ("Neg", ["x_1"], ["x_2"]),
    ]


def test_variables_without_a_name_get_one():
    x, var = _x(""), relay.Var("")
    model = _write(_module([x], relay.Let(var, _neg(x), _neg(var))))
    assert _names(model)[0] == ("Neg", ["value"], ["value_1"])


def test_many_values_of_one_name_are_named_in_linear_time():
    x = _x()
    body = x
    for _ in range(5000):
        body = _call("Add", body, relay.Constant(np.float32(1)), since=14)
    model = to_onnx(_module([x], body))
    names = [each.name for each in model.graph.initializer]
    assert len(set(names)) == 5000
    assert names[-1] == "constant_4999"


def test_outputs_keep_the_names_the_model_gave_them():
    x, var = _x(), relay.Var("other")
    mod = _module([x], relay.Let(var, _neg(x), var), **{info.OUTPUTS: ("y",)})
    assert _names(_write(mod)) == [("Neg", ["x"], ["y"])]


def test_inline_result_keeps_the_name_of_the_output():
    x = _x()
    assert _names(_write(_module([x], _neg(x), **{info.OUTPUTS: ("y",)}))) == [
        ("Neg", ["x"], ["y"])
    ]


def test_input_that_is_an_output_of_another_name_is_copied():
    x = _x()
    assert _names(_write(_module([x], x, **{info.OUTPUTS: ("y",)}))) == [("Identity", ["x"], ["y"])]


def test_alias_of_an_output_is_no_node():
    x, one, other = _x(), relay.Var("a"), relay.Var("b")
    body = relay.Let(one, _neg(x), relay.Let(other, one, other))
    assert _names(_write(_module([x], body, **{info.OUTPUTS: ("b",)}))) == [("Neg", ["x"], ["b"])]


def test_value_that_is_two_outputs_is_copied_once():
    x, var = _x(), relay.Var("a")
    body = relay.Let(var, _neg(x), relay.Tuple([var, var]))
    for outputs, copied in (((), "a_1"), (("a", "b"), "b")):
        mod = _module([x], body, **({info.OUTPUTS: outputs} if outputs else {}))
        assert _names(_write(mod)) == [("Neg", ["x"], ["a"]), ("Identity", ["a"], [copied])]


def test_other_value_called_as_an_output_is_gets_another_name():
    x, one, other = _x(), relay.Var("y"), relay.Var("z")
    body = relay.Let(one, _neg(x), relay.Let(other, _neg(one), other))
    assert _names(_write(_module([x], body, **{info.OUTPUTS: ("y",)}))) == [
        ("Neg", ["x"], ["y_1"]),
        ("Neg", ["y_1"], ["y"]),
    ]


def test_outputs_that_nobody_uses_have_names_unless_they_are_optional():
    x = _x()
    split = make_call(find_operator("Split", 18), [x], {"axis": 1, "num_outputs": 3}, outputs=3)
    model = _write(_module([x], relay.TupleGetItem(split, 1)))
    assert list(model.graph.node[0].output) == ["Split_0", "Split_1", "Split_2"]
    dropout = make_call(find_operator("Dropout", 13), [x], outputs=2)
    model = _write(_module([x], relay.TupleGetItem(dropout, 0)))
    assert list(model.graph.node[0].output) == ["Dropout_0", ""]
    whole = _write(_module([x], split))
    assert [each.name for each in whole.graph.output] == ["Split_0", "Split_1", "Split_2"]


def test_part_that_a_call_does_not_have_is_refused():
    x = _x()
    for index, value in ((3, relay.Tuple([x])), (0, x)):
        with pytest.raises(ModelError, match=f"takes part {index} of what has no such part"):
            to_onnx(_module([x], relay.TupleGetItem(value, index), **{info.OUTPUT_TYPES: ()}))


def _branches(condition, captures, one, other):
    graphs = {"then_branch": one, "else_branch": other}
    return make_call(find_operator("If", 16), [condition], graphs=graphs, captures=captures)


def test_graph_that_gives_what_it_captures_copies_it():
    condition, x, inner, same = relay.var("c", "bool"), _x(), relay.Var("p"), relay.Var("q")
    one = relay.Function([inner], _neg(inner))
    other = relay.Function([same], same)
    model = _write(_module([condition, x], _branches(condition, [x], one, other)))
    graphs = {each.name: each.g for each in model.graph.node[0].attribute}
    assert [node.op_type for node in graphs["else_branch"].node] == ["Identity"]
    assert list(graphs["then_branch"].node[0].input) == ["x"]


def test_variables_from_outside_are_captured_without_being_passed():
    condition, x = relay.var("c", "bool"), _x()
    graph = relay.Function([], _neg(x))
    model = _write(_module([condition, x], _branches(condition, [], graph, graph)))
    assert list(model.graph.node[0].attribute[0].g.node[0].input) == ["x"]


def test_value_within_a_graph_does_not_hide_what_it_captures():
    condition, x, param, var = relay.var("c", "bool"), _x(), relay.Var("p"), relay.Var("x")
    graph = relay.Function([param], relay.Let(var, _neg(param), _call("Mul", var, param, since=14)))
    model = _write(_module([condition, x], _branches(condition, [x], graph, graph)))
    nodes = model.graph.node[0].attribute[0].g.node
    assert [(list(node.input), list(node.output)) for node in nodes[:1]] == [(["x"], ["x_1"])]
    assert list(nodes[1].input) == ["x_1", "x"]


def test_graph_without_its_parameters_is_refused():
    condition, x = relay.var("c", "bool"), _x()
    graph = relay.Function([], relay.const(1.0))
    mod = _module(
        [condition, x], _branches(condition, [x], graph, graph), **{info.OUTPUT_TYPES: ()}
    )
    with pytest.raises(ModelError, match="takes the 1 captured values"):
        to_onnx(mod)


def test_definitions_become_functions_of_the_model():
    x, param = _x(), relay.Var("p")
    twice = relay.GlobalVar("mine::Twice")
    plain = relay.GlobalVar("plain")
    mod = relay.IRModule(
        {
            "main": relay.Function(
                [x],
                relay.Call(plain, [relay.Call(twice, [x])]),
                ret_type=relay.TensorType((2, 3), "float32"),
            ),
            twice: relay.Function([param], _call("Add", param, param, since=14)),
            plain: relay.Function([param], _call("Mul", param, relay.const(2.0), since=14)),
        }
    )
    model = to_onnx(mod)
    onnx.checker.check_model(model)
    assert [(each.domain, each.name) for each in model.functions] == [
        ("mine", "Twice"),
        ("functions", "plain"),
    ]
    assert [node.op_type for node in model.functions[1].node] == ["Constant", "Mul"]
    assert len(from_onnx(model).functions) == 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (relay.Constant("text"), "is no tensor"),
        (relay.Var("free"), "bound by nothing"),
        (relay.RefCreate(relay.const(1)), "cannot be written as a node"),
        (relay.Call(relay.GlobalVar("none"), []), "@none is called"),
        (relay.Call(relay.GlobalVar("main"), []), "@main is called"),
        (relay.Function([], relay.const(1)), "no tensor, sequence or map"),
        (relay.Tuple([relay.Tuple(())]), "output 0 of a graph is missing"),
        (_call("Neg", relay.const(1.0), odd=object), "which no attribute of ONNX can be"),
        (_call("Neg", relay.const(1.0), odd=1 << 70), "cannot be written"),
    ],
)
def test_what_onnx_does_not_have_is_refused(body, message):
    with pytest.raises(ModelError, match=message):
        to_onnx(_module([], body, **{info.OUTPUT_TYPES: ()}))


def test_module_without_main_is_refused():
    with pytest.raises(ModelError, match="no definition @main"):
        to_onnx(relay.IRModule({"other": relay.Function([], relay.const(1))}))


def test_graphs_nested_deeper_than_protobuf_reads_are_refused():
    condition = relay.var("c", "bool")
    body = relay.const(1.0)
    for _ in range(40):
        graph = relay.Function([], body)
        body = _branches(condition, [], graph, graph)
    with pytest.raises(ModelError, match="nested more than 32 deep"):
        to_onnx(_module([condition], body, **{info.OUTPUT_TYPES: ()}))


@pytest.mark.deep
def test_chain_as_deep_as_one_likes_is_written_and_read():
    x = _x()
    body = x
    for _ in range(DEPTH):
        body = _neg(body)
    mod = _module([x], body, **{info.OUTPUT_TYPES: (relay.TensorType((2, 3), "float32"),)})
    model = to_onnx(mod)
    assert len(model.graph.node) == DEPTH
    assert to_onnx(from_onnx(model)) == model


def test_nodes_that_are_copied_get_names_of_their_own():
    x = _x()
    named = _neg(x).with_fields(span=span_of_name("n"))
    body = relay.Tuple([named, named.with_fields(args=(named,))])
    nodes = _write(_module([x], body)).graph.node
    assert [node.name for node in nodes] == ["n", "n_1"]


def test_node_is_not_named_after_the_line_that_built_it():
    x = _x()
    with relay.trace_origins():
        body = _neg(_neg(x))
    mod = _module([x], body)
    assert [node.name for node in _write(mod).graph.node] == ["", ""]
    assert node_name(body) == ""
    assert describe(body, 13, "y", "no") == (
        f"cannot convert Neg of version 13 to version 13, at a node without name at {body.span} "
        f"that gives 'y': no"
    )


def test_names_that_several_nodes_have_in_a_model_are_kept():
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[2] x) => (float[2] z)'
    model = onnx.parser.parse_model(f"{text} {{ [n] y = Neg(x)\n[n] z = Neg(y) }}")
    assert [node.name for node in to_onnx(from_onnx(model)).graph.node] == ["n", "n"]


def test_value_without_a_name_is_not_called_as_one_of_a_graph_before_it():
    condition, x, inner, same = relay.var("c", "bool"), _x(), relay.Var("p"), relay.Var("q")
    one, other = relay.Function([inner], _neg(_neg(inner))), relay.Function([same], _neg(same))
    chosen = _branches(condition, [x], one, other)
    model = _write(_module([condition, x], _neg(_neg(chosen))))
    graphs = [each.g for each in model.graph.node[0].attribute]
    inside = {name for graph in graphs for node in graph.node for name in node.output}
    outside = {name for node in model.graph.node for name in node.output}
    assert not inside & outside
