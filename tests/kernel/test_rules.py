"""The trampoline, compiled or not: rules wait for others, and are met by the collector again."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from relayish._support.trampoline import Rule, run
from tests.support.depth import DEPTH


def nest(levels: int, innermost: Callable[[], Any]) -> Rule:
    if levels == 0:
        return innermost()
    return (yield nest(levels - 1, innermost)) + 1


def test_run_returns_what_the_rule_returns_and_writes_texts_in_order() -> None:
    def inner() -> Rule:
        got = yield "b"
        return got

    def outer() -> Rule:
        yield "a"
        got = yield inner()
        yield "c"
        return got, (yield inner())

    out: list[str] = []
    assert run(outer(), out) == (None, None)
    assert out == ["a", "b", "c", "b"]
    assert run(outer()) == run(rule=outer(), out=None) == (None, None)


@pytest.mark.deep
def test_run_goes_as_deep_as_there_are_rules() -> None:
    assert run(nest(DEPTH, lambda: 0)) == DEPTH


def test_error_of_a_rule_ends_all_that_wait_and_leaves_none_untracked() -> None:
    closed: list[int] = []
    rules: list[Rule] = []

    def waits(level: int) -> Rule:
        try:
            rules.append(waits(level - 1) if level else nest(0, lambda: {}["key"]))
            yield rules[-1]
        finally:
            closed.append(level)

    with pytest.raises(KeyError, match="key"):
        run(waits(3))
    for rule in rules:
        assert gc.is_tracked(rule)
    rules.clear()
    gc.collect()
    assert sorted(closed) == [0, 1, 2, 3]


def test_rules_that_go_on_are_tracked() -> None:
    rules: list[Rule] = []

    def inner() -> Rule:
        yield "text"

    def outer() -> Rule:
        yield inner()
        assert gc.is_tracked(rules[0])

    rules.append(outer())
    run(rules[0])


def test_error_that_is_caught_is_raised_again_where_the_rule_was_yielded() -> None:
    def outer() -> Rule:
        with pytest.raises(KeyError):
            yield nest(1, lambda: {}["key"])
        return 5

    assert run(outer(), None, (KeyError,)) == 5
    with pytest.raises(KeyError):
        run(outer())


@pytest.mark.parametrize("part", [5, None, [1], iter([1]), b"text"])
def test_what_is_no_rule_is_refused(part: Any) -> None:
    def outer() -> Rule:
        yield part

    for rule in (part, outer()):
        with pytest.raises(AttributeError, match="has no attribute 'send'"):
            run(rule)


def test_rule_that_waits_twice_is_tracked_in_the_end() -> None:
    rules: list[Rule] = []

    def outer() -> Rule:
        yield rules[0]

    rules.append(outer())
    assert run(rules[0]) is None
    assert gc.is_tracked(rules[0])
