"""Passes over loops one after the other, in any order."""

from __future__ import annotations

import random

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.ir.structural_equal import structural_equal
from relayish.passes import PASSES
from relayish.text import astext, parse
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.tir_programs import random_func, same_result

PROGRAMS = 200 if DEPTH >= 100_000 else 20
LOOP_PASSES = [name for name, where in PASSES.items() if where.startswith("loop_")]


def test_passes_in_any_order_keep_what_programs_do():
    for seed in range(PROGRAMS):
        func = random_func(seed)
        mod = IRModule({"f": func})
        order = random.Random(seed).sample(LOOP_PASSES, 6)
        for name in order:
            mod = get_pass(name)(mod)
            assert not tir.verify(mod["f"]), (seed, order, name)
            assert same_result(func, mod["f"]), (seed, order, name)


def test_what_passes_return_is_written_and_read_back():
    for seed in range(PROGRAMS):
        mod = IRModule({"f": random_func(seed)})
        for name in random.Random(seed).sample(LOOP_PASSES, 6):
            mod = get_pass(name)(mod)
        assert structural_equal(parse(astext(mod)), mod), seed
