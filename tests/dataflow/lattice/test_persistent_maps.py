"""Persistent maps against dictionaries."""

from __future__ import annotations

import pickle
import random
from operator import le

import pytest

from relayish._support.persistent_map import ABSENT, PersistentMap
from tests.support.seeds import SOAK, many


class Colliding:
    """A key whose hash is that of all others."""

    def __hash__(self):
        return 7


def test_every_version_holds_what_it_held():
    rng = random.Random(SOAK)
    versions = [(PersistentMap(), {})]
    keys = list(range(400))
    for _ in range(2000):
        made, model = rng.choice(versions[-20:])
        key = rng.choice(keys)
        if rng.random() < 0.3:
            versions.append((made.discard(key), {k: v for k, v in model.items() if k != key}))
        else:
            value = rng.random()
            versions.append((made.set(key, value), {**model, key: value}))
    for made, model in versions[::97]:
        assert {key: made.get(key) for key in keys if made.get(key) is not None} == model


def test_keys_of_one_hash_are_told_apart():
    keys = [Colliding() for _ in range(40)]
    made = PersistentMap(zip(keys, range(40), strict=True))
    assert [made.get(key) for key in keys] == list(range(40))
    assert made.discard(keys[3]).get(keys[3]) is None


def test_many_keys_are_set_at_once():
    made = PersistentMap().update((key, -key) for key in range(5000))
    assert [made.get(key) for key in range(5000)] == [-key for key in range(5000)]
    assert made.get(5000, "none") == "none"


def test_map_without_a_key_discards_it_by_staying_the_same():
    made = PersistentMap([(1, 2)])
    assert made.discard(3) is made


def histories(seed, keys, steps):
    """Return persistent maps with the dictionaries they stand for, made of one another."""
    rng = random.Random(seed)
    made = [(PersistentMap(), {})]
    for _ in range(steps):
        (a, x), (b, y) = rng.choice(made[-25:]), rng.choice(made[-25:])
        key, value = rng.choice(keys), rng.randrange(4)
        without = {other: x[other] for other in x if other != key}
        some = {rng.choice(keys): rng.randrange(4) for _ in range(rng.choice((0, 1, 3, 20, 90)))}
        left, right = rng.random() < 0.5, rng.random() < 0.5
        merge = merged(x, y, max, left, right)
        made.append(
            (
                (a.set(key, value), {**x, key: value}),
                (a.discard(key), without),
                (a.update(some), {**x, **some}),
                (a.update(some.items()), {**x, **some}),
                (a.update(b), {**x, **y}),
                (a.merge(b, max, keep_left=left, keep_right=right), merge),
                (a.merge(b, same), merged(x, y, same, True, True)),
                (PersistentMap(some), some),
            )[rng.randrange(8)]
        )
    return made


def same(x, y):
    return x if x == y else ABSENT


def merged(x, y, combine, left, right):
    found = {key: combine(x[key], y[key]) for key in x.keys() & y.keys()}
    found |= {key: value for key, value in x.items() if left and key not in y}
    found |= {key: value for key, value in y.items() if right and key not in x}
    return {key: value for key, value in found.items() if value is not ABSENT}


KEYS = {
    "few": range(12),
    "many": range(300),
    "of_one_hash": [Colliding() for _ in range(18)],
    "objects": [object() for _ in range(150)],
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_operations_give_what_dictionaries_give(keys):
    for made, model in histories(SOAK + 1, keys, many(200)):
        assert dict(made) == dict(made.items()) == model
        assert len(made) == len(model)
        assert bool(made) == bool(model)
        assert [key in made for key in keys] == [key in model for key in keys]
        assert all(made[key] == value for key, value in model.items())


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_comparisons_say_what_dictionaries_say(keys):
    made = histories(SOAK + 2, keys, many(400))[:: many(16)]
    for a, x in made:
        for b, y in made:
            assert (a == b) == (x == y)
            assert a != b or hash(a) == hash(b)
            assert a.relates(b, le, keep_right=True) == (
                x.keys() <= y.keys() and all(x[key] <= y[key] for key in x)
            )
            assert a.relates(b, le, keep_left=True) == (
                y.keys() <= x.keys() and all(x[key] <= y[key] for key in y)
            )


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_merge_that_equals_the_left_operand_is_that_operand(keys):
    made = histories(SOAK + 3, keys, many(240))[:: many(12)]
    for a, x in made:
        for b, y in made:
            for left in (True, False):
                for right in (True, False):
                    result = a.merge(b, max, keep_left=left, keep_right=right)
                    model = merged(x, y, max, left, right)
                    assert (result is a) == (model == x) or a is b


def test_key_without_a_value_is_an_error():
    with pytest.raises(KeyError, match="'b'"):
        PersistentMap({"a": 1})["b"]


def test_value_that_is_there_is_set_by_staying_the_same():
    value = object()
    made = PersistentMap(dict.fromkeys(range(100), value))
    assert made.set(5, value) is made
    assert made.update({5: value, 6: value}) is made


def test_equal_value_of_another_kind_is_set():
    made = PersistentMap({"a": 1}).set("a", True)
    assert made["a"] is True
    assert PersistentMap({"a": 0.0}).update({"a": -0.0}).get("a").hex() == "-0x0.0p+0"


def test_map_equals_mappings():
    made = PersistentMap({"a": 1})
    assert made == {"a": 1}
    assert made != {"a": 2}
    assert made != {"a": 1, "b": 1}
    assert made != [("a", 1)]


def test_map_survives_pickling():
    made = PersistentMap((key, str(key)) for key in range(50))
    assert pickle.loads(pickle.dumps(made)) == made


def test_map_shows_its_items():
    assert repr(PersistentMap({1: 2})) == "PersistentMap({1: 2})"
    assert repr(PersistentMap()) == "PersistentMap()"


def test_merge_combines_only_values_that_differ():
    whole = PersistentMap((key, [key]) for key in range(20_000))
    one, other = whole.set(3, [0]).set(-1, [1]), whole.set(4, [0]).discard(9)
    combined = []
    one.merge(other, lambda x, y: combined.append((x, y)) or x)
    assert sorted(combined) == [([0], [3]), ([4], [0])]


def test_relation_is_asked_only_of_values_that_differ():
    whole = PersistentMap((key, [key]) for key in range(20_000))
    asked = []
    assert whole.set(3, [0]).relates(whole, lambda x, y: asked.append((x, y)) or True)
    assert asked == [([0], [3])]


@pytest.mark.parametrize("count", [3, 40, 2000])
def test_changes_are_the_keys_of_both_whose_values_are_others(count):
    rng = random.Random(count)
    before = PersistentMap([(key, rng.random()) for key in range(count)])
    after = before
    for key in rng.sample(range(count), 3):
        after = after.set(key, rng.random())
    after = after.discard(0).set(-1, 0.5)
    expected = {
        (key, x, after[key]) for key, x in before.items() if key in after and x is not after[key]
    }
    assert set(before.changes(after)) == expected
    assert list(before.changes(before)) == []
