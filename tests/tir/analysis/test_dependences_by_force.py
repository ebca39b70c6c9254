"""Dependences against those found by running random nests."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict

import pytest

from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from tests.support.seeds import SOAK, seeds
from tests.support.tir_nests import draw

AFFINE = (
    (),
    ("planes",),
    ("steps",),
    ("branches",),
    ("blocks", "branches"),
    ("views",),
    ("scalars",),
    ("reductions", "planes"),
    ("vectors",),
    ("quotients",),
)
"""What is decided exactly."""

OTHERS = (("choices",), ("choices", "branches"), ("indirect",), ("indirect", "scalars"))

SEEDS = seeds(7)
"""Nests of each group of affine kinds."""
OTHER_SEEDS = seeds(5)
MIXED_SEEDS = seeds(16)


def signs(difference):
    return tuple(
        [
            Direction.LESS if d > 0 else Direction.GREATER if d < 0 else Direction.EQUAL
            for d in difference
        ]
    )


def check(root, by_force):
    """Compare with what was found by force; return how many keys there are, and are undecided."""
    found = defaultdict(list)
    for each_ in dependences(root):
        found[each_.source.node, each_.sink.node, each_.kind.value].append(each_)
    for key, differences in by_force.items():
        for difference in differences:
            assert any(covers(dep, difference) for dep in found[key]), (key, difference)
    undecided = 0
    for key, reported in found.items():
        if not all(dep.is_exact for dep in reported):
            undecided += 1
            continue
        occurring = {signs(difference) for difference in by_force.get(key, ())}
        for dep in reported:
            for direction in itertools.product(*map(members, dep.direction)):
                assert direction in occurring, (key, dep)
            check_distances(dep, by_force[key])
    return len(found), undecided


def members(directions):
    return [one for one in (Direction.LESS, Direction.EQUAL, Direction.GREATER) if one & directions]


def covers(dep, difference):
    """Return whether ``dep`` says that iterations may be that far apart."""
    return all(
        sign & direction and distance in (None, d)
        for sign, direction, distance, d in zip(
            signs(difference), dep.direction, dep.distance, difference, strict=True
        )
    )


def check_distances(dep, differences):
    """Fail where ``dep`` leaves open a distance that is the same in all of its iterations."""
    own = [
        d for d in differences if all(s & t for s, t in zip(signs(d), dep.direction, strict=True))
    ]
    for level, distance in enumerate(dep.distance):
        values = {d[level] for d in own}
        if len(members(dep.direction[level])) == 1 and len(values) == 1:
            assert distance in values, (dep, level, values)


def check_drawn(kinds, drawn):
    """Check nests of some kinds; return how many keys there are and are undecided."""
    total = undecided = 0
    for seed in drawn:
        counts = check(*draw(random.Random(f"{kinds} {seed}"), kinds))
        total, undecided = total + counts[0], undecided + counts[1]
    return total, undecided


@pytest.mark.parametrize("kinds", AFFINE, ids=" ".join)
def test_dependences_of_affine_nests_are_exactly_those_that_occur(kinds):
    total, undecided = check_drawn(kinds, SEEDS)
    assert total > len(SEEDS) / (5 if SOAK else 2)
    assert undecided == 0


def test_no_dependence_of_other_nests_is_missed():
    found = [check_drawn(kinds, OTHER_SEEDS) for kinds in OTHERS]
    assert sum(undecided for _, undecided in found) < sum(total for total, _ in found) / 2


def test_no_dependence_is_missed_whatever_is_mixed():
    features = sorted({feature for kinds in (*AFFINE, *OTHERS) for feature in kinds})
    for seed in MIXED_SEEDS:
        rng = random.Random(f"mixed {seed}")
        check(*draw(rng, tuple(rng.sample(features, 4))))
