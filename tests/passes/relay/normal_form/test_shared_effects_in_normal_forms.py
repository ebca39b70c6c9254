"""Side effects that blocks share, in normal forms: bound where the order stays, else refused."""

from __future__ import annotations

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
from relayish.ir.relay.adt import Clause, Match, PatternWildcard
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
from tests.support.depth import DEPTH
from tests.support.foreign_kinds import ForeignKinds
from tests.support.seeds import seeds

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


def _named(body: Expr, rest: Callable[[Var], Expr]) -> Expr:
    name = Var("f")
    return Let(name, Function((), body), rest(name))


A, B, NOTHING = _step(2), _step(3), Tuple(())
READ, HELD, F = RefRead(CELL), RefRead(Var("held")), Var("f")

RIGHT: dict[str, Expr] = {
    "both branches start with it": If(TEST, A, Tuple((A, B))),
    "both branches start with it, one with an operator": If(
        TEST, Tuple((Call(ADD, (READ, ONE)), A)), Tuple((READ, A))
    ),
    "branches start with the same two": If(TEST, Tuple((A, B)), Tuple((Tuple((A,)), B, ONE))),
    "one branch, and then what follows": Tuple((If(TEST, A, NOTHING), A)),
    "it came before the branches": Tuple((A, If(TEST, A, B), B)),
    "branches within a branch": If(TEST, If(TEST, A, A), A),
    "a function that is called at once": Tuple((_called(A), A)),
    "two functions that are called in turn": Tuple((_called(Tuple((A, B))), _called(B), A)),
    "a function that is called by name": _named(A, lambda f: Tuple((Call(f, ()), A, Call(f, ())))),
    "an arm of a match": Tuple((Match(ONE, (Clause(PatternWildcard(), A),)), A)),
}

WRONG: dict[str, Expr] = {
    "something else comes first in the other branch": Tuple((If(TEST, A, B), A, B)),
    "something else comes between": Tuple((If(TEST, A, NOTHING), _step(5), A)),
    "something else comes first in the branch": Tuple((If(TEST, Tuple((_step(5), A)), A), A)),
    "the other branch may not need it": Tuple((If(TEST, If(TEST, A, NOTHING), A), B, A)),
    "the first branch may not need it": Tuple((If(TEST, A, If(TEST, A, NOTHING)), B, A)),
    "branches may need two in another order": Tuple(
        (If(TEST, B, NOTHING), If(ONE, A, NOTHING), B, A)
    ),
    "only branches need it": Tuple((If(TEST, A, NOTHING), If(TEST, NOTHING, A))),
    "branches need two in another order": If(TEST, Tuple((A, B)), Tuple((B, A))),
    "something comes before the call": _named(A, lambda f: Tuple((_step(5), Call(f, ()), A))),
    "a function that is called in a branch": Tuple((If(TEST, _called(A), NOTHING), B, A)),
    "a function that was read before is called between": Tuple(
        (HELD, If(TEST, A, NOTHING), Call(HELD, ()), A)
    ),
    "a function that calls itself comes between": Let(
        F,
        Function((), Tuple((If(TEST, NOTHING, Call(F, ())), _step(5)))),
        Tuple((If(TEST, A, NOTHING), Call(F, ()), A)),
    ),
    "the call is of a function that is not known": _named(
        A, lambda f: Tuple((Call(TupleGetItem(Tuple((f,)), 0), ()), A))
    ),
}


def _program(body: Expr, *, test: bool) -> Expr:
    state = Tuple((body, RefRead(CELL)))
    return Let(TEST, Constant(test), Let(CELL, RefCreate(Constant(7)), state))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", RIGHT)
def test_shared_effect_that_comes_next_is_bound(form: Callable[[Expr], Expr], case: str) -> None:
    for test in (True, False):
        program = _program(RIGHT[case], test=test)
        image = form(program)
        assert image is not program
        assert form(image) is image
        assert evaluate(image) == evaluate(program)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", WRONG)
def test_shared_effect_that_would_come_at_another_time_is_refused(
    form: Callable[[Expr], Expr], case: str
) -> None:
    with pytest.raises(PassError, match=r"a RefWrite at f:\d.* may act.* bind it by a let where"):
        form(_program(WRONG[case], test=True))


@pytest.mark.parametrize("form", FORMS)
def test_pure_node_may_come_at_any_time(form: Callable[[Expr], Expr]) -> None:
    shared = Call(ADD, (TWO, TWO))
    program = _program(Tuple((If(TEST, shared, ONE), A, shared)), test=False)
    assert evaluate(form(program)) == evaluate(program)


# References of its own

R, P = Var("r"), Var("p")


def _writes(ref: Expr) -> Expr:
    return Tuple((RefWrite(ref, Call(ADD, (RefRead(ref), TWO))), RefRead(ref)))


MASKED: dict[str, Expr] = {
    "a reference that it makes": Let(R, RefCreate(ONE), _writes(R)),
    "a reference that a function of its own uses": Let(
        R, RefCreate(ONE), Let(F, Function((), _writes(R)), Tuple((Call(F, ()), Call(F, ()))))
    ),
    "a reference that its function makes": Let(
        F, Function((), Let(R, RefCreate(ONE), _writes(R))), Call(F, ())
    ),
    "a reference that it gives away": Let(R, RefCreate(ONE), Tuple((_writes(R), R))),
    "nothing but a reference": RefCreate(Call(ADD, (ONE, TWO))),
}

SEEN: dict[str, Expr] = {
    "a reference from outside": Let(R, RefCreate(ONE), Tuple((_writes(R), _writes(CELL)))),
    "one from outside in a function of its own": Let(F, Function((), _writes(CELL)), Call(F, ())),
    "one by another name": Let(R, CELL, _writes(R)),
    "one that is no variable": _writes(TupleGetItem(Tuple((CELL,)), 0)),
    "one that a function is given": Let(F, Function((P,), _writes(P)), Call(F, (CELL,))),
    "a reference made of one from outside": Let(R, RefCreate(RefRead(CELL)), _writes(R)),
    "what a reference holds": Let(R, RefCreate(Function((), _writes(CELL))), Call(RefRead(R), ())),
}


def _late(shared: Expr) -> Expr:
    """What one branch, then not taken, needs before something else acts, and then the rest."""
    return _program(Tuple((If(TEST, shared, NOTHING), B, shared)), test=False)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", MASKED)
def test_masked_effect_may_come_at_any_time(form: Callable[[Expr], Expr], case: str) -> None:
    program = _late(MASKED[case])
    image = form(program)
    assert image is not program
    assert str(evaluate(image)) == str(
        evaluate(program)
    )  # references are equal to none but themselves


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", SEEN)
def test_visible_effect_may_not_come_at_another_time(
    form: Callable[[Expr], Expr], case: str
) -> None:
    with pytest.raises(PassError, match="may act, and is shared by a scope"):
        form(_late(SEEN[case]))


@pytest.mark.parametrize("form", FORMS)
def test_effect_of_a_function_bound_outside_is_visible(form: Callable[[Expr], Expr]) -> None:
    shared = Let(R, Call(F, ()), R)
    body = Tuple((If(TEST, shared, NOTHING), B, shared))
    with pytest.raises(PassError, match="may act, and is shared by a scope"):
        form(_program(Let(F, Function((), _writes(CELL)), body), test=False))


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
