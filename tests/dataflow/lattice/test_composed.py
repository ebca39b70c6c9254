"""Maps, products and lifts of lattices."""

from __future__ import annotations

import pytest

from relayish.dataflow.lattice import (
    BOTTOM,
    INFINITE,
    TOP,
    UNREACHABLE,
    Booleans,
    Everywhere,
    Flat,
    Interval,
    Intervals,
    Lift,
    MapLattice,
    PersistentMap,
    PersistentSet,
    Powerset,
    Product,
)
from relayish.errors import FieldError

CONSTANTS = MapLattice(Flat())
KNOWN = MapLattice(Flat(), default=TOP)
RANGES = MapLattice(Intervals())
KNOWN_RANGES = MapLattice(Intervals(), default=TOP)


def test_maps_are_joined_key_by_key():
    joined = CONSTANTS.join(CONSTANTS.of({"x": 1, "y": 2}), CONSTANTS.of({"y": 3, "z": 4}))
    assert joined == {"x": 1, "y": TOP, "z": 4}


def test_maps_whose_default_is_the_top_are_joined_to_what_both_know():
    joined = KNOWN.join(KNOWN.of({"x": 1, "y": 2, "w": 5}), KNOWN.of({"y": 3, "z": 4, "w": 5}))
    assert joined == {"w": 5}


def test_default_is_never_stored():
    assert CONSTANTS.of({"x": BOTTOM, "y": 1}) == {"y": 1}
    state = CONSTANTS.set(CONSTANTS.of({"x": 1}), "x", BOTTOM)
    assert state == PersistentMap()
    assert KNOWN.set(KNOWN.of({"x": 1}), "x", TOP) == PersistentMap()
    assert CONSTANTS.meet(CONSTANTS.of({"x": 1}), CONSTANTS.of({"x": 2})) == PersistentMap()
    assert (
        KNOWN_RANGES.widen(
            KNOWN_RANGES.of({"i": Interval(0, 0)}), KNOWN_RANGES.of({"i": Interval(-1, 1)})
        )
        == PersistentMap()
    )


def test_absent_key_has_the_default():
    assert CONSTANTS.get(CONSTANTS.bottom, "x") is BOTTOM
    assert KNOWN.get(KNOWN.top, "x") is TOP


def test_extreme_state_has_the_other_extreme_everywhere():
    assert CONSTANTS.get(CONSTANTS.top, "x") is TOP
    assert KNOWN.get(KNOWN.bottom, "x") is BOTTOM
    assert CONSTANTS.top["x"] is TOP


def test_extreme_state_is_what_setting_gives():
    top = CONSTANTS.top
    assert CONSTANTS.set(top, "x", 3) is top.update({"x": 1}) is top.discard("x") is top
    assert repr(top) == "Everywhere(TOP)"


def test_extreme_state_has_every_key_and_cannot_be_gone_through():
    assert "x" in CONSTANTS.top
    with pytest.raises(TypeError, match="not iterable"):
        list(CONSTANTS.top)


def test_extreme_states_of_two_lattices_of_a_kind_are_equal():
    assert CONSTANTS.equal(CONSTANTS.top, MapLattice(Flat()).top)
    assert CONSTANTS.top == MapLattice(Flat()).top
    assert hash(CONSTANTS.top) == hash(MapLattice(Flat()).top)
    assert CONSTANTS.top != KNOWN.bottom


def test_value_that_is_known_is_set_by_staying_the_same():
    state = CONSTANTS.of({"x": 1000})
    assert CONSTANTS.set(state, "x", int("1000")) is state
    assert CONSTANTS.set(state, "y", BOTTOM) is state


def test_values_are_compared_as_their_lattice_does():
    state = CONSTANTS.of({"x": 0.0})
    assert not CONSTANTS.equal(state, CONSTANTS.of({"x": -0.0}))
    assert CONSTANTS.set(state, "x", -0.0)["x"].hex() == "-0x0.0p+0"
    assert CONSTANTS.equal(CONSTANTS.of({"x": float("nan")}), CONSTANTS.of({"x": float("nan")}))


