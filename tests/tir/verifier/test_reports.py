"""What is returned and raised: all violations, in order, with their places, to whoever asks."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.errors import (
    CheckError,
    FieldError,
    RelayishError,
    VerificationError,
    WellFormedError,
)
from relayish.ir.nodes.span import Span
from relayish.tir import Add, Block, IntImm, LoweredFunc, Rule, Store
from relayish.transform import PassContext, Sequential, VerifyInstrument, module_pass
from tests.support.tir_cases import A_BUFFER, ONE, A, I, X, func, loop

BAD = func(loop(Store(A, Add(I, X), (I,))), args=(A_BUFFER, X))
WORSE = func(Store(A, IntImm(1 << 40), (IntImm(1 << 41),)), Store(A, ONE, ()), tir.Let(X, I))


def test_all_violations_are_returned_in_order_of_the_program():
    rules = [found.rule for found in tir.verify(WORSE)]
    literal, index = Rule.LITERAL, Rule.INDEX
    assert rules == [literal, literal, Rule.TYPE, index, Rule.TYPE, Rule.SCOPE]


def test_violation_names_its_function_and_node():
    first = tir.verify(BAD)[0]
    assert first.definition == "f"
    assert first.node is BAD.body.stmts[0].body.stmts[0].value


def test_violation_of_a_node_without_a_span_has_that_of_what_is_around():
    span = Span("loops.cinn", 3, 3, 5, 9)
    store = Store(A, Add(I, X), (I,), span=span)
    found = tir.verify(func(loop(store), args=(A_BUFFER, X)))
    assert {each.span for each in found} == {span}


def test_violation_reads_as_place_message_and_function():
    span = Span("loops.cinn", 3, 3, 5, 9)
    violation = tir.Violation(Rule.TYPE, "no", ONE, span, "f")
    assert str(violation) == "loops.cinn:3:5: no (in f)"


def test_violation_without_place_and_function_is_its_message():
    assert str(tir.Violation(Rule.TYPE, "no", ONE)) == "no"


def test_check_raises_nothing_for_a_sound_program():
    tir.check(func(loop(Store(A, ONE, (I,)))))


def test_check_raises_the_only_violation():
    with pytest.raises(VerificationError, match=r"^Add is given 1 of type int32 and 1\.0 of"):
        tir.check(Add(tir.const(1), ONE))


def test_check_raises_all_violations():
    with pytest.raises(VerificationError, match=r"^6 rules are broken:\n  the literal") as raised:
        tir.check(WORSE)
    assert raised.value.violations == tir.verify(WORSE)


def test_what_is_no_program_is_refused():
    with pytest.raises(FieldError, match="found 'x' \\(str\\); expected one of its nodes"):
        tir.verify("x")


def test_piece_of_a_program_may_use_what_is_bound_around_it():
    assert tir.verify(Store(A, X, (I,))) == ()


def test_functions_of_other_languages_are_left_alone():
    x = relay.Var("x")
    assert tir.verify(relay.IRModule({"main": relay.Function((x,), x)})) == ()


def test_module_of_definitions_is_verified_function_by_function():
    mod = relay.IRModule({"one": BAD, "two": func().with_fields(name="two"), "three": BAD})
    assert {found.definition for found in tir.verify(mod)} == {"f"}


def test_call_within_a_module_of_definitions_is_looked_up_there():
    call = tir.Call("void", "two", (), (), tir.CallType.CINN)
    mod = relay.IRModule({"one": func(call), "two": LoweredFunc("two", (), Block())})
    assert tir.verify(mod) == ()
    assert [found.rule for found in tir.verify(relay.IRModule({"one": func(call)}))] == [Rule.CALL]


def test_call_of_a_relay_function_is_left_to_that():
    call = tir.Call("void", "main", (), (), tir.CallType.CINN)
    x = relay.Var("x")
    mod = relay.IRModule({"one": func(call), "main": relay.Function((x,), x)})
    assert tir.verify(mod) == ()


def test_call_of_what_is_no_function_is_refused():
    call = tir.Call("void", "main", (), (), tir.CallType.CINN)
    mod = relay.IRModule({"one": func(call), "main": Block()})
    assert [f.message for f in tir.verify(mod)] == [
        "main() calls 'main', which is a Block; expected a LoweredFunc"
    ]


def test_program_whose_functions_break_rules_is_not_well_formed():
    assert not relay.analysis.well_formed(relay.IRModule({"f": BAD}))


def test_program_whose_functions_keep_rules_is_well_formed():
    assert relay.analysis.well_formed(relay.IRModule({"f": func()}))


def test_well_formed_error_says_what_the_verifier_says():
    with pytest.raises(WellFormedError, match=r"^2 rules are broken:\n  Add is given i"):
        relay.analysis.check_well_formed(BAD)


def breaking():
    """Return a pass that puts a wrong function into the module."""
    return module_pass(lambda mod, ctx: mod.with_function("f", BAD), opt_level=0, name="BreakIt")


def test_pass_that_breaks_a_function_is_found():
    mod = relay.IRModule({"f": func()})
    said = "pass BreakIt broke the check well_formed: 2 rules are broken"
    with PassContext(instruments=[VerifyInstrument()]), pytest.raises(CheckError, match=said):
        Sequential([breaking()])(mod)


def test_function_that_is_broken_before_passes_is_not_blamed_on_one():
    mod = relay.IRModule({"f": BAD})
    said = "fails the check well_formed already before pass BreakIt"
    with PassContext(instruments=[VerifyInstrument()]), pytest.raises(CheckError, match=said):
        breaking()(mod)


def test_kind_of_another_package_may_have_a_rule(declarations):
    @tir.VERIFY_RULES.register(tir.StringImm)
    def refuse(node, report):
        report(Rule.LITERAL, node, "no strings here")

    assert [found.message for found in tir.verify(tir.StringImm("a"))] == ["no strings here"]


@pytest.mark.usefixtures("declarations")
def test_second_rule_for_a_kind_is_refused():
    with pytest.raises(RelayishError, match="the verifier knows Add already"):
        tir.VERIFY_RULES.register(tir.Add)(lambda node, report: None)


def test_access_that_control_never_comes_to_is_not_out_of_range():
    outside = Store(A, ONE, (IntImm(99),))
    endless = tir.PolyFor(I, IntImm(0), I >= 0, IntImm(0), Block())
    assert [found.rule for found in tir.verify(func(outside))] == [Rule.BOUNDS]
    assert tir.verify(func(endless, outside)) == ()
