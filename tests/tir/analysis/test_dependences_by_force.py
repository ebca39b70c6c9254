"""Dependences against those found by running random nests."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict

import pytest

from relayish.tir.analysis.dependence import dependences
from relayish.tir.analysis.iteration_pairs import Direction
from tests.support.depth import DEPTH
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

NESTS = 2000 if DEPTH >= 100_000 else 160
"""How many affine nests are run; of others, a third."""


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


def check_all(groups, count):
    """Check nests of each group of kinds; return how many keys there are and are undecided."""
    total = undecided = 0
    for kinds in groups:
        rng = random.Random(repr(kinds))
        for _ in range(count // len(groups)):
            counts = check(*draw(rng, kinds))
            total, undecided = total + counts[0], undecided + counts[1]
    return total, undecided


@pytest.mark.deep
def test_dependences_of_affine_nests_are_exactly_those_that_occur():
    total, undecided = check_all(AFFINE, NESTS)
    assert total > NESTS
    assert undecided == 0


@pytest.mark.deep
def test_no_dependence_of_other_nests_is_missed():
    total, undecided = check_all(OTHERS, NESTS // 3)
    print(f"dependences undecided: {undecided} of {total}, {undecided / total:.1%}")  # noqa: T201
    assert undecided < total / 2


@pytest.mark.deep
def test_no_dependence_is_missed_whatever_is_mixed():
    rng = random.Random(3)
    features = sorted({feature for kinds in (*AFFINE, *OTHERS) for feature in kinds})
    for _ in range(NESTS // 3):
        check(*draw(rng, tuple(rng.sample(features, 4))))
