"""Random programs over loops: well formed, free of errors unless asked for, and of every kind."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.traversal import Traversal
from tests.support.seeds import seeds
from tests.support.tir_deep import DEEP, SHARED, WIDE
from tests.support.tir_programs import (
    FEATURES,
    arguments,
    outcome,
    random_func,
    same_bits,
    same_result,
)

SEEDS = seeds(60)


@functools.cache
def program(seed):
    return random_func(seed)


NODES = Traversal(tir.IrNode)


def kinds(func):
    return {type(node) for node in NODES.post_order(func)}


def test_seed_determines_a_program_and_its_arguments():
    for seed in SEEDS[:20]:
        func = random_func(seed)
        assert structural_equal(func, random_func(seed))
        assert all(map(same_bits, arguments(func, seed), arguments(random_func(seed), seed)))


def test_verifier_accepts_programs():
    for seed in SEEDS:
        assert tir.verify(program(seed)) == (), seed


def test_programs_run_without_error():
    for seed in SEEDS:
        func = program(seed)
        assert isinstance(outcome(func, arguments(func)), list), seed


def test_programs_that_may_fail_do_so_sometimes():
    ends = []
    for seed in SEEDS:
        func = random_func(seed, faulty=True)
        ends.append(isinstance(outcome(func, arguments(func)), str))
    assert len(SEEDS) / 50 < sum(ends) < len(SEEDS) / 2


def test_programs_are_of_every_kind_that_can_be_run():
    found = set.union(*[kinds(program(seed)) for seed in SEEDS])
    assert found >= {
        *tir.BinaryOpNode.kinds,
        *tir.NaryOpNode.kinds,
        *(
            tir.Alloc,
            tir.Block,
            tir.Broadcast,
            tir.Call,
            tir.Cast,
            tir.ComputeOp,
            tir.For,
            tir.Free,
        ),
        *(tir.IfThenElse, tir.Let, tir.Load, tir.Minus, tir.Not, tir.PolyFor, tir.Ramp, tir.Reduce),
        *(tir.ScheduleBlock, tir.ScheduleBlockRealize, tir.Select, tir.Store, tir.Tensor),
    }


@pytest.mark.parametrize(
    ("feature", "kind"),
    [
        ("alloc", tir.Alloc),
        ("call", tir.Call),
        ("if", tir.IfThenElse),
        ("inline", tir.ComputeOp),
        ("let", tir.Let),
        ("nary", tir.Sum),
        ("poly_for", tir.PolyFor),
        ("reduce", tir.Reduce),
        ("vector", tir.Ramp),
    ],
)
def test_feature_that_is_left_out_is_in_no_program(feature, kind):
    assert feature in FEATURES
    for seed in SEEDS[:40]:
        assert kind not in kinds(random_func(seed, without=[feature])), seed


def test_programs_that_leave_something_else_are_told_apart():
    told = 0
    for seed in SEEDS[:40]:
        func = random_func(seed, without=["alloc"])
        emptied = func.with_fields(body=tir.Block(()))
        told += not same_result(func, emptied)
    assert told > 20


def test_bits_are_told_apart_but_those_of_nan():
    minus_zero, zero = np.float32(-0.0), np.float32(0.0)
    assert not same_bits(minus_zero, zero)
    assert same_bits(np.float32("nan"), -np.float32("nan"))
    assert not same_bits(np.int32(1), np.int64(1))


@pytest.mark.parametrize("kind", [*DEEP, *WIDE, *SHARED])
def test_built_programs_are_well_formed_and_run(kind):
    func = {**DEEP, **WIDE, **SHARED}[kind](20)
    assert tir.verify(func) == ()
    buffer = func.args[0]
    tir.run(func, np.zeros([size.value for size in buffer.shape], "int32"))
