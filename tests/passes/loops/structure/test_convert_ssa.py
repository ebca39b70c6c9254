"""Variables that are bound once, under names of their own."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.passes.loops.structure.convert_ssa import convert_ssa
from tests.support.depth import DEPTH
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func, same_result
from tests.support.tir_small import apply, function, left, loop, memory, nodes

SEEDS = seeds(40)
I = tir.Var("i")  # noqa: E741 - as loops call it


def loop_names(func):
    return [each.loop_var.name for each in nodes(func, tir.For)]


def test_loops_one_after_the_other_get_variables_of_their_own():
    a = memory("A", 8)
    first = loop(I, 0, 4, tir.Store(a, I, (I,)))
    second = loop(I, 4, 4, tir.Store(a, I, (I,)))
    image = apply("ConvertSSA", function([a], first, second))
    assert loop_names(image) == ["i", "i_0"]
    assert left(image, np.zeros(8, "int32")) == [list(range(8))]


def test_first_binder_keeps_its_nodes():
    a = memory("A", 8)
    first = loop(I, 0, 4, tir.Store(a, I, (I,)))
    second = loop(I, 4, 4, tir.Store(a, I, (I,)))
    image = convert_ssa(function([a], first, second))
    assert image.body.stmts[0] is first


def test_names_are_unique_among_variables_buffers_and_tensors():
    a = memory("A", 4)
    one, other = tir.Var("i"), tir.Var("A")
    stmts = [loop(v, 0, 4, tir.Store(a, v, (v,))) for v in (I, one, other)]
    assert loop_names(apply("ConvertSSA", function([a], *stmts))) == ["i", "i_0", "A_0"]


def test_loop_in_the_body_of_an_allocation_is_renamed_with_its_uses():
    """CINN's mutator visits neither that body nor the variable that a loop binds."""
    a, t, j = memory("A", 4), memory("T", 4), tir.Var("i")
    loops = loop(I, 0, 4, tir.Store(t, I, (I,))), loop(j, 0, 4, tir.Store(a, t[j], (j,)))
    func = function([a], tir.Alloc(t.buffer, body=tir.Block(loops)))
    image = apply("ConvertSSA", func.with_fields(temp_bufs=(t.buffer,)))
    assert loop_names(image) == ["i", "i_0"]
    assert left(image, np.zeros(4, "int32")) == [[0, 1, 2, 3]]


def test_buffer_is_renamed_in_the_sizes_of_others_too():
    n, m = tir.Var("n"), tir.Var("n")
    buffer = tir.Buffer("_A", (m,), "int32")
    tensor = tir.Tensor("A", (m,), "int32", buffer)
    body = tir.Block((tir.Store(tensor, n, (0,)),))
    image = apply("ConvertSSA", tir.LoweredFunc("f", (n, m, buffer), body))
    given = image.args
    assert [arg.name for arg in given] == ["n", "n_0", "_A"]
    assert given[2].shape[0] is given[1]
    assert nodes(image, tir.Store)[0].tensor.buffer is given[2]


def test_random_programs_that_bind_variables_again_are_mended():
    wrong = 0
    for seed in SEEDS:
        func = random_func(seed, more=("rebinding", "same_names"))
        image = apply("ConvertSSA", func)
        assert same_result(func, image), seed
        names = [each.loop_var.name for each in nodes(image, tir.For)]
        assert len(set(names)) == len(names)
        wrong += bool(tir.verify(func))
    assert wrong > len(SEEDS) / 20


@pytest.mark.deep
def test_nest_that_binds_one_variable_all_along_is_linear():
    a = memory("A", 1)
    nest = tir.Store(a, I, (0,))
    for _ in range(DEPTH):
        nest = loop(I, 0, 1, nest)
    image = convert_ssa(function([a], nest))
    assert len(set(loop_names(image))) == DEPTH
