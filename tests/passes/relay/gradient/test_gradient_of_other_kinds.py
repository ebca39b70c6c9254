"""Gradients of programs with kinds of nodes that other packages declare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import well_formed
from relayish.errors import DeclarationError, GradientError, UnknownKindError
from relayish.ir.nodes.node import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.transform import GRADIENT_RULES, ControlFlow, FirstOrderGradient, gradient
from tests.support import loop_kinds
from tests.support.declared import known_in_tests

_kinds = known_in_tests(loop_kinds.DECLARED)


@contextmanager
def rules(given: dict[type[Any], Any]) -> Iterator[None]:
    """Register gradient rules for a while."""
    with declared_temporarily():
        for kind, rule in given.items():
            GRADIENT_RULES.register(kind, rule)
        yield


def scaled(scale: Any, grad: Expr) -> list[Expr]:
    return [loop_kinds.Scale(grad, scale.factor)]


ALL = {
    loop_kinds.Scale: scaled,
    loop_kinds.Choose: ControlFlow(plain=("cond",)),
    loop_kinds.While: ControlFlow(plain=("cond",)),
    loop_kinds.Switch: ControlFlow(plain=("index",)),
}


def assert_gradient_is_that_of_relay(
    func: Function, *args: Any, mode: str = "higher_order"
) -> None:
    """Check that what is differentiated and lowered is what is lowered and differentiated."""
    made = gradient(func, mode=mode)
    assert well_formed(made)
    value, grads = relay.evaluate(loop_kinds.lowered(made), args=list(args))
    expected, expected_grads = relay.evaluate(gradient(loop_kinds.lowered(func)), args=list(args))
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    for grad, other in zip(grads, expected_grads, strict=True):
        np.testing.assert_allclose(grad, other, rtol=1e-6)


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_gradient_goes_through_a_kind_by_its_rule(mode):
    x, y = Var("x", loop_kinds.PAIR), Var("y", loop_kinds.PAIR)
    func = Function((x, y), relay.op.exp(loop_kinds.Scale(x * y, 3.0)) * loop_kinds.Scale(x, 2.0))
    with rules(ALL):
        assert_gradient_is_that_of_relay(func, np.float32([1, 2]), np.float32([0.5, -1]), mode=mode)


def test_gradient_of_every_function_goes_through_a_kind_by_its_rule():
    x = Var("x", loop_kinds.PAIR)
    with rules(ALL):
        out = FirstOrderGradient()(IRModule.from_expr(Function((x,), loop_kinds.Scale(x, 2.0) * x)))
    _, (grad,) = relay.evaluate(loop_kinds.lowered(out["main"]), args=[np.float32([1, 2])])
    np.testing.assert_allclose(grad, [4, 8])


@pytest.mark.parametrize("value", [0.5, 3.0])
def test_gradient_goes_through_branches_of_a_kind_as_values_do(value):
    x = Var("x", loop_kinds.SCALAR)
    shared = relay.op.exp(x)
    chosen = loop_kinds.Choose(
        relay.op.less(x, relay.const(1.0)), shared * x, loop_kinds.Scale(shared, 3.0)
    )
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), chosen + shared), np.float32(value))


def test_gradient_goes_through_both_branches_where_they_are_one_node():
    x = Var("x", loop_kinds.SCALAR)
    one = relay.const(1.0)
    func = Function((x,), x * loop_kinds.Choose(relay.op.less(x, one), one, one))
    with rules(ALL):
        assert_gradient_is_that_of_relay(func, np.float32(0.5))


@pytest.mark.parametrize("value", [0.5, 1.5, 200.0])
def test_gradient_goes_through_each_round_of_a_loop(value):
    x, i, scale = Var("x", loop_kinds.SCALAR), Var("i", loop_kinds.SCALAR), Var("scale")
    body = Let(scale, x * i, loop_kinds.Scale(scale, 2.0) + i)
    loop = loop_kinds.While(i, x * x, relay.op.less(i, relay.const(100.0)), body)
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), loop * x), np.float32(value))


def test_gradient_goes_through_loops_in_loops():
    x, i, j = Var("x", loop_kinds.SCALAR), Var("i", loop_kinds.SCALAR), Var("j", loop_kinds.SCALAR)
    inner = loop_kinds.While(j, i, relay.op.less(j, relay.const(10.0)), j * x)
    outer = loop_kinds.While(i, x, relay.op.less(i, relay.const(50.0)), inner * x)
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), outer), np.float32(1.5))


@pytest.mark.parametrize("value", [0.5, 3.0])
def test_gradient_goes_through_parts_that_bind_and_hold_scopes(value):
    x, y, z = Var("x", loop_kinds.SCALAR), Var("y", loop_kinds.SCALAR), Var("z", loop_kinds.SCALAR)
    cases = (loop_kinds.SwitchCase(y, y * x), loop_kinds.SwitchCase(z, relay.op.exp(z) * z))
    chosen = loop_kinds.Switch(relay.op.less(x, relay.const(1.0)), x * x, cases)
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), chosen), np.float32(value))


def test_gradient_goes_around_a_kind_in_a_function_and_a_checkpoint():
    x, y = Var("x", loop_kinds.SCALAR), Var("y", loop_kinds.SCALAR)
    kept = relay.op.annotation.checkpoint(relay.op.exp(loop_kinds.Scale(x, 2.0)))
    func = Function((x,), Call(Function((y,), loop_kinds.Scale(y * y, 3.0)), (kept,)))
    with rules(ALL):
        assert_gradient_is_that_of_relay(func, np.float32(0.25))


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_gradient_names_a_kind_without_rule_and_what_to_register(mode):
    x = Var("x", loop_kinds.PAIR)
    wanted = r"the gradient knows no Scale; call relay.transform.GRADIENT_RULES\.register\(Scale"
    with pytest.raises(UnknownKindError, match=wanted):
        gradient(Function((x,), loop_kinds.Scale(x, 2.0)), mode=mode)


def test_gradient_of_first_order_refuses_control_flow_of_a_kind():
    x = Var("x", loop_kinds.SCALAR)
    chosen = loop_kinds.Choose(relay.op.less(x, relay.const(1.0)), x, x * x)
    with rules(ALL), pytest.raises(GradientError, match="mode='higher_order'"):
        gradient(Function((x,), chosen), mode="first_order")


def test_gradient_refuses_what_scopes_share_of_a_variable():
    x, i = Var("x", loop_kinds.SCALAR), Var("i", loop_kinds.SCALAR)
    shared = i * x
    loop = loop_kinds.While(i, x, relay.op.less(shared, relay.const(9.0)), shared)
    with rules(ALL), pytest.raises(GradientError, match="binds for several scopes"):
        gradient(Function((x,), loop))


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_gradient_rule_returns_as_many_gradients_as_operands(mode):
    x = Var("x", loop_kinds.PAIR)
    with (
        rules({loop_kinds.Scale: lambda _scale, _grad: []}),
        pytest.raises(GradientError, match="Scale returned 0 gradients for a node with 1 operand"),
    ):
        gradient(Function((x,), loop_kinds.Scale(x, 2.0)), mode=mode)


@pytest.mark.parametrize(
    ("kind", "rule", "message"),
    [
        (loop_kinds.While, scaled, "While has scopes"),
        (loop_kinds.Choose, ControlFlow(plain=("condition",)), "no operand or scope 'condition'"),
        (loop_kinds.Sequence_, ControlFlow(), "is a block"),
        (Let, ControlFlow(), "Let.value is no operand evaluated before"),
    ],
)
def test_gradient_rule_that_contradicts_the_declaration_is_refused(kind, rule, message):
    with pytest.raises(DeclarationError, match=message):
        GRADIENT_RULES.register(kind, rule)
