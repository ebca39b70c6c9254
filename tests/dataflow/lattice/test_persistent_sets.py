"""Persistent sets against frozensets."""

from __future__ import annotations

import operator
import pickle
import random

import pytest

from relayish._support.hash_trie import leaves
from relayish._support.persistent_set import PersistentSet
from tests.support.seeds import SOAK, many


class Colliding:
    """A key whose hash is that of all others."""

    def __hash__(self):
        return 7


class Counted:
    """A key that counts how often keys are hashed."""

    hashed = 0

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        Counted.hashed += 1
        return self.number


def histories(seed, keys, steps):
    """Return persistent sets with the frozensets they stand for, made of one another."""
    rng = random.Random(seed)
    made = [(PersistentSet(), frozenset())]
    for _ in range(steps):
        (a, x), (b, y) = rng.choice(made[-25:]), rng.choice(made[-25:])
        key = rng.choice(keys)
        some = [rng.choice(keys) for _ in range(rng.choice((0, 1, 3, 20, 90)))]
        made.append(
            (
                (a.add(key), x | {key}),
                (a.discard(key), x - {key}),
                (a | b, x | y),
                (a & b, x & y),
                (a - b, x - y),
                (a.update(some), x | set(some)),
                (a.difference(some), x - set(some)),
                (a.intersection(some), x & set(some)),
                (PersistentSet(some), frozenset(some)),
            )[rng.randrange(9)]
        )
    return made


KEYS = {
    "few": range(12),
    "many": range(300),
    "of_one_hash": [Colliding() for _ in range(18)],
    "objects": [object() for _ in range(150)],
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_operations_give_what_frozensets_give(keys):
    for made, model in histories(SOAK + 1, keys, many(500)):
        assert set(made) == model
        assert len(made) == len(model) == len(list(made))
        assert bool(made) == bool(model)
        assert [key in made for key in keys] == [key in model for key in keys]


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_comparisons_say_what_frozensets_say(keys):
    made = histories(SOAK + 2, keys, many(600))[:: many(20)]
    for a, x in made:
        for b, y in made:
            assert (a <= b, a >= b, a < b, a > b) == (x <= y, x >= y, x < y, x > y)
            assert (a == b, a != b, a.isdisjoint(b)) == (x == y, x != y, x.isdisjoint(y))
            assert a != b or hash(a) == hash(b)


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_result_that_equals_the_left_operand_is_that_operand(keys):
    made = histories(SOAK + 3, keys, many(400))[:: many(16)]
    for a, x in made:
        for b, y in made:
            for result, model in ((a | b, x | y), (a & b, x & y), (a - b, x - y)):
                assert (result is a) == (model == x)


def test_element_that_is_there_is_added_by_staying_the_same():
    made = PersistentSet(range(100))
    assert made.add(5) is made
    assert made.update([5, 6]) is made
    assert made.discard(100) is made
    assert made.difference([100, 101]) is made


def test_sets_that_hold_nothing_are_one_object():
    assert (
        PersistentSet([1]).discard(1)
        is PersistentSet()
        is PersistentSet(range(40)).difference(range(40))
    )


def test_set_of_a_set_is_that_set():
    made = PersistentSet("ab")
    assert PersistentSet(made) is made


def test_set_equals_frozensets_and_hashes_as_they_do():
    made = PersistentSet("abc")
    assert made == frozenset("abc")
    assert frozenset("abc") == made
    assert hash(made) == hash(frozenset("abc"))
    assert made <= {"a", "b", "c", "d"}
    assert made != ["a", "b", "c"]


def test_iteration_is_the_same_for_the_same_history():
    keys = [object() for _ in range(500)]
    first = PersistentSet(keys[:300]).difference(keys[:100]) | PersistentSet(keys[200:])
    second = PersistentSet(keys[:300]).difference(keys[:100]) | PersistentSet(keys[200:])
    assert list(first) == list(second)


def test_iteration_goes_on_while_other_versions_are_made():
    made = PersistentSet(range(50))
    walked = []
    for key in made:
        made = made.discard(key)
        walked.append(key)
    assert sorted(walked) == list(range(50))
    assert not made


def test_set_survives_pickling():
    made = PersistentSet(range(50))
    assert pickle.loads(pickle.dumps(made)) == made


def test_set_shows_its_elements():
    assert repr(PersistentSet([1])) == "PersistentSet([1])"
    assert repr(PersistentSet()) == "PersistentSet()"


def test_set_with_what_is_no_set_is_refused():
    with pytest.raises(TypeError):
        operator.le(PersistentSet(), 3)
    with pytest.raises(TypeError, match="unhashable"):
        PersistentSet().add([])


def test_set_that_shrinks_to_little_takes_little():
    made = PersistentSet(range(20_000))
    for key in range(19_990):
        made = made.discard(key)
    assert len(list(leaves(made.root))) <= 10
    assert sorted(made) == list(range(19_990, 20_000))


@pytest.mark.parametrize(
    "operation",
    [
        lambda a, b: a | b,
        lambda a, b: a & b,
        lambda a, b: a - b,
        lambda a, b: a <= b,
        lambda a, b: a == b,
        lambda a, b: a.isdisjoint(b),
    ],
    ids=["union", "intersection", "difference", "subset", "equality", "disjointness"],
)
def test_operation_leaves_out_what_is_shared(operation):
    """Of 20,000 keys in each, a few leaves are looked at: those on the way to what differs."""
    keys = [Counted(number) for number in range(20_100)]
    whole = PersistentSet(keys[:20_000])
    one, other = whole.add(keys[20_001]).discard(keys[3]), whole.add(keys[20_002])
    Counted.hashed = 0
    operation(one, other)
    assert Counted.hashed < 200


def test_versions_share_what_is_the_same():
    whole = PersistentSet(range(20_000))
    before = {id(leaf) for leaf in leaves(whole.root)}
    after = {id(leaf) for leaf in leaves(whole.add(-1).discard(7).root)}
    assert len(after - before) <= 3
