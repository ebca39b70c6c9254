"""What a type rule of another package may ask of type inference, beside the types of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from relayish.analysis import register_type_rule
from relayish.errors import DeclarationError, RelayishError, TypeInferenceError
from relayish.ir.effect import Effect
from relayish.ir.node import declared_temporarily, node
from relayish.ir.relay.expr import Expr, Function, If, Tuple, Var
from relayish.ir.relay.type import (
    FuncType,
    IncompleteType,
    TensorType,
    TupleType,
    Type,
    TypeVar,
    scalar_type,
)
from relayish.op.declaration.registry import get_op
from relayish.testing import run_infer_type

F32 = TensorType((2,), "float32")
PAIR = TupleType((F32, scalar_type("bool")))


BOOL = scalar_type("bool")
SAME = TypeVar("a")


def is_condition(x: Var) -> Expr:
    """Return what tells that ``x`` is a boolean."""
    return If(x, Tuple(()), Tuple(()))


@pytest.fixture
def typed() -> Iterator[Callable[..., str]]:
    """Return what infers the type of a node of a kind of which a rule is all that is known.

    It is given the rule, the annotation of the variable that the node holds, and what stands beside
    it: expressions of that variable.
    """
    with declared_temporarily():

        @node("probe", effect=Effect.NONE)
        class Probe(Expr):
            value: Expr

        def infer(rule: Any, ty: Type | None, *beside: Callable[[Var], Expr]) -> str:
            register_type_rule(Probe, rule)
            x = Var("x", ty)
            func: Any = run_infer_type(Function((x,), Tuple((Probe(x), *[b(x) for b in beside]))))
            return str(func.body.fields[0].checked_type)

        yield infer


def test_type_of_a_part_is_that_of_the_operand(typed):
    assert typed(lambda probe, infer: infer.type_of(probe.value), F32) == str(F32)


def test_type_of_what_is_not_inferred_is_refused(typed):
    with pytest.raises(RelayishError, match="asked for before it is inferred; yield it first"):
        typed(lambda _probe, infer: infer.type_of(Var("y")), F32)


def test_field_is_that_of_a_tuple(typed):
    assert typed(lambda probe, infer: infer.field(infer.type_of(probe.value), 1), PAIR) == str(BOOL)


def test_field_that_is_not_there_is_refused(typed):
    with pytest.raises(TypeInferenceError, match="field"):
        typed(lambda probe, infer: infer.field(infer.type_of(probe.value), 2), PAIR)


def test_call_is_the_type_of_an_operator_applied(typed):
    def rule(probe, infer):
        ty = infer.type_of(probe.value)
        return infer.call(get_op("less"), (ty, ty))

    assert typed(rule, F32) == str(TensorType((2,), "bool"))


def test_call_waits_for_the_types_of_its_arguments(typed):
    def rule(probe, infer):
        return infer.call(get_op("logical_not"), (infer.type_of(probe.value),))

    assert typed(rule, None, is_condition) == str(BOOL)


def test_instance_of_a_polymorphic_function_is_another_for_each_use(typed):
    def rule(probe, infer):
        for ty in (BOOL, infer.type_of(probe.value)):
            used = infer.instance(FuncType((SAME,), SAME, (SAME,)))
            infer.equate(used.arg_types[0], ty, "argument")
        return used.ret_type

    assert typed(rule, F32) == str(F32)


def test_report_is_raised_with_the_message_of_the_rule(typed):
    with pytest.raises(TypeInferenceError, match="nothing of the kind"):
        typed(lambda _probe, infer: infer.report("nothing of the kind"), F32)


def test_rule_that_returns_no_type_is_refused(typed):
    with pytest.raises(DeclarationError, match="returned 1; expected a type"):
        typed(lambda _probe, _infer: 1, F32)


def test_head_is_an_incomplete_type_until_more_is_known(typed):
    met = []

    def rule(probe, infer):
        met.append(infer.head(infer.type_of(probe.value)))
        return F32

    typed(rule, None, is_condition)
    assert [type(ty) for ty in met] == [IncompleteType]


def test_when_known_asks_at_once_where_the_type_is_known(typed):
    def rule(probe, infer):
        return infer.when_known(infer.type_of(probe.value), lambda ty: TupleType((ty,)))

    assert typed(rule, F32) == str(TupleType((F32,)))


def test_when_known_waits_for_the_type(typed):
    def rule(probe, infer):
        return infer.when_known(infer.type_of(probe.value), lambda ty: TupleType((ty,)))

    assert typed(rule, None, is_condition) == str(TupleType((BOOL,)))


def test_when_known_says_what_is_wrong_where_it_never_is(typed):
    def rule(probe, infer):
        return infer.when_known(infer.type_of(probe.value), lambda ty: ty, "no sort told")

    with pytest.raises(TypeInferenceError, match="no sort told"):
        typed(rule, None)
