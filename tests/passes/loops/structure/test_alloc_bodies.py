"""What CINN's mutator loses or never visits: the body of an allocation, the variable of a loop."""

from __future__ import annotations

import numpy as np

from relayish import tir
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I = tir.Var("i")  # noqa: E741 - as loops call it


def in_allocation(statements):
    """A function with statements below an allocation, over given memory and that allocated."""
    a, t = memory("A", 4), memory("T", 4)
    made = tir.Alloc(t.buffer, body=tir.Block(statements(a, t)))
    return function([a], made).with_fields(temp_bufs=(t.buffer,))


def test_loop_in_the_body_of_an_allocation_is_unrolled():
    func = in_allocation(
        lambda a, t: (
            loop(I, 0, 4, tir.Store(t, I, (I,)), tir.Store(a, t[I], (I,)), kind="UNROLLED"),
        )
    )
    image = apply("UnrollLoop", func)
    assert nodes(image, tir.For) == []
    assert left(image, np.zeros(4, "int32")) == [[0, 1, 2, 3]]


def test_loop_in_the_body_of_an_allocation_is_converted():
    func = in_allocation(
        lambda a, t: (
            tir.PolyFor(
                I,
                tir.const(3),
                I > -1,
                tir.const(-1),
                tir.Block((tir.Store(t, I, (I,)), tir.Store(a, t[I], (I,)))),
            ),
        )
    )
    image = apply("TransformPolyForToFor", func)
    assert nodes(image, tir.PolyFor) == []
    assert left(image, np.zeros(4, "int32")) == [[0, 1, 2, 3]]


def test_variable_that_a_loop_binds_is_renamed_with_its_uses():
    j = tir.Var("i")
    func = in_allocation(
        lambda a, t: (
            loop(I, 0, 4, tir.Store(t, I, (I,))),
            loop(j, 0, 4, tir.Store(a, t[j], (j,))),
        )
    )
    image = apply("ConvertSSA", func)
    assert [each.loop_var.name for each in nodes(image, tir.For)] == ["i", "i_0"]
    assert left(image, np.zeros(4, "int32")) == [[0, 1, 2, 3]]
