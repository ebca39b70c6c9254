"""Kinds of patterns that other packages declare: matched once it is told what they demand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import relayish as relay
from relayish.dataflow_pattern import (
    DEMANDS,
    DFPattern,
    is_op,
    partition,
    rewrite_rules,
    rule,
    wildcard,
)
from relayish.errors import DuplicateNameError, UnknownKindError
from relayish.ir.nodes.node import declared_temporarily, node

X = relay.var("x", shape=(1,), dtype="float32")
ONE = relay.const(1.0)


@pytest.fixture
def same_operands() -> Iterator[type[DFPattern]]:
    """A kind that matches calls of equal arguments, each of which matches ``pattern``."""
    with declared_temporarily():

        @node("same_operands")
        class SameOperands(DFPattern):
            pattern: DFPattern

        yield SameOperands


def _register(kind: type[DFPattern]) -> None:
    @DEMANDS.register(kind)
    def demand(pattern, expr):
        if type(expr) is not relay.Call or expr.args[0] is not expr.args[-1]:
            return None
        return [(pattern.pattern, arg) for arg in expr.args]


def test_pattern_of_an_unknown_kind_is_refused(same_operands: type[DFPattern]) -> None:
    pattern = same_operands(wildcard()) + ONE
    for ask in (pattern.match, pattern.partition):
        with pytest.raises(UnknownKindError, match=r"dataflow_pattern\.DEMANDS\.register\(Same"):
            ask(X * X + ONE)


def test_pattern_of_an_unknown_kind_is_written_in_the_generic_form(
    same_operands: type[DFPattern],
) -> None:
    assert str(same_operands(wildcard() | X) + X) == "add(same_operands((* | %x)), %x)"


def test_registered_pattern_matches_what_it_demands(same_operands: type[DFPattern]) -> None:
    _register(same_operands)
    inner = wildcard()
    pattern = same_operands(is_op("exp")(inner)) + ONE
    shared = relay.exp(X)
    assert pattern.match(shared * shared + ONE)
    assert not pattern.match(shared * relay.exp(X) + ONE)
    assert not pattern.match(X * X + ONE)


def test_registered_pattern_matches_either_way_round_of_a_sum(
    same_operands: type[DFPattern],
) -> None:
    _register(same_operands)
    assert (same_operands(wildcard()) + wildcard()).match(ONE + X * X)


def test_registered_pattern_takes_part_in_rules(same_operands: type[DFPattern]) -> None:
    _register(same_operands)
    inner = wildcard()

    @rule(same_operands(inner) - ONE)
    def power(_call, found):
        return relay.power(found[inner], relay.const(2.0))

    image = rewrite_rules([power], X * X - ONE)
    assert relay.structural_equal(image, relay.power(X, relay.const(2.0)))


def test_registered_pattern_is_cut_out(same_operands: type[DFPattern]) -> None:
    _register(same_operands)
    image = partition(same_operands(wildcard()), relay.exp(X * X))
    (call,) = image.args
    assert type(call.op) is relay.Function
    assert call.args == (X,)


def test_pattern_is_registered_once(same_operands: type[DFPattern]) -> None:
    _register(same_operands)
    with pytest.raises(DuplicateNameError, match="SameOperands"):
        DEMANDS.register(same_operands)(lambda pattern, expr: None)
