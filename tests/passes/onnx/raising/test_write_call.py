"""Calls that are alike: a rule is asked once for them."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.passes.onnx.raising.raise_to_onnx import raise_to_onnx
from relayish.passes.onnx.raising.rule import RULES
from relayish.transform import RaiseToOnnx

pytest.importorskip("onnx")
pytestmark = pytest.mark.references
ROW = TensorType((2,), "float32")


def raised(body: Expr, *params: Var) -> Function:
    return raise_to_onnx(infer_type(Function(params, body)))


def watched(name: str, monkeypatch) -> list[object]:
    rule, asked = RULES[name], list[object]()

    def ask(call: object) -> Expr:
        asked.append(call)
        return rule(call)

    monkeypatch.setitem(RULES, name, ask)
    return asked


def times_asked(name: str, monkeypatch, body: Expr, *params: Var) -> int:
    asked = watched(name, monkeypatch)
    raised(body, *params)
    return len(asked)


def test_a_rule_is_asked_once_for_calls_on_the_same_types(monkeypatch):
    x = expr = Var("x", ROW)
    for _ in range(50):
        expr = relay.add(expr, x)
    assert times_asked("add", monkeypatch, expr, x) == 1


def test_a_rule_is_asked_for_each_type_and_each_constant(monkeypatch):
    x, y = Var("x", ROW), Var("y", TensorType((3,), "float32"))
    ones, twos = Constant(np.ones(2, "float32")), Constant(np.full(2, 2, "float32"))
    calls = [relay.add(x, x), relay.add(y, y), relay.add(x, ones), relay.add(x, twos)]
    assert times_asked("add", monkeypatch, relay.Tuple(tuple(calls)), x, y) == 4


def test_a_rule_is_asked_for_all_attributes(monkeypatch):
    x = Var("x", TensorType((2, 2), "float32"))
    calls = [relay.sum(x, axis=(axis,), keepdims=kept) for axis in (0, 1) for kept in (0, 1)]
    assert times_asked("sum", monkeypatch, relay.Tuple(tuple(calls)), x) == 4


def test_constants_that_rules_make_are_those_of_one_call_each():
    x = Var("x", TensorType((2, 3), "float32"))
    body = relay.Tuple((relay.reshape(x, (3, 2)), relay.reshape(x, (3, 2))))
    calls = [node for node in EXPRESSIONS.post_order(raised(body, x)) if type(node) is Call]
    first, second = [call.args[1] for call in calls]
    assert first is not second
    assert first.data.tolist() == second.data.tolist() == [3, 2]


def small_functions() -> relay.IRModule:
    variables = [Var("x", ROW) for _ in range(5)]
    adding = {f"f{i}": Function((x,), relay.add(x, x)) for i, x in enumerate(variables)}
    return infer_type(relay.IRModule(adding))


def test_a_rule_is_asked_once_for_all_functions_of_a_module(monkeypatch):
    mod, asked = small_functions(), watched("add", monkeypatch)
    RaiseToOnnx()(mod)
    assert len(asked) == 1


def test_another_rule_and_another_version_are_asked_for_the_same_module(monkeypatch):
    mod, asked = small_functions(), watched("add", monkeypatch)
    RaiseToOnnx()(mod)
    RaiseToOnnx(opset=13)(mod)
    assert len(asked) == 2
    again = watched("add", monkeypatch)
    RaiseToOnnx()(mod)
    assert len(again) == 1