def test_maps_are_widened_key_by_key():
    old = RANGES.of({"i": Interval(0, 1), "j": Interval(0, 1)})
    new = RANGES.of({"i": Interval(0, 2), "j": Interval(0, 1), "k": Interval(5, 5)})
    assert RANGES.widen(old, new) == {
        "i": Interval(0, INFINITE),
        "j": Interval(0, 1),
        "k": Interval(5, 5),
    }


def test_maps_are_narrowed_key_by_key():
    old = RANGES.of({"i": Interval(0, INFINITE), "j": Interval(0, 9)})
    assert RANGES.narrow(old, RANGES.of({"i": Interval(0, 10), "j": Interval(0, 9)})) == {
        "i": Interval(0, 10),
        "j": Interval(0, 9),
    }
    assert RANGES.narrow(old, RANGES.of({"j": Interval(0, 9)})) == {"j": Interval(0, 9)}


def test_key_that_was_widened_to_the_default_is_narrowed_from_there():
    old = KNOWN_RANGES.of({"j": Interval(0, 9)})
    new = KNOWN_RANGES.of({"i": Interval(0, 10), "j": Interval(0, 9)})
    assert KNOWN_RANGES.narrow(old, new) == new
    assert KNOWN_RANGES.narrow(KNOWN_RANGES.top, new) == new


def test_map_has_the_height_of_its_values():
    assert CONSTANTS.finite_height
    assert not RANGES.finite_height


def test_map_with_another_default_is_refused():
    with pytest.raises(
        FieldError, match="MapLattice was given None as default; expected BOTTOM or"
    ):
        MapLattice(Flat(), default=None)


def test_joining_maps_that_share_most_asks_for_little():
    asked = []

    class Counted(Flat):
        def join(self, a, b):
            asked.append((a, b))
            return super().join(a, b)

    lattice = MapLattice(Counted())
    state = lattice.of({key: key for key in range(20_000)})
    lattice.join(state.set(3, "x"), state.set(7, "y"))
    assert set(asked) == {(7, "y"), ("x", 3)}
    assert len(asked) == 2


def test_product_is_joined_element_by_element():
    both = Product(Powerset(), Intervals())
    assert both.join(
        (PersistentSet("a"), Interval(1, 1)), (PersistentSet("b"), Interval(3, 3))
    ) == (
        PersistentSet("ab"),
        Interval(1, 3),
    )


def test_product_with_a_state_of_another_length_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        Product(Booleans(), Booleans()).join((True,), (True, False))


def test_product_has_finite_height_if_all_have():
    assert Product(Booleans(), Flat()).finite_height
    assert not Product(Booleans(), Intervals()).finite_height


def test_lift_tells_unreachable_from_the_least_state():
    lifted = Lift(Powerset())
    assert lifted.bottom is UNREACHABLE
    assert not lifted.equal(UNREACHABLE, Powerset().bottom)
    assert lifted.join(UNREACHABLE, PersistentSet("a")) == {"a"}
    assert lifted.meet(UNREACHABLE, PersistentSet("a")) is UNREACHABLE


def test_lift_widens_and_narrows_as_what_it_lifts():
    lifted = Lift(Intervals())
    assert lifted.widen(Interval(0, 1), Interval(0, 2)) == (0, INFINITE)
    assert lifted.widen(UNREACHABLE, Interval(0, 2)) == (0, 2)
    assert lifted.narrow(Interval(0, INFINITE), Interval(0, 2)) == (0, 2)
    assert not lifted.finite_height


def test_compositions_show_what_they_are_made_of():
    assert repr(Lift(Product(Booleans(), KNOWN))) == (
        "Lift(Product(Booleans(), MapLattice(Flat(), default=TOP)))"
    )


def test_extreme_map_is_no_persistent_map():
    assert isinstance(CONSTANTS.top, Everywhere)
    assert CONSTANTS.top != PersistentMap()
