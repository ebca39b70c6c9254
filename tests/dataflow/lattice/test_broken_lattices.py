"""What ``check_laws`` says of lattices that are none: which law is broken, by which states."""

from __future__ import annotations

import math
import re

import pytest

from relayish.dataflow.lattice import (
    BOTTOM,
    INFINITE,
    TOP,
    UNIVERSE,
    Booleans,
    Flat,
    Interval,
    Intervals,
    Lattice,
    Lift,
    MapLattice,
    MustPowerset,
    PersistentSet,
    Powerset,
    Product,
    check_laws,
)
from relayish.errors import LatticeLawError, RelayishError, notes_of
from tests.support.each import each

INTERVALS = [Interval(0, 0), Interval(1, 4), Interval(2, 9), Interval(0, INFINITE)]
SETS = [PersistentSet(text) for text in ("a", "b", "ab", "bc", "abc")]
TRUTHS = [False, True]


class Levels(Lattice):
    """Numbers from 0 to 9, in their order."""

    bottom, top, finite_height = 0, 9, True

    def join(self, a, b):
        return max(a, b)

    def meet(self, a, b):
        return min(a, b)


class JoinOfTheFirst(Levels):
    def join(self, a, b):
        return a


class JoinOfTheLast(Levels):
    def join(self, a, b):
        return b


class JoinThatDependsOnOrder(Levels):
    def join(self, a, b):
        return 9 if a > b > 0 and a != 9 else max(a, b)


class JoinThatGrows(Levels):
    def join(self, a, b):
        return min(9, max(a, b) + (a == b > 0))


class JoinThatIsNotAssociative(Flat):
    """Numbers next to each other are joined to the smaller."""

    def join(self, a, b):
        if isinstance(a, int) and isinstance(b, int) and abs(a - b) == 1:
            return min(a, b)
        return super().join(a, b)

    def meet(self, a, b):
        if isinstance(a, int) and isinstance(b, int) and abs(a - b) == 1:
            return max(a, b)
        return super().meet(a, b)

    def leq(self, a, b):
        return self.equal(self.join(a, b), b)


class JoinThatIsTooHigh(Levels):
    """What is not comparable is joined to the top at once, though less is above both."""

    bottom, top = frozenset(), frozenset("abc")

    def join(self, a, b):
        return b if a <= b else a if b <= a else self.top

    def meet(self, a, b):
        return a & b

    def leq(self, a, b):
        return a <= b


class BottomThatIsNotLeast(Levels):
    bottom = 1


class TopThatIsNotGreatest(Levels):
    top = 5


class BottomOfTheOtherDirection(MustPowerset):
    """A lattice of what must hold that begins with nothing."""

    def __init__(self):
        super().__init__()
        self.bottom, self.top = PersistentSet(), UNIVERSE


class MeetThatIsAJoin(Powerset):
    def meet(self, a, b):
        return a | b


class OrderThatIsUpsideDown(Booleans):
    def leq(self, a, b):
        return a or not b


class OrderOfSizes(Powerset):
    """Sets in the order of how much they hold."""

    def leq(self, a, b):
        if UNIVERSE in (a, b):
            return b is UNIVERSE
        return len(a) <= len(b)


class OrderOfAllThatOverlaps(Intervals):
    def leq(self, a, b):
        return super().leq(a, b) or self.meet(a, b) is not BOTTOM


class EqualityOfFloats(Flat):
    """NaN is not equal to itself."""

    def equal(self, a, b):
        return a == b


class EqualityThatIsOneSided(Flat):
    def equal(self, a, b):
        return super().equal(a, b) or (a is BOTTOM and b is TOP)


class EqualityOfNeighbours(Levels):
    def equal(self, a, b):
        return abs(a - b) <= 1


class WideningThatForgetsTheOld(Intervals):
    def widen(self, old, new):
        return new


class WideningThatNeverEnds(Intervals):
    def widen(self, old, new):
        return self.join(old, new)


