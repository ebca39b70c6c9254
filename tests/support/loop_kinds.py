"""Kinds of expressions that a package could declare: of tensors, with branches and loops.

They have type rules, and ``lowered`` says in Relay what they say.
"""

from __future__ import annotations

from typing import Any

import relayish as relay
from relayish.analysis.infer_type.rule import TYPE_RULES
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.nodes.node import Node, declared_temporarily, field, node
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import FuncType, TensorType

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


class Opaque(Expr):
    """Gives its operand, and does who knows what."""

    tag: int
    value: Expr


class Store(Expr):
    """Holds a variable where nothing else may stand."""

    place: Var
    value: Expr


class SwitchPart(Node, language=RELAY, held_as=Role.PART):
    __slots__ = ()
    visit_name = "switch_part"


class SwitchCase(SwitchPart):
    var: Var = field(binder=True)
    body: Expr = field(scope=Runs.ONE_OF)


class Switch(Expr):
    """Runs the first case where ``index`` is true, else the second; both may use ``value``."""

    index: Expr
    value: Expr
    cases: tuple[SwitchPart, ...]


class Sequence_(Expr):
    statements: tuple[Expr, ...] = field(scope=Runs.REPEATEDLY, block=True)


DECLARED = declared_temporarily()
with DECLARED:
    Scale = node("scale", effect=Effect.NONE)(Scale)  # type: ignore[misc]
    Choose = node("choose", effect=Effect.NONE)(Choose)  # type: ignore[misc]
    While = node("while_loop")(While)  # type: ignore[misc]
    Opaque = node("opaque_work")(Opaque)  # type: ignore[misc]
    Store = node("store_into")(Store)  # type: ignore[misc]
    SwitchCase = node("switch_case")(SwitchCase)  # type: ignore[misc]
    Switch = node("switch_over", effect=Effect.NONE)(Switch)  # type: ignore[misc]
    Sequence_ = node("statement_sequence")(Sequence_)  # type: ignore[misc]


def _type_of_while(loop: Any, infer: Any) -> Any:
    infer.bind(loop.var, loop.init)
    yield loop.cond, loop.body
    return infer.bind(loop.var, loop.body, "body")


def _type_of_choose(choose: Any, infer: Any) -> Any:
    first, _ = yield choose.yes, choose.no
    infer.equate(first, choose.no, "other branch")
    return first


def _type_of_switch(switch: Any, infer: Any) -> Any:
    for case in switch.cases:
        infer.bind(case.var, switch.value)
    first, *others = yield tuple(case.body for case in switch.cases)
    for other in others:
        infer.equate(first, other, "another case")
    return first


TYPE_RULES.register(Opaque, lambda opaque, infer: infer.type_of(opaque.value))
TYPE_RULES.register(Store, lambda store, infer: infer.type_of(store.value))
TYPE_RULES.register(Switch, _type_of_switch)
TYPE_RULES.register(Scale, lambda scale, infer: infer.type_of(scale.value))
TYPE_RULES.register(Choose, _type_of_choose)
TYPE_RULES.register(While, _type_of_while)


class Lowering(ExprRewriter):
    """Says in Relay what the kinds say."""

    def rewrite_expr(self, pre: Expr, post: Any) -> Expr:
        if isinstance(post, Scale):
            return relay.op.multiply(post.value, relay.const(post.factor))
        if isinstance(post, Switch):
            first, second = [
                Call(Function((case.var,), case.body), (post.value,)) for case in post.cases
            ]
            return If(post.index, first, second)
        if isinstance(post, (Opaque, Store)):
            return post.value
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
