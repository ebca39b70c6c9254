"""What a class of lattices has to define, and what follows."""

from __future__ import annotations

import pytest

from relayish.dataflow.lattice import Booleans, IsLattice, Lattice, Product, check_laws, join, meet
from relayish.errors import DeclarationError, FieldError, RelayishError, UndeclaredError


def define(*, without=(), **more):
    """Return a lattice of the numbers 0 to 3, without some of its parts."""
    parts = {
        "bottom": 0,
        "top": 3,
        "finite_height": True,
        "join": lambda _, a, b: max(a, b),
        "meet": lambda _, a, b: min(a, b),
    }
    kept = {name: part for name, part in {**parts, **more}.items() if name not in without}
    return type("Levels", (Lattice,), kept)


def test_class_with_extremes_join_and_meet_is_a_lattice():
    check_laws(define()(), range(4))


@pytest.mark.parametrize("name", ["join", "meet"])
def test_class_without_an_operation_is_refused_with_both_ways_to_supply_it(name):
    with pytest.raises(DeclarationError, match=r"lattice Levels has no") as refused:
        define(without=[name])
    assert f"define {name}(self, a, b) in it" in str(refused.value)
    assert f"abstract=True) and register it: @{name}.register(Levels, object, object)" in str(
        refused.value
    )


@pytest.mark.parametrize("name", ["bottom", "top"])
def test_class_without_an_extreme_is_refused(name):
    with pytest.raises(DeclarationError, match=f"lattice Levels has no {name}; define {name}, as"):
        define(without=[name])


def test_class_that_lacks_much_is_told_all_at_once():
    with pytest.raises(
        DeclarationError, match=r"lattice Nothing has no bottom, top, join, meet, widen;"
    ):

        class Nothing(Lattice):
            pass


def test_class_without_finite_height_has_to_widen():
    with pytest.raises(DeclarationError, match=r"has no widen;.*say finite_height = True"):
        define(without=["finite_height"])


def test_class_without_finite_height_may_widen():
    made = define(without=["finite_height"], widen=lambda _, old, new: old if new <= old else 3)()
    assert made.widen(0, 1) == 3


def test_extremes_may_be_properties():
    made = define(bottom=property(lambda _: 0), top=property(lambda _: 3))()
    assert (made.bottom, made.top) == (0, 3)


def test_extremes_may_be_assigned_at_construction():
    def init(self):
        self.bottom, self.top = 0, 3

    assert define(without=["bottom", "top"], __init__=init)().top == 3


def test_extreme_that_was_declared_and_not_assigned_is_an_error_that_names_it():
    made = define(without=["top"], __annotations__={"top": int})()
    with pytest.raises(
        UndeclaredError, match="lattice Levels declares top, but no value was given"
    ):
        _ = made.top


def test_attribute_that_no_lattice_has_is_an_ordinary_error():
    with pytest.raises(AttributeError, match="'Booleans' object has no attribute 'botom'"):
        _ = Booleans().botom


def test_abstract_class_is_completed_by_classes_that_extend_it():
    class Ordered(Lattice, abstract=True):
        finite_height = True

        def join(self, a, b):
            return max(a, b)

        def meet(self, a, b):
            return min(a, b)

    class UpTo(Ordered):
        bottom = 0

        def __init__(self, top):
            self.top = top

    check_laws(UpTo(4), range(5))


def test_abstract_class_is_completed_by_registration():
    class Levels(Lattice, abstract=True):
        bottom, top, finite_height = 0, 3, True

    with pytest.raises(DeclarationError, match="lattice Levels has no join, meet;"):
        Levels()
    join.register(Levels, object, object)(lambda _, a, b: max(a, b))
    meet.register(Levels, object, object)(lambda _, a, b: min(a, b))
    check_laws(Levels(), range(4))


def test_class_that_extends_an_abstract_one_is_not_abstract():
    class Ordered(Lattice, abstract=True):
        pass

    with pytest.raises(DeclarationError, match=r"lattice Levels has no"):

        class Levels(Ordered):
            pass


def test_lattice_that_is_not_complete_is_a_mistake_of_ours():
    with pytest.raises(RelayishError):
        define(without=["join"])


def test_order_follows_from_join():
    made = define()()
    assert made.leq(1, 2)
    assert not made.leq(2, 1)
    assert made.leq(2, 2)


def test_equality_follows_from_the_operator():
    made = define()()
    assert made.equal(1, 1.0)
    assert not made.equal(1, 2)


def test_widening_follows_from_join_and_narrowing_keeps_the_state():
    made = define()()
    assert made.widen(1, 2) == 2
    assert made.narrow(2, 1) == 2


def test_the_name_of_the_request_is_an_alias():
    assert IsLattice is Lattice


def test_product_of_what_is_no_lattice_is_refused():
    with pytest.raises(FieldError, match="Product was given <class 'relayish"):
        Product(Booleans)


def test_laws_of_what_is_no_lattice_are_refused():
    with pytest.raises(FieldError, match="check_laws was given 3 for a lattice"):
        check_laws(3, [])
