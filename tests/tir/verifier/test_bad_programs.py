"""Each rule both ways: a program that breaks it is refused with one message, its twin accepted."""

from __future__ import annotations

from relayish import tir
from relayish.tir import Rule
from tests.support import (
    tir_bad_control,
    tir_bad_expressions,
    tir_bad_memory,
    tir_bad_whole,
)
from tests.support.each import each
from tests.support.tir_cases import CASES

ALL = (tir_bad_control, tir_bad_expressions, tir_bad_memory, tir_bad_whole)  # these enter cases


@each("name", CASES)
def test_bad_program_is_refused_with_one_message(name):
    bad, _ = CASES[name].make()
    assert tuple(found.message for found in tir.verify(bad)) == CASES[name].messages


@each("name", CASES)
def test_bad_program_breaks_the_rule_it_is_about(name):
    bad, _ = CASES[name].make()
    assert [found.rule for found in tir.verify(bad)] == [Rule(CASES[name].rule)]


@each("name", CASES)
def test_good_twin_is_accepted(name):
    _, good = CASES[name].make()
    assert tir.verify(good) == ()


def test_every_rule_has_bad_programs():
    assert {Rule(case.rule) for case in CASES.values()} == set(Rule)


def test_every_case_is_written_in_a_file_that_is_tried():
    homes = {case.make.__module__ for case in CASES.values()}
    assert homes == {module.__name__ for module in ALL}
