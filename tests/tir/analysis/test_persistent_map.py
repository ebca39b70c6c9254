"""Persistent maps against dictionaries."""

from __future__ import annotations

import random

from relayish._support.persistent_map import PersistentMap


class Colliding:
    """A key whose hash is that of all others."""

    def __hash__(self):
        return 7


def test_every_version_holds_what_it_held():
    rng = random.Random(0)
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
