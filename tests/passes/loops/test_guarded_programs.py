"""Passes on random guarded nests, which do what they did, bit for bit, and change often enough."""

from __future__ import annotations

import functools

import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.transform import parse_pipeline
from tests.support.seeds import seeds
from tests.support.tir_guarded import guarded_arguments, guarded_func
from tests.support.tir_programs import outcome, same_bits

SEEDS = seeds(9)

CHANGED = {
    "EntailLoopCondition": 8,
    "EliminateInvariantLoop": 3,
    "IfFusion": 5,
    "IfFold": 2,
    "PartitionLoops{symbolic=true}": 8,
    "RearrangeLoadInstruction": 3,
    "StorageRewrite": 2,
    "PartitionLoops{symbolic=true}, EntailLoopCondition, EliminateInvariantLoop, IfFusion": 15,
}
"""How many of the programs each changes at least."""


@functools.cache
def drawn(seed: int) -> tuple[tir.LoweredFunc, list[object]]:
    """A program, and what it leaves of several arguments."""
    func = guarded_func(seed)
    assert tir.verify(func) == ()
    return func, [outcome(func, guarded_arguments(each), mode="plain") for each in range(2)]


@pytest.mark.parametrize("pipeline", CHANGED)
def test_pass_keeps_what_guarded_programs_do(pipeline):
    changed = 0
    programs = SEEDS[::4] if ", " in pipeline else SEEDS
    for seed in programs:
        func, expected = drawn(seed)
        once = parse_pipeline(pipeline)(IRModule({"f": func}))
        image = once["f"]
        if image is func:
            continue
        changed += 1
        assert tir.verify(image) == (), seed
        for at, before in enumerate(expected):
            after = outcome(image, guarded_arguments(at), mode="plain")
            assert not isinstance(before, str), seed
            assert not isinstance(after, str), seed
            assert all(map(same_bits, before, after)), (seed, at)
        if "symbolic" not in pipeline:
            assert parse_pipeline(pipeline)(once) is once, seed
    assert changed >= CHANGED[pipeline] * len(programs) / 20, changed
