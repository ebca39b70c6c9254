"""Programs of mixed domains are simplified by declared facts and by handlers, and keep values."""

from __future__ import annotations

import itertools
import math
import random
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish import core, tir
from relayish.core.interpreter import Interpreter
from relayish.domain import (
    DefaultHandler,
    Handler,
    TransformCtx,
    Visitor,
    assemble,
    register_handler,
)
from relayish.domain.simplify_ctx import SimplifyCtx
from relayish.interpreter import evaluate, same_value
from relayish.ir.kinds.algebra import ALGEBRAS, Algebra
from relayish.ir.nodes.node import node
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from relayish.transform import InferType, SimplifyDomains
from tests.support.core_programs import core_arguments
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.mixed_programs import DECLARED, random_mixed_module
from tests.support.random_exprs import random_arguments
from tests.support.seeds import seeds
from tests.support.tir_programs import same_result

SEEDS = seeds(6)
SMALL = seeds(80)

_COMMUTES = relay.Property.COMMUTATIVE

with DECLARED:
    relay.Domain("maths")

    @node("hypot", effect=relay.Effect.NONE, domain="maths", properties=relay.Property.COMMUTATIVE)
    class Hypot(core.Expr):
        """``sqrt(a * a + b * b)``, of which zero is the identity."""

        a: core.Expr
        b: core.Expr

        derive_type = attrgetter("a.type")

    @node("pick", effect=relay.Effect.NONE, domain="maths")
    class Pick(tir.Expr):
        """The first of two numbers."""

        a: tir.Expr
        b: tir.Expr

        derive_type = attrgetter("a.type")

    @node("again", effect=relay.Effect.NONE, domain="maths")
    class Again(Expr):
        """Its operand."""

        a: Expr

    @node("checked_add", effect=relay.Effect.NONE, domain="maths", properties=_COMMUTES)
    class CheckedAdd(core.BinaryOp):
        """A sum, which faults where the type does not hold it."""

    @node("negate", effect=relay.Effect.NONE, domain="maths")
    class Negate(core.UnaryOp):
        """The inverse element of a sum."""

    ALGEBRAS.register(Hypot, Algebra(identity=0, total=True))
    ALGEBRAS.register(CheckedAdd, Algebra(identity=0, associative=True, inverse=core.Sub))
    ALGEBRAS.register(Negate, Algebra(involution=True, total=True))

    class Evaluate(Handler, domain="maths"):
        """Values of operators of core, some of which cannot be literals."""

        def handle_hypot(self, visitor: Any, hypot: Any) -> Any:
            a, b = visitor.visit(hypot.a), visitor.visit(hypot.b)
            return math.isqrt(square) if math.isqrt(square := a * a + b * b) ** 2 == square else 0.5

        def handle_checked_add(self, visitor: Any, node: Any) -> Any:
            return visitor.visit(node.a) + visitor.visit(node.b)

        def handle_negate(self, visitor: Any, node: Any) -> Any:
            return 1 // visitor.visit(node.a)  # faults at zero, with an error of Python's

        def handle_pick(self, visitor: Any, pick: Any) -> Any:
            return visitor.visit(pick.a)

    register_handler("evaluate", Evaluate)

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
g, const = core.as_expr(F), core.const
ZERO, ONE, TRUE = core.const(0), core.const(1), core.const(True)
NOTHING = core.const(False)
DIV = core.Div(x, y)  # faults

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
    "7 / -2": (core.Div(const(7), const(-2)), const(-3)),
    "127 + 1, of int8": (const(127, "int8") + const(1, "int8"), const(-128, "int8")),
    "1.5 * -0": (core.Mul(const(1.5), const(-0.0)), const(-0.0)),
    "1 < 2": (core.Lt(ONE, const(2)), TRUE),
    "!true": (core.Lnot(TRUE), NOTHING),
    "hypot(3, 4)": (Hypot(const(3), const(4)), const(5)),
    "(x + 1) + 2": (x + 1 + 2, x + 3),
    "((1 + x) + 2) + 3": (core.Add(ONE, x) + 2 + 3, x + 6),
    "2 + (x - 5)": (core.Add(const(2), x - 5), x - 3),
    "(x - 1) - 2": (x - 1 - 2, x - 3),
    "(x + 5) - 2": (x + 5 - 2, x + 3),
    "(x - 1) + 1": (x - 1 + 1, x),
    "(x + max) + 1": (x + (2**31 - 1) + 1, x + -(2**31)),
    "(x * 3) * 5": (x * 3 * 5, x * 15),
    "(x ^ 5) ^ 3": (core.Bxor(core.Bxor(x, const(5)), const(3)), core.Bxor(x, const(6))),
    "(x & 6) & 3": (core.Band(core.Band(x, const(6)), const(3)), core.Band(x, const(2))),
    "(x + y) - y": (core.Sub(x + y, core.as_expr(Y)), x),
    "(y + x) - y": (core.Sub(y + x, core.as_expr(Y)), x),
    "(x - y) + y": (core.Add(x - y, core.as_expr(Y)), x),
    "(x / y - x / y) + x / y": (core.Sub(DIV, core.Div(x, y)) + core.Div(x, y), DIV),
    "(x / y) & (x / y)": (core.Band(DIV, core.Div(x, y)), DIV),
    "y + (x - y)": (core.Add(y, core.Sub(x, core.as_expr(Y))), x),
}
STAYS = {
    "0 - x": core.Sub(ZERO, x),
    "1 / x": core.Div(ONE, x),
    "f + 0": core.Add(f, core.const(0.0)),
    "f - f": core.Sub(f, core.as_expr(F)),
    "f * 0": core.Mul(f, core.const(0.0)),
    "f == f": core.Eq(f, core.as_expr(F)),
    "x - y": core.Sub(x, y),
    "x / y - x / y": core.Sub(DIV, core.Div(x, y)),
    "(x / y) * 0": core.Mul(core.Div(x, y), ZERO),
    "x * 2": core.Mul(x, core.const(2)),
    "1 / 0": core.Div(ONE, ZERO),
    "1 << 40": core.Shl(ONE, const(40)),
    "1. / 0.": core.Div(const(1.0), const(0.0)),
    "0. / 0.": core.Div(const(0.0), const(0.0)),
    "1e38 * 1e38": core.Mul(const(1e38), const(1e38)),
    "hypot(1, 1), no integer": Hypot(ONE, ONE),
    "checked: 2**31 - 1 + 1": CheckedAdd(const(2**31 - 1), ONE),
    "negate(0), an error of Python's": Negate(ZERO),
    "(f + 1) + 2": core.Add(core.Add(f, const(1.0)), const(2.0)),
    "(f + g) - g": core.Sub(core.Add(f, g), g),
    "(x checked + 1) checked + 2": CheckedAdd(CheckedAdd(x, ONE), const(2)),
    "(x checked + y) - y": core.Sub(CheckedAdd(x, y), y),
    "(5 - x) + 2": core.Add(core.Sub(const(5), x), const(2)),
    "(x + x / y) - x / y": core.Sub(core.Add(x, core.Div(x, y)), core.Div(x, y)),
    "y - (x + y)": core.Sub(y, core.Add(x, y)),
    "(x / 2) / 3": core.Div(core.Div(x, const(2)), const(3)),
    "x << 8 * 8, which is refused as x << 64": core.Shl(x, core.Mul(const(8), const(8))),
    "(x * 3) + 5": core.Add(core.Mul(x, const(3)), const(5)),
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


@each("name", ["add", "pick", "minus", "undone", "opposite", "float"])
def test_expressions_of_loops_go_by_facts(name: str) -> None:
    i, j, four = tir.Var("i"), tir.Var("j"), tir.IntImm(4)
    before, after = {
        "add": (i + 1 + 2, i + 3),
        "pick": (Pick(four, tir.IntImm(5)), four),
        "minus": (tir.Minus(tir.Minus(i)), i),
        "undone": (i + j - j, i),
        "opposite": (tir.Add(i, tir.Minus(i)), tir.IntImm(0)),
        "float": (tir.FloatImm(0.1) * tir.FloatImm(3.0), tir.FloatImm(float(np.float32(0.3)))),
    }[name]
    made = assemble("simplify", SimplifyCtx(), DefaultHandler("maths")).visit(before)
    assert relay.structural_equal(made, after)


LITERALS = {
    "int8": (-128, -1, 0, 1, 2, 7, 127),
    "uint8": (0, 1, 2, 8, 255),
    "int64": (-(2**63), -1, 0, 1, 3, 64, 2**63 - 1),
    "uint64": (0, 1, 5, 63, 2**64 - 1),
    "float32": (0.0, -0.0, 1.0, 0.1, 3e38, -2.5),
    "bool": (False, True),
}
OPERATORS = {
    "float32": (core.Add, core.Sub, core.Mul, core.Div),
    "bool": (core.Land, core.Lor, core.Band, core.Bxor),
}
OF_INTEGERS = (
    *(core.Add, core.Sub, core.Add, core.Sub, core.Mul, core.Div, core.Mod, core.Band, core.Bor),
    *(core.Bxor, core.Shl, core.Ashr, core.Lshr),
)


def random_expr(draw: random.Random, held: str, variables: list[core.Expr], depth: int) -> Any:
    """Return an expression of literals and variables of one type, of which much can be folded."""
    if depth == 0 or draw.random() < 0.1:
        known = draw.random() < 0.7
        return const(draw.choice(LITERALS[held]), held) if known else draw.choice(variables)
    if held == "bool" and draw.random() < 0.2:
        return core.Lnot(random_expr(draw, held, variables, depth - 1))
    if held[:-1].endswith("int") and draw.random() < 0.1:
        return core.Bnot(random_expr(draw, held, variables, depth - 1))
    kind = draw.choice(OPERATORS.get(held, OF_INTEGERS))
    below = [random_expr(draw, held, variables, depth - draw.choice((1, depth))) for _ in "ab"]
    draw.shuffle(below)
    return kind(*below)


@each("seed", SMALL)
def test_random_expression_keeps_its_value_bits_type_and_error(seed: int) -> None:
    draw = random.Random(seed)
    held = draw.choice(list(LITERALS))
    params = tuple([core.Var(name, held) for name in "xy"])
    value = random_expr(draw, held, [core.as_expr(each) for each in params], 5)
    body = core.Block((core.Retv(value),))
    mod = IRModule().with_function("main", core.FuncEntry(params, (), (), body, value.type))
    made = SimplifyDomains()(mod)
    assert not relay.domain.verify(made) or relay.domain.verify(mod)
    count = [len(PROGRAM.post_order(each["main"])) for each in (made, mod)]
    assert count[0] <= count[1]
    after, before = Interpreter(made), Interpreter(mod)
    for args in itertools.product(LITERALS[held], repeat=2):
        np.testing.assert_equal(bits_of(after, args), bits_of(before, args))


def bits_of(interpreter: Interpreter, args: Any) -> Any:
    """Return type and bytes of the value of a module, or the message of its error."""
    try:
        found = interpreter.call("main", *args)
    except relay.EvaluationError as error:
        return str(error).partition(" of type ")[2]
    return "NaN" if found != found else (type(found), found.tobytes())  # noqa: PLR0124 - no NaN


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
                lambda: core.Sub(core.Add(image, one), core.Bor(zero, one)),
                lambda: core.Add(core.Sub(image, image), image),
            ]
        )()


def outcome(mod: IRModule, seed: int) -> Any:
    try:
        return Interpreter(mod).call("main", *core_arguments(seed))
    except relay.RelayishError as error:
        return str(error)


@each("seed", SEEDS)
def test_random_program_of_mixed_domains_keeps_its_values(seed: int) -> None:
    mod = InferType()(random_mixed_module(seed))
    domains = [d.name for d in relay.list_domains() if d.name != "core"]
    handlers = [DefaultHandler(name) for name in domains]
    given = mod.with_functions(
        {
            key: Visitor(TransformCtx(), Complicate(seed), *handlers, occurrences=False).visit(
                definition
            )
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


@pytest.mark.deep
def test_deep_sums_of_literals_are_one_literal() -> None:
    value, known = x, const(0)
    levels = min(DEPTH, 10_000)
    for _ in range(levels):
        value, known = core.Add(value, ONE), core.Add(known, ONE)
    made = SimplifyDomains()(entry(core.Sub(value, known)))
    assert relay.structural_equal(made, entry(x))
