"""Nothing is missing: types, values, and references."""

from __future__ import annotations

import json
import re

import pytest

from relayish.op import get_op
from relayish.op.declaration.properties import evaluate, relation, rule
from tests.support.checking import REFERENCES
from tests.support.shared_data import shared_path
from tools.operator_table import OPERATORS, UNDECLARED, UNVALUED, import_tests


@pytest.fixture(scope="module")
def compared():
    """Import the tests that compare operators, which need what they compare with."""
    for needed in ("hypothesis", "torch", "onnx"):
        pytest.importorskip(needed)
    import_tests()
    return REFERENCES


def test_every_operator_has_a_rule_or_a_relation():
    assert [n for n in OPERATORS if (get_op(n) in rule) == (get_op(n) in relation)] == []


def test_every_operator_has_a_value_or_a_reason_to_have_none():
    assert {n for n in OPERATORS if get_op(n) not in evaluate} == set(UNVALUED)
    assert not [n for n in UNVALUED if n.startswith("nn.") and "conv" not in n]


@pytest.mark.references
def test_every_value_was_checked_against_something(compared):
    assert [n for n in OPERATORS if get_op(n) in evaluate and n not in compared] == []
    assert {n for n in compared if n not in OPERATORS or get_op(n) not in evaluate} == set()


def test_operators_that_programs_use_are_declared_and_evaluated():
    text = shared_path("reference/relay_operators.md").read_text(encoding="utf-8")
    used = re.findall(r"^\| ([a-z][\w.]*) \| \d", text, re.MULTILINE)
    assert len(used) > 100
    assert [n for n in used if n not in OPERATORS] == []
    assert {n for n in used if get_op(n) not in evaluate} <= {n for n in UNVALUED if in_vm(n)}


def in_vm(name):
    """Return whether an operator is for programs that manage their memory themselves."""
    return name.startswith(("memory.", "vm."))


def test_what_is_not_declared_is_said_to_be_missing():
    recorded = json.loads(shared_path("reference/relay_ops.json").read_text(encoding="utf-8"))
    others = ("relax.", "tir.", "tl.")
    assert {n for n in recorded if not n.startswith(others)} - {*OPERATORS} == set(UNDECLARED)
