"""Unrolling: which loops, and what their iterations become."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.passes.loops.structure.unroll_loop import unroll_loop
from tests.support.depth import DEPTH
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func, same_result
from tests.support.tir_small import apply, function, left, loop, memory, nodes

SEEDS = seeds(30)
I, J = tir.Var("i"), tir.Var("j")  # noqa: E741 - as loops call them


def unrolled(func):
    return apply("UnrollLoop", func)


def in_block(body, **attrs):
    block = tir.ScheduleBlock((), (), (), "root", tir.Block((body,)), DictAttrs(attrs))
    return tir.ScheduleBlockRealize((), block)


def test_loop_from_2_of_3_iterations_gives_2_3_and_4():
    a = memory("A", 8)
    func = function([a], loop(I, 2, 3, tir.Store(a, I, (I,)), kind="UNROLLED"))
    stores = nodes(unrolled(func), tir.Store)
    assert [store.indices[0].value for store in stores] == [2, 3, 4]
    assert left(unrolled(func), np.zeros(8, "int32")) == [[0, 0, 2, 3, 4, 0, 0, 0]]


@pytest.mark.parametrize(("low", "extent"), [(2, 5), (-3, 4), (0, 1), (7, 1), (1, 0), (1, -2)])
def test_unrolled_loop_runs_the_same_iterations(low, extent):
    a = memory("A", 12)
    body = tir.Store(a, a[I + 3] + I + 1, (I + 3,))
    func = function([a], loop(I, low, extent, body, kind="UNROLLED"))
    given = np.zeros(12, "int32")
    assert nodes(unrolled(func), tir.For) == []
    assert left(unrolled(func), given) == left(func, given)


@pytest.mark.parametrize("extent", [1, 3])
@pytest.mark.parametrize("inner", ["SERIAL", "UNROLLED"])
def test_loop_over_the_same_variable_inside_and_beside_stays_its_own(extent, inner):
    a = memory("A", 12)
    again = loop(I, 2, 3, tir.Store(a, a[I] + I, (I,)), kind=inner)
    body = tir.Block((tir.Store(a, a[I] + 1, (I,)), again))
    beside = loop(I, 7, 1, tir.Store(a, I, (I,)), kind="UNROLLED")
    func = function([a], loop(I, 0, extent, body, kind="UNROLLED"), beside)
    given = np.zeros(12, "int32")
    assert len(nodes(unrolled(func), tir.For)) == (0 if inner == "UNROLLED" else extent)
    assert left(unrolled(func), given) == left(func, given)


def test_beginning_that_is_not_known_is_added_to():
    a, n = memory("A", 12), tir.Var("n")
    func = function([a], loop(I, n, 3, tir.Store(a, I, (I,)), kind="UNROLLED"), scalars=[n])
    given = np.zeros(12, "int32")
    assert nodes(unrolled(func), tir.For) == []
    assert left(unrolled(func), 5, given) == left(func, 5, given)


def test_beginning_that_the_body_writes_is_read_once():
    a = memory("A", 12)
    func = function([a], loop(I, a[0], 3, tir.Store(a, I + 5, (I,)), kind="UNROLLED"))
    given = np.zeros(12, "int32")
    assert left(unrolled(func), given) == [[5, 6, 7] + [0] * 9]


@pytest.mark.parametrize(("extent", "stays"), [(50, False), (51, True)])
def test_loop_of_more_than_50_iterations_stays(extent, stays):
    a = memory("A", 60)
    func = function([a], loop(I, 0, extent, tir.Store(a, I, (I,)), kind="UNROLLED"))
    assert (unrolled(func) is func) == stays


def test_option_allows_more_iterations():
    a = memory("A", 60)
    func = function([a], loop(I, 0, 60, tir.Store(a, I, (I,)), kind="UNROLLED"))
    assert len(nodes(unroll_loop(func, max_extent=60), tir.Store)) == 60


def test_loop_of_an_extent_that_is_not_known_stays():
    a, n = memory("A", 8), tir.Var("n")
    func = function([a], loop(I, 0, n, tir.Store(a, I, (I,)), kind="UNROLLED"), scalars=[n])
    assert unrolled(func) is func


@pytest.mark.parametrize(("limit", "stays"), [(8, False), (7, True), (0, True)])
def test_serial_loop_is_unrolled_up_to_the_steps_of_its_block(limit, stays):
    a = memory("A", 8)
    body = loop(I, 0, 4, tir.Store(a, I, (I,)), tir.Store(a, I, (I + 4,)))
    func = function([a], in_block(body, auto_unroll_max_step=limit))
    assert (unrolled(func) is func) == stays


def test_serial_loop_outside_of_such_a_block_stays():
    a = memory("A", 8)
    func = function([a], in_block(loop(I, 0, 1, tir.Store(a, I, (I,)))))
    assert unrolled(func) is func


def test_stores_of_inner_loops_count_once_for_each_iteration():
    a = memory("A", 8, 8)
    inner = loop(J, 0, 4, tir.Store(a, I, (I, J)))
    func = function([a], in_block(loop(I, 0, 2, inner), auto_unroll_max_step=7))
    assert [each.loop_var for each in nodes(unrolled(func), tir.For)] == [I]


def test_serial_loop_around_one_that_stays_is_not_unrolled():
    a, n = memory("A", 8, 8), tir.Var("n")
    inner = loop(J, 0, n, tir.Store(a, I, (I, J)))
    func = function([a], in_block(loop(I, 0, 2, inner), auto_unroll_max_step=99), scalars=[n])
    assert unrolled(func) is func


def test_inner_loop_depends_on_the_iteration_of_the_outer_one():
    a = memory("A", 4, 4)
    inner = loop(J, I, 2, tir.Store(a, I * 4 + J, (I, J % 4)), kind="UNROLLED")
    func = function([a], loop(I, 0, 3, inner, kind="UNROLLED"))
    given = np.zeros((4, 4), "int32")
    assert nodes(unrolled(func), tir.For) == []
    assert left(unrolled(func), given) == left(func, given)


def test_copies_declare_variables_of_their_own():
    a, x = memory("A", 4), tir.Var("x")
    body = (tir.Let(x, I + 1), tir.Store(a, x, (I,)))
    image = unrolled(function([a], loop(I, 0, 4, *body, kind="UNROLLED")))
    assert len({let.symbol for let in nodes(image, tir.Let)}) == 4
    assert left(image, np.zeros(4, "int32")) == [[1, 2, 3, 4]]


def test_copies_allocate_memory_one_after_the_other():
    a, t = memory("A", 4), memory("T", 1)
    body = (tir.Alloc(t.buffer), tir.Store(t, I, (0,)), tir.Store(a, t[0], (I,)))
    func = function([a], loop(I, 0, 4, *body, kind="UNROLLED")).with_fields(temp_bufs=(t.buffer,))
    assert left(unrolled(func), np.zeros(4, "int32")) == [[0, 1, 2, 3]]


def test_loop_over_small_integers_ends_at_their_greatest():
    a, var = memory("A", 4, dtype="int64"), tir.Var("i", "int64")
    low = tir.const(2**63 - 3, "int64")
    body = tir.Store(a, var, (var % tir.const(4, "int64"),))
    func = function([a], loop(var, low, tir.const(3, "int64"), body, kind="UNROLLED"))
    given = np.zeros(4, "int64")
    assert left(unrolled(func), given) == left(func, given)


class Marker(tir.StmtMutator):
    """Marks every loop."""

    def visit_for(self, loop):
        return super().visit_for(loop).with_fields(for_type=tir.ForType.UNROLLED)


def test_random_programs_of_marked_loops_do_the_same():
    done = 0
    for seed in SEEDS:
        func = random_func(seed, without=("loop_kinds",))
        func = func.with_fields(body=Marker().visit(func.body))
        image = unrolled(func)
        assert same_result(func, image), seed
        done += image is not func
    assert done > len(SEEDS) / 2


@pytest.mark.deep
def test_nest_of_unrolled_loops_is_linear():
    a = memory("A", 1)
    nest = tir.Store(a, a[0] + 1, (0,))
    for _ in range(DEPTH):
        nest = loop(tir.Var("i"), 0, 1, nest, kind="UNROLLED")
    image = unroll_loop(function([a], nest))
    assert nodes(image, tir.For) == []
