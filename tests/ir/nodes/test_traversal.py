"""Rebuilding of nodes, of any language, from their declared fields."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from relayish.errors import UnknownKindError
from relayish.ir.nodes.node import Node, declared_temporarily, field, node
from relayish.ir.nodes.traversal import Traversal


class Term(Node):
    """The root of the family."""

    __slots__ = ()


@pytest.fixture
def term() -> Iterator[type[Node]]:
    """A family whose kinds carry a sort, as expressions of Relay carry a type."""
    with declared_temporarily():

        @node("negation")
        class Negation(Term):
            value: Term | None = None
            sort: str | None = field(default=None, inferred=True)

        yield Negation


def test_retyping_sets_whatever_is_inferred(term):
    retype = Traversal(term).retype[term]
    assert retype(term(), {}.get, "real").sort == "real"


def test_retyping_returns_a_node_that_is_typed_so_already(term):
    retype = Traversal(term).retype[term]
    typed = term(sort="real")
    assert retype(typed, {}.get, "real") is typed


def test_rebuilding_clears_what_was_inferred_of_a_changed_node(term):
    rebuild = Traversal(Term).rebuild[term]
    inner, other = term(), term()
    outer = term(inner, "real")
    assert rebuild(outer, {inner: other}.get).sort is None


def test_rebuilding_keeps_what_was_inferred_where_nothing_changed(term):
    rebuild = Traversal(Term).rebuild[term]
    outer = term(term(), "real")
    assert rebuild(outer, {}.get) is outer


def test_carrying_tells_what_was_inferred_of_what_a_new_node_stands_for(term):
    carry = Traversal(Term).carry[term]
    inner, other = term(), term()
    outer, told = term(inner, "real"), {}
    image = carry(outer, {inner: other}.get, told)
    assert image.value is other
    assert told == {image: "real"}
    assert carry(outer, {}.get, told) is outer
    assert carry(term(inner), {inner: other}.get, told) not in told
    assert len(told) == 1


@pytest.mark.parametrize("walk", ["post_order", "pre_order", "order_after"])
def test_walk_from_something_that_is_no_node_says_where_it_is(walk, term):
    traversal = Traversal(Term)
    more = [lambda _: None] if walk == "order_after" else []
    for roots, place in (([None, term()], 0), ([term(), None], 1), ((term(), term(), 3), 2)):
        with pytest.raises(UnknownKindError, match=f"at {place} of its roots"):
            list(getattr(traversal, walk)(roots, *more))
