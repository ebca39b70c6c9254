"""Why a rule is not applied: its reason, what acts, another rule, or what its pattern is not."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import core, tir
from relayish.dataflow_pattern import is_expr, is_op, rewrite_rules, rule, wildcard
from relayish.errors import DeclarationError, PassError, UnknownNameError
from relayish.rewriting import Rule, RuleSet, Unchanged, WhyNot
from relayish.rewriting import rule as plain_rule
from relayish.transform import InferType, PassContext
from tests.support.deep import call_chain
from tests.support.depth import DEPTH
from tests.support.work import lines_run

why_not = relay.why_not
X = relay.var("x", shape=(2, 4))
data = wildcard()


@rule("exp")
def never(call, _):
    return Unchanged("of no use")


@rule(is_op("exp")(is_op("log")(data)))
def inverse(_, found):
    return found[data]


@rule("log")
def to_tanh(call, _):
    return relay.tanh(call.args[0])


@rule(is_op("exp")(data))
def to_sigmoid(_, found):
    return relay.sigmoid(found[data])


def module(body):
    return InferType()(relay.IRModule.from_expr(relay.Function([X], body)))


def test_rule_that_is_applied_somewhere_is_told_with_what_it_makes():
    found = why_not(inverse, relay.tanh(relay.exp(relay.log(X))))
    assert not found
    assert found.outcomes[0].image is X
    assert str(found) == "inverse replaces exp(%0) by %x"


def test_program_is_asked_as_it_is_and_left():
    program = relay.exp(relay.log(relay.exp(relay.log(X))))
    images = [each.image for each in why_not(inverse, program).outcomes]
    assert images == [X, program.args[0].args[0]]


def test_reasons_are_told_once_and_cut_short():
    program = relay.Tuple([relay.exp(relay.var(name)) for name in "abcdefga"])
    told = str(why_not(never, program)).splitlines()
    assert told[0] == "never leaves exp(%a) as it is: of no use"
    assert (len(told), told[-1]) == (6, "and 2 more")


def test_rule_that_leaves_a_node_without_a_reason_is_told():
    @rule("exp")
    def shy(call, _):
        return call

    assert str(why_not(shy, relay.exp(X))) == "shy leaves exp(%x) as it is"


def test_reasons_come_before_nodes_that_are_left_without_one():
    @rule("exp")
    def choosy(call, _):
        return Unchanged("it is %b") if call.args[0].name_hint == "b" else call

    program = relay.Tuple([relay.exp(relay.var(name)) for name in "ab"])
    assert str(why_not(choosy, program)).startswith("choosy leaves exp(%b) as it is: it is %b\n")


def test_definitions_of_a_module_are_all_asked():
    mod = relay.IRModule({"f": relay.Function([X], X), "g": relay.Function([X], relay.exp(X))})
    assert str(why_not(never, mod)) == "never leaves exp(%x) as it is: of no use"
    told = str(why_not(inverse, mod))
    assert told.endswith("at args[0]: expected a call of log; found %x")
    empty = relay.IRModule({"f": relay.Function([X], X)})
    told = str(why_not(never, empty))
    assert told == "never is asked about exp, of which there is none in the module"


def test_rule_before_it_that_takes_the_node_is_told():
    told = why_not(to_sigmoid, relay.exp(relay.log(X)), among=[inverse, to_sigmoid])
    assert told
    assert str(told) == "to_sigmoid comes too late for exp(%0): inverse replaces that first"
    assert not why_not(to_sigmoid, relay.exp(relay.log(X)), among=RuleSet([to_sigmoid, inverse]))
    assert not why_not(to_sigmoid, relay.exp(X), among=[inverse, to_sigmoid])


def test_rule_before_it_that_takes_what_it_would_leave_is_not_told():
    @rule(is_op("exp")(is_expr(X)))
    def first(call, _):
        return relay.tanh(X)

    told = str(why_not(never, relay.exp(X), among=[first, never]))
    assert told == "never is asked about exp, of which there is none in exp(%x)"


def test_rule_that_changes_an_operand_first_is_told():
    told = str(why_not(inverse, relay.exp(relay.log(X)), among=[to_tanh, inverse]))
    assert told == "inverse leaves exp(%0) as it is: rules before it changed what it matches"


def test_rule_is_asked_about_what_others_made():
    @rule("tanh")
    def to_exp(call, _):
        return relay.exp(call.args[0])

    told = str(why_not(to_sigmoid, relay.tanh(X), among=[to_exp, to_sigmoid]))
    assert told == "to_sigmoid replaces exp(%x) by sigmoid(%x)"


def test_rule_not_among_those_applied_is_refused():
    with pytest.raises(PassError, match="rule never is none of those it is to be applied with"):
        why_not(never, relay.exp(X), among=[inverse])


def test_watching_leaves_rules_and_what_was_found_of_a_match_alone():
    rules = RuleSet([inverse, to_sigmoid])
    why_not(to_sigmoid, relay.exp(relay.log(X)), among=rules, keep_order=True)
    assert rules.of_kind[relay.Tuple] == ()
    assert rewrite_rules(rules, relay.exp(relay.log(X))) is X


def test_rule_of_a_pass_goes_by_the_names_of_both():
    half = module(relay.nn.dropout(X, rate=0.5))
    assert str(why_not("SimplifyExpr/drop_idle_dropout", half)) == (
        "drop_idle_dropout has nothing to replace: "
        "nn.dropout(*).has_attr({'rate': 0.0}).0 does not match\n"
        "nearest: nn.dropout(%x).0, of which 3 parts had matched\n"
        "  at tuple_value: expected rate = 0.0; found rate = 0.5 in nn.dropout(%x)"
    )
    none = module(relay.nn.dropout(X, rate=0.0))
    told = str(why_not("SimplifyExpr/drop_idle_dropout", none))
    assert told == "drop_idle_dropout replaces %0.0 by %x"


def test_rule_of_a_pass_is_asked_at_any_level():
    mod = module(relay.exp(X))
    with PassContext(opt_level=0):
        told = why_not("FastMath/call_faster", mod)
    assert str(told) == "call_faster replaces exp(%x) by fast_exp(%x)"


def test_names_that_pass_or_rules_do_not_have_are_refused():
    mod = module(relay.exp(X))
    with pytest.raises(UnknownNameError, match=r"mean drop_idle_dropout\?; it has \d+ for the"):
        why_not("SimplifyExpr/drop_idle_droput", mod)
    with pytest.raises(UnknownNameError, match="asked no rules about the module, and so not 'x'"):
        why_not("FoldConstant/x", mod)
    for given in ("drop_idle_dropout", "/x"):
        with pytest.raises(PassError, match="goes by the names of both"):
            why_not(given, mod)
    with pytest.raises(PassError, match=r"asked about a module; .* exp\(%x\) \(Call\)"):
        why_not("SimplifyExpr/drop_idle_dropout", relay.exp(X))
    with pytest.raises(PassError, match="give neither among nor keep_order"):
        why_not("SimplifyExpr/drop_idle_dropout", mod, keep_order=True)


def test_all_rules_are_listed_where_there_are_few():
    mod = module(relay.exp(X))
    with pytest.raises(UnknownNameError, match=r"it has 1 for the module: call_faster$"):
        why_not("FastMath/x", mod)


def test_module_without_definitions_has_nothing_to_ask_about():
    mod = relay.IRModule()
    told = "is asked about what a module defines, and there is nothing in this one"
    assert str(why_not(inverse, mod)) == f"inverse {told}"
    assert str(why_not(("name", inverse.pattern), mod)) == f"name {told}"
    with pytest.raises(UnknownNameError, match="asked no rules about the module"):
        why_not("SimplifyExpr/drop_idle_dropout", mod)


def test_rule_is_told_from_another_of_its_name():
    other = Rule("never", to_tanh.keys, to_tanh.action)
    found = why_not(other, relay.exp(relay.log(X)), among=[never, other])
    assert str(found) == "never replaces log(%x) by tanh(%x)"


def test_rule_for_loops_is_told_what_is_known_where_it_is_asked():
    @rule(tir.Min)
    def drop_bound(minimum, facts):
        high = facts.interval(minimum.a).high
        return minimum.a if high <= minimum.b.value else Unchanged(f"it may be {high}")

    A = tir.placeholder("A", (16,))

    def copy(bound):
        made = tir.compute((16,), lambda i: A[tir.Min(i, tir.const(bound))], "B")
        return tir.lower("copy", [A, made])

    assert str(why_not(drop_bound, copy(14))).endswith("as it is: it may be 15")
    assert not why_not(drop_bound, copy(15))


def test_rule_of_a_pass_on_loops_is_watched():
    A = tir.placeholder("A", (16,))
    func = tir.lower("copy", [A, tir.compute((16,), lambda i: A[i + tir.const(0)], "B")])
    mod = relay.IRModule({"copy": func})
    with pytest.raises(UnknownNameError, match="has no rule"):
        why_not("Simplify/nothing", mod)


def test_rule_for_core_is_told():
    @plain_rule(core.Add)
    def leave(_total, _facts):
        return Unchanged("it is a sum")

    scope = core.GlobalScope()
    with scope.function("twice", {"n": "int32"}, "int32") as f:
        f.retv(f.n + f.n)
    assert str(why_not(leave, scope.module()["twice"])).endswith("as it is: it is a sum")


def test_rule_of_another_engine_is_refused():
    odd = Rule("odd", [("", "Relu")], lambda node, facts: node)
    with pytest.raises(DeclarationError, match="rule odd is for"):
        why_not(odd, X)


def test_answer_is_true_if_there_is_a_reason():
    assert WhyNot("r", ())
    assert str(WhyNot("r", (), None, "exp")) == "r is asked about exp"


@pytest.mark.deep
def test_rule_is_asked_at_any_depth():
    told = str(why_not(never, call_chain(DEPTH)))
    assert told.startswith("never is asked about exp")
    found = why_not(inverse, call_chain(DEPTH))
    assert found.explanation.held == 0


def test_asking_takes_work_linear_in_the_program():
    def work(levels):
        program = call_chain(levels)
        return lines_run(lambda: why_not(inverse, program))

    assert work(240) < 4.8 * work(60)
