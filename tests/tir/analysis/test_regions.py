"""Regions of schedule blocks: never too small, exact where indices are affine, in order."""

from __future__ import annotations

import random
from itertools import product

from relayish import tir
from relayish.tir import Block, Ramp, ScheduleBlock, Store, Tensor, Var, const
from relayish.tir.interpreter.run import evaluate
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_cases import ONE, A, B, I, J, V, W, loop, realize

SIZE = 60
C_BUFFER = tir.Buffer("_C", (SIZE,))
C = Tensor("C", (SIZE,), "float32", C_BUFFER)


def block(body, *variables):
    return ScheduleBlock(variables or (V,), (), (), "B", body)


def bounds(part, **values):
    """Return the bounds of a part of a buffer where variables have some values."""
    given = {variable: values[variable.name] for variable in (V, W) if variable.name in values}
    return [
        (int(evaluate(r.lower_bound, given)), int(evaluate(r.upper_bound, given)))
        for r in part.ranges
    ]


def written(body, **values):
    [part] = tir.access_regions(block(body, V, W)).writes
    return bounds(part, **values)


def test_element_is_a_region_of_one():
    assert written(Store(C, ONE, (V,)), v=7) == [(7, 8)]


def test_element_beside_is_a_region_of_one():
    assert written(Store(C, ONE, (V * 2 - 3,)), v=7) == [(11, 12)]


def test_loop_inside_widens_the_region():
    assert written(loop(Store(C, ONE, (V * 4 + I,)), extent=4), v=2) == [(8, 12)]


def test_loop_that_counts_down_the_index_widens_the_region():
    assert written(loop(Store(C, ONE, (V - I,)), first=1, extent=4), v=9) == [(5, 9)]


def test_several_accesses_are_one_region():
    body = Block((Store(C, ONE, (V + 3,)), Store(C, ONE, (V - 1,))))
    assert written(body, v=5) == [(4, 9)]


def test_accesses_that_cannot_be_compared_take_the_whole_dimension():
    body = Block((Store(C, ONE, (V,)), Store(C, ONE, (W,))))
    assert written(body, v=5, w=6) == [(0, SIZE)]


def test_vector_takes_all_its_elements():
    value = tir.Broadcast(ONE, 8)
    assert written(Store(C, value, (Ramp(V * 8, const(1), 8),)), v=2) == [(16, 24)]


def test_vector_that_goes_down_takes_all_its_elements():
    value = tir.Broadcast(ONE, 4)
    assert written(Store(C, value, (Ramp(V, const(-2), 4),)), v=9) == [(3, 10)]


def test_index_from_memory_takes_the_whole_dimension():
    assert written(Store(C, ONE, (tir.Cast("int32", A[V]),)), v=2) == [(0, SIZE)]


def test_index_is_cut_to_the_dimension():
    assert written(loop(Store(C, ONE, (I - 5,)), extent=100), v=0) == [(0, SIZE)]


def test_view_of_another_shape_takes_the_whole_buffer():
    view = Tensor("view", (8, 5), "float32", C_BUFFER)
    assert written(Store(view, ONE, (V, W)), v=1, w=1) == [(0, SIZE)]


def test_each_dimension_has_a_range():
    assert written(loop(Store(B, ONE, (V, J)), var=J, extent=8), v=3) == [(3, 4), (0, 8)]


def test_regions_are_in_the_order_in_which_they_are_met():
    found = tir.access_regions(block(Store(C, B[0, V] + A[V] + B[1, V], (V,))))
    assert [part.buffer.name for part in found.reads] == ["_B", "_A"]


def test_scalars_and_inline_tensors_have_no_region():
    inline = tir.compute((4,), lambda i: tir.Cast("float32", i), "inline", inline=True)
    found = tir.access_regions(block(Store(Var("s", "float32"), inline[V], ())))
    assert found == ((), ())


def test_blocks_inside_count():
    inner = realize((V + 1,), (W,), Store(C, ONE, (W,)))
    [part] = tir.access_regions(block(inner)).writes
    assert part.buffer is C_BUFFER
    assert bounds(part, v=3) == [(4, 5)]


@each("seed", seeds(150))
def test_region_holds_every_element_that_is_touched(seed):
    """Affine indices over two loops, against all iterations."""
    chance = random.Random(seed)
    extents = [chance.randint(1, 4), chance.randint(1, 4)]
    factors = [chance.randint(-3, 3) for _ in range(3)]
    offset = chance.randint(25, 30)
    index = V * factors[0] + I * factors[1] + J * factors[2] + offset
    body = loop(loop(Store(C, ONE, (index,)), var=J, extent=extents[1]), extent=extents[0])
    for value in range(3):
        touched = [
            value * factors[0] + i * factors[1] + j * factors[2] + offset
            for i, j in product(range(extents[0]), range(extents[1]))
        ]
        assert written(body, v=value) == [(min(touched), max(touched) + 1)]
