"""Each rule both ways: a program that breaks it is refused with one message, its twin accepted.

The programs are in ``tests/cases/loops/verifier.txt``: one that breaks a rule, the rule and what is
said, with the places in that text, and the twin.
"""

from __future__ import annotations

from relayish import tir
from relayish.tir import Rule
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

PROGRAMS = read_cases(CASES / "loops" / "verifier.txt")


@each("name", PROGRAMS)
def test_bad_program_is_refused_with_one_message_by_the_rule_it_is_about(name):
    bad, said, _ = PROGRAMS[name]
    found = tir.verify(tir.parse(bad, "bad"))
    assert [f"{each.rule.value}: {each.message}" for each in found] == [said]


@each("name", PROGRAMS)
def test_good_twin_is_accepted(name):
    assert tir.verify(tir.parse(PROGRAMS[name][2])) == ()


def test_every_rule_has_bad_programs():
    assert {Rule(said.partition(":")[0]) for _, said, _ in PROGRAMS.values()} == set(Rule)
