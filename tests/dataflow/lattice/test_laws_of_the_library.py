"""All lattices of the library, and compositions of them, keep the laws; on random samples."""

from __future__ import annotations

import pytest

from relayish.dataflow.lattice import check_laws
from tests.support.each import each
from tests.support.lattices import LATTICES, samples_of
from tests.support.seeds import many, seeds

SEEDS = seeds(2)
MOST = many(300, soak=10_000)
"""So many triples of samples are tried, and all pairs of few."""


@pytest.mark.parametrize("name", LATTICES)
def test_lattice_keeps_the_laws(name):
    lattice, draw = LATTICES[name]
    for seed in SEEDS:
        samples = samples_of(draw, seed, 10)
        check_laws(lattice, samples, returns_operands=True, most=MOST, seed=seed)


@pytest.mark.parametrize("name", LATTICES)
def test_state_with_its_copy_keeps_the_laws(name):
    """Samples that are drawn again are equal to the first, and other objects."""
    lattice, draw = LATTICES[name]
    samples, again = (samples_of(draw, SEEDS[0], 3) for _ in range(2))
    check_laws(lattice, [*samples, *again], returns_operands=True, most=MOST)


@each("name", LATTICES)
def test_states_of_a_lattice_hash_as_they_are_equal(name):
    lattice, draw = LATTICES[name]
    for state, other in zip(*(samples_of(draw, SEEDS[0], 30) for _ in range(2)), strict=True):
        assert lattice.equal(state, other)
        assert hash(state) == hash(other) or "nan" in repr(state)


@each("name", LATTICES)
def test_lattice_shows_how_it_is_made(name):
    lattice, _ = LATTICES[name]
    assert repr(lattice).startswith(type(lattice).__name__ + "(")
