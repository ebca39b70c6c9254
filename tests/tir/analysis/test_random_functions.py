"""Analyses of random functions, against what the interpreter makes of them."""

from __future__ import annotations

import functools

from relayish import tir
from relayish.ir.scopes.renaming import replace_nodes
from relayish.tir.analysis import dependences, interval_of, parallel_loops, statements_with_contexts
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func, same_result

SEEDS = seeds(12)


@functools.cache
def drawn(seed):
    return random_func(seed)


@functools.cache
def parallel(seed):
    return parallel_loops(drawn(seed))


def backwards(loop):
    """Return ``loop`` with its iterations in the opposite order."""
    last = loop.min + (loop.extent - 1)
    mirrored = (last - loop.loop_var) + loop.min
    body = replace_nodes(loop.body, {loop.loop_var: mirrored})
    return loop.with_fields(body=body)


def test_parallel_loops_may_run_backwards():
    tried = 0
    for seed in SEEDS:
        func = drawn(seed)
        loops = [
            loop
            for loop in parallel(seed)
            if isinstance(loop, tir.For)
            and isinstance(loop.min, tir.IntImm)
            and isinstance(loop.extent, tir.IntImm)
            and loop.extent.value > 1
        ]
        if not loops:
            continue
        tried += len(loops)
        images = {loop: backwards(loop) for loop in loops}
        # inner loops first, so that an outer one holds their images
        for loop in loops:
            assert same_result(func, replace_nodes(func, {loop: images[loop]})), seed
    assert tried > len(SEEDS) / 4


def test_dependences_name_the_loops_that_are_not_parallel():
    for seed in SEEDS[:10]:
        func = drawn(seed)
        loops = tir.collect_ir_nodes(func, lambda node: isinstance(node, (tir.For, tir.PolyFor)))
        carrying = {dep.carrier for dep in dependences(func)}
        assert parallel(seed) == {each for each in loops if each not in carrying}


def test_every_index_has_an_interval_in_its_tensor_where_the_shape_is_known():
    inside = total = 0
    for seed in seeds(60):
        for stmt, known in statements_with_contexts(random_func(seed)):
            if not isinstance(stmt, tir.Store) or not stmt.is_addr_tensor:
                continue
            for index, size in zip(stmt.indices, stmt.tensor.shape, strict=True):
                found = interval_of(index, known)
                if isinstance(size, tir.IntImm) and not known.is_unreachable:
                    total += 1
                    inside += found.low >= 0 and found.high < size.value
                    assert found.low < size.value
                    assert found.high >= 0
    assert inside > total / 2
