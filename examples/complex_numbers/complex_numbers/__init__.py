"""Complex numbers: a domain with a type, three operators and a loop, in a package of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

import relayish as relay
from relayish.analysis import TYPE_RULES
from relayish.analysis.infer_type import Inference
from relayish.domain import DefaultHandler, TransformCtx, assemble, register_handler
from relayish.functor import ExprMutator, TypeMutator
from relayish.interpreter import Run
from relayish.ir.domains.domain import Domain
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
from relayish.op import register_op
from relayish.op.types.type_rules import takes
from relayish.transform import register_pass

COMPLEX = Domain("complex")


@node("number", domain=COMPLEX)
class Number(relay.Type):
    """The type of complex numbers, each of two float32."""


@node("repeat", domain=COMPLEX, effect=Effect.NONE)
class Repeat(relay.Expr):
    """What ``var`` is after ``times`` steps: at first ``init``, then ``body`` of what it was."""

    var: relay.Var = field(binder=True)
    init: relay.Expr
    times: int
    body: relay.Expr = field(scope=Runs.REPEATEDLY)


NUMBER, FLOAT = Number(), relay.scalar_type("float32")

make = register_op(
    "make", domain=COMPLEX, arguments=("re", "im"),
    description="A complex number of its parts.",
    rule=takes(FLOAT, FLOAT, gives=NUMBER),
    evaluate=lambda _attrs, re, im: np.complex64(complex(re, im)),
)  # fmt: skip
mul = register_op(
    "mul", domain=COMPLEX, arguments=("a", "b"), commutative=True,
    description="The product of two complex numbers.",
    rule=takes(NUMBER, NUMBER, gives=NUMBER),
    evaluate=lambda _attrs, a, b: a * b,
)  # fmt: skip
norm = register_op(
    "norm", domain=COMPLEX, arguments=("a",),
    description="The square of the absolute value.",
    rule=takes(NUMBER, gives=FLOAT),
    evaluate=lambda _attrs, a: np.float32(a.real * a.real + a.imag * a.imag),
)  # fmt: skip


@TYPE_RULES.register(Repeat)
def type_of_repeat(repeat: Repeat, infer: Inference) -> Any:
    """The variable, its first value and the body have one type."""
    infer.bind(repeat.var, repeat.init)
    yield repeat.body
    return infer.bind(repeat.var, repeat.body, "body of repeat")


@register_handler("evaluate")
class Evaluate(DefaultHandler, domain="complex"):
    """Values: those of operators are told with them."""

    def handle_repeat(self, visitor: Any, repeat: Repeat) -> Any:
        value = visitor.visit(repeat.init)
        for _ in range(repeat.times):
            value = yield Run(repeat.body, {repeat.var: value})
        return value


@register_handler("verify")
class Verify(DefaultHandler, domain="complex"):
    """What programs have to be, beside well typed."""

    def handle_repeat(self, visitor: Any, repeat: Repeat) -> None:
        if repeat.times < 0:
            visitor.context.report(repeat, f"found {repeat.times} repetitions; expected 0 or more")
        visitor.visit_by_default(repeat)


@register_handler("simplify")
class Simplify(DefaultHandler, domain="complex"):
    """Smaller programs of the same value."""

    def handle_repeat(self, visitor: Any, repeat: Repeat) -> relay.Expr:
        return visitor.visit(repeat.init) if repeat.times == 0 else visitor.visit_by_default(repeat)


@register_handler("lower")
class Lower(DefaultHandler, domain="complex"):
    """Pairs of float32 in place of complex numbers; loops unrolled."""

    def handle_make(self, visitor: Any, call: relay.Call) -> relay.Expr:
        return relay.Tuple([visitor.visit(part) for part in call.args])

    def handle_mul(self, visitor: Any, call: relay.Call) -> relay.Expr:
        (a, b), (c, d) = (parts(visitor.visit(arg)) for arg in call.args)
        return relay.Tuple([a * c - b * d, a * d + b * c])

    def handle_norm(self, visitor: Any, call: relay.Call) -> relay.Expr:
        a, b = parts(visitor.visit(call.args[0]))
        return a * a + b * b

    def handle_repeat(self, visitor: Any, repeat: Repeat) -> relay.Expr:
        value, body = visitor.visit(repeat.init), visitor.visit(repeat.body)
        for _ in range(repeat.times):
            value = relay.bind(visitor.context.clone(body), {repeat.var: value})
        return value


def parts(pair: relay.Expr) -> tuple[relay.Expr, relay.Expr]:
    """Return the two parts of a pair."""
    if isinstance(pair, relay.Tuple):
        return pair[0], pair[1]
    return relay.TupleGetItem(pair, 0), relay.TupleGetItem(pair, 1)


class PairTypes(TypeMutator):
    """Types in which pairs stand for complex numbers."""

    def visit_complex_number(self, _number: Number) -> relay.Type:
        return relay.TupleType([FLOAT, FLOAT])


class Annotate(ExprMutator):
    """Programs annotated with these types."""

    def visit_type(self, ty: relay.Type) -> relay.Type:
        return PairTypes().visit(ty)


@register_pass(opt_level=0, name="LowerComplex")
def lower_complex(func: relay.Function) -> relay.Function:
    """Write programs over complex numbers as programs over pairs of float32."""
    return assemble("lower", TransformCtx()).visit(Annotate().visit(func))
