"""Programs as deep, and blocks as long, as they get: compared, hashed, stored and transformed."""

from __future__ import annotations

import os
import pickle

import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support import tir_deep
from tests.support.loop_passes import LOOP_PASSES
from tests.support.tir_deep import LEVELS

WIDTH = int(os.environ.get("WIDTH", LEVELS))
"""How many statements a long block has; a million is a command of its own."""


@pytest.mark.deep
@pytest.mark.parametrize("name", tir_deep.DEEP)
def test_deep_program_is_compared_hashed_and_stored(name):
    func, again = tir_deep.DEEP[name](LEVELS), tir_deep.DEEP[name](LEVELS)
    assert structural_equal(func, again)
    assert structural_hash(func) == structural_hash(again)
    assert not structural_equal(func, tir_deep.DEEP[name](LEVELS - 1))
    assert structural_equal(pickle.loads(pickle.dumps(func)), func)


@pytest.mark.deep
def test_long_block_is_compared_hashed_and_stored():
    func, again = tir_deep.wide_block(WIDTH), tir_deep.wide_block(WIDTH)
    assert structural_equal(func, again)
    assert structural_hash(func) == structural_hash(again)
    assert structural_equal(pickle.loads(pickle.dumps(func)), func)


@pytest.mark.deep
def test_long_block_is_verified_printed_and_parsed():
    func = tir_deep.wide_block(WIDTH)
    assert not tir.verify(func)
    assert structural_equal(tir.parse(tir.astext(func)), func)


@pytest.mark.deep
@pytest.mark.parametrize("name", LOOP_PASSES)
def test_long_block_is_transformed(name):
    made = get_pass(name)
    out = made(IRModule({"f": tir_deep.wide_block(WIDTH).with_fields(name="f")}))
    assert made(out) is out
