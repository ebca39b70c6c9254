"""Indices in one dimension, for those in several."""

from __future__ import annotations

import numpy as np

from relayish import tir
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I, J = tir.Var("i"), tir.Var("j")  # noqa: E741 - as loops call them


def flat(func):
    return apply("FlattenBuffer", func)


def ranks(func):
    return {len(tensor.shape) for tensor in nodes(func, tir.Tensor)}


def test_index_is_that_of_the_element_row_by_row():
    a = memory("A", 3, 4, 2)
    func = function([a], loop(I, 0, 3, tir.Store(a, I, (I, 3, 1))))
    image = flat(func)
    given = np.zeros((3, 4, 2), "int32")
    assert ranks(image) == {1}
    assert nodes(image, tir.Tensor)[0].shape[0].value == 24
    assert left(image, given) == left(func, given)


def test_views_of_other_shapes_see_one_memory():
    a = memory("A", 12)
    b, c = (tir.Tensor(n, s, "int32", a.buffer) for n, s in (("B", (3, 4)), ("C", (2, 3))))
    body = (tir.Store(b, I * 10 + J, (I, J)), tir.Store(a, c[1, 2], (0,)))
    func = function([a], loop(I, 0, 3, loop(J, 0, 4, *body)))
    given = np.zeros(12, "int32")
    assert ranks(flat(func)) == {1}
    assert left(flat(func), given) == left(func, given)


def test_offset_of_a_buffer_stays_with_the_buffer():
    buffer = tir.Buffer("_A", (2, 2), "int32", elem_offset=3)
    a = tir.Tensor("A", (2, 2), "int32", buffer)
    func = function([a], loop(I, 0, 2, tir.Store(a, I + 1, (I, 1))))
    given = np.zeros(7, "int32")
    assert left(flat(func), given) == left(func, given) == [[0, 0, 0, 0, 1, 0, 2]]


def test_tensor_over_a_buffer_with_strides_stays():
    buffer = tir.Buffer("_A", (2, 2), "int32", (1, 2))
    a = tir.Tensor("A", (2, 2), "int32", buffer)
    func = function([a], loop(I, 0, 2, tir.Store(a, I, (I, 1))))
    assert flat(func) is func


def test_sizes_that_are_arguments_are_multiplied():
    n = tir.Var("n", "int32", 1, 9)
    buffer = tir.Buffer("_A", (3, n), "int32")
    a = tir.Tensor("A", (3, n), "int32", buffer)
    func = tir.LoweredFunc(
        "f", (n, buffer), tir.Block((loop(I, 0, 3, loop(J, 0, n, tir.Store(a, I + J, (I, J)))),))
    )
    given = np.zeros((3, 5), "int32")
    assert ranks(flat(func)) == {1}
    assert left(flat(func), 5, given) == left(func, 5, given)
    assert not nodes(flat(func), tir.Cast)


def test_index_that_might_not_fit_is_wider():
    buffer = tir.Buffer("_A", (70_000, 70_000), "int8")
    a = tir.Tensor("A", (70_000, 70_000), "int8", buffer)
    func = function([a], loop(I, 0, 4, tir.Store(a, tir.const(1, "int8"), (I, I))))
    [store] = nodes(flat(func), tir.Store)
    assert store.indices[0].type == tir.as_type("int64")


def test_vector_indices_stay_ramps():
    a = memory("A", 3, 8)
    ramp = tir.Ramp(tir.const(0), tir.const(1), 8)
    func = function([a], loop(I, 0, 3, tir.Store(a, tir.Broadcast(I, 8), (I, ramp))))
    image = flat(func)
    given = np.zeros((3, 8), "int32")
    [store] = nodes(image, tir.Store)
    assert isinstance(store.indices[0], tir.Ramp)
    assert left(image, given) == left(func, given)


def test_element_without_dimensions_is_the_first():
    a = memory("A")
    func = function([a], tir.Store(a, a[()] + 1, ()))
    given = np.array(4, "int32")
    assert left(flat(func), given) == left(func, given) == [5]


def test_tensor_that_a_call_is_given_stays():
    a = memory("A", 2, 2)
    call = tir.Call("void", "launch_rocket", write_args=(a,))
    func = function([a], call, tir.Store(a, tir.const(1), (0, 0)))
    assert flat(func) is func
