"""Which regions become integers, which stay, and what they become."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.interpreter import create_executor
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import register_fake_quantization_to_integer
from relayish.op.builders.call import relay_call
from relayish.op.declaration.properties import OpPattern, fake_quantization, num_inputs
from relayish.op.declaration.registry import get_op, register_op
from relayish.op.types.type_rules import identity
from relayish.passes.relay.quantisation.fake_quantization_to_integer import (
    fake_quantization_to_integer,
)
from relayish.testing import TempOpAttr
from relayish.text import parse
from relayish.transform import FakeQuantizationToInteger, PassContext, VerifyInstrument
from tests.support.depth import DEPTH
from tests.support.quantised_networks import QuantisedNetwork, is_in_integers
from tests.support.seeds import seeds

SEEDS = seeds(20)
EXAMPLES = len(SEEDS)
HEADER = '#[version = "0.0.5"]\n'
half, two, zero = const(np.float32(0.5)), const(np.float32(2)), const(0)
x = var("x", shape=(2, 4), dtype="int8")


def dequantized(data: Expr, scale: Expr = half, zero_point: Expr = zero, axis: int = -1) -> Expr:
    return relay_call("qnn.dequantize", data, scale, zero_point, axis=axis, out_dtype="float32")


def quantized(data: Expr, scale: Expr = half, zero_point: Expr = zero, dtype: str = "int8") -> Expr:
    return relay_call("qnn.quantize", data, scale, zero_point, out_dtype=dtype)


def function(body: Expr, *params: Var) -> Function:
    return infer_type(Function(params or (x,), body))


def run(program: Function | IRModule, *arguments: object) -> object:
    mod = program if isinstance(program, IRModule) else IRModule.from_expr(program)
    return create_executor(mod=mod).evaluate()(*arguments)


def assert_becomes(before: str, after: str, **options: object) -> None:
    ours = FakeQuantizationToInteger(**options)(parse(HEADER + before))
    assert_structural_equal(infer_type(ours), infer_type(parse(HEADER + after)))


def assert_stays(func: Function) -> None:
    assert fake_quantization_to_integer(func) is func


def test_hard_fail_names_the_operator_without_a_rule() -> None:
    func = function(quantized(relay_call("cos", dequantized(x))))
    with pytest.raises(PassError, match="nothing says how cos is computed in integers"):
        fake_quantization_to_integer(func, hard_fail=True)


def test_hard_fail_tells_of_optional_rules() -> None:
    func = function(quantized(relay_call("nn.softmax", dequantized(x))))
    with pytest.raises(PassError, match=r"or say optional_qnn_ops=\['nn.softmax'\]"):
        fake_quantization_to_integer(func, hard_fail=True)


def test_wrong_answer_of_a_rule_is_an_error_of_the_pass() -> None:
    func = function(quantized(relay_call("cos", dequantized(x))))
    with TempOpAttr("cos", fake_quantization, lambda expr, type_map: expr):
        assert_stays(func)
        with pytest.raises(PassError, match="expected an expression and its affine type"):
            fake_quantization_to_integer(func, hard_fail=True)


def test_error_that_is_none_of_ours_is_reported_as_one() -> None:
    def refuse(expr: Expr, type_map: object) -> object:
        raise AssertionError("only on Mondays")

    func = function(quantized(relay_call("cos", dequantized(x))))
    with TempOpAttr("cos", fake_quantization, refuse):
        assert_stays(func)
        with pytest.raises(PassError, match="AssertionError: only on Mondays"):
            fake_quantization_to_integer(func, hard_fail=True)


@pytest.mark.parametrize("error", [ArithmeticError, IndexError, TypeError, ValueError])
def test_error_that_is_a_mistake_of_a_rule_is_not_swallowed(error: type[Exception]) -> None:
    def fail(expr: Expr, type_map: object) -> object:
        raise error("a mistake")

    func = function(quantized(relay_call("cos", dequantized(x))))
    with TempOpAttr("cos", fake_quantization, fail), pytest.raises(error, match="a mistake"):
        fake_quantization_to_integer(func)


def test_rule_of_a_higher_level_counts() -> None:
    def drop(expr: Expr, type_map: dict[Expr, object]) -> list[object]:
        return [expr.args[0], type_map[expr.args[0]]]

    func = function(quantized(relay_call("cos", dequantized(x))))
    with TempOpAttr("cos", fake_quantization, drop):
        assert fake_quantization_to_integer(func).body is func.params[0]
    assert register_fake_quantization_to_integer("cos.of.nobody", drop) is drop


def test_operator_may_be_declared_with_its_rule() -> None:
    mirror = register_op(
        "test.mirror_of_integers",
        arguments=("data",),
        pattern=OpPattern.ELEMWISE,
        rule=identity,
        evaluate=lambda _, data: -data,
        fake_quantization=lambda expr, type_map: (expr, type_map[expr.args[0]]),
    )
    func = function(quantized(relay_call(mirror, dequantized(x))))
    assert fake_quantization_to_integer(func).body.op is mirror


def test_what_an_operator_without_a_rule_dequantised_stays() -> None:
    def as_floats(_attrs: object, ty: Any) -> TensorType:
        return TensorType(ty.shape, "float32")

    with declared_temporarily():
        halved = register_op("test.halved", arguments=("data",), rule=as_floats, dequantizes=True)
        relu = relay_call("nn.relu", Call(halved, (x,)))
        func = function(quantized(relu))
        assert fake_quantization_to_integer(func, use_qat=True) is func
        with pytest.raises(PassError, match=r"how test\.halved is computed in integers"):
            fake_quantization_to_integer(func, hard_fail=True)
        func = function(relu)
        with pytest.raises(PassError, match=r"no rule for test\.halved"):
            fake_quantization_to_integer(func, hard_fail=True, use_qat=True)


def test_region_that_would_change_its_type_stays() -> None:
    def widen(expr: Expr, type_map: dict[Expr, object]) -> list[object]:
        wide = relay_call("expand_dims", expr.args[0], axis=0)
        return [wide, type_map[expr.args[0]]]

    func = function(quantized(relay_call("cos", dequantized(x))))
    with TempOpAttr("cos", fake_quantization, widen):
        assert_stays(func)
        with pytest.raises(PassError, match="in integers the type would be"):
            fake_quantization_to_integer(func, hard_fail=True)


def test_what_regions_share_is_made_once_where_it_may_be() -> None:
    shared = relay_call("nn.relu", dequantized(x))
    func = function(Tuple((quantized(shared, two), quantized(shared, half, const(3)))))
    made = fake_quantization_to_integer(func)
    assert made.body.fields[0].args[0] is made.body.fields[1].args[0]


def test_calls_without_quantised_results_become_integers_one_by_one() -> None:
    assert_becomes(
        """def @main(%x: Tensor[(2, 4), int8]) {
          exp(reshape(qnn.dequantize(%x, 0.5f, 3, out_dtype="float32"), newshape=[4, 2])) }""",
        """def @main(%x: Tensor[(2, 4), int8]) {
          %0 = reshape(%x, newshape=[4, 2]);
          exp(qnn.dequantize(%0, 0.5f, 3, out_dtype="float32")) }""",
        use_qat=True,
    )


def test_parts_of_a_split_are_dequantised_one_by_one() -> None:
    halves = relay_call("split", dequantized(x), indices_or_sections=2, axis=1)
    func = function(Tuple((halves[0], halves[1])))
    made = infer_type(fake_quantization_to_integer(func, use_qat=True))
    data = np.arange(8, dtype="int8").reshape(2, 4)
    for before, after in zip(run(func, data), run(made, data), strict=True):
        assert np.array_equal(before, after)
    assert "split(%x" in str(made)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "serves"), [("nn.relu", True), ("tanh", False)])
def test_regions_are_as_deep_as_one_likes(name: str, serves: bool) -> None:
    body = dequantized(x)
    for _ in range(min(DEPTH, 20_000)):
        body = relay_call(name, body)
    func = function(quantized(body))
    assert (fake_quantization_to_integer(func) is not func) is serves


def test_rules_are_asked_once_for_each_node_however_many_regions_there_are() -> None:
    asked = 0

    def count(expr: Expr, type_map: dict[Expr, object]) -> list[object]:
        nonlocal asked
        asked += 1
        return [expr.args[0], type_map[expr.args[0]]]

    body, ends = dequantized(x), []
    for level in range(50):
        body = relay_call("cos", body)
        ends.append(quantized(body, const(np.float32(level + 1))))
    with TempOpAttr("cos", fake_quantization, count):
        fake_quantization_to_integer(function(Tuple(tuple(ends))))
    assert asked == 50


def test_integers_stay_within_the_bound_of_their_roundings() -> None:
    converted = 0
    for seed in SEEDS:
        net = QuantisedNetwork(seed)
        before = infer_type(net.mod)
        with PassContext(instruments=[VerifyInstrument()]):
            after = FakeQuantizationToInteger()(before)
        ends = [np.asarray(run(mod, *net.arguments)).astype(int) for mod in (before, after)]
        assert np.max(np.abs(ends[0] - ends[1])) <= net.bound, seed
        converted += is_in_integers(after)
    assert converted > 0.3 * EXAMPLES


def _layer(name: str, body: Expr, other: Expr) -> Expr:
    args = (body, other)[: num_inputs.get(get_op(name))]
    return relay_call(name, *args)


def test_regions_are_within_one_quantum_whatever_operators_follow_one_another() -> None:
    names = ("add", "subtract", "multiply", "minimum", "maximum", "nn.relu", "tanh", "exp", "abs")
    converted = 0
    for seed in SEEDS:
        choose = random.Random(f"chain {seed}")
        y = var("y", shape=(2, 4), dtype="int8")
        ends = [dequantized(v, const(np.float32(choose.uniform(0.01, 0.1)))) for v in (x, y)]
        body = ends[0]
        for _ in range(choose.randint(1, 4)):
            body = _layer(choose.choice(names), body, choose.choice(ends))
        func = function(quantized(body, const(np.float32(choose.uniform(0.01, 0.2)))), x, y)
        made = infer_type(fake_quantization_to_integer(func))
        rng = np.random.default_rng(seed)
        arguments = [rng.integers(-128, 128, (2, 4), "int8") for _ in ends]
        values = [np.asarray(run(f, *arguments)).astype(int) for f in (func, made)]
        assert np.max(np.abs(values[0] - values[1])) <= 1, seed
        converted += made is not func and is_in_integers(IRModule.from_expr(made))
    assert 0.3 * EXAMPLES < converted < EXAMPLES


def test_bound_is_met_with_equality_where_nothing_is_quantised_between() -> None:
    """One quantum: a half on either side of what both round."""
    data = var("d", shape=(1,), dtype="int8")
    func = function(quantized(dequantized(data, const(np.float32(1.0))), two), data)
    made = infer_type(fake_quantization_to_integer(func))
    ends = [int(run(f, np.array([-1], "int8"))[0]) for f in (func, made)]
    assert ends == [-1, 0]  # a half goes away from zero here, and upward there
