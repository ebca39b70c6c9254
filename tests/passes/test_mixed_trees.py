"""Passes on Relay functions that hold expressions of another language, and these Relay's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from relayish.analysis import free_vars, well_formed
from relayish.analysis.infer_type.rule import TYPE_RULES
from relayish.errors import PassError, UnknownKindError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, RefCreate, RefWrite, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import scalar_type
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.text import astext, parse_expr
from relayish.transform import PassContext
from tests.support import mini
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.mini import MiniExpr
from tests.support.standing import REFUSES, made_for

INT, BOOL = scalar_type("int32"), scalar_type("bool")
add = intern_op("add")

DECLARED = declared_temporarily()
with mini.DECLARED, DECLARED:

    @node("if", effect=Effect.NONE)
    class MiniIf(MiniExpr):
        cond: MiniExpr
        then: MiniExpr = field(scope=Runs.ONE_OF)
        other: MiniExpr | None = field(scope=Runs.ONE_OF, default=None)

    @node("quote", effect=Effect.NONE)
    class Quote(MiniExpr):
        expr: Expr

    @node("run_mini", effect=Effect.NONE)
    class RunMini(Expr):
        program: MiniExpr

    @node("loop_of_mini", effect=Effect.NONE)
    class LoopOfMini(Expr):
        first: Expr
        var: mini.Var = field(binder=True)
        body: MiniExpr = field(scope=Runs.REPEATEDLY)

    for kind in (RunMini, LoopOfMini):
        TYPE_RULES.register(kind, lambda _node, _infer: INT)


_kinds = known_in_tests(mini.DECLARED, DECLARED)


def summed(args: tuple[MiniExpr, ...]) -> MiniExpr:
    return mini.Call("sum", args)


def programs() -> Iterator[Function]:
    x, y, c, f = Var("x", INT), Var("y", INT), Var("c", BOOL), Var("f")
    v, w = mini.Var("v"), mini.Var("w")
    quote = Quote(add(x, x))
    say = mini.Say(mini.Number(2))
    yield Function((x,), RunMini(summed((mini.Number(1), mini.Number(1)))))
    yield Function((x,), Tuple((RunMini(say), RunMini(say), x)))
    yield Function((x,), add(RunMini(summed((quote, quote))), quote.expr))
    yield Function((x,), RunMini(mini.Let(v, quote, summed((v, v)))))
    yield Function((x,), RunMini(Quote(Let(y, add(x, x), add(y, y)))))
    yield Function((x, c), If(c, LoopOfMini(x, v, mini.Say(summed((v, quote)))), RunMini(say)))
    yield Function((x,), RunMini(MiniIf(quote, say, MiniIf(mini.Number(0), quote))))
    yield Function((x,), Call(RunMini(mini.Function((w,), summed((w, quote)))), (x,)))
    yield Function((x,), RunMini(Quote(Function((y,), add(x, y)))))
    yield Function((x,), Let(y, RefCreate(RunMini(quote)), RefWrite(y, RunMini(say))))
    adds = Function((y,), RunMini(summed((Quote(add(x, y)), mini.Number(1)))))
    yield Function((x,), Let(f, adds, Tuple((f(x), f(const(4))))))


def said(mod: IRModule) -> int:
    return astext(mod).count("mini.say(")


@each("name", RELAY_PASSES)
def test_pass_keeps_expressions_of_another_language_or_says_what_to_do(name: str) -> None:
    refused = (UnknownKindError, PassError, REFUSES.get(name, PassError))
    with PassContext(opt_level=4):
        for func in programs():
            mod = IRModule({"main": func})
            for pass_ in made_for(name, mod):
                try:
                    out = pass_(mod)
                except refused:
                    continue
                assert all(well_formed(made) for made in out.functions.values())
                assert not any(free_vars(made) for made in out.functions.values())
                assert (said(out) > 0) == (said(mod) > 0)


@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_programs_back(name: str) -> None:
    check_given_back(name, (IRModule({"main": func}) for func in programs()))


def test_text_of_a_program_in_two_languages_reads_back() -> None:
    for func in programs():
        assert structural_equal(parse_expr(astext(func)), func)


def test_normal_form_of_a_program_in_two_languages_is_refused_by_what_is_in_the_way() -> None:
    x = Var("x", INT)
    with pytest.raises(PassError, match=r"Quote\(expr=Var\(x\)\) is no expression of Relay; a let"):
        to_a_normal_form(Function((x,), RunMini(Quote(x))))
