"""Nests as deep, and blocks as wide, as memory holds are printed and parsed, in linear size."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ParseError
from relayish.ir.equality.structural_equal import structural_equal
from tests.support import tir_deep
from tests.support.depth import DEPTH
from tests.support.tir_deep import LEVELS

NESTS = [
    "loop_nest", "poly_nest", "branch_nest", "block_nest", "schedule_block_nest",
    "allocation_nest", "wide_block", "wide_loops", "wide_lets", "add_chain", "select_chain",
    "index_chain", "many_views",
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("name", NESTS)
def test_deep_program_comes_back(name: str) -> None:
    func = getattr(tir_deep, name)(LEVELS)
    text = tir.astext(func)
    assert len(text) < 600 * LEVELS + 1000
    assert structural_equal(tir.parse(text), func)


@pytest.mark.deep
def test_text_that_is_not_closed_is_one_error_at_depth() -> None:
    text = "{\n" * DEPTH
    with pytest.raises(ParseError) as caught:
        tir.parse(text)
    assert "this block is not closed" in str(caught.value)
