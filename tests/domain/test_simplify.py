"""Programs of mixed domains are simplified by declared facts and by handlers, and keep values."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish import core, tir
from relayish.core.interpreter import Interpreter
from relayish.domain import DefaultHandler, Handler, TransformCtx, Visitor, register_handler
from relayish.interpreter import evaluate, same_value
from relayish.ir.algebra import register_algebra
from relayish.ir.node import node
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.ir.scoping import PROGRAM
from relayish.transform import InferType, SimplifyDomains
from tests.support.core_programs import core_arguments
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.mixed_programs import DECLARED, random_mixed_module
from tests.support.random_exprs import random_arguments
from tests.support.tir_programs import same_result

EXAMPLES = int(os.environ.get("EXAMPLES", "6"))

with DECLARED:
    relay.Domain("maths")

    @node("hypot", effect=relay.Effect.NONE, domain="maths", properties=relay.Property.COMMUTATIVE)
    class Hypot(core.Expr):
        """``sqrt(a * a + b * b)``, of which zero is the identity."""

        a: core.Expr
        b: core.Expr

        @staticmethod
        def derive_type(hypot: Any) -> Any:
            return hypot.a.type

    @node("pick", effect=relay.Effect.NONE, domain="maths")
    class Pick(tir.Expr):
        """The first of two numbers."""

        a: tir.Expr
        b: tir.Expr

        @staticmethod
        def derive_type(pick: Any) -> Any:
            return pick.a.type

    @node("again", effect=relay.Effect.NONE, domain="maths")
    class Again(Expr):
        """Its operand."""

        a: Expr

    register_algebra(Hypot, identity=0, total=True)

    class Simplify(Handler, domain="maths"):
        def handle_again(self, visitor: Any, again: Any) -> Any:
            return visitor.visit(again.a)

        def handle_pick(self, visitor: Any, pick: Any) -> Any:
            return visitor.visit(pick.a)

        def any_operator(self, visitor: Any, node: Any) -> Any:
            return visitor.visit_by_default(node)

    register_handler("simplify", Simplify)

_kinds = known_in_tests(DECLARED)

X, Y, F, B = core.Var("x"), core.Var("y"), core.Var("f", "float32"), core.Var("b", "bool")
x, y, f, b = (core.as_expr(each) for each in (X, Y, F, B))
ZERO, ONE, TRUE = core.const(0), core.const(1), core.const(True)
NOTHING = core.const(False)

SAME = {
    "x + 0": (core.Add(x, ZERO), x),
    "0 + x": (core.Add(ZERO, x), x),
    "x - 0": (core.Sub(x, ZERO), x),
    "x - x": (core.Sub(x, core.as_expr(X)), ZERO),
    "1 * x": (core.Mul(core.One(), x), x),
    "x * 0": (core.Mul(x, core.Zero()), core.Zero()),
    "x / 1": (core.Div(x, ONE), x),
    "x >> 0": (core.Ashr(x, ZERO), x),
    "x & x": (core.Band(x, core.as_expr(X)), x),
    "x | 0": (core.Bor(x, ZERO), x),
    "x ^ x": (core.Bxor(x, core.as_expr(X)), ZERO),
    "~~x": (core.Bnot(core.Bnot(x)), x),
    "!!b": (core.Lnot(core.Lnot(b)), b),
    "b && true": (core.Land(b, TRUE), b),
    "b && false": (core.Land(b, NOTHING), NOTHING),
    "true || b": (core.Lor(TRUE, b), TRUE),
    "x == x": (core.Eq(x, core.as_expr(X)), TRUE),
    "x < x": (core.Lt(x, core.as_expr(X)), NOTHING),
    "f * 1": (core.Mul(f, core.const(1.0)), f),
    "f + -0": (core.Add(f, core.const(-0.0)), f),
    "hypot(0, x)": (Hypot(ZERO, x), x),
    "(x + 0) * (1 + 0)": (core.Mul(core.Add(x, ZERO), core.Add(ONE, ZERO)), x),
}
STAYS = {
    "0 - x": core.Sub(ZERO, x),
    "1 / x": core.Div(ONE, x),
    "f + 0": core.Add(f, core.const(0.0)),
    "f - f": core.Sub(f, core.as_expr(F)),
    "f * 0": core.Mul(f, core.const(0.0)),
    "f == f": core.Eq(f, core.as_expr(F)),
    "x - y": core.Sub(x, y),
    "(x / y) * 0": core.Mul(core.Div(x, y), ZERO),
    "x * 2": core.Mul(x, core.const(2)),
}


def entry(value: core.Expr) -> IRModule:
    body = core.Block((core.Retv(value),))
    func = core.FuncEntry((X, Y, F, B), (), (), body, value.type)
    return IRModule().with_function("main", func)


@each("name", SAME)
def test_operators_go_by_what_is_declared_of_them(name: str) -> None:
    before, after = SAME[name]
    assert relay.structural_equal(SimplifyDomains()(entry(before)), entry(after))


@each("name", STAYS)
def test_expression_stays_the_same_object(name: str) -> None:
    mod = entry(STAYS[name])
    assert SimplifyDomains()(mod) is mod


def test_handlers_of_packages_simplify_in_all_languages() -> None:
    v, i = relay.var("v", shape=(2,)), tir.Var("i")
    a = tir.Buffer("_A", (4,))
    store = tir.Store(tir.Tensor("A", (4,), "int32", a), Pick(i, i + 1), (i,))
    loop = tir.For(i, 0, 4, tir.Block((store,)))
    mod = IRModule({"r": Function([v], Again(Again(v)))})
    mod = mod.with_function("t", tir.LoweredFunc("t", (a,), tir.Block((loop,))))
    made = SimplifyDomains()(mod)
    assert made["r"].body is v  # type: ignore[attr-defined]
    assert not any(isinstance(n, Pick) for n in PROGRAM.post_order(made["t"]))
    by_pass = relay.transform.get_pass("Simplify")(mod)["t"]
    assert not any(isinstance(n, Pick) for n in PROGRAM.post_order(by_pass))


def test_options_choose_facts_or_handlers() -> None:
    v = relay.var("v", shape=(2,))
    mod = entry(core.Add(x, ZERO)).with_function("r", Function([v], Again(v)))
    facts, handled = SimplifyDomains(handlers=False)(mod), SimplifyDomains(attributes=False)(mod)
    assert facts["r"] is mod["r"]
    assert facts["main"] is not mod["main"]
    assert handled["main"] is mod["main"]
    assert handled["r"] is not mod["r"]


class Complicate(DefaultHandler, domain="core"):
    """Writes integers of core in a complicated way, here and there."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)

    def handle_expr(self, visitor: Any, expr: Any) -> Any:
        image = visitor.visit_by_default(expr)
        held = image.type
        if not held.is_integer or self.random.random() < 0.5:
            return image
        zero, one = core.const(0, held), core.const(1, held)
        return self.random.choice(
            [
                lambda: image + zero,
                lambda: core.Mul(one, image),
                lambda: image - zero,
                lambda: core.Bnot(core.Bnot(image)),
                lambda: core.Bor(image, zero),
                lambda: core.Add(image, core.Mul(zero, one)),
            ]
        )()


