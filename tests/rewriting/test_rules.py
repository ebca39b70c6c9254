"""Rules by kinds and operators, and the one walk that applies them."""

from __future__ import annotations

import functools

import pytest

import relayish as relay
from relayish import rewriting, tir
from relayish.dataflow_pattern import is_op, is_tuple_get_item, rule, wildcard
from relayish.errors import (
    DeclarationError,
    FieldError,
    MissingNameError,
    PassError,
    UnknownNameError,
)
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Tuple, TupleGetItem
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.rules.tensors import broadcast_along
from relayish.rewriting import RuleSet, Unchanged, rewrite_rules, why_not
from tests.support.deep import call_chain, doublings
from tests.support.depth import DEPTH

X = relay.var("x", "float32")


def test_rule_is_asked_once_for_a_shared_call() -> None:
    asked = []

    @rule("add")
    def count(call, facts):
        asked.append(facts.pre)
        return call

    program = doublings(100, X)
    assert rewrite_rules([count], program) is program
    assert len(asked) == 100


@pytest.mark.deep
def test_rules_go_as_deep_as_the_program() -> None:
    @rule("add")
    def first(call, _):
        return call.args[0]

    leaf = relay.var("x", "int32")
    assert rewrite_rules([first], call_chain(DEPTH, leaf)) is leaf


def test_rule_that_says_why_it_leaves_a_node_leaves_it() -> None:
    @rule("exp")
    def never(call, _):
        return Unchanged("of no use")

    program = op.exp(X)
    assert rewrite_rules([never], program) is program


def test_why_a_rule_is_not_applied_is_told() -> None:
    @rule("exp")
    def never(call, _):
        return Unchanged("of no use")

    @rule(is_op("exp")(is_op("log")(wildcard())))
    def inverse(call, found):
        return call.args[0].args[0]

    effect = relay.RefRead(relay.Var("r"))

    @rule("add")
    def swap(call, _):
        return op.add(call.args[1], call.args[0])

    assert str(why_not(never, op.exp(X))) == "never leaves exp(%x) as it is: of no use"
    told = str(why_not(never, op.tanh(X)))
    assert told == "never is asked about exp, of which there is none in tanh(%x)"
    told = str(why_not(inverse, op.exp(X)))
    assert told.startswith("inverse has nothing to replace: exp(log(*)) does not match\nnearest: ")
    assert told.endswith("at args[0]: expected a call of log; found %x")
    assert not why_not(inverse, op.exp(op.log(X)))
    both = op.add(effect, relay.RefRead(relay.Var("s")))
    assert not why_not(swap, both)
    told = str(why_not(swap, both, keep_order=True))
    acts = "what acts in it would do so in another order"
    assert told == f"swap leaves add(%0, %1) as it is: {acts}"


def test_rule_for_a_kind_is_asked_of_calls_of_whatever() -> None:
    @rule(Call)
    def first(call, _):
        return call.args[0]

    f = relay.Function([X], X)
    assert rewrite_rules([first], op.exp(Call(f, (op.tanh(X),)))) is X


def test_rule_asked_once_is_not_asked_about_what_it_made() -> None:
    @rule("exp")
    def twice(call, _):
        return op.exp(op.exp(call.args[0]))

    image = rewrite_rules([twice], op.exp(X), again=False)
    assert image.args[0].args[0] is X


def test_rule_of_a_projection_leaves_the_others() -> None:
    @rule(is_tuple_get_item(is_op("nn.dropout")(None), 0), keeps_order=True)
    def data(item, _):
        return item.tuple_value.args[0]

    x = relay.var("x", shape=(2,))
    dropped = op.nn.dropout(x).tuple_value
    kept = TupleGetItem(dropped, 1)
    assert rewrite_rules([data], TupleGetItem(dropped, 0), keep_order=True) is x
    assert rewrite_rules([data], kept) is kept


def test_what_a_rule_makes_has_the_span_of_the_call_and_arguments_keep_theirs() -> None:
    @rule("exp")
    def spell(call, _):
        return op.tanh(op.add(call.args[0], relay.const(1.0)))

    there, here = Span("model", 1, 1, 1, 9), Span("model", 2, 2, 1, 9)
    x = X.with_fields(span=there)
    image = rewrite_rules([spell], op.exp(x).with_fields(span=here))
    spans = {type(node): node.span for node in EXPRESSIONS.post_order(image)}
    assert image.span == image.args[0].span == image.args[0].args[1].span == here
    assert image.args[0].args[0] is x
    assert len(spans) == 4