class WideningThatGoesOnByItself(Intervals):
    def widen(self, old, new):
        joined = self.join(old, new)
        return joined if joined is BOTTOM else Interval(joined.low, joined.high + 1)


class NarrowingThatGoesBelow(Intervals):
    def narrow(self, old, new):
        return BOTTOM


class NarrowingThatGoesAbove(Intervals):
    def narrow(self, old, new):
        return Interval(-INFINITE, INFINITE)


class NarrowingThatNeverEnds(Lattice):
    """Numbers from 0 to infinity, narrowed to half of them."""

    bottom, top = 0.0, math.inf

    def join(self, a, b):
        return max(a, b)

    def meet(self, a, b):
        return min(a, b)

    def widen(self, old, new):
        return old if new <= old else math.inf

    def narrow(self, old, new):
        return (old + new) / 2 if old < math.inf else old


class JoinOfANewObject(Powerset):
    def join(self, a, b):
        return a if a is UNIVERSE else b if b is UNIVERSE else PersistentSet([*a, *b])


BROKEN = {
    "join_of_the_first": (JoinOfTheFirst(), [3], "join is commutative"),
    "join_of_the_last": (JoinOfTheLast(), [3], "join is commutative"),
    "join_by_order": (JoinThatDependsOnOrder(), [3, 5], "join is commutative"),
    "join_that_grows": (JoinThatGrows(), [3], "join is idempotent"),
    "join_not_associative": (JoinThatIsNotAssociative(), [1, 2, 3], "join is associative"),
    "join_too_high": (
        JoinThatIsTooHigh(),
        [frozenset(text) for text in ("a", "b", "c", "ab", "bc")],
        "join is associative",
    ),
    "bottom_not_least": (BottomThatIsNotLeast(), [0, 3], "bottom is below all states"),
    "top_not_greatest": (TopThatIsNotGreatest(), [7, 3], "top is above all states"),
    "bottom_of_the_other": (BottomOfTheOtherDirection(), SETS, "bottom is below all states"),
    "meet_a_join": (MeetThatIsAJoin(), SETS, "join absorbs meet"),
    "order_upside_down": (OrderThatIsUpsideDown(), TRUTHS, "leq says what join says"),
    "order_of_sizes": (OrderOfSizes(), SETS, "leq is antisymmetric"),
    "order_of_overlaps": (OrderOfAllThatOverlaps(), INTERVALS, "leq is antisymmetric"),
    "equality_of_floats": (EqualityOfFloats(), [math.nan], "equal is reflexive"),
    "equality_one_sided": (EqualityThatIsOneSided(), [1], "equal is symmetric"),
    "equality_of_neighbours": (EqualityOfNeighbours(), [3, 4, 5], "equal is transitive"),
    "widening_forgets": (WideningThatForgetsTheOld(), INTERVALS, "widen is an upper bound"),
    "widening_goes_on": (WideningThatGoesOnByItself(), INTERVALS, "chains of widen end"),
    "narrowing_below": (NarrowingThatGoesBelow(), INTERVALS, "narrow is between its operands"),
    "narrowing_above": (NarrowingThatGoesAbove(), INTERVALS, "narrow is between its operands"),
    "narrowing_never_ends": (NarrowingThatNeverEnds(), [1.0, 2.0], "chains of narrow end"),
}


@each(("lattice", "samples", "law"), BROKEN.values())
def test_broken_lattice_is_reported_by_the_law_it_breaks(lattice, samples, law):
    with pytest.raises(LatticeLawError, match=re.escape(f"breaks a law: {law};")) as found:
        check_laws(lattice, samples)
    assert found.value.law == law
    assert f"lattice {lattice!r} breaks" in str(found.value)


