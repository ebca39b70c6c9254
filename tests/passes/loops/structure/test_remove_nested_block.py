"""Blocks within blocks."""

from __future__ import annotations

import numpy as np

from relayish import tir
from relayish.passes.loops.structure.remove_nested_block import remove_nested_block
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I = tir.Var("i")  # noqa: E741 - as loops call it


def flat(func):
    return apply("RemoveNestedBlock", func)


def store(tensor, at):
    return tir.Store(tensor, tir.const(at + 1), (at,))


def test_statements_stand_in_order():
    a = memory("A", 8)
    stores = [store(a, at) for at in range(5)]
    nested = tir.Block((stores[1], tir.Block((stores[2],)), tir.Block(()), stores[3]))
    image = flat(function([a], stores[0], nested, stores[4]))
    assert image.body.stmts == tuple(stores)


def test_block_of_nothing_vanishes_and_an_empty_body_runs():
    a = memory("A", 4)
    image = flat(function([a], tir.Block((tir.Block(()),))))
    assert image.body.stmts == ()
    assert left(image, np.zeros(4, "int32")) == [[0, 0, 0, 0]]


def test_bodies_of_loops_and_arms_stay_blocks():
    a = memory("A", 4)
    branch = tir.IfThenElse(I < 2, tir.Block((tir.Block((store(a, 0),)),)))
    [made] = flat(function([a], loop(I, 0, 4, branch))).body.stmts
    assert isinstance(made.body, tir.Block)
    assert made.body.stmts[0].true_case.stmts[0] is branch.true_case.stmts[0].stmts[0]


def test_block_that_ends_the_life_of_memory_stays():
    a, t = memory("A", 4), memory("T", 1)
    one = tir.Block((tir.Alloc(t.buffer), store(t, 0), tir.Store(a, t[0], (0,))))
    two = tir.Block((tir.Alloc(t.buffer), store(t, 0), tir.Store(a, t[0], (1,))))
    func = function([a], one, two).with_fields(temp_bufs=(t.buffer,))
    assert remove_nested_block(func) is func
    assert left(func, np.zeros(4, "int32")) == [[1, 1, 0, 0]]


def test_block_that_frees_what_it_allocates_is_flattened():
    a, t = memory("A", 4), memory("T", 1)
    part = (tir.Alloc(t.buffer), store(t, 0), tir.Store(a, t[0], (0,)), tir.Free(t.buffer))
    func = function([a], tir.Block(part), store(a, 1)).with_fields(temp_bufs=(t.buffer,))
    assert flat(func).body.stmts == (*part, func.body.stmts[1])


def test_block_that_stands_in_two_places_stays():
    a = memory("A", 4)
    block = tir.Block((tir.Store(a, a[0] + 1, (0,)),))
    func = function([a], block, block)
    assert remove_nested_block(func) is func


def test_blocks_shared_a_hundred_times_over_are_looked_at_once():
    a = memory("A", 4)
    block = tir.Block((store(a, 0),))
    for _ in range(100):
        block = tir.Block((block, block))
    func = function([a], block)
    assert len(nodes(remove_nested_block(func), tir.Block)) >= 100
