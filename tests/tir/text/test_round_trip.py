"""What ``tir.astext`` writes, ``tir.parse`` reads back: all kinds, all fields, random programs."""

from __future__ import annotations

from relayish import tir
from relayish.ir.equality.structural_equal import assert_structural_equal
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_kinds import changes, examples
from tests.support.tir_programs import random_func


def check_round_trip(node: tir.IrNode) -> None:
    text = tir.astext(node)
    made = tir.parse(text)
    assert_structural_equal(node, made, map_free_vars=True)
    assert tir.astext(made) == text


@each("kind", examples())
def test_node_of_each_kind_comes_back(kind: type[tir.IrNode]) -> None:
    check_round_trip(examples()[kind])


@each("kind", examples())
def test_node_comes_back_whichever_of_its_fields_is_changed(kind: type[tir.IrNode]) -> None:
    for _, changed in changes(examples()[kind]):
        check_round_trip(changed)


@each("seed", seeds(60))
def test_random_function_comes_back(seed: int) -> None:
    check_round_trip(random_func(seed))
