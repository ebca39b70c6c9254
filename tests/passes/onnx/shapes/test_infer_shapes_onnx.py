"""Shape inference of programs of ONNX: types on nodes, sizes of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

import relayish as relay
from relayish.errors import PassError, TypeInferenceError
from relayish.frontend.onnx import from_onnx, to_onnx
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.op.types.dimension import show_dimension

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

TEXT = """
g (float[n, 3, h] x, float[n, m] z) => (float[n, k] y, float[n, m] w) {
  s = Shape <start = 0, end = 1> (x)
  one = Constant <value_ints = [-1]> ()
  t = Concat <axis = 0> (s, one)
  y = Reshape (x, t)
  w = Relu (z)
}"""
BRANCH = """
g (float[n, 3] x, bool c) => (float y) {
  y = If (c) <
    then_branch = t () => (float a) { a = Relu (x) },
    else_branch = e () => (float b) { b = Concat <axis = 0> (x, x) }>
}"""


def read(text: str = TEXT) -> IRModule:
    return from_onnx(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18]> {text}'))


def infer(
    mod: IRModule, input_shapes: Mapping[str, Sequence[int | None]] | None = None
) -> IRModule:
    return relay.transform.InferShapesOnnx(input_shapes=input_shapes)(mod)


def shapes(mod: IRModule) -> dict[str, str]:
    main = mod["main"]
    return {
        node.name_hint: " ".join(map(show_dimension, node.checked_type.shape))
        for node in EXPRESSIONS.post_order(main)
        if isinstance(node, Var) and isinstance(node.checked_type, TensorType)
    }


def test_types_are_on_variables_and_calls() -> None:
    mod = infer(read())
    assert shapes(mod) == {
        "x": "n 3 h", "z": "n m", "s": "1", "one": "1", "t": "2", "y": "n h * 3", "w": "n m",
    }  # fmt: skip
    for node in EXPRESSIONS.post_order(mod["main"]):
        if isinstance(node, (Call, Let, Function)):
            assert node.checked_type is not None


def test_variables_stay_one_object_each() -> None:
    main = infer(read())["main"]
    assert isinstance(main, Function)
    assert isinstance(main.body, Let)
    assert isinstance(main.body.value, Call)
    assert main.body.value.args[0] is main.params[0]
    assert relay.analysis.well_formed(main)


def test_a_module_with_types_is_returned_as_it_is() -> None:
    mod = infer(read())
    assert infer(mod) is mod


def test_values_in_graphs_have_types() -> None:
    mod = infer(read(BRANCH))
    assert shapes(mod)["a"] == "n 3"
    assert shapes(mod)["b"] == "n + n 3"
    assert shapes(mod)["y"] == "? 3"


def test_types_are_written_as_value_info() -> None:
    model = to_onnx(infer(read()))
    onnx.checker.check_model(model, full_check=True)
    told = {each.name: each.type.tensor_type for each in model.graph.value_info}
    assert [size.dim_value for size in told["t"].shape.dim] == [2]
    (y, _) = model.graph.output
    assert [size.dim_param for size in y.type.tensor_type.shape.dim] == ["n", "k"]


def test_expressions_of_sizes_are_written_as_names() -> None:
    text = "g (float[n, 3] x) => (float[k, 3] y) { z = Concat <axis = 0> (x, x) y = Relu (z) }"
    (z,) = to_onnx(infer(read(text))).graph.value_info
    assert z.type.tensor_type.shape.dim[0].dim_param == "n + n"


def test_sizes_of_inputs_are_put_in_everywhere() -> None:
    mod = infer(read(), {"x": (2, 3, 5)})
    assert shapes(mod) == {
        "x": "2 3 5", "z": "2 m", "s": "1", "one": "1", "t": "2", "y": "2 15", "w": "2 m",
    }  # fmt: skip
    model = to_onnx(mod)
    onnx.checker.check_model(model, full_check=True)
    (y, w) = model.graph.output
    assert [size.dim_value for size in y.type.tensor_type.shape.dim] == [2, 15]
    assert [size.dim_value for size in w.type.tensor_type.shape.dim] == [2, 0]
    assert w.type.tensor_type.shape.dim[1].dim_param == "m"


def test_sizes_that_are_none_stay() -> None:
    assert shapes(infer(read(), {"x": (None, 3, 5)}))["y"] == "n 15"


def test_sizes_follow_types_that_were_inferred_before() -> None:
    assert shapes(infer(infer(read()), {"x": (2, 3, 5)}))["y"] == "2 15"


def test_sizes_are_put_into_graphs() -> None:
    assert shapes(infer(infer(read(BRANCH)), {"x": (4, 3)}))["b"] == "8 3"


def test_inputs_of_any_rank_get_one() -> None:
    text = "g (float[] w) => (float y) { y = Relu (w) }"
    assert shapes(infer(read(text), {"w": (2, 3)}))["y"] == "2 3"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"X": (1,)}, r"the model has no input 'X'; it has 'x', 'z'"),
        ({"x": (1, 3)}, r"'x' has the shape \(n, 3, h\); expected as many sizes, found \(1, 3\)"),
        ({"x": (1, 4, 5)}, r"expected a shape that agrees with it where it is known"),
        ({"x": (1, 3, -5)}, r"dimension of size -5; expected a number that is not negative"),
        ({"x": (1, 3, 5), "z": (2, 2)}, r"dimension 'n' is to be 1 and, by input 'z', 2"),
    ],
)
def test_sizes_that_contradict_the_model_are_refused(
    given: dict[str, tuple[int, ...]], told: str
) -> None:
    with pytest.raises(PassError, match=told):
        infer(read(), given)


def test_inputs_that_are_no_tensors_are_refused() -> None:
    text = "g (seq(float) x) => (int64 y) { y = SequenceLength (x) }"
    with pytest.raises(PassError, match="expected a tensor"):
        infer(read(text), {"x": (1,)})


def test_contradictions_are_told_with_the_node() -> None:
    mod = read("g (float[2, 3] x, float[k, 3] z) => (float y) { y = MatMul (x, z) }")
    assert shapes(infer(mod))["y"] == "2 3"
    with pytest.raises(TypeInferenceError, match=r"MatMul.*\(2, 3\).*\(4, 3\)") as told:
        infer(mod, {"z": (4, 3)})
    (found,) = told.value.diagnostics
    assert found.definition == "@main"


def test_programs_of_relay_keep_their_types() -> None:
    x = relay.var("x", shape=(2, 3))
    mod = relay.transform.InferType()(IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
    assert infer(mod) is mod


def test_expressions_of_sizes_get_values() -> None:
    mod = infer(read())
    y: Expr = mod["main"]
    assert any(isinstance(node, SizeVar) for node in _sizes(y))
    assert not any(
        isinstance(node, SizeVar) and node.name in {"n", "h"}
        for node in _sizes(infer(mod, {"x": (2, 3, 5)})["main"])
    )


def _sizes(func: Expr) -> list[object]:
    found: list[object] = []
    for node in EXPRESSIONS.post_order(func):
        if isinstance(node, Expr) and isinstance(node.checked_type, TensorType):
            found.extend(node.checked_type.shape)
    return found
