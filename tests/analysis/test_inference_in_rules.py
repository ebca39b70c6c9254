"""What a type rule of another package may ask of type inference, beside the types of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import relayish as relay
from relayish.analysis import TYPE_RULES
from relayish.testing import run_infer_type

F32 = relay.TensorType((2,), "float32")
PAIR = relay.TupleType((F32, relay.scalar_type("bool")))


BOOL = relay.scalar_type("bool")
SAME = relay.TypeVar("a")


def is_condition(x: relay.Var) -> relay.Expr:
    """Return what tells that ``x`` is a boolean."""
    return relay.If(x, relay.Tuple(()), relay.Tuple(()))


@pytest.fixture
def typed() -> Iterator[Callable[..., str]]:
    """Return what infers the type of a node of a kind of which a rule is all that is known.

    It is given the rule, the annotation of the variable that the node holds, and what stands beside
    it: expressions of that variable.
    """
    with relay.declared_temporarily():

        @relay.node("probe", effect=relay.Effect.NONE)
        class Probe(relay.Expr):
            value: relay.Expr

        def infer(
            rule: Any, ty: relay.Type | None, *beside: Callable[[relay.Var], relay.Expr]
        ) -> str:
            TYPE_RULES.register(Probe, rule)
            x = relay.Var("x", ty)
            func: Any = run_infer_type(
                relay.Function((x,), relay.Tuple((Probe(x), *[b(x) for b in beside])))
            )
            return str(func.body.fields[0].checked_type)

        yield infer


def test_type_of_a_part_is_that_of_the_operand(typed):
    assert typed(lambda probe, infer: infer.type_of(probe.value), F32) == str(F32)


def test_type_of_what_is_not_inferred_is_refused(typed):
    with pytest.raises(
        relay.RelayishError, match="asked for before it is inferred; yield it first"
    ):
        typed(lambda _probe, infer: infer.type_of(relay.Var("y")), F32)


def test_field_is_that_of_a_tuple(typed):
    assert typed(lambda probe, infer: infer.field(infer.type_of(probe.value), 1), PAIR) == str(BOOL)


def test_field_that_is_not_there_is_refused(typed):
    with pytest.raises(relay.TypeInferenceError, match="field"):
        typed(lambda probe, infer: infer.field(infer.type_of(probe.value), 2), PAIR)


def test_call_is_the_type_of_an_operator_applied(typed):
    def rule(probe, infer):
        ty = infer.type_of(probe.value)
        return infer.call(relay.get_op("less"), (ty, ty))

    assert typed(rule, F32) == str(relay.TensorType((2,), "bool"))


def test_call_waits_for_the_types_of_its_arguments(typed):
    def rule(probe, infer):
        return infer.call(relay.get_op("logical_not"), (infer.type_of(probe.value),))

    assert typed(rule, None, is_condition) == str(BOOL)


def test_instance_of_a_polymorphic_function_is_another_for_each_use(typed):
    def rule(probe, infer):
        for ty in (BOOL, infer.type_of(probe.value)):
            used = infer.instance(relay.FuncType((SAME,), SAME, (SAME,)))
            infer.equate(used.arg_types[0], ty, "argument")
        return used.ret_type

    assert typed(rule, F32) == str(F32)


def test_report_is_raised_with_the_message_of_the_rule(typed):
    with pytest.raises(relay.TypeInferenceError, match="nothing of the kind"):
        typed(lambda _probe, infer: infer.report("nothing of the kind"), F32)


def test_rule_that_returns_no_type_is_refused(typed):
    with pytest.raises(relay.DeclarationError, match="returned 1; expected a type"):
        typed(lambda _probe, _infer: 1, F32)


def test_head_is_an_incomplete_type_until_more_is_known(typed):
    met = []

    def rule(probe, infer):
        met.append(infer.head(infer.type_of(probe.value)))
        return F32

    typed(rule, None, is_condition)
    assert [type(ty) for ty in met] == [relay.IncompleteType]


def test_when_known_asks_at_once_where_the_type_is_known(typed):
    def rule(probe, infer):
        return infer.when_known(infer.type_of(probe.value), lambda ty: relay.TupleType((ty,)))

    assert typed(rule, F32) == str(relay.TupleType((F32,)))


def test_when_known_waits_for_the_type(typed):
    def rule(probe, infer):
        return infer.when_known(infer.type_of(probe.value), lambda ty: relay.TupleType((ty,)))

    assert typed(rule, None, is_condition) == str(relay.TupleType((BOOL,)))


def test_when_known_says_what_is_wrong_where_it_never_is(typed):
    def rule(probe, infer):
        return infer.when_known(infer.type_of(probe.value), lambda ty: ty, "no sort told")

    with pytest.raises(relay.TypeInferenceError, match="no sort told"):
        typed(rule, None)
