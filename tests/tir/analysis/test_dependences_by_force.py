"""Dependences against those found by running random nests."""

from __future__ import annotations

import itertools
import os
import random
from collections import defaultdict

import pytest

from relayish.tir.analysis.dependence import dependences
from relayish.tir.analysis.iteration_pairs import Direction
from tests.support.each import each
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
    ("choices",),
)
"""What is decided exactly."""

EACH = int(os.environ.get("NESTS", "12"))


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


@each("kinds", AFFINE)
def test_dependences_of_affine_nests_are_exactly_those_that_occur(kinds):
    rng = random.Random(repr(kinds))
    for _ in range(EACH):
        _, undecided = check(*draw(rng, kinds))
        assert undecided == 0


@pytest.mark.deep
def test_no_dependence_is_missed():
    rng = random.Random(2)
    for _ in range(EACH * 4):
        kinds = tuple(
            rng.sample(
                (
                    "planes",
                    "steps",
                    "branches",
                    "blocks",
                    "views",
                    "scalars",
                    "reductions",
                    "vectors",
                    "quotients",
                    "choices",
                    "indirect",
                ),
                4,
            )
        )
        check(*draw(rng, kinds))
