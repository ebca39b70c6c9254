from __future__ import annotations

import copy
import pickle

import pytest

from relayish.dataflow import Occurrence
from relayish.ir.relay.expr import Tuple, Var
from tests.support.depth import DEPTH

X = Var("x")
PAIR = Tuple((X, X))


def chain(length: int) -> Occurrence:
    occurrence = Occurrence(PAIR)
    for _ in range(length):
        occurrence = occurrence.child(X)
    return occurrence


def test_equal_paths_are_equal_whoever_made_them():
    assert chain(3) == chain(3)
    assert hash(chain(3)) == hash(chain(3))
    assert len({chain(3), chain(3)}) == 1


@pytest.mark.parametrize(
    "other",
    [
        Occurrence(PAIR),
        Occurrence(PAIR).child(X, 1),
        Occurrence(Tuple((X, X))).child(X),
        Occurrence(PAIR).child(Var("x")),
        Occurrence(PAIR).child(X).child(X),
        PAIR,
    ],
)
def test_other_paths_are_different(other):
    assert Occurrence(PAIR).child(X) != other
    assert other != Occurrence(PAIR).child(X)


@pytest.mark.parametrize("other", [Occurrence(PAIR).child(X, 1), Occurrence(X)])
def test_paths_of_one_hash_are_told_apart(other):
    one = Occurrence(PAIR).child(X)
    assert one == one  # noqa: PLR0124
    other._hash = one._hash
    assert one != other
    assert other != one


def test_occurrence_tells_node_parent_and_place():
    root = Occurrence(PAIR)
    second = root.child(X, 1)
    assert (second.node, second.parent, second.place) == (X, root, 1)
    assert (root.parent, root.place) == (None, 0)
    assert list(second.path()) == [second, root]


@pytest.mark.parametrize("name", ["node", "parent", "place", "other"])
def test_occurrence_cannot_be_changed(name):
    with pytest.raises(AttributeError):
        setattr(Occurrence(X), name, None)


def test_occurrence_says_where_it_stands():
    root = Occurrence(PAIR)
    assert str(root) == "(%x, %x)"
    assert str(root.child(X)) == "%x in (%x, %x)"
    assert [str(root.child(X, n)).split(" in ")[0] for n in (1, 2, 3, 10, 21)] == [
        "%x (2nd)",
        "%x (3rd)",
        "%x (4th)",
        "%x (11th)",
        "%x (22nd)",
    ]
    assert repr(root) == "<Occurrence (%x, %x)>"


def test_copy_of_an_occurrence_is_found_by_its_own_hash():
    copied = pickle.loads(pickle.dumps(chain(2)))
    nodes = [found.node for found in copied.path()]
    assert copied == Occurrence(nodes[2]).child(nodes[1]).child(nodes[0])
    assert hash(copied) == hash(Occurrence(nodes[2]).child(nodes[1]).child(nodes[0]))
    assert copy.copy(chain(2)) == chain(2)


@pytest.mark.deep
def test_going_down_two_copies_of_a_long_path_is_linear():
    """Were each comparison to go up to the root, it would take hours at full depth."""
    known = {found: number for number, found in enumerate([*chain(DEPTH).path()][::-1])}
    other = Occurrence(PAIR)
    for number in range(DEPTH):
        assert known[other] == number
        other = other.child(X)


@pytest.mark.deep
def test_long_paths_are_compared_and_forgotten_without_recursion():
    assert chain(DEPTH) == chain(DEPTH)
    assert chain(DEPTH) != chain(DEPTH - 1)
