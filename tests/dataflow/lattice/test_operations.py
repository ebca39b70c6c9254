"""Operations of lattices, which any package adds to."""

from __future__ import annotations

import pytest
from multipledispatch import Dispatcher
from multipledispatch.conflict import AmbiguityWarning

from relayish.dataflow.lattice import (
    Booleans,
    Flat,
    Lattice,
    Powerset,
    Product,
    equal,
    join,
    leq,
    meet,
    narrow,
    widen,
)
from relayish.errors import DeclarationError, DispatchError
from relayish.ir.registration.declarations import declared_temporarily


class Levels(Lattice):
    """Numbers in their order."""

    bottom, top, finite_height = 0, 9, True

    def join(self, a, b):
        return max(a, b)

    def meet(self, a, b):
        return min(a, b)


class Named(Levels):
    """Numbers, some of which have names."""


class Renamed(Named):
    """The same, with a join of its own."""

    def join(self, a, b):
        return ("renamed", a, b)


class Text(str):
    """The name of a number."""

    __slots__ = ()


@pytest.fixture(autouse=True)
def temporarily():
    with declared_temporarily():
        yield


def by_length(lattice, a, b):
    return super(Named, lattice).join(len(a), len(b))


def test_operation_is_a_multiple_dispatcher():
    assert isinstance(join, Dispatcher)


@pytest.mark.parametrize(
    ("operation", "result"),
    [(join, 2), (meet, 1), (leq, True), (equal, False), (widen, 2), (narrow, 1)],
)
def test_operation_is_the_method_of_the_lattice(operation, result):
    assert operation(Levels(), 1, 2) == result
    assert operation.dispatch(Levels, int, int)(Levels(), 1, 2) == result


def test_operation_registered_for_types_of_states_serves_these_only():
    join.register(Named, str, str)(by_length)
    assert join(Named(), "ab", "abc") == Named().join("ab", "abc") == 3
    assert join(Named(), 1, 2) == Named().join(1, 2) == 2


def test_operation_registered_for_a_class_serves_types_of_states_below():
    join.register(Named, str, str)(by_length)
    assert Named().join(Text("ab"), "a") == 2


def test_operation_registered_for_the_nearest_types_is_taken():
    join.register(Named, str, str)(by_length)
    join.register(Named, Text, Text)(lambda _lattice, _a, _b: "texts")
    assert Named().join(Text("a"), Text("b")) == "texts"
    assert Named().join(Text("a"), "b") == 1


def test_operation_registered_for_any_states_replaces_the_method():
    join.register(Levels, object, object)(lambda _lattice, a, b: a + b)
    assert Levels().join(1, 2) == join(Levels(), 1, 2) == 3


def test_operation_registered_for_several_types_serves_each():
    join.register(Named, (str, bytes), (str, bytes))(by_length)
    assert Named().join("ab", b"abc") == Named().join(b"abc", b"a") == 3


def test_class_that_defines_an_operation_hides_what_is_registered_above():
    join.register(Named, str, str)(by_length)
    assert join(Renamed(), "a", "b") == Renamed().join("a", "b") == ("renamed", "a", "b")
    assert join.dispatch(Renamed, str, str)(Renamed(), "a", "b") == ("renamed", "a", "b")


def test_class_that_extends_another_has_what_is_registered_for_that():
    class Further(Named):
        pass

    join.register(Named, str, str)(by_length)
    assert Further().join("ab", "a") == join(Further(), "ab", "a") == 2


def test_operation_that_others_derive_from_is_what_was_registered():
    join.register(Named, str, str)(lambda _lattice, a, b: max(a, b, key=len))
    assert Named().leq("a", "ab")
    assert not Named().leq("abc", "ab")


def test_operation_of_a_part_of_a_product_is_what_was_registered():
    join.register(Named, str, str)(by_length)
    assert Product(Named(), Booleans()).join(("ab", False), ("a", True)) == (2, True)


def test_method_stays_the_plain_function_where_nothing_is_registered():
    join.register(Named, str, str)(by_length)
    assert Levels.join is Levels.__dict__["join"]
    assert Powerset().join.__func__ is Powerset.__dict__["join"]


def test_operation_registered_temporarily_is_forgotten():
    before = Named.join
    with declared_temporarily():
        join.register(Named, str, str)(by_length)
        join.register(Levels, object, object)(lambda _lattice, _a, _b: 7)
        assert Levels().join(1, 2) == 7
    assert Named.join is before
    assert "join" not in Named.__dict__
    assert Levels().join(1, 2) == 2


def test_operation_registered_temporarily_is_known_again():
    registered = declared_temporarily()
    with registered:
        join.register(Named, str, str)(by_length)
    with registered:
        assert Named().join("ab", "a") == 2
    assert Named().join("ab", "b") == "b"


def test_operations_that_serve_the_same_types_equally_well_are_warned_of():
    join.register(Named, str, object)(lambda _lattice, a, _b: a)
    join.register(Named, object, str)(lambda _lattice, _a, b: b)
    with pytest.warns(AmbiguityWarning):
        Named().join("a", "b")


def test_operation_of_what_is_no_lattice_is_refused():
    with pytest.raises(
        DeclarationError, match="join was registered for dict, which is no class of"
    ):
        join.register(dict, object, object)(by_length)


def test_operation_of_all_lattices_is_refused():
    with pytest.raises(DeclarationError, match="no class of lattices"):
        join.register(Lattice, str, str)(by_length)


@pytest.mark.parametrize("types", [(Named,), (Named, str), (Named, str, str, str), (Named, str, 3)])
def test_operation_of_other_than_a_lattice_and_two_states_is_refused(types):
    with pytest.raises(
        DeclarationError, match="the class of a lattice and the types of two states"
    ):
        join.register(*types)(by_length)


@pytest.mark.parametrize("operands", [(), (3, 1, 2), (Flat, 1, 2)])
def test_operation_called_without_a_lattice_is_refused(operands):
    with pytest.raises(DispatchError, match=r"call join\(lattice, a, b\)"):
        join(*operands)
