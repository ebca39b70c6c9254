"""Lattices of the library, and compositions of them, with samples of their states."""

from __future__ import annotations

import random

from relayish.dataflow.lattice import (
    BOTTOM,
    INFINITE,
    TOP,
    Booleans,
    CofiniteSet,
    Congruences,
    Flat,
    Interval,
    Intervals,
    Lift,
    MapLattice,
    MustBooleans,
    MustPowerset,
    PersistentSet,
    Powerset,
    Product,
    Sign,
    Signs,
    congruent,
)

KEYS = "abcdefgh"


def finite_set(rng):
    return PersistentSet(key for key in KEYS if rng.random() < rng.choice((0.2, 0.5, 0.8)))


def any_set(rng):
    some = finite_set(rng)
    return some if rng.random() < 0.6 else CofiniteSet(some)


def interval(rng):
    low, high = sorted(rng.randint(-6, 20) for _ in range(2))
    return Interval(
        -INFINITE if rng.random() < 0.1 else low, INFINITE if rng.random() < 0.1 else high
    )


def congruence(rng):
    return congruent(rng.randint(-20, 20), rng.choice((0, 0, 1, 2, 3, 4, 6, 8, 12)))


def constant(rng):
    return rng.choice((0, 1, 2, 1.0, 0.0, -0.0, True, float("nan"), "x", (1, 2.0), (1, 2)))


def truth(rng):
    return rng.random() < 0.5


def sign(rng):
    return rng.choice(list(Sign))


def or_extreme(draw, *extremes):
    return lambda rng: rng.choice(extremes) if rng.random() < 0.15 else draw(rng)


def map_of(lattice, draw):
    def drawn(rng):
        return lattice.of({key: draw(rng) for key in KEYS if rng.random() < 0.6})

    return drawn


def tuple_of(*draws):
    return lambda rng: tuple(draw(rng) for draw in draws)


CONSTANTS = MapLattice(Flat())
KNOWN_CONSTANTS = MapLattice(Flat(), default=TOP)
RANGES = MapLattice(Intervals(thresholds=[0, 8, 16]))
KNOWN_RANGES = MapLattice(Intervals(), default=TOP)
MAY_SETS = MapLattice(Powerset())
MUST_SETS = MapLattice(MustPowerset(), default=TOP)
NESTED = MapLattice(CONSTANTS)
PAIR = Product(Intervals(), Congruences())

LATTICES = {
    "powerset": (Powerset(), any_set),
    "powerset_of_a_universe": (Powerset(KEYS), finite_set),
    "must_powerset": (MustPowerset(), any_set),
    "must_powerset_of_a_universe": (MustPowerset(KEYS), finite_set),
    "flat": (Flat(), constant),
    "booleans": (Booleans(), truth),
    "must_booleans": (MustBooleans(), truth),
    "intervals": (Intervals(), interval),
    "intervals_with_thresholds": (Intervals(thresholds=[0, 4, 8, 16]), interval),
    "intervals_of_a_type": (
        Intervals(top=Interval(-128, 127)),
        lambda rng: Intervals().meet(interval(rng), Interval(-128, 127)),
    ),
    "signs": (Signs(), sign),
    "congruences": (Congruences(), congruence),
    "map_of_constants": (CONSTANTS, map_of(CONSTANTS, or_extreme(constant, TOP, BOTTOM))),
    "map_of_known_constants": (
        KNOWN_CONSTANTS,
        map_of(KNOWN_CONSTANTS, or_extreme(constant, TOP, BOTTOM)),
    ),
    "map_of_intervals": (RANGES, map_of(RANGES, or_extreme(interval, BOTTOM))),
    "map_of_known_intervals": (KNOWN_RANGES, map_of(KNOWN_RANGES, or_extreme(interval, BOTTOM))),
    "map_of_sets": (MAY_SETS, map_of(MAY_SETS, any_set)),
    "map_of_must_sets": (MUST_SETS, map_of(MUST_SETS, any_set)),
    "map_of_maps": (NESTED, map_of(NESTED, map_of(CONSTANTS, constant))),
    "product": (Product(Powerset(), Flat()), tuple_of(any_set, constant)),
    "product_of_integers": (PAIR, tuple_of(or_extreme(interval, BOTTOM), congruence)),
    "product_of_nothing": (Product(), tuple_of()),
    "lift": (Lift(Booleans()), truth),
    "lift_of_a_map": (Lift(KNOWN_RANGES), map_of(KNOWN_RANGES, interval)),
    "lift_of_a_product": (
        Lift(Product(MustPowerset(), Lift(Signs()))),
        tuple_of(any_set, sign),
    ),
    "map_of_lifts": (
        MapLattice(Lift(PAIR)),
        map_of(MapLattice(Lift(PAIR)), tuple_of(interval, congruence)),
    ),
}


def samples_of(draw, seed, count):
    rng = random.Random(seed)
    return [draw(rng) for _ in range(count)]
