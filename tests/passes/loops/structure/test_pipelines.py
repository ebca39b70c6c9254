"""Passes over loops one after the other, in any order."""

from __future__ import annotations

import random

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.module import IRModule
from relayish.text import astext, parse
from relayish.transform import get_pass
from tests.support.loop_passes import LOOP_PASSES
from tests.support.seeds import seeds
from tests.support.tir_copies import with_copies
from tests.support.tir_programs import random_func, same_result

SEEDS = seeds(15)
CLEANUP = ("GlobalCommonSubexprElimTIR", "CopyPropagation", "DeadStoreElimination")


def test_passes_in_any_order_keep_what_programs_do():
    for seed in SEEDS:
        func = random_func(seed)
        mod = IRModule({"f": func})
        order = random.Random(seed).sample(LOOP_PASSES, 6)
        for name in order:
            mod = get_pass(name)(mod)
            assert not tir.verify(mod["f"]), (seed, order, name)
            assert same_result(func, mod["f"]), (seed, order, name)


def test_cleaning_up_again_and_again_keeps_what_programs_do():
    for seed in SEEDS:
        func = random_func(seed, without=("schedule_block", "root", "vector"))
        mod = IRModule({"f": with_copies(func, seed)})
        out = mod
        for name in (CLEANUP[0], *CLEANUP, "CommonSubexprElimTIR"):
            out = get_pass(name)(out)
            assert get_pass(name)(out) is out, (seed, name)
        assert same_result(mod["f"], out["f"]), seed


def test_what_passes_return_is_written_and_read_back():
    for seed in SEEDS:
        mod = IRModule({"f": random_func(seed)})
        for name in random.Random(seed).sample(LOOP_PASSES, 6):
            mod = get_pass(name)(mod)
        assert structural_equal(parse(astext(mod)), mod), seed
