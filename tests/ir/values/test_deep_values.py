"""Constants that hold tuples of values, nested or shared as deeply as one likes."""

from __future__ import annotations

import pytest

import relayish as relay
from tests.support.depth import DEPTH


def _nest(levels: int, leaf: object) -> object:
    for _ in range(levels):
        leaf = (leaf,)
    return leaf


def _doubled(levels: int) -> object:
    nest: object = ()
    for _ in range(levels):
        nest = (nest, nest)
    return nest


@pytest.mark.deep
def test_deep_tuple_of_values_is_held_compared_and_hashed() -> None:
    one, other = relay.Constant(_nest(DEPTH, 1)), relay.Constant(_nest(DEPTH, 1))
    assert relay.structural_equal(one, other)
    assert relay.structural_hash(one) == relay.structural_hash(other)
    assert not relay.structural_equal(one, relay.Constant(_nest(DEPTH, 2)))


def test_shared_tuple_of_values_stays_shared_and_is_compared_once() -> None:
    one, other = relay.Constant(_doubled(100)), relay.Constant(_doubled(100))
    assert one.data[0] is one.data[1]
    assert relay.structural_equal(one, other)
    assert relay.structural_hash(one) == relay.structural_hash(other)


def test_normal_tuple_of_values_is_kept_as_it_is() -> None:
    data = relay.Constant((1, ("a", None))).data
    assert relay.Constant(data).data is data


def test_list_that_contains_itself_is_refused() -> None:
    items: list[object] = [1]
    items.append(items)
    with pytest.raises(relay.FieldError, match="contains itself"):
        relay.Constant(items)
