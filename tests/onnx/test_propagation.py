"""Facts of programs: types, known values, and shapes that are computed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from relayish.errors import TypeInferenceError
from relayish.frontend.onnx import from_onnx
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import SizeVar, TensorType, Type
from relayish.onnx.calls import make_call
from relayish.onnx.operators import find_operator
from relayish.onnx.propagation import Facts, propagate
from relayish.onnx.reading.model_reader import count_calls
from relayish.onnx.types import SequenceType
from relayish.op.types.dimension import show_dimension

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references


def read(text: str) -> IRModule:
    """Return a model; ``k := [1, 2]`` and ``k := 3`` are constants."""
    text = re.sub(r":= (\[[^\]]*\])", r"= Constant <value_ints = \1> ()", text)
    text = re.sub(r":= (-?\d+)", r"= Constant <value_int = \1> ()", text)
    return from_onnx(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18]> {text}'))


def main_of(mod: IRModule) -> Function:
    found = mod["main"]
    assert isinstance(found, Function)
    return found


def variables(func: Function) -> dict[str, Expr]:
    found: dict[str, Expr] = {param.name_hint: param for param in func.params}
    tail = func.body
    while type(tail) is Let:
        found[tail.var.name_hint] = tail.var
        tail = tail.body
    return found


def facts_of(text: str) -> tuple[Facts, dict[str, Expr]]:
    mod = read(text)
    return propagate(main_of(mod), mod), variables(main_of(mod))


def shape_in(text: str, name: str = "y") -> str:
    facts, named = facts_of(text)
    return show(facts.type_of(named[name]))


def show(ty: Type | None) -> str:
    return " ".join(map(show_dimension, ty.shape)) if isinstance(ty, TensorType) else repr(ty)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s = Shape (x) y = Reshape (x, s)", "n 3 4"),
        (
            (
                "s = Shape (x) i := [0] n = Gather (s, i) m := [-1]"
                " t = Concat <axis = 0> (n, m) y = Reshape (x, t)"
            ),
            "n 12",
        ),
        ("m := [-1, 4] y = Reshape (x, m)", "n * 3 4"),
        ("m := [0, -1] y = Reshape (x, m)", "n 12"),
        ("m := [-1] y = Reshape (x, m)", "n * 12"),
        ("s = Shape <start = 0, end = 1> (x) y = ConstantOfShape (s)", "n"),
        (
            "s = Shape <start = 0, end = 1> (x) k := [2] d = Mul (s, k) y = ConstantOfShape (d)",
            "n * 2",
        ),
        ("s = Shape (x) k := [2] d = Div (s, k) y = ConstantOfShape (d)", "n // 2 1 2"),
        ("s = Shape (x) i := 0 n = Gather (s, i) z := 0 o := 1 y = Range (z, n, o)", "n"),
        (
            (
                "s = Shape (x) m := [-1, -1, -1] c = Equal (s, m) one := [1, 1, 1]"
                " t = Where (c, one, s) y = Expand (x, t)"
            ),
            "n 3 4",
        ),
        ("y = Concat <axis = 0> (x, x)", "n + n 3 4"),
        ("y = Concat <axis = 1> (x, x)", "n 6 4"),
        ("y = Flatten <axis = 2> (x)", "n * 3 4"),
        ("k := [2, 1, 1] y = Tile (x, k)", "n * 2 3 4"),
        (
            "a, b, c = Split <axis = 1, num_outputs = 3> (x) y = Concat <axis = 0> (a, b)",
            "n + n 1 4",
        ),
        ("s = Size (x) i := [1] t = Reshape (s, i) y = Reshape (x, t)", "n * 12"),
        ("s = Shape (x) p = ReduceProd (s) y = Reshape (x, p)", "n * 12"),
        ("s = Shape (x) f = Cast <to = 6> (s) g = Cast <to = 7> (f) y = Reshape (x, g)", "n 3 4"),
        (
            (
                "z := [0] s = Shape (x) a := [0] n = Slice (s, z, a) e := [9223372036854775807]"
                " y = Slice (x, z, e)"
            ),
            "n 3 4",
        ),
    ],
)
def test_shapes_that_are_computed_are_followed(body: str, expected: str) -> None:
    assert shape_in(f"g (float[n, 3, 4] x) => (float y) {{ {body} }}") == expected


def test_dimensions_are_the_objects_of_the_model() -> None:
    facts, named = facts_of("g (float[n, 3] x) => (float y) { s = Shape (x) y = Reshape (x, s) }")
    given, found = facts.type_of(named["x"]), facts.type_of(named["y"])
    assert isinstance(given, TensorType)
    assert isinstance(found, TensorType)
    assert isinstance(given.shape[0], SizeVar)
    assert found.shape[0] is given.shape[0]


def test_expressions_that_are_alike_are_one_object() -> None:
    facts, named = facts_of(
        "g (float[n, 3] x) => (float y) { "
        "k := [-1] a = Reshape (x, k) b = Reshape (x, k) y = Add (a, b) }"
    )
    assert show(facts.type_of(named["y"])) == "n * 3"


def test_known_values_are_told() -> None:
    facts, named = facts_of(
        "g (float[2, 3] x, float[n, 3] w) => (int64 s, int64 t) { s = Shape (x) t = Shape (w) }"
    )
    known = facts.value_of(named["s"])
    assert known is not None
    assert known.dtype == np.int64
    assert known.tolist() == [2, 3]
    assert not known.flags.writeable
    assert facts.value_of(named["t"]) is None
    partial = facts.partial(named["t"])
    assert partial is not None
    assert partial.elements[1] == 3


def test_small_values_are_computed() -> None:
    facts, named = facts_of(
        "g (float[4, 3] x) => (float y) { s = Shape (x) f = Cast <to = 1> (s) "
        "h = Constant <value_floats = [0.5, 1.0]> () m = Mul (f, h) i = Cast <to = 7> (m) "
        "y = ConstantOfShape (i) }"
    )
    assert show(facts.type_of(named["y"])) == "2 3"


def test_large_values_are_not_computed() -> None:
    facts, named = facts_of("g () => (float y) { s := [1000000, 1000] y = ConstantOfShape (s) }")
    assert show(facts.type_of(named["y"])) == "1000000 1000"
    assert facts.value_of(named["y"]) is None


def test_named_dimensions_are_not_negative() -> None:
    facts, named = facts_of(
        "g (float[n] x) => (bool a, bool b, bool c) { s = Shape (x) "
        "m := [-1] z := [0] "
        "a = Equal (s, m) b = Less (s, z) c = Equal (s, z) }"
    )
    for name in ("a", "b"):
        value = facts.value_of(named[name])
        assert value is not None
        assert value.tolist() == [False]
    assert facts.value_of(named["c"]) is None


class TestGraphs:
    def test_conditions_that_are_known_tell_the_branch(self) -> None:
        text = """g (float[2, 3] x) => (float y) {
            s = Shape (x) i := 0 n = Gather (s, i)
            two := 2 c = Equal (n, two)
            y = If (c) <
              then_branch = t () => (float a) { a = Transpose <perm = [1, 0]> (x) },
              else_branch = e () => (float b) { b = Identity (x) }>
        }"""
        assert shape_in(text) == "3 2"

    def test_branches_are_joined(self) -> None:
        text = """g (float[2, 3] x, bool c) => (float y) {
            y = If (c) <
              then_branch = t () => (float a) { a = Concat <axis = 0> (x, x) },
              else_branch = e () => (float b) { b = Identity (x) }>
        }"""
        assert shape_in(text) == "? 3"

    def test_values_that_both_branches_give_are_known(self) -> None:
        text = """g (float[2, 3] x, bool c) => (int64 y) {
            y = If (c) <
              then_branch = t () => (int64 a) { a := [1, 2] },
              else_branch = e () => (int64 b) { b := [1, 3] }>
        }"""
        facts, named = facts_of(text)
        partial = facts.partial(named["y"])
        assert partial is not None
        assert partial.elements == (1, None)

    def test_what_loops_make_longer_is_of_any_length(self) -> None:
        text = """g (float[2, 3] x, int64 k) => (float y, float z) {
            t = Constant <value = bool {1}> ()
            y, z = Loop (k, t, x) <body = b (int64 i, bool c, float v) => (bool d, float w, float u)
              { d = Identity (c) w = Concat <axis = 0> (v, x) u = ReduceSum (v) }>
        }"""
        facts, named = facts_of(text)
        assert show(facts.type_of(named["y"])) == "? 3"
        assert show(facts.type_of(named["z"])) == "? 1 1"

    def test_what_loops_keep_is_known(self) -> None:
        text = """g (float[n, 3] x, int64 k) => (float y, float z) {
            t = Constant <value = bool {1}> () s = Shape (x)
            y, z = Loop (k, t, x) <body = b (int64 i, bool c, float v) => (bool d, float w, float u)
              { d = Identity (c) w = Reshape (v, s) u = Relu (w) }>
        }"""
        facts, named = facts_of(text)
        assert show(facts.type_of(named["y"])) == "n 3"
        assert show(facts.type_of(named["z"])) == "? n 3"

    def test_values_inside_of_graphs_are_known(self) -> None:
        text = """g (float[n, 3] x, bool c) => (float y) {
            y = If (c) <
              then_branch = t () => (float a) { a = Relu (x) },
              else_branch = e () => (float b) { b = Identity (x) }>
        }"""
        mod = read(text)
        facts = propagate(main_of(mod), mod)
        branch = main_of(mod).body.value.args[1]  # type: ignore[attr-defined]
        assert show(facts.type_of(branch.body.var)) == "n 3"

    def test_sequences_have_elements(self) -> None:
        text = "g (float[n, 3] x) => (float y) { s = SequenceConstruct (x, x) }"
        facts, named = facts_of(text.replace("float y", "seq(float) s"))
        found = facts.type_of(named["s"])
        assert isinstance(found, SequenceType)
        assert show(found.element) == "n 3"


def test_functions_of_the_model_are_followed() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
        g (float[n, 3] x) => (float y) { y = own.f <axis = 0> (x) }
        <domain: "own", opset_import: ["" : 18]>
        f <axis> (a) => (b) { b = Concat <axis: int = @axis> (a, a) }"""
    )
    mod = from_onnx(model)
    func = main_of(mod)
    facts = propagate(func, mod)
    assert show(facts.type_of(variables(func)["y"])) == "n + n 3"