def outcome(mod: IRModule, seed: int) -> Any:
    try:
        return Interpreter(mod).call("main", *core_arguments(seed))
    except relay.RelayishError as error:
        return str(error)


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_random_program_of_mixed_domains_keeps_its_values(seed: int) -> None:
    mod = InferType()(random_mixed_module(seed))
    domains = [d.name for d in relay.list_domains() if d.name != "core"]
    handlers = [DefaultHandler(name) for name in domains]
    given = mod.with_functions(
        {
            key: Visitor(TransformCtx(), Complicate(seed), *handlers).visit(definition)
            for key, definition in mod.functions.items()
            if isinstance(definition, core.FuncEntry)
        }
    )
    made = SimplifyDomains()(given)
    assert relay.domain.verify(made) == ()
    assert len(PROGRAM.post_order(made["main"])) <= len(PROGRAM.post_order(mod["main"]))
    np.testing.assert_equal(outcome(made, seed), outcome(mod, seed))
    assert same_result(mod["t_main"], made["t_main"])
    main = mod["r_main"]
    args = random_arguments(main, seed)
    assert same_value(evaluate(made["r_main"], made, args), evaluate(main, mod, args))


@pytest.mark.deep
def test_deep_expressions_are_simplified() -> None:
    value: core.Expr = x
    for _ in range(min(DEPTH, 20_000)):
        value = core.Add(value, ZERO)
    assert relay.structural_equal(SimplifyDomains()(entry(value)), entry(x))
