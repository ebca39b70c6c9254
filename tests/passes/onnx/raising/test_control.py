"""Branches of Relay, written as nodes with graphs."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import relayish as relay  # noqa: E402
from relayish.analysis.well_formed import check_well_formed  # noqa: E402
from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.expr import Expr, If  # noqa: E402
from relayish.ir.relay.traversal import EXPRESSIONS  # noqa: E402
from relayish.text import parse  # noqa: E402
from relayish.transform import InferType, PassContext, RaiseToOnnx, VerifyInstrument  # noqa: E402
from tests.support.depth import DEPTH  # noqa: E402

pytestmark = pytest.mark.references

PROGRAMS = {
    "a tensor": "if (%c) { add(%x, %y) } else { %y }",
    "what stands outside": "let %z = exp(%x); if (%c) { add(%z, %z) } else { negative(%z) }",
    "another inside": """
        if (%c) { let %a = exp(%x); if (%c) { add(%a, %y) } else { %a } } else { %y }""",
    "several tensors": """
        let %r = if (%c) { (add(%x, %y), %x) } else { (%y, multiply(%x, %y)) };
        subtract(%r.0, %r.1)""",
    "a tuple that is used": """
        let %t = (exp(%x), %y);
        let %u = if (%c) { %t } else { (%t.1, %x) };
        if (%c) { add(%t.0, %u.1) } else { multiply(%u.0, %t.1) }""",
    "a tuple of one": "let %r = if (%c) { (add(%x, %y),) } else { (%y,) }; exp(%r.0)",
}


def module(body: str) -> relay.IRModule:
    return InferType()(
        parse(
            '#[version = "0.0.5"]\n'
            "def @main(%c: bool, %x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]) {\n"
            f"{body}\n}}"
        )
    )


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_branch_computes_the_same_as_a_node(name: str, holds: bool) -> None:
    mod = module(PROGRAMS[name])
    x, y = (np.arange(6, dtype="float32").reshape(2, 3) / 4 + shift for shift in (0, 1))
    expected = relay.create_executor("debug", mod).evaluate()(np.array(holds), x, y)
    model = to_onnx(mod)
    onnx.checker.check_model(model, full_check=True)
    (found,) = OnnxSession(from_onnx(model)).run([np.array(holds), x, y])
    np.testing.assert_allclose(found, np.asarray(expected), rtol=1e-6)


def test_branches_without_operators_of_relay_are_written_too() -> None:
    mod = module("if (%c) { %x } else { %y }")
    assert [node.op_type for node in to_onnx(mod).graph.node] == ["If"]


def test_a_branch_of_something_else_than_tensors_stays() -> None:
    mod = module("let %r = if (%c) { ((%x, %y), %x) } else { ((%y, %y), %x) }; %r.1")
    with pytest.raises(PassError, match="something else than tensors"):
        RaiseToOnnx()(mod)
    assert RaiseToOnnx(keep=True)(mod) is mod


def test_a_branch_that_uses_a_tuple_of_tuples_stays() -> None:
    mod = module("let %t = ((%x, %y), %x); if (%c) { %t.0.1 } else { %t.1 }")
    with pytest.raises(PassError, match="use something else than tensors"):
        RaiseToOnnx()(mod)


def test_a_branch_that_acts_stays() -> None:
    mod = module("if (%c) { let %r = ref(%x); ref_read(%r) } else { %y }")
    with pytest.raises(PassError, match="its branches act"):
        RaiseToOnnx()(mod)


def nested(depth: int) -> relay.IRModule:
    c, x = relay.var("c", shape=(), dtype="bool"), relay.var("x", shape=(2,))
    body: Expr = x
    for _ in range(depth):
        body = If(c, relay.add(body, x), x)
    return InferType()(relay.IRModule.from_expr(relay.Function([c, x], body)))


def test_branches_stand_in_one_another_as_deep_as_a_file_holds() -> None:
    model = to_onnx(nested(25))
    onnx.checker.check_model(onnx.load_from_string(model.SerializeToString()))
    (found,) = OnnxSession(from_onnx(model)).run([np.array(True), np.ones(2, "float32")])
    np.testing.assert_array_equal(found, [26, 26])
    with pytest.raises(PassError, match="more than 25 deep"):
        RaiseToOnnx()(nested(26))


@pytest.mark.deep
def test_branches_of_any_depth_are_refused_and_stay_in_linear_time() -> None:
    mod = nested(DEPTH // 20)
    raised = RaiseToOnnx(keep=True)(mod)
    kept = sum(type(each) is If for each in EXPRESSIONS.post_order(raised["main"]))
    assert kept == DEPTH // 20 - 25


def test_what_many_branches_share_is_refused_unless_it_is_bound() -> None:
    value: Expr = relay.var("x", shape=(2,))
    x, c = value, relay.var("c", shape=(), dtype="bool")
    for _ in range(20):
        value = If(c, relay.exp(value), relay.negative(value))
    mod = InferType()(relay.IRModule.from_expr(relay.Function([x, c], value)))
    with pytest.raises(PassError, match=r"would stand in each, .* bind it before them"):
        RaiseToOnnx()(mod)
    bound = relay.transform.ToANormalForm()(mod)
    model = to_onnx(RaiseToOnnx()(InferType()(bound)))
    assert model.ByteSize() < 5000


def test_results_that_are_constants_or_a_tuple_of_one_are_typed() -> None:
    body = "let %r = if (%c) { (1f, %x) } else { (2f, %y) }; (%r.0,)"
    onnx.checker.check_model(to_onnx(RaiseToOnnx()(module(body))), full_check=True)


def test_what_stands_inside_and_outside_of_branches_is_bound_once_in_each() -> None:
    c, x, y = relay.var("c", shape=(), dtype="bool"), relay.var("x", shape=(2,)), relay.var("y")
    shared = relay.Let(y, relay.exp(x), relay.add(y, y))
    body = relay.Tuple([If(c, relay.negative(shared), x), shared])
    mod = InferType()(relay.IRModule.from_expr(relay.Function([c, x], body)))
    check_well_formed(RaiseToOnnx()(mod))


@pytest.mark.parametrize("called", ["@f(%x)", "exp(@f(%x))"])
def test_callers_carry_the_types_that_operators_of_onnx_tell(called: str) -> None:
    mod = parse(
        '#[version = "0.0.5"]\n'
        "def @f(%x: Tensor[(2, 3), float32]) {\n"
        "  match ((sum(if (greater(max(%x), 1f)) { %x } else { exp(%x) }, axis=[0]), %x)) {\n"
        "    (%y, _) => { %y }\n"
        "  }\n"
        "}\n"
        "def @main(%x: Tensor[(2, 3), float32]) {\n"
        f"  {called}\n"
        "}"
    )
    with PassContext(opt_level=4, instruments=[VerifyInstrument()]):
        RaiseToOnnx()(InferType()(mod))


ACTING = {
    "a part that is left out": "(ref_write(%r, exp(%x)), %x).1",
    "an argument that is left out": "zeros_like({ let %_ = ref_write(%r, exp(%x)); %x })",
}


@pytest.mark.parametrize("what", ACTING)
def test_what_acts_goes_on_to_act(what: str) -> None:
    mod = InferType()(
        parse(
            '#[version = "0.0.5"]\n'
            "def @main(%x: Tensor[(2, 3), float32]) {\n"
            f"  let %r = ref(%x);\n  let %y = {ACTING[what]};\n  (ref_read(%r), %y)\n}}"
        )
    )
    raised = RaiseToOnnx(keep=True)(mod)
    x = np.ones((2, 3), "float32")
    one, other = [relay.create_executor("debug", each).evaluate()(x) for each in (mod, raised)]
    for field in (0, 1):
        np.testing.assert_allclose(np.asarray(one[field]), np.asarray(other[field]), rtol=1e-6)
