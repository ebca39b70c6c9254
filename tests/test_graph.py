"""Searching what is no program: patterns, names, numbers."""

from __future__ import annotations

import pytest

from relayish._support.graph import (
    components,
    find_root,
    fold_tree,
    post_order,
    reachable,
    walk_tree,
)
from tests.support.depth import DEPTH


def _next(number: int) -> list[int]:
    return [number + 1] if number < DEPTH else []


def test_walk_tree_asks_for_parts_after_the_whole_was_dealt_with() -> None:
    parts: dict[str, list[str]] = {}
    found = []
    for each in walk_tree("a", lambda whole: parts.get(whole, [])):
        found.append(each)
        if each == "a":
            parts["a"] = ["b", "c"]
    assert found == ["a", "b", "c"]


def test_walk_tree_yields_a_part_of_two_twice() -> None:
    parts = {"a": ["b", "b"]}
    assert list(walk_tree("a", lambda whole: parts.get(whole, []))) == ["a", "b", "b"]


def test_fold_tree_makes_parts_in_order_before_the_whole() -> None:
    parts = {"a": ["b", "c"], "b": ["d"]}
    made: list[tuple[str, list[str]]] = []

    def make(whole: str, results: list[str]) -> str:
        made.append((whole, results))
        return whole.upper()

    assert fold_tree("a", lambda whole: parts.get(whole, []), make) == "A"
    assert made == [("d", []), ("b", ["D"]), ("c", []), ("a", ["B", "C"])]


@pytest.mark.deep
def test_fold_tree_does_not_recurse() -> None:
    assert fold_tree(0, _next, lambda _, results: sum(results) + 1) == DEPTH + 1


def test_reachable_leaves_out_what_was_seen_and_what_lies_behind() -> None:
    seen = {2}
    assert reachable([0], lambda number: [number + 1, 9] if number < 3 else [], seen) == [0, 1, 9]
    assert seen == {0, 1, 2, 9}


def test_reachable_ends_on_circles() -> None:
    assert reachable("a", {"a": "b", "b": "a"}.__getitem__) == ["a", "b"]


def test_post_order_puts_shared_things_before_all_that_reach_them() -> None:
    before = {"a": "bc", "b": "d", "c": "d", "d": ""}
    assert post_order("a", before.__getitem__) == ["d", "b", "c", "a"]


def test_post_order_lists_what_is_on_a_circle_once() -> None:
    assert post_order("a", {"a": "b", "b": "a"}.__getitem__) == ["b", "a"]


@pytest.mark.deep
def test_post_order_does_not_recurse() -> None:
    assert post_order([0], _next) == list(range(DEPTH, -1, -1))


def test_components_put_what_is_referred_to_first() -> None:
    assert components({"a": "b", "b": "c", "c": "b"}) == [["c", "b"], ["a"]]


def test_components_hold_what_several_refer_to_once() -> None:
    assert components({"a": "bc", "b": "", "c": "b"}) == [["b"], ["c"], ["a"]]


def test_components_pass_over_what_is_no_key() -> None:
    assert components({"a": "z"}) == [["a"]]


@pytest.mark.deep
def test_components_do_not_recurse() -> None:
    circle = {number: [(number + 1) % DEPTH] for number in range(DEPTH)}
    assert len(components(circle)) == 1


def test_find_root_lets_what_is_on_the_way_point_to_the_root() -> None:
    parent = [0, 0, 1, 2]
    assert find_root(parent, 3) == 0
    assert parent == [0, 0, 0, 0]