def test_contradictions_name_the_node() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 18]> '
        "g (float[2, 3] x, float[4, 5] w) => (float y) { y = Add (x, w) }"
    )
    model.graph.node[0].name = "the_node"
    mod = from_onnx(model)
    with pytest.raises(TypeInferenceError, match=r"^the_node:1:1: Add .*: incompatible") as told:
        propagate(main_of(mod), mod)
    assert told.value.diagnostics[0].span == main_of(mod).body.value.span  # type: ignore[attr-defined]
    facts = propagate(main_of(mod), mod, strict=False)
    assert facts.type_of(variables(main_of(mod))["y"]) is None


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("k := [5, -1] y = Reshape (x, k)", "could not be inferred"),
        ("k := [5] y = Reshape (x, k)", "expected as many elements"),
        (
            "k := [-1, -1] y = Reshape (x, k)",
            "leaves 2 sizes to be found|-1",
        ),
        (
            "k := [5, 3] y = Expand (x, k)",
            "Expand .*(dimensions|broadcast)",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(body: str, told: str) -> None:
    with pytest.raises(TypeInferenceError, match=told):
        facts_of(f"g (float[2, 3] x) => (float y) {{ {body} }}")


def test_new_calls_are_inferred_when_they_are_asked_for() -> None:
    facts, named = facts_of("g (float[n, 3] x) => (float y) { y = Relu (x) }")
    mod = read("g (float[n, 3] x) => (float y) { y = Transpose <perm = [1, 0]> (x) }")
    call: Any = main_of(mod).body.value  # type: ignore[attr-defined]
    new = Call(call.op, (Call(call.op, (named["y"],), call.attrs),), call.attrs)
    assert show(facts.type_of(new)) == "n 3"


@pytest.mark.deep
def test_deep_nests_of_graphs_are_gone_through_once() -> None:
    branch, relu = find_operator("If", 16), find_operator("Relu", 14)
    names = ("then_branch", "else_branch")
    inner: Function | None = None
    for _ in range(10_000):
        c, x, y = Var("c"), Var("x"), Var("y")
        call = make_call(relu, [x])
        if inner is not None:  # shared by both branches, so there are 2**10000 ways through it
            graphs = dict.fromkeys(names, inner)
            call = make_call(branch, [c], graphs=graphs, captures=[c, x])
        inner = Function([c, x], Let(y, call, y))
    assert inner is not None
    c, x, y = Var("c", TensorType((), "bool")), Var("x", TensorType((2, 3))), Var("y")
    graphs = dict.fromkeys(names, inner)
    call = make_call(branch, [c], graphs=graphs, captures=[c, x])
    facts = propagate(Function([c, x], Let(y, call, y)))
    assert show(facts.type_of(y)) == "2 3"


def nested_functions(levels: int) -> Any:
    """A model of functions, each of which calls that before it twice."""
    opsets = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("own", 1)]
    make = onnx.helper.make_node
    functions = [
        onnx.helper.make_function("own", "F0", ["a"], ["r"], [make("Relu", ["a"], ["r"])], opsets)
    ]
    for level in range(1, levels):
        twice = [make(f"F{level - 1}", [a], [r], domain="own") for a, r in ("at", "tr")]
        functions.append(onnx.helper.make_function("own", f"F{level}", ["a"], ["r"], twice, opsets))
    values = [onnx.helper.make_tensor_value_info(each, 1, ("n", 3)) for each in "xy"]
    call = make(f"F{levels - 1}", ["x"], ["y"], domain="own")
    graph = onnx.helper.make_graph([call], "g", values[:1], values[1:])
    return onnx.helper.make_model(graph, opset_imports=opsets, functions=functions)


def test_functions_that_call_others_twice_are_gone_through_once() -> None:
    mod = from_onnx(nested_functions(60))
    main = main_of(mod)
    facts = propagate(main, mod)
    assert show(facts.type_of(variables(main)["y"])) == "n 3"


def test_functions_are_gone_through_for_each_sort_of_arguments() -> None:
    text = """
        agraph (float[2, 3] x, float[4] z) => (float[a] y, float[b] w)
        { y = own.F(x)  w = own.F(z) }
        <opset_import: ["" : 18], domain: "own"> F (a) => (r) { r = Identity(a) }
    """
    found = from_onnx(
        onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18, "own" : 1]> {text}')
    )
    main = main_of(found)
    facts, named = propagate(main, found), variables(main)
    assert [show(facts.type_of(named[each])) for each in "yw"] == ["2 3", "4"]


def test_calls_of_functions_that_call_others_twice_are_counted() -> None:
    assert count_calls(nested_functions(3)) == 4
    assert count_calls(nested_functions(60)) == 2**59
