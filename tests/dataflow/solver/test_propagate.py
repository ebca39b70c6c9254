"""Propagation: values rise as often as they have to, and no more."""

from __future__ import annotations

from operator import or_

import pytest

from relayish.dataflow import propagate
from tests.support.depth import DEPTH


def test_values_that_are_known_stay_where_nothing_is_above_them():
    known = {"a": 3}
    propagate(known, [("a", 1), ("a", 2)], lambda _: pytest.fail("nothing was raised"), or_)
    assert known == {"a": 3}


def test_what_follows_is_asked_once_for_each_rise():
    asked = []

    def following(key):
        asked.append((key, known[key]))
        return [((key + 1) % 4, known[key])]

    known: dict[int, int] = {}
    propagate(known, [(0, 1), (2, 2)], following, or_)
    assert known == dict.fromkeys(range(4), 3)
    assert len(asked) == len(set(asked)) <= 8


@pytest.mark.deep
def test_long_chains_are_followed_without_recursion():
    known: dict[int, bool] = {}
    propagate(known, [(0, True)], lambda key: [(key + 1, True)] if key < DEPTH else [], or_)
    assert len(known) == DEPTH + 1