def test_shared_argument_stays_shared_under_a_new_span() -> None:
    @rule("exp")
    def pair(call, _):
        return Tuple((call.args[0], call.args[0]))

    here = Span("model", 2, 2, 1, 9)
    image = rewrite_rules([pair], op.exp(op.tanh(X)).with_fields(span=here))
    assert image.fields[0] is image.fields[1]


def test_vector_along_the_last_axis_needs_no_widening() -> None:
    bias = relay.var("bias", shape=(4,))
    assert broadcast_along(bias, 3, -1) is bias
    assert broadcast_along(bias, 4, 1).attrs.num_newaxis == 2
    assert broadcast_along(bias, 4, -3).attrs.num_newaxis == 2


@rule("tanh")
def negate(call, _):
    return op.negative(call.args[0])


@pytest.mark.parametrize("again", [True, False])
def test_rule_that_returns_what_the_node_was_leaves_it_over_what_was_rewritten(again) -> None:
    @rule("exp")
    def as_before(_, facts):
        return facts.pre

    image = rewrite_rules([as_before, negate], op.exp(op.tanh(X)), again=again)
    assert str(image) == str(op.exp(op.negative(X)))


def test_what_the_node_was_stands_in_its_replacement_as_it_became() -> None:
    @rule("exp")
    def wrap(_, facts):
        return op.abs(facts.pre)

    image = rewrite_rules([wrap, negate], op.exp(op.tanh(X)))
    assert str(image) == str(op.abs(op.exp(op.negative(X))))


def test_operand_as_it_was_becomes_what_it_became() -> None:
    @rule("exp")
    def drop(_, facts):
        return facts.pre.args[0]

    image = rewrite_rules([drop, negate], op.exp(op.tanh(X)))
    assert str(image) == str(op.negative(X))


def test_rewriting_goes_on_after_a_rule_that_raised() -> None:
    faults = [ValueError("once")]

    @rule("exp")
    def fail(call, _):
        if faults:
            raise faults.pop()
        return call.args[0]

    program, rules = op.abs(op.exp(op.tanh(X))), RuleSet([fail, negate])
    with pytest.raises(ValueError, match="once") as caught:
        rewrite_rules(rules, program)
    assert "by rule fail" in caught.value.__notes__[0]
    assert str(rewrite_rules(rules, program)) == str(op.abs(op.negative(X)))


def test_no_rule_keeps_what_acts_from_acting() -> None:
    write = relay.RefWrite(relay.Var("r"), X)

    @rule("add")
    def drop(call, _):
        return call.args[0]

    for program in (op.add(X, write), op.add(relay.RefRead(relay.Var("s")), write)):
        assert rewrite_rules([drop], program, keep_order=True) is program


@pytest.mark.parametrize(
    "keys",
    [(5,), (), ("exp",), (str,), (lambda call, _: call,), (op.exp(X),), (is_op("exp"),)],
)
def test_rule_that_no_node_could_be_found_for_is_refused(keys) -> None:
    with pytest.raises(DeclarationError, match=r"kinds, families of kinds, or operators.*; found"):
        rewriting.rule(*keys)


@pytest.mark.parametrize("keys", [(is_op("exp"), is_op("log")), (is_op("exp")(X), "log")])
def test_rule_of_several_patterns_is_refused(keys) -> None:
    with pytest.raises(DeclarationError, match=r"one pattern, .*; found 2 of both: join"):
        rule(*keys)


def test_operators_of_rules_are_found_by_name_as_those_of_patterns() -> None:
    with pytest.raises(UnknownNameError, match=r"no operator 'nn\.rleu' .*; did you mean nn\.relu"):
        rule("nn.rleu")

    @rule("tir.minus", "exp")
    def keep(node, _):
        return node

    assert keep.keys == {tir.Minus, relay.op.get("exp")}


