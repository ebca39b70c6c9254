"""Names of tensors: unique, and changed at all uses at once."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import PassError
from relayish.passes.loops.structure.rename_tensors import rename_tensors
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I = tir.Var("i")  # noqa: E741 - as loops call it


def names(func):
    return {tensor.name for tensor in nodes(func, tir.Tensor)}


def test_second_tensor_of_a_name_is_renamed_at_all_uses():
    a, b = memory("A", 4), memory("A", 4)
    func = function([a, b], loop(I, 0, 4, tir.Store(b, b[I] + a[I], (I,))))
    assert tir.verify(func)
    image = apply("RenameTensors", func)
    [store] = nodes(image, tir.Store)
    assert (store.tensor.name, store.value.a.tensor is store.tensor) == ("A", True)
    assert store.value.b.tensor.name == "A_0"
    given = np.arange(4, dtype="int32"), np.ones(4, "int32")
    assert left(image, *given) == [[0, 1, 2, 3], [1, 2, 3, 4]]


def test_tensor_that_was_built_twice_is_one():
    a = memory("A", 4)
    again = tir.Tensor("A", (4,), "int32", a.buffer)
    func = function([a], loop(I, 0, 4, tir.Store(a, again[I] + 1, (I,))))
    assert apply("RenameTensors", func) is func


def test_views_of_one_buffer_of_different_shapes_are_two():
    a = memory("A", 4)
    view = tir.Tensor("A", (2, 2), "int32", a.buffer)
    func = function([a], loop(I, 0, 4, tir.Store(a, view[I / 2, I % 2], (I,))))
    assert names(apply("RenameTensors", func)) == {"A", "A_0"}


def test_names_that_are_chosen_are_given_everywhere():
    a, b = memory("A", 4), memory("B", 4)
    func = function([a, b], loop(I, 0, 4, tir.Store(b, b[I] + a[I], (I,))))
    assert names(rename_tensors(func, {"A": "X", "C": "Y"})) == {"X", "B"}


def test_names_may_be_exchanged():
    a, b = memory("A", 4), memory("B", 4)
    func = function([a, b], loop(I, 0, 4, tir.Store(b, a[I], (I,))))
    [store] = nodes(rename_tensors(func, {"A": "B", "B": "A"}), tir.Store)
    assert (store.tensor.name, store.value.tensor.name) == ("A", "B")


def test_name_that_another_tensor_has_is_refused():
    a, b = memory("A", 4), memory("B", 4)
    func = function([a, b], loop(I, 0, 4, tir.Store(b, a[I], (I,))))
    with pytest.raises(PassError, match=r"tensors 'B' and 'A' of f would both be called 'B'"):
        rename_tensors(func, {"A": "B"})


def test_function_is_the_same_where_no_name_changes():
    a = memory("A", 4)
    func = function([a], loop(I, 0, 4, tir.Store(a, I, (I,))))
    assert rename_tensors(func, {"B": "C"}) is func