@pytest.mark.parametrize(
    "wrap",
    [
        Lift,
        lambda broken: Product(Booleans(), broken),
        MapLattice,
    ],
    ids=["lift", "product", "map"],
)
def test_part_of_a_lattice_that_is_broken_is_found(wrap):
    lattice = wrap(JoinThatDependsOnOrder())
    states = {
        Lift: [3, 5],
        Product: [(True, 3), (False, 5)],
        MapLattice: [MapLattice(Levels()).of({"x": value}) for value in (3, 5)],
    }[type(lattice)]
    with pytest.raises(LatticeLawError, match="join is commutative"):
        check_laws(lattice, states)


def test_widening_that_never_ends_is_found_by_samples_that_grow():
    growing = [Interval(0, high) for high in range(200)]
    with pytest.raises(LatticeLawError, match="chains of widen end"):
        check_laws(WideningThatNeverEnds(), growing, most=500)
    check_laws(Intervals(), growing, most=500)


def test_widening_that_never_ends_is_found_by_transfers():
    def count(state):
        return state if state is BOTTOM else Interval(state.low + 1, state.high + 1)

    with pytest.raises(LatticeLawError, match="chains of widen end"):
        check_laws(WideningThatNeverEnds(), INTERVALS, transfers=[count])
    check_laws(Intervals(), INTERVALS, transfers=[count])


def test_chain_of_a_lattice_that_says_it_has_finite_height_is_followed_too():
    class Counting(Lattice):
        bottom, top, finite_height = 0, math.inf, True

        def join(self, a, b):
            return max(a, b)

        def meet(self, a, b):
            return min(a, b)

    with pytest.raises(LatticeLawError, match="chains of widen end"):
        check_laws(Counting(), [1], transfers=[lambda state: state + 1])


def test_many_elements_are_no_endless_chain():
    check_laws(Powerset(), [PersistentSet([number]) for number in range(150)], most=2_000)


def test_transfer_that_is_not_monotone_is_found():
    with pytest.raises(LatticeLawError, match="transfers are monotone") as found:
        check_laws(Booleans(), [], transfers=[lambda state: not state])
    assert "leq(a, b), but not leq(transfer(a), transfer(b)); mend leq or transfer" in str(
        found.value
    )


def test_operand_that_is_not_returned_is_found_where_that_is_asked_for():
    check_laws(JoinOfANewObject(), SETS)
    with pytest.raises(LatticeLawError, match="join returns a where the result equals it"):
        check_laws(JoinOfANewObject(), SETS, returns_operands=True)


def test_report_names_law_states_and_what_each_side_gave():
    with pytest.raises(LatticeLawError) as found:
        check_laws(JoinThatDependsOnOrder(), [3, 5])
    assert str(found.value) == (
        "lattice JoinThatDependsOnOrder() breaks a law: join is commutative; on a = 3, b = 5: "
        "join(a, b) is 5, but join(b, a) is 9; mend join"
    )
    assert found.value.states == (3, 5)
    assert isinstance(found.value, RelayishError)


def test_report_of_long_states_is_cut():
    class Forgetful(Powerset):
        def join(self, a, b):
            return self.bottom

    with pytest.raises(LatticeLawError) as found:
        check_laws(Forgetful(), [PersistentSet(range(10_000))])
    assert len(str(found.value)) < 2_000


def test_error_of_an_operation_says_what_was_tried():
    class Raising(Levels):
        def meet(self, a, b):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as found:
        check_laws(Raising(), [3])
    assert "while trying whether meet is idempotent: meet(a, a) = a, on a = 0" in notes_of(
        found.value
    )


def test_laws_are_tried_on_some_of_many_samples():
    counted = []

    class Counted(Levels):
        def join(self, a, b):
            counted.append(1)
            return max(a, b)

    check_laws(Counted(), [number % 10 for number in range(500)], most=200)
    assert len(counted) < 60_000


def test_samples_that_are_drawn_are_the_same_each_time():
    def failing(seed):
        with pytest.raises(LatticeLawError) as found:
            check_laws(JoinThatDependsOnOrder(), range(9), most=20, seed=seed)
        return str(found.value)

    assert failing(1) == failing(1)


def test_samples_may_be_none():
    check_laws(Powerset(), [])
