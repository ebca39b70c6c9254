"""Counts of random nests, against what happens when they are run."""

from __future__ import annotations

import random
from collections import defaultdict

from relayish import tir
from relayish.tir.analysis import count_work
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_nests import Nest, OutOfRange, Run

KINDS = (
    (),
    ("branches",),
    ("blocks", "quotients"),
    ("planes", "views"),
    ("vectors", "reductions"),
    ("steps", "branches"),
    ("scalars", "indirect", "choices"),
    ("branches", "blocks", "planes", "vectors", "reductions", "quotients", "choices", "steps"),
)


def drawn(seed):
    """Return a random nest all of whose indices are in range, and a run of it."""
    rng, kinds = random.Random(seed), KINDS[seed % len(KINDS)]
    while True:
        nest = Nest(rng, kinds)
        try:
            return nest.root, Run(nest.root)
        except OutOfRange:
            continue


def holds(count, found):
    """Whether a count says what was found, or is a bound of it."""
    told = count.number
    if told is None:
        return not count.is_exact
    return told == found if count.is_exact else told >= found


def memory(run):
    """Return the accesses to buffers: the access, whether it writes, element, iterations."""
    return [each for each in run.events if isinstance(each[2], tuple)]


@each("seed", seeds(80))
def test_loads_and_stores_are_those_of_a_run(seed):
    root, run = drawn(seed)
    work, events = count_work(root), memory(run)
    assert holds(work.operations.loads, sum(not writes for _, writes, _, _ in events))
    assert holds(work.operations.stores, sum(writes for _, writes, _, _ in events))


@each("seed", seeds(80))
def test_footprints_are_the_distinct_elements_of_a_run(seed):
    root, run = drawn(seed)
    touched = defaultdict(set)
    for _, writes, (buffer, offset), _ in memory(run):
        touched[buffer].add(offset)
        touched[buffer, writes].add(offset)
    for each_one in count_work(root).footprints:
        buffer = each_one.buffer
        assert holds(each_one.elements, len(touched[buffer]))
        assert holds(each_one.reads, len(touched[buffer, False]))
        assert holds(each_one.writes, len(touched[buffer, True]))
    assert {key for key in touched if isinstance(key, tir.Buffer)} <= {
        each_one.buffer for each_one in count_work(root).footprints
    }


@each("seed", seeds(80))
def test_footprints_of_loops_are_those_of_their_largest_run(seed):
    root, run = drawn(seed)
    runs = defaultdict(set)
    for _, _, (buffer, offset), around in memory(run):
        for depth, (loop, _) in enumerate(around):
            before = tuple([i for _, i in around[:depth]])
            runs[loop, before, buffer].add(offset)
    loops = [loop for loop in count_work(root).loops if not isinstance(loop.loop, tir.Reduce)]
    for loop in loops:
        for touched in loop.footprints:
            sizes = [
                len(v) for k, v in runs.items() if k[0] is loop.loop and k[2] is touched.buffer
            ]
            assert holds(touched.elements, max(sizes, default=0)), loop.name


def test_counts_of_affine_nests_are_mostly_no_bounds():
    """Else the largest bound would do for the tests above."""
    told = defaultdict(list)
    for seed in range(0, 120, len(KINDS)):
        for kind in range(4):
            work = count_work(drawn(seed + kind)[0])
            told["stores"].append(work.operations.stores.is_exact)
            told["footprints"] += [each_one.elements.is_exact for each_one in work.footprints]
    shares = {key: sum(found) / len(found) for key, found in told.items()}
    assert shares["stores"] > 0.9
    assert shares["footprints"] > 0.5
