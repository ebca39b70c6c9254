"""Gradients of programs with kinds of nodes that other packages declare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import well_formed
from relayish.analysis.infer_type.rule import register_type_rule
from relayish.errors import DeclarationError, GradientError, UnknownKindError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.effect import Effect
from relayish.ir.node import declared_temporarily, field, node
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, TensorType
from relayish.ir.roles import Runs
from relayish.passes.ad.kind_rules import GRADIENT_RULES
from relayish.transform import ControlFlow, FirstOrderGradient, gradient, register_gradient_rule

SCALAR, TRUTH = TensorType((), "float32"), TensorType((), "bool")
PAIR = TensorType((2,), "float32")


class Scale(Expr):
    value: Expr
    factor: float


class Choose(Expr):
    cond: Expr
    yes: Expr = field(scope=Runs.ONE_OF)
    no: Expr = field(scope=Runs.ONE_OF)


class While(Expr):
    var: Var = field(binder=True)
    init: Expr
    cond: Expr = field(scope=Runs.REPEATEDLY)
    body: Expr = field(scope=Runs.REPEATEDLY)


class Sequence_(Expr):
    statements: tuple[Expr, ...] = field(scope=Runs.REPEATEDLY, block=True)


DECLARED = declared_temporarily()
with DECLARED:
    Scale = node("scale", effect=Effect.NONE)(Scale)  # type: ignore[misc]
    Choose = node("choose", effect=Effect.NONE)(Choose)  # type: ignore[misc]
    While = node("while_loop")(While)  # type: ignore[misc]
    Sequence_ = node("statement_sequence")(Sequence_)  # type: ignore[misc]


@pytest.fixture(autouse=True)
def declared() -> Iterator[None]:
    with DECLARED:
        yield


def _type_of_while(loop: Any, infer: Any) -> Any:
    infer.bind(loop.var, loop.init)
    yield loop.cond, loop.body
    return infer.bind(loop.var, loop.body, "body")


def _type_of_choose(choose: Any, infer: Any) -> Any:
    first, _ = yield choose.yes, choose.no
    infer.equate(first, choose.no, "other branch")
    return first


register_type_rule(Scale, lambda scale, infer: infer.type_of(scale.value))
register_type_rule(Choose, _type_of_choose)
register_type_rule(While, _type_of_while)


@contextmanager
def rules(given: dict[type[Any], Any]) -> Iterator[None]:
    """Register gradient rules for a while."""
    for kind, rule in given.items():
        register_gradient_rule(kind, rule)
    try:
        yield
    finally:
        for kind in given:
            del GRADIENT_RULES[kind]
            GRADIENT_RULES._declared.discard(kind)


def scaled(scale: Any, grad: Expr) -> list[Expr]:
    return [Scale(grad, scale.factor)]


ALL = {Scale: scaled, Choose: ControlFlow(plain=("cond",)), While: ControlFlow(plain=("cond",))}


class Lowering(ExprRewriter):
    """Says in Relay what the kinds say."""

    def rewrite_expr(self, pre: Expr, post: Any) -> Expr:
        if isinstance(post, Scale):
            return relay.op.multiply(post.value, relay.const(post.factor))
        if isinstance(post, Choose):
            return If(post.cond, post.yes, post.no)
        if isinstance(post, While):
            ty = post.checked_type or pre.checked_type
            loop = Var("loop", None if ty is None else FuncType((ty,), ty))
            again = Call(loop, (post.body,))
            func = Function((post.var,), If(post.cond, again, post.var))
            return Let(loop, func, Call(loop, (post.init,)))
        return post


def lowered(expr: Expr) -> Function:
    image = post_order_rewrite(expr, Lowering())
    assert isinstance(image, Function)
    return image


def assert_gradient_is_that_of_relay(
    func: Function, *args: Any, mode: str = "higher_order"
) -> None:
    """Check that what is differentiated and lowered is what is lowered and differentiated."""
    made = gradient(func, mode=mode)
    assert well_formed(made)
    value, grads = relay.evaluate(lowered(made), args=list(args))
    expected, expected_grads = relay.evaluate(gradient(lowered(func)), args=list(args))
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    for grad, other in zip(grads, expected_grads, strict=True):
        np.testing.assert_allclose(grad, other, rtol=1e-6)


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_gradient_goes_through_a_kind_by_its_rule(mode):
    x, y = Var("x", PAIR), Var("y", PAIR)
    func = Function((x, y), relay.op.exp(Scale(x * y, 3.0)) * Scale(x, 2.0))
    with rules(ALL):
        assert_gradient_is_that_of_relay(func, np.float32([1, 2]), np.float32([0.5, -1]), mode=mode)


def test_gradient_of_every_function_goes_through_a_kind_by_its_rule():
    x = Var("x", PAIR)
    with rules(ALL):
        out = FirstOrderGradient()(IRModule.from_expr(Function((x,), Scale(x, 2.0) * x)))
    _, (grad,) = relay.evaluate(lowered(out["main"]), args=[np.float32([1, 2])])
    np.testing.assert_allclose(grad, [4, 8])


@pytest.mark.parametrize("value", [0.5, 3.0])
def test_gradient_goes_through_branches_of_a_kind_as_values_do(value):
    x = Var("x", SCALAR)
    shared = relay.op.exp(x)
    chosen = Choose(relay.op.less(x, relay.const(1.0)), shared * x, Scale(shared, 3.0))
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), chosen + shared), np.float32(value))


def test_gradient_goes_through_both_branches_where_they_are_one_node():
    x = Var("x", SCALAR)
    one = relay.const(1.0)
    func = Function((x,), x * Choose(relay.op.less(x, one), one, one))
    with rules(ALL):
        assert_gradient_is_that_of_relay(func, np.float32(0.5))


@pytest.mark.parametrize("value", [0.5, 1.5, 200.0])
def test_gradient_goes_through_each_round_of_a_loop(value):
    x, i, scale = Var("x", SCALAR), Var("i", SCALAR), Var("scale")
    body = Let(scale, x * i, Scale(scale, 2.0) + i)
    loop = While(i, x * x, relay.op.less(i, relay.const(100.0)), body)
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), loop * x), np.float32(value))


def test_gradient_goes_through_loops_in_loops():
    x, i, j = Var("x", SCALAR), Var("i", SCALAR), Var("j", SCALAR)
    inner = While(j, i, relay.op.less(j, relay.const(10.0)), j * x)
    outer = While(i, x, relay.op.less(i, relay.const(50.0)), inner * x)
    with rules(ALL):
        assert_gradient_is_that_of_relay(Function((x,), outer), np.float32(1.5))


def test_gradient_goes_around_a_kind_in_a_function_and_a_checkpoint():
    x, y = Var("x", SCALAR), Var("y", SCALAR)
    kept = relay.op.annotation.checkpoint(relay.op.exp(Scale(x, 2.0)))
    func = Function((x,), Call(Function((y,), Scale(y * y, 3.0)), (kept,)))
    with rules(ALL):
        assert_gradient_is_that_of_relay(func, np.float32(0.25))


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_gradient_names_a_kind_without_rule_and_what_to_register(mode):
    x = Var("x", PAIR)
    wanted = r"the gradient knows no Scale; call relayish.transform.register_gradient_rule\(Scale"
    with pytest.raises(UnknownKindError, match=wanted):
        gradient(Function((x,), Scale(x, 2.0)), mode=mode)


def test_gradient_of_first_order_refuses_control_flow_of_a_kind():
    x = Var("x", SCALAR)
    chosen = Choose(relay.op.less(x, relay.const(1.0)), x, x * x)
    with rules(ALL), pytest.raises(GradientError, match="mode='higher_order'"):
        gradient(Function((x,), chosen), mode="first_order")


def test_gradient_refuses_what_scopes_share_of_a_variable():
    x, i = Var("x", SCALAR), Var("i", SCALAR)
    shared = i * x
    loop = While(i, x, relay.op.less(shared, relay.const(9.0)), shared)
    with rules(ALL), pytest.raises(GradientError, match="several scopes of one node share"):
        gradient(Function((x,), loop))


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_gradient_rule_returns_as_many_gradients_as_operands(mode):
    x = Var("x", PAIR)
    with (
        rules({Scale: lambda _scale, _grad: []}),
        pytest.raises(GradientError, match="Scale returned 0 gradients for a node with 1 operand"),
    ):
        gradient(Function((x,), Scale(x, 2.0)), mode=mode)


@pytest.mark.parametrize(
    ("kind", "rule", "message"),
    [
        (While, scaled, "While has scopes"),
        (Choose, ControlFlow(plain=("condition",)), "no operand or scope 'condition'"),
        (Sequence_, ControlFlow(), "is a block"),
        (Let, ControlFlow(), "Let.value is no operand evaluated before"),
    ],
)
def test_gradient_rule_that_contradicts_the_declaration_is_refused(kind, rule, message):
    with pytest.raises(DeclarationError, match=message):
        register_gradient_rule(kind, rule)
