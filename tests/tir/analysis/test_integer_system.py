"""Systems over the integers against all points of a box."""

from __future__ import annotations

import itertools
import random

from relayish.tir.analysis.linear import integer_system
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.integer_system import (
    MOST_WORK,
    Patience,
    System,
    is_feasible,
    solve_equations,
)
from tests.support.seeds import seeds

SIZE = 4
SEEDS = seeds(220)
FEW = seeds(120)


def value_of(affine, point):
    return affine.constant + sum(value * point[var] for var, value in affine.terms.items())


def random_affine(rng, count):
    terms = {var: rng.choice([-7, -5, -3, -2, -1, 1, 2, 3, 5]) for var in range(count)}
    kept = {var: value for var, value in terms.items() if rng.random() < 0.7}
    return Affine(rng.randint(-12, 12), kept)


def random_system(rng):
    """Return a system in a box, and the points of the box that satisfy it."""
    count = rng.randint(1, 4)
    equations = [random_affine(rng, count) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
    inequalities = [random_affine(rng, count) for _ in range(rng.randint(0, 4))]
    box = [
        bound for var in range(count) for bound in (Affine(SIZE, {var: 1}), Affine(SIZE, {var: -1}))
    ]
    points = [
        point
        for point in itertools.product(range(-SIZE, SIZE + 1), repeat=count)
        if all(value_of(each, point) == 0 for each in equations)
        and all(value_of(each, point) >= 0 for each in inequalities)
    ]
    return System(equations, [*inequalities, *box]), points, count


def test_feasible_systems_are_those_with_a_solution():
    empty = 0
    for seed in SEEDS:
        system, points, _ = random_system(random.Random(seed))
        assert is_feasible(system) is bool(points), seed
        empty += not points
    assert len(SEEDS) / 8 < empty < len(SEEDS) * 7 / 8


def test_solving_equations_keeps_the_values_of_sums():
    for seed in FEW:
        rng = random.Random(f"sums {seed}")
        system, points, count = random_system(rng)
        wanted = random_affine(rng, count)
        solved = solve_equations(system, [wanted])
        if solved is None:
            assert not points
            continue
        reduced, [image] = solved
        values = {value_of(wanted, point) for point in points}
        for value in range(-8, 9):
            found = is_feasible(reduced.having([image.plus(Affine(-value, {}))]))
            assert found is (value in values), seed


def test_system_without_bounds_is_decided():
    x, y = Affine(0, {0: 1}), Affine(0, {1: 1})
    even = x.times(2).plus(y.times(-4)).plus(Affine(1, {}))
    assert is_feasible(System([even])) is False
    assert is_feasible(System((), [x.plus(y, -1)])) is True


def test_gap_between_rationals_has_no_integer():
    # 3 <= 11 x + 13 y <= 21, -8 <= 7 x - 9 y <= 6: rational solutions, none of integers
    first, second = Affine(0, {0: 11, 1: 13}), Affine(0, {0: 7, 1: -9})
    rows = [
        first.plus(Affine(-27, {})),
        Affine(45, {}).plus(first, -1),
        second.plus(Affine(10, {})),
        Affine(4, {}).plus(second, -1),
    ]
    assert is_feasible(System((), rows)) is False


def test_system_that_takes_too_long_is_left_undecided():
    rng = random.Random(0)
    rows = []
    for _ in range(60):
        terms = {var: rng.choice([-97, -89, 83, 79, 101]) for var in range(12)}
        rows.append(Affine(rng.randint(0, 9), terms))
    assert is_feasible(System((), rows)) is None


def test_patience_with_systems_that_take_too_long_runs_out(monkeypatch):
    rng = random.Random(0)
    rows = [
        Affine(rng.randint(0, 9), {var: rng.choice([-97, -89, 83, 79, 101]) for var in range(12)})
        for _ in range(60)
    ]
    spent = []
    ask = integer_system.is_feasible

    def record(system, most_work):
        spent.append(most_work)
        return ask(system, most_work)

    monkeypatch.setattr(integer_system, "is_feasible", record)
    patience = Patience()
    assert [patience.is_feasible(System((), rows)) for _ in range(6)] == [None] * 6
    assert sum(spent) < 2 * MOST_WORK
    assert patience.is_feasible(System((), [Affine(3, {0: 1})])) is True


def test_inequalities_are_looked_at_when_they_are_made(monkeypatch):
    looked_at = []
    add = integer_system._Rows.add
    monkeypatch.setattr(
        integer_system._Rows,
        "add",
        lambda self, rows: looked_at.append(len(rows)) or add(self, rows),
    )
    bounds = [[Affine(0, {at: 1}), Affine(-1, {at: -1, 50: 1})] for at in range(50)]
    system = System((), [*itertools.chain(*bounds), Affine(9, {50: -1})])
    assert is_feasible(system)
    assert len(looked_at) > 50
    assert sum(looked_at) < 2 * len(system.inequalities)
