"""Every operator of Relay: one call of it is written and computes the same, or it says why not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import relayish as relay  # noqa: E402
from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var  # noqa: E402
from relayish.ir.relay.type import TupleType, Type  # noqa: E402
from relayish.op import get_op  # noqa: E402
from relayish.passes.onnx.raising.rule import RULES  # noqa: E402
from relayish.passes.onnx.raising.unraised import UNRAISED  # noqa: E402
from relayish.transform import InferType, RaiseToOnnx  # noqa: E402
from tests.support.raised_calls import leaves  # noqa: E402
from tests.support.raised_sound import CALLS, VALUES, make_value  # noqa: E402

pytestmark = pytest.mark.references

RAISED = [name for name in sorted(CALLS) if RULES.get(name) is not None]
REFUSED = {
    "bitwise_and": "has no BitwiseAnd", "bitwise_not": "has no BitwiseNot",
    "bitwise_or": "has no BitwiseOr", "bitwise_xor": "has no BitwiseXor",
    "collapse_sum_to": "known only when it runs", "fixed_point_multiply_per_axis": "when it runs",
    "nn.bitpack": "has no BitwiseAnd", "nn.bitserial_conv2d": "has no BitwiseAnd",
    "nn.bitserial_dense": "has no BitwiseAnd", "reinterpret": "has no BitCast",
    "strided_set": "known only when it runs", "vision.non_max_suppression": "depends on labels",
}  # fmt: skip
"""By operator with a rule: why it has none for its sound call in version 17."""


def test_every_operator_has_a_rule_or_a_reason() -> None:
    assert not UNRAISED.keys() & set(RAISED)
    assert not CALLS.keys() - UNRAISED.keys() - set(RAISED)
    assert not UNRAISED.keys() - CALLS.keys()


def test_the_documentation_names_every_operator_that_is_not_written() -> None:
    page = Path(__file__).parents[4] / "docs" / "how-to" / "lower_a_network.md"
    named = page.read_text(encoding="utf-8")
    assert [each for each in UNRAISED if f"`{each}`" not in named] == []


def make_call(name: str) -> tuple[list[Var], Call]:
    """Return a sound call on variables."""
    types, attrs = CALLS[name]
    variables: list[Var] = []

    def argument(ty: Type) -> Expr:
        if isinstance(ty, TupleType):
            return Tuple([argument(each) for each in ty.fields])
        variables.append(Var(f"x{len(variables)}", ty))
        return variables[-1]

    args = [argument(ty) for ty in types]
    return variables, Call(get_op(name), args, attrs)


def outputs_of(model: Any, inputs: dict[str, Any]) -> Iterator[Any]:  # Any: a ModelProto; arrays
    """Yield what our evaluator gives, and what onnxruntime does where it has the kernels."""
    yield OnnxSession(from_onnx(model)).run(inputs)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        return
    taken = {each.name for each in session.get_inputs()}
    yield session.run(None, {name: inputs[name] for name in taken})


@pytest.mark.parametrize("name", [each for each in RAISED if each not in REFUSED])
def test_a_sound_call_computes_the_same_as_a_model(name: str) -> None:
    compare(name, 17)


@pytest.mark.parametrize("name", [each for each in REFUSED if "has no Bit" in REFUSED[each]])
def test_a_sound_call_of_bits_computes_the_same_as_a_later_model(name: str) -> None:
    compare(name, 18 if name != "reinterpret" else 26)


def compare(name: str, opset: int) -> None:
    """Compare a sound call with what it is written as in a version of the operator set."""
    params, call = make_call(name)
    mod = InferType()(relay.IRModule.from_expr(Function(params, call)))
    rng, told = np.random.default_rng(0), VALUES.get(name, (None,) * len(params))
    drawn = [
        make_value(param.type_annotation, known, rng)
        for param, known in zip(params, told, strict=True)
    ]
    expected = list(leaves(relay.create_executor("debug", mod).evaluate()(*drawn)))
    model = to_onnx(RaiseToOnnx(opset=opset)(mod))
    onnx.checker.check_model(model, full_check=True)
    inputs = {param.name_hint: each for param, each in zip(params, drawn, strict=True)}
    for found in outputs_of(model, inputs):
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_rule_does_not_write_is_refused_with_the_reason(name: str) -> None:
    params, call = make_call(name)
    mod = InferType()(relay.IRModule.from_expr(Function(params, call)))
    with pytest.raises(PassError, match=REFUSED[name]):
        RaiseToOnnx(opset=17)(mod)


def test_what_no_rule_writes_is_refused_with_the_reason() -> None:
    params, call = make_call("random.uniform")
    mod = InferType()(relay.IRModule.from_expr(Function(params, call)))
    with pytest.raises(PassError, match="draws other numbers"):
        RaiseToOnnx()(mod)


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("axis", [None, 1])
def test_indices_come_inside_of_axes_whose_sizes_are_known_when_it_runs(
    mode: str, axis: int | None
) -> None:
    x = relay.var("x", shape=(2, relay.Any()))
    i = relay.var("i", shape=(3,), dtype="int32")
    mod = relay.IRModule.from_expr(relay.Function([x, i], relay.take(x, i, axis, mode=mode)))
    model = to_onnx(RaiseToOnnx()(InferType()(mod)))
    values, places = np.arange(8, dtype="float32").reshape(2, 4), np.array([-2, 3, 9], "int32")
    expected = relay.create_executor("debug", mod).evaluate()(values, places)
    (found,) = OnnxSession(from_onnx(model)).run({"x": values, "i": places})
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extremes_of_old_versions_do_not_broadcast(name: str) -> None:
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(3,))
    mod = InferType()(relay.IRModule.from_expr(relay.Function([x, y], getattr(relay, name)(x, y))))
    with pytest.raises(PassError, match="do not broadcast"):
        RaiseToOnnx(opset=7)(mod)
    assert RaiseToOnnx(opset=8)(mod) is not mod


def test_a_rounding_keeps_what_is_no_number() -> None:
    values = np.array([-0.0, 0.49999997, -0.5, 2.5, np.inf, -np.inf, np.nan, 1e30], "float32")
    x = relay.var("x", shape=values.shape)
    for name in ("round", "trunc", "isfinite"):
        mod = relay.IRModule.from_expr(relay.Function([x], getattr(relay, name)(x)))
        expected = relay.create_executor("debug", mod).evaluate()(values)
        (found,) = OnnxSession(from_onnx(to_onnx(InferType()(mod)))).run({"x": values})
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
