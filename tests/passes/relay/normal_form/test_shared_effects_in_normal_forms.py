"""Side effects that blocks share, in normal forms: bound where the order stays, else refused.

The programs are in ``tests/cases/shared_effects.txt``: what becomes of the effect, and an
expression that binds ``%test``. It is ``bound`` or ``refused``; or what is late is ``masked``, as
no reference but its own is written, or ``visible``, and so refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.passes.relay.functions.lambda_lift import lambda_lift
from relayish.passes.relay.functions.lift_branch_body import lift_branch_body
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.normal_form.to_basic_block_normal_form import to_basic_block_normal_form
from relayish.text import parse_expr
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.foreign_kinds import ForeignKinds
from tests.support.seeds import seeds
from tests.support.text_cases import CASES, read_cases

FORMS = (to_a_normal_form, to_basic_block_normal_form)
ADD, MULTIPLY, LESS = intern_op("add"), intern_op("multiply"), intern_op("less")
INT = TensorType((), "int32")
CELL, TEST = Var("cell"), Var("test")
ONE, TWO = Constant(1), Constant(2)


def _step(factor: int) -> Expr:
    """``ref_write(cell, cell * factor + 1)``, of which the order matters."""
    return RefWrite(
        CELL,
        Call(ADD, (Call(MULTIPLY, (RefRead(CELL), Constant(factor))), ONE)),
        Span("f", factor, factor, 1, 2),
    )


def _called(body: Expr) -> Expr:
    return Call(Function((), body), ())


A = _step(2)
PROGRAMS = read_cases(CASES / "shared_effects.txt")
REFUSED = {
    "refused": r"a RefWrite at f:\d.* may act.* bind it by a let where",
    "visible": "may act, and is shared by a scope",
}


@pytest.mark.parametrize("form", FORMS)
@each("name", PROGRAMS)
def test_shared_effect_is_bound_where_the_order_stays(
    name: str, form: Callable[[Expr], Expr]
) -> None:
    kind, text = PROGRAMS[name]
    for test in ("True", "False"):
        program = parse_expr(re.sub(r"let %test = \w+", f"let %test = {test}", text), "f")
        if kind in REFUSED:
            with pytest.raises(PassError, match=REFUSED[kind]):
                form(program)
            continue
        image = form(program)
        assert image is not program
        if kind == "bound":
            assert form(image) is image
            assert evaluate(image) == evaluate(program)
        else:  # references are equal to none but themselves
            assert str(evaluate(image)) == str(evaluate(program))


# Kinds of other packages

KINDS = ForeignKinds()
X, Y = Var("x"), Var("y")


@pytest.mark.parametrize("form", FORMS)
def test_effect_that_all_cases_start_with_is_bound(form: Callable[[Expr], Expr]) -> None:
    with KINDS.declared():
        shared = KINDS.opaque(1, ())
        cases = (KINDS.case(X, shared), KINDS.case(Y, KINDS.pure((shared, Y))))
        image = form(KINDS.switch(TEST, cases))
        assert type(image) is Let
        assert image.value is shared


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("later", ["shared", "nothing"])
def test_effect_that_a_loop_shares_is_bound_if_it_comes_next_as_well(
    form: Callable[[Expr], Expr], later: str
) -> None:
    with KINDS.declared():
        shared = KINDS.opaque(1, ())
        loop = KINDS.pure_while(X, ONE, X, KINDS.pure((shared, X)))
        after = shared if later == "shared" else Tuple((KINDS.opaque(2, ()), shared))
        if later == "shared":
            assert type(form(Tuple((loop, after)))) is Let
        else:
            with pytest.raises(PassError, match=r"an Opaque \(.*\) may act"):
                form(Tuple((loop, after)))


@pytest.mark.parametrize("form", FORMS)
def test_effect_that_a_deferred_scope_shares_is_refused_unless_it_comes_next(
    form: Callable[[Expr], Expr],
) -> None:
    with KINDS.declared():
        shared = KINDS.opaque(1, ())
        thunk = KINDS.thunk(X, shared)
        assert type(form(Tuple((thunk, shared)))) is Let
        with pytest.raises(PassError, match=r"an Opaque \(.*\) may act"):
            form(Tuple((thunk, Call(thunk, (ONE,)), shared)))


def test_effect_that_a_scope_shares_is_refused_after_another() -> None:
    with KINDS.declared():
        shared = KINDS.opaque(1, ())
        it = KINDS.it("it")
        body = Tuple((KINDS.opaque(2, ()), shared))
        with pytest.raises(PassError, match=r"an Opaque \(.*\) may act"):
            to_a_normal_form(Tuple((KINDS.with_(it, ONE, body), shared)))


def test_effect_shared_by_scopes_of_an_effectful_node_is_refused() -> None:
    with declared_temporarily():

        @node("foreign_both")
        class Both(Expr):
            one: Expr = field(scope=Runs.ONE_OF)
            other: Expr = field(scope=Runs.ONE_OF)

        with pytest.raises(PassError, match=r"a RefWrite at f:2.* may act"):
            to_a_normal_form(Both(A, A))


# Size


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
def test_deep_branches_share_an_effect(form: Callable[[Expr], Expr]) -> None:
    shared: Expr = A
    for _ in range(min(DEPTH, 50_000)):
        shared = If(TEST, Tuple((A, shared)), A)
    chained: Expr = A
    for _ in range(min(DEPTH, 50_000)):
        chained = If(TEST, chained, chained)
    image = form(Tuple((chained, shared)))
    assert type(image) is Let


# Random programs


def _random_module(seed: int) -> IRModule:
    """A function whose parts share, in branches and functions, what writes a reference."""
    random, param = Random(seed), Var("n", INT)
    pool: list[Expr] = [param, Constant(3)]

    def part() -> Expr:
        return random.choice(pool[-6:])

    def writing(value: Expr) -> Expr:
        read = Call(ADD, (RefRead(CELL), value))
        written = Call(ADD, (Call(MULTIPLY, (RefRead(CELL), Constant(3))), value))
        return TupleGetItem(Tuple((read, RefWrite(CELL, written))), 0)

    def applied(value: Expr) -> Expr:
        inner = Var("x", INT)
        body = Call(ADD, (Call(ADD, (inner, part())), value))
        return Call(Function((inner,), body), (part(),))

    for _ in range(random.randint(6, 14)):
        kind, value = random.randrange(7), part()
        if kind <= 1:
            pool.append(writing(value))
        elif kind == 2:
            pool.append(Call(ADD, (value, part())))
        elif kind <= 4:
            test = Call(LESS, (part(), Constant(random.randint(0, 60))))
            pool.append(If(test, value, part()))
        else:
            pool.append(_called(value) if kind == 5 else applied(value))
    result = Var("result")
    ends = Tuple((*[random.choice(pool[-5:]) for _ in range(4)], pool[-1]))
    rest = Let(result, ends, Tuple((result, RefRead(CELL))))
    return IRModule.from_expr(Function((param,), Let(CELL, RefCreate(param), rest)))


def _results(mod: IRModule) -> list[object]:
    return [evaluate(Call(mod["main"], (Constant(n),)), mod) for n in (5, 40, -3)]


def _formed(form: Callable[..., Expr]) -> Callable[[IRModule], IRModule]:
    return lambda mod: IRModule.from_expr(form(mod["main"], mod))


PASSES = {
    "to_a_normal_form": _formed(to_a_normal_form),
    "to_basic_block_normal_form": _formed(to_basic_block_normal_form),
    "lambda_lift": lambda_lift,
    "lift_branch_body": lift_branch_body,
}


@pytest.mark.parametrize("name", PASSES)
def test_random_programs_do_the_same_or_are_refused(name: str) -> None:
    outcomes: Counter[str] = Counter()
    for seed in seeds(60):
        mod = infer_type(_random_module(seed))
        try:
            image = PASSES[name](mod)
        except PassError:
            outcomes["refused"] += 1
            continue
        outcomes["same" if image is mod else "right"] += 1
        assert _results(infer_type(image)) == _results(mod), f"seed {seed}"
    assert outcomes["refused"] > 0
    assert outcomes["right"] > 20
