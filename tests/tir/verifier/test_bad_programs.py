"""Each rule both ways: a program that breaks it is refused with one message, its twin accepted."""

from __future__ import annotations

from relayish import tir
from relayish.tir import Rule
from tests.support import tir_bad_control, tir_bad_expressions, tir_bad_memory, tir_bad_whole
from tests.support.each import each
from tests.support.tir_cases import CASES

HOMES = (tir_bad_control, tir_bad_expressions, tir_bad_memory, tir_bad_whole)  # of cases


@each("name", CASES)
def test_bad_program_is_refused_with_one_message_by_the_rule_it_is_about(name):
    case = CASES[name]
    found = tir.verify(case.bad)
    assert tuple(each.message for each in found) == case.messages
    assert [each.rule for each in found] == [Rule(case.rule)]


@each("name", CASES)
def test_good_twin_is_accepted(name):
    assert tir.verify(CASES[name].good) == ()


def test_every_rule_has_bad_programs():
    assert {Rule(case.rule) for case in CASES.values()} == set(Rule)