def test_place_is_rewritten_as_often_as_the_program_is_large() -> None:
    @rule(Tuple)
    def drop_first(fields, _):
        return Tuple(fields.fields[1:]) if len(fields.fields) > 1 else fields

    whole = Tuple([relay.const(number) for number in range(300)])
    assert rewrite_rules([drop_first], whole).fields == whole.fields[-1:]


def test_what_does_not_fit_where_a_rule_puts_it_is_told_with_its_place() -> None:
    @rewriting.rule(relay.Var)
    def as_number(var, _):
        return relay.const(1.0)

    with pytest.raises(FieldError, match=r"params\[0\] must be Var") as caught:
        rewrite_rules([as_number], relay.Function([X], X))
    assert caught.value.__notes__ == [
        "while rewriting fn (%x) {...} by rules for what it is made of"
    ]


@pytest.mark.parametrize("declare", [rule("exp"), rule(is_op("exp")(None)), rewriting.rule(Call)])
def test_action_of_a_rule_is_a_function(declare) -> None:
    with pytest.raises(DeclarationError, match="rule int does 3; expected a function"):
        declare(3)
    assert declare(functools.partial(lambda call, _: call)).name == "partial"


def test_action_of_an_added_rule_is_a_function() -> None:
    with pytest.raises(DeclarationError, match="expected a function"):
        RuleSet(name="the rules of a test").register(Call, "exp")


@pytest.mark.parametrize("rules", [negate, None, 3])
def test_rules_are_several(rules) -> None:
    with pytest.raises(
        DeclarationError, match=r"expected several rules; found .*; put it in a list"
    ):
        rewrite_rules(rules, X)


def test_set_has_what_others_add_to_the_sets_in_it_also_later() -> None:
    named = RuleSet(name="a named set of rules of a test")
    outer = RuleSet([RuleSet([named]), named])
    minus = tir.Minus(tir.Var("i"))
    assert rewrite_rules(outer, minus) is minus
    with relay.declared_temporarily():
        named.register(tir.Minus, lambda node, _: node.v)
        assert rewrite_rules(outer, minus) is minus.v
        assert rewrite_rules([named], minus) is minus.v
        assert len(outer.for_keys(tir.Minus)) + len(outer.added(tir.Minus)) == 1
    assert rewrite_rules(outer, minus) is minus


def test_rule_for_an_operator_is_tried_before_those_for_kinds_and_families() -> None:
    made = {key: relay.var(key) for key in ("family", "kind", "operator")}

    @rewriting.rule(relay.Expr)
    def of_family(expr, _):
        return made["family"] if isinstance(expr, Call) else expr

    of_kind = rewriting.rule(Call)(lambda *_: made["kind"])
    of_operator = rule("exp")(lambda *_: made["operator"])
    given = [of_family, of_kind, of_operator]
    assert [rewrite_rules(given[:n], op.exp(X)).name_hint for n in (1, 2, 3)] == [*made]


def test_facts_that_a_language_does_not_tell_are_named_with_those_it_does() -> None:
    @rule("exp")
    def ask(call, facts):
        return facts.may_dropp(call)

    @rewriting.rule(tir.Add)
    def ask_of_loops(total, facts):
        return facts.type_of(total)

    with pytest.raises(MissingNameError, match=r"of a Call; did you mean may_drop\?; there are"):
        rewrite_rules([ask], op.exp(X))
    with pytest.raises(MissingNameError, match="'type_of' to ask of an Add; there are arguments"):
        rewrite_rules([ask_of_loops], tir.Var("i") + tir.Var("j"))


def test_part_that_stands_for_nothing_is_told() -> None:
    @rule(is_op("exp")(wildcard()))
    def ask(_, found):
        return found[wildcard()]

    with pytest.raises(UnknownNameError, match="stands for nothing here"):
        rewrite_rules([ask], op.exp(X))


def test_why_a_rule_is_not_applied_is_asked_of_one_that_returns_nodes() -> None:
    @rule("exp")
    def forget(_call, _facts):
        return None

    with pytest.raises(PassError, match="rule forget returned None"):
        why_not(forget, op.exp(X))
    with pytest.raises(PassError, match=r"why_not takes a rule, 'Pass/rule', .* found <"):
        why_not(RuleSet([forget]), X)
    with pytest.raises(PassError, match=r"a node or a module; found 3 \(int\)"):
        why_not(forget, 3)
