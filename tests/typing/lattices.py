"""What type checkers make of lattices; mypy reads it, nothing runs it."""

from __future__ import annotations

from typing import assert_type

from relayish.dataflow import (
    Booleans,
    CofiniteSet,
    Flat,
    Interval,
    Intervals,
    Lattice,
    Lift,
    MapLattice,
    MustPowerset,
    PersistentMap,
    PersistentSet,
    Powerset,
    check_laws,
)
from relayish.dataflow.lattice import AnyIntegers, AnySet, join

names: Powerset[str] = Powerset()
assert_type(names.join(PersistentSet("a"), names.bottom), AnySet[str])
assert_type(names.bottom.add("a"), PersistentSet[str] | CofiniteSet[str])
assert_type(MustPowerset("ab"), MustPowerset[str])
assert_type(Intervals().join(Interval(1, 1), Interval(3, 3)), AnyIntegers)
assert_type(Booleans().leq(True, False), bool)
assert_type(Lift(Booleans()), Lift[bool])

truths: MapLattice[str, bool] = MapLattice(Booleans())
assert_type(truths.get(truths.bottom, "x"), bool)
assert_type(truths.of({"x": True}), PersistentMap[str, bool])
counts: PersistentMap[str, int] = PersistentMap([("x", 1)])
assert_type(counts.get("x"), int | None)
assert_type(counts.get("x", 0), int)
assert_type(PersistentSet([1]).add(2), PersistentSet[int])


class Levels(Lattice[int]):
    bottom, top, finite_height = 0, 3, True

    def join(self, a: int, b: int) -> int:
        return max(a, b)

    def meet(self, a: int, b: int) -> int:
        return min(a, b)


levels = Levels()
assert_type(levels.join(1, 2), int)
assert_type(levels.top, int)
check_laws(levels, range(4))
check_laws(Flat[int](), [1, 2])


@join.register(Levels, bool, object)
def join_truths(lattice: Levels, a: bool, b: int) -> int:
    return lattice.join(int(a), b)
