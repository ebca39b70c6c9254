"""Continuation-passing style: types, values, and that no function returns."""

from __future__ import annotations

import pytest

from relayish.analysis import well_formed
from relayish.analysis.infer_type import TYPE_RULES, infer_type
from relayish.errors import PassError, UnknownKindError
from relayish.interpreter import evaluate
from relayish.ir.nodes.node import declared_temporarily, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, scalar_type
from relayish.text import parse, parse_expr
from relayish.transform import CPS_RULES, to_cps, un_cps
from tests.support import while_loop
from tests.support.deep import DEEP_NESTS
from tests.support.each import each
from tests.support.goldens import CASES, Golden, read_goldens
from tests.support.random_exprs import random_arguments, random_module, same_value
from tests.support.seeds import seeds
from tests.support.while_loop import While

INT = scalar_type("int32")
add, less = intern_op("add"), intern_op("less")
HEADER = '#[version = "0.0.5"]\n'

PROGRAMS = read_goldens(CASES / "continuations.relay")


@pytest.mark.parametrize("case", PROGRAMS.values(), ids=PROGRAMS)
def test_value_and_type_are_kept_of(case: Golden) -> None:
    func = parse_expr(case.before)
    converted = infer_type(to_cps(func))
    assert well_formed(converted)
    ty = converted.checked_type
    assert isinstance(ty, FuncType)
    assert ty.ret_type is ty.type_params[-1]
    back = infer_type(un_cps(converted))
    assert back.checked_type.arg_types == ()
    assert same_value(evaluate(Call(back, ())), evaluate(Call(func, ())))


def _returns(expr: Expr) -> list[Expr]:
    """Return what a block in continuation-passing style may end with."""
    while isinstance(expr, Let):
        expr = expr.body
    return [expr]


def test_every_block_ends_with_a_call_of_what_is_no_operator() -> None:
    body = to_cps(parse_expr(PROGRAMS["A call."].before)).body
    (end,) = _returns(body)
    assert isinstance(end, Call)
    assert not isinstance(end.op, Op)
    continuation = end.args[-1]
    assert isinstance(continuation, Function)
    assert isinstance(_returns(continuation.body)[0], Call)


@each("seed", seeds(20))
def test_random_modules_have_the_same_value(seed: int) -> None:
    mod = random_module(seed, 60)
    before = dict(mod.functions)
    converted = to_cps(mod)
    back = un_cps(converted)
    assert dict(mod.functions) == before
    infer_type(converted, fresh=True)
    infer_type(back, fresh=True)
    args = random_arguments(mod["main"], seed)
    expected = evaluate(mod["main"], mod, args)
    assert same_value(evaluate(back["main"], back, args), expected)


def test_global_functions_are_converted_with_their_module() -> None:
    mod = parse(
        HEADER + "def @f(%n: int32) -> int32 { if (less(%n, 1)) { 0 } else "
        "{ add(%n, @f(subtract(%n, 1))) } } def @main(%n: int32) -> int32 { @f(%n) }"
    )
    with pytest.raises(PassError, match=r"@f at .*use to_cps\(mod\)"):
        to_cps(mod["f"])
    back = un_cps(to_cps(mod))
    assert sorted(name.name_hint for name in back.functions) == ["f", "f_cps", "main", "main_cps"]
    assert evaluate(back["main"], back, [4]) == 10


def test_a_constructor_that_is_passed_is_refused() -> None:
    mod = parse(
        HEADER + "type Box { Wrap(int32), } "
        "def @main() -> Box { let %f = fn (%g: fn (int32) -> Box) { %g(1) }; %f(Wrap) }"
    )
    with pytest.raises(PassError, match=r"Wrap.* is used as a value, but takes no continuation"):
        to_cps(mod)


def test_what_is_not_in_the_style_is_refused() -> None:
    with pytest.raises(PassError, match="un_cps takes functions that to_cps made"):
        un_cps(parse_expr("fn (%x: int32) { %x }"))


@pytest.mark.parametrize("nest", sorted(DEEP_NESTS.keys() - {"function_nest"}))
def test_deep_nests_are_converted(nest: str) -> None:
    mod = IRModule.from_expr(Function((), DEEP_NESTS[nest](3_000)))
    assert well_formed(to_cps(mod["main"]))


def type_of_while(loop, infer):
    infer.bind(loop.var, loop.init)
    yield loop.cond, loop.body
    return infer.bind(loop.var, loop.body, "body of while")


def loop_of_calls(node, conversion):
    """Convert a loop to a function that calls itself as long as the condition holds."""
    (cond, test), (body, again) = conversion.block(0), conversion.block(1)
    loop, rest, holds = Var("loop"), Var("rest"), Var("holds")
    value = conversion.variable(node.var)
    step = If(holds, Let(again, loop, body), Call(rest, (value,)))
    turn = Let(test, Function((holds,), step, conversion.answer), cond)
    run = Function((value,), turn, conversion.answer)
    call = Call(loop, (conversion.name(node.init),))
    return Let(rest, conversion.rest, Let(loop, run, call))


def while_program(kind):
    """Return a function that doubles its parameter until it is at least 100, and adds 1."""
    x, value = Var("x", INT), Var("value", INT)
    loop = kind(value, x, less(value, const(100)), add(value, value))
    return Function((x,), add(loop, const(1)), INT)


@pytest.fixture
def while_kind():
    with while_loop.DECLARED, declared_temporarily():
        TYPE_RULES.register(While, type_of_while)
        yield While


def test_to_cps_refuses_a_loop_of_another_package_that_has_no_rule(while_kind):
    with pytest.raises(UnknownKindError, match=r"call relay.transform.CPS_RULES\.register\(While"):
        to_cps(while_program(while_kind))


def test_to_cps_converts_a_loop_of_another_package_by_its_rule(while_kind):
    CPS_RULES.register(while_kind, loop_of_calls)
    func = un_cps(to_cps(while_program(while_kind)))
    assert evaluate(func, None, (7,)) == 113


def test_to_cps_keeps_what_has_no_scopes_and_no_functions():
    with declared_temporarily():

        @node("opaque_to_convert")
        class Opaque(Expr):
            value: Expr

        TYPE_RULES.register(Opaque, lambda opaque, infer: infer.type_of(opaque.value))
        x = Var("x", INT)
        func = to_cps(Function((x,), add(Opaque(x), const(1)), INT))
        assert [type(n) for n in EXPRESSIONS.post_order(func)].count(Opaque) == 1
