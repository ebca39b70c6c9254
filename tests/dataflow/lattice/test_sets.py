"""Powersets, may and must, and cofinite sets."""

from __future__ import annotations

import pickle
import random

import pytest

from relayish.dataflow.lattice import UNIVERSE, CofiniteSet, MustPowerset, PersistentSet, Powerset
from tests.support.lattices import KEYS, any_set
from tests.support.seeds import SOAK, many

WHOLE = frozenset(KEYS) | {"none of these"}


def model(state):
    """Return the part of a set that lies in a universe with an element that no set names."""
    return frozenset(key for key in WHOLE if key in state)


def test_must_sets_are_joined_by_intersection():
    assert MustPowerset().join(PersistentSet("ab"), PersistentSet("bc")) == {"b"}


def test_may_sets_are_joined_by_union():
    assert Powerset().join(PersistentSet("ab"), PersistentSet("bc")) == {"a", "b", "c"}


def test_must_set_of_what_nothing_has_come_to_is_the_universe():
    must = MustPowerset()
    assert must.bottom is UNIVERSE
    assert must.join(must.bottom, PersistentSet("a")) == {"a"}
    assert must.top == PersistentSet()


def test_universe_that_is_given_is_the_extreme():
    assert Powerset("abc").top == MustPowerset("abc").bottom == {"a", "b", "c"}
    assert MustPowerset("abc").join(PersistentSet("ab"), MustPowerset("abc").bottom) == {"a", "b"}


def test_must_and_may_are_dual():
    rng = random.Random(SOAK)
    may, must = Powerset(), MustPowerset()
    for _ in range(many(300)):
        a, b = any_set(rng), any_set(rng)
        assert may.join(a, b) == must.meet(a, b)
        assert may.meet(a, b) == must.join(a, b)
        assert may.leq(a, b) == must.leq(b, a)


def test_sets_of_programs_are_accepted_as_states():
    assert Powerset().join(frozenset("a"), PersistentSet("b")) == {"a", "b"}


def test_cofinite_sets_do_what_their_elements_say():
    rng = random.Random(SOAK + 1)
    for _ in range(many(600)):
        a, b, key = any_set(rng), any_set(rng), rng.choice(KEYS)
        x, y = model(a), model(b)
        for found, expected in (
            (a | b, x | y),
            (a & b, x & y),
            (a - b, x - y),
            (a.add(key), x | {key}),
            (a.discard(key), x - {key}),
        ):
            assert model(found) == expected
        assert (a <= b, a >= b, a < b, a > b) == (x <= y, x >= y, x < y, x > y)
        assert (a == b, a != b) == (x == y, x != y)
        assert a != b or hash(a) == hash(b)


def test_cofinite_sets_have_methods_of_sets():
    rest = CofiniteSet("ab")
    assert rest.update("ac") == CofiniteSet("b")
    assert rest.union("ac") == CofiniteSet("b")
    assert rest.difference("bc") == CofiniteSet("abc")
    assert rest.intersection("bcd") == PersistentSet("cd")
    assert UNIVERSE.difference(rest) == PersistentSet("ab")
    assert rest.isdisjoint("ab")
    assert not rest.isdisjoint("bc")
    assert not rest.isdisjoint(rest)


def test_cofinite_set_that_is_not_changed_is_the_same():
    rest = CofiniteSet("ab")
    assert rest.add("c") is rest
    assert rest.discard("a") is rest
    assert rest | PersistentSet("c") is rest
    assert rest & UNIVERSE is rest
    assert rest - PersistentSet("a") is rest


def test_cofinite_set_without_nothing_is_the_universe():
    assert CofiniteSet() is UNIVERSE is CofiniteSet("a").add("a")


def test_cofinite_sets_work_with_frozensets():
    assert frozenset("ab") & CofiniteSet("a") == {"b"}
    assert frozenset("ab") - CofiniteSet("a") == {"a"}
    assert frozenset("ab") | CofiniteSet("a") == UNIVERSE
    assert frozenset("b") <= CofiniteSet("a")


def test_cofinite_set_cannot_be_gone_through():
    with pytest.raises(TypeError, match="nobody can go through it"):
        iter(UNIVERSE)


@pytest.mark.parametrize(
    "apply", [lambda a: a | 3, lambda a: a & 3, lambda a: a - 3, lambda a: a <= 3]
)
def test_cofinite_set_with_what_is_no_set_is_refused(apply):
    with pytest.raises(TypeError):
        apply(UNIVERSE)


def test_cofinite_set_survives_pickling():
    assert pickle.loads(pickle.dumps(UNIVERSE)) is UNIVERSE
    assert pickle.loads(pickle.dumps(CofiniteSet("a"))) == CofiniteSet("a")


def test_cofinite_set_shows_what_it_lacks():
    assert repr(UNIVERSE) == "UNIVERSE"
    assert repr(CofiniteSet("a")) == "UNIVERSE - {'a'}"
