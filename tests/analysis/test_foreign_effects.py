"""What kinds of other packages may do, as their declarations tell."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import (
    EFFECT_RULES,
    EffectRule,
    all_vars,
    analyse_effects,
    bound_vars,
    detect_feature,
    free_vars,
    has_effect,
    is_pure,
    post_dominators,
    purity_of,
    well_formed,
)
from relayish.analysis.closed_functions import find_closed_functions
from relayish.analysis.effect_rules import application, deferral, evaluation
from relayish.analysis.graph_normal_form import needless_lets
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.analysis.unobserved_refs import find_unobserved_refs
from relayish.ir.nodes.node import node as declare
from relayish.ir.relay.traversal import EXPRESSIONS
from tests.support.declared import known_in_tests
from tests.support.foreign_kinds import ForeignKinds

KINDS = ForeignKinds()
f, r, x, y, z = (relay.Var(name) for name in "frxyz")
one = relay.Constant(1)
write = relay.RefWrite(r, one)
pure = relay.Function((), one)
writer = relay.Function((), write)


_kinds = known_in_tests(KINDS.declared())


def effect(expr):
    return analyse_effects(expr).of(expr)


def effect_of_call(expr):
    return analyse_effects(expr).of_call(expr)


class TestEvaluation:
    def test_a_kind_that_says_nothing_may_do_anything(self):
        assert effect(KINDS.opaque(0, ())) == relay.Effect.UNKNOWN
        assert effect(KINDS.while_(0, y, one, one, one)) == relay.Effect.UNKNOWN

    def test_a_pure_kind_does_what_its_operands_do(self):
        assert effect(KINDS.pure((one, x))) == relay.Effect.NONE
        assert (
            effect(KINDS.pure((one, write, relay.RefRead(r))))
            == relay.Effect.READS | relay.Effect.WRITES
        )

    def test_a_pure_loop_does_what_its_scopes_do(self):
        assert effect(KINDS.pure_while(y, one, one, relay.Tuple((y,)))) == relay.Effect.NONE
        assert effect(KINDS.pure_while(y, one, one, write)) == relay.Effect.WRITES
        assert effect(KINDS.pure_while(y, one, relay.RefRead(r), one)) == relay.Effect.READS
        assert effect(KINDS.pure_while(y, write, one, one)) == relay.Effect.WRITES

    def test_what_parts_hold_counts(self):
        assert (
            effect(KINDS.switch(x, (KINDS.case(y, one), KINDS.case(z, write))))
            == relay.Effect.WRITES
        )
        assert effect(KINDS.switch(x, (KINDS.case(y, one),))) == relay.Effect.NONE

    def test_statements_count(self):
        assert effect(KINDS.do(y, one, (one, write, one))) == relay.Effect.WRITES
        assert effect(KINDS.do(y, one, ())) == relay.Effect.NONE

    def test_what_holds_an_unknown_kind_is_not_pure(self):
        opaque = KINDS.opaque(0, ())
        for expr in (relay.Tuple((opaque,)), relay.If(x, one, opaque), relay.Let(y, opaque, one)):
            assert not is_pure(expr)
        assert purity_of(relay.Function((), opaque)) == (True, False)


class TestCalls:
    def test_a_deferred_body_acts_when_the_value_is_called(self):
        thunk = KINDS.thunk(y, write)
        assert (effect(thunk), effect_of_call(thunk)) == (relay.Effect.NONE, relay.Effect.WRITES)
        assert has_effect(relay.Call(thunk, (one,)))
        assert not has_effect(relay.Call(KINDS.thunk(y, relay.Tuple((y,))), (one,)))

    def test_a_function_within_a_deferred_body_acts_when_it_is_called(self):
        thunk = KINDS.thunk(y, writer)
        assert not has_effect(relay.Call(thunk, (one,)))
        assert effect(relay.Call(relay.Call(thunk, (one,)), ())) == relay.Effect.WRITES

    def test_the_value_of_an_unknown_kind_may_do_anything(self):
        assert effect_of_call(KINDS.opaque(0, (one,))) == relay.Effect.UNKNOWN

    def test_the_value_of_a_pure_kind_is_made_of_its_operands(self):
        assert effect_of_call(KINDS.pure((pure,))) == relay.Effect.NONE
        assert effect_of_call(KINDS.pure((pure, writer))) == relay.Effect.WRITES

    def test_the_value_of_a_loop_may_be_its_operand(self):
        assert effect_of_call(KINDS.pure_while(y, writer, one, pure)) == relay.Effect.WRITES

    def test_variables_that_foreign_kinds_bind_are_unknown(self):
        assert has_effect(KINDS.pure_while(y, pure, one, relay.Call(y, ())))
        assert has_effect(KINDS.switch(x, (KINDS.case(y, relay.Call(y, ())),)))

    def test_the_value_of_a_kind_without_operands_may_do_anything(self):
        @declare("foreign_leaf", effect=relay.Effect.NONE)
        class Leaf(relay.Expr):
            name: str

        assert effect(Leaf("f")) == relay.Effect.NONE
        assert effect_of_call(Leaf("f")) == relay.Effect.UNKNOWN

    def test_what_is_made_anew_or_read_may_do_anything_when_called(self):
        @declare("foreign_cell", effect=relay.Effect.NONE, allocates=True)
        class Cell(relay.Expr):
            value: relay.Expr

        @declare("foreign_peek", effect=relay.Effect.READS)
        class Peek(relay.Expr):
            value: relay.Expr

        assert effect_of_call(Cell(pure)) == effect_of_call(Peek(pure)) == relay.Effect.UNKNOWN


class TestRules:
    def test_a_rule_tells_what_is_called(self):
        @declare("foreign_apply", effect=relay.Effect.NONE)
        class Apply(relay.Expr):
            func: relay.Expr

        @EFFECT_RULES.register(Apply)
        def _summarise(apply, of):
            return evaluation(of[apply.func]) | application(of[apply.func])

        assert effect(Apply(writer)) == relay.Effect.WRITES
        assert effect(Apply(pure)) == relay.Effect.NONE
        assert effect(Apply(KINDS.thunk(y, write))) == relay.Effect.WRITES

    def test_a_rule_tells_what_variables_stand_for(self):
        @declare("foreign_lazy", effect=relay.Effect.NONE)
        class Lazy(relay.Expr):
            body: relay.Expr

        EFFECT_RULES.register(
            Lazy,
            EffectRule(lambda lazy, of: deferral(of[lazy.body]), has_own_effect=lambda _: False),
        )
        lazy = Lazy(relay.Call(relay.Var("g"), ()))
        assert effect(lazy) == relay.Effect.NONE
        assert effect(relay.Call(relay.Let(f, Lazy(one), f), ())) == relay.Effect.NONE

    def test_a_second_rule_is_refused(self):
        with pytest.raises(
            relay.DuplicateNameError, match="the analysis of effects knows Let already"
        ):
            EFFECT_RULES.register(relay.Let, lambda _let, _of: 0)

    def test_a_kind_that_registers_nothing_has_the_rule_of_declarations(self):
        assert EFFECT_RULES.knows(KINDS.opaque)


class TestClients:
    def test_a_reference_that_a_foreign_kind_is_given_is_observed(self):
        let = relay.Let(r, relay.RefCreate(one), KINDS.pure((r,)))
        assert not find_unobserved_refs(EXPRESSIONS.post_order(let))
        assert has_effect(
            relay.Let(r, relay.RefCreate(one), relay.Tuple((write, KINDS.pure((r,))))),
            ref_precision=True,
        )

    def test_writes_inside_of_a_foreign_loop_are_unobserved_as_elsewhere(self):
        let = relay.Let(r, relay.RefCreate(one), KINDS.pure_while(y, one, one, write))
        assert not has_effect(let, ref_precision=True)

    def test_what_acts_or_is_made_anew_is_not_referentially_transparent(self):
        check = ReferentialTransparency().holds_for
        assert check(KINDS.pure((one, x)))
        assert not check(KINDS.pure((KINDS.opaque(0, ()),)))
        assert not check(KINDS.pure_while(y, one, one, relay.RefCreate(y)))
        assert not check(relay.Function((), KINDS.while_(0, y, one, one, one)))

    def test_a_function_that_uses_variables_of_a_loop_around_is_not_closed(self):
        func, own = relay.Function((), y), relay.Function((), KINDS.pure_while(z, one, one, z))
        loop = KINDS.pure_while(y, one, func, own)
        assert find_closed_functions(EXPRESSIONS.post_order(loop)) == {own}

    def test_a_let_of_a_foreign_kind_that_may_act_is_needed(self):
        let = relay.Let(y, KINDS.opaque(0, ()), y)
        assert needless_lets(let) == ()
        let = relay.Let(y, KINDS.pure((x,)), y)
        assert needless_lets(let) == (let,)

    def test_free_and_bound_variables(self):
        loop = KINDS.while_(0, y, x, y, relay.Tuple((y, z)))
        assert (free_vars(loop), bound_vars(loop), all_vars(loop)) == ((x, z), (y,), (y, x, z))

    def test_a_variable_in_its_own_first_value_is_not_in_scope(self):
        assert well_formed(KINDS.while_(0, y, x, y, y))
        assert not well_formed(KINDS.while_(0, y, y, y, y))

    def test_a_case_is_the_scope_of_its_variable(self):
        assert well_formed(KINDS.switch(x, (KINDS.case(y, y), KINDS.case(z, z))))
        assert not well_formed(KINDS.switch(x, (KINDS.case(y, y), KINDS.case(z, y))))
        assert not well_formed(KINDS.switch(x, (KINDS.case(y, y), KINDS.case(y, y))))

    def test_statements_know_the_variable_of_their_block(self):
        assert well_formed(KINDS.do(y, x, (y, relay.Tuple((y,)))))
        assert not well_formed(KINDS.do(y, y, (y,)))

    def test_features_are_those_of_relay(self):
        assert {feature.name for feature in detect_feature(KINDS.pure((one, x)))} == {
            "fConstant",
            "fVar",
        }

    def test_uses_of_foreign_kinds_have_dominators(self):
        inside = relay.Tuple((x,))
        switch = KINDS.switch(one, (KINDS.case(y, inside),))
        assert post_dominators(switch)[inside] is switch
