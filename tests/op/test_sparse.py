from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.ir.relay.type import Any, TensorType
from relayish.op.types.dimension import show_shape
from tests.support.checking import assert_same, evaluated, evaluated_in, inferred, reference
from tests.support.drawn import filled, hypothesis, shapes, st
from tests.support.seeds import quickly


@st.composite
def sparse_tensors(draw, max_dims=3):
    """Draw the shape of a tensor, places in it in order, and values for them."""
    shape = draw(shapes(1, max_dims))
    place = st.tuples(*(st.integers(0, size - 1) for size in shape))
    places = sorted(draw(st.sets(place, max_size=4)))
    indices = np.array(places, np.int64).reshape((-1, len(shape)))
    return shape, indices, filled((len(places),), "float32", 8)


@reference("formula", "sparse_to_dense", "dyn.sparse_to_dense")
@quickly()
@hypothesis.given(sparse_tensors())
def test_sparse_to_dense_fills_the_rest(drawn):
    shape, indices, values = drawn
    expected = np.full(shape, 9, np.float32)
    for place, value in zip(indices.tolist(), values, strict=True):
        expected[tuple(place)] = value
    rest = np.float32(9)
    found = evaluated("sparse_to_dense", indices, values, rest, output_shape=shape)
    assert_same(found, expected)
    sizes = np.array(shape)
    assert_same(evaluated("dyn.sparse_to_dense", indices, values, rest, sizes), expected)


def test_sparse_to_dense_of_one_dimension_takes_places_without_axes():
    values = np.array([9, 8], np.int32)
    line = evaluated("sparse_to_dense", np.array([1, 2]), values, np.int32(7), output_shape=(4,))
    assert_same(line, np.array([7, 9, 8, 7], np.int32))
    point = evaluated("sparse_to_dense", np.int32(1), np.int32(3), np.int32(0), output_shape=(2,))
    assert_same(point, np.array([0, 3], np.int32))
    spread = evaluated(
        "sparse_to_dense", np.array([0, 2]), np.int32(3), np.int32(0), output_shape=(3,)
    )
    assert_same(spread, np.array([3, 0, 3], np.int32))


def test_places_out_of_the_tensor_are_left_out_and_the_last_of_several_counts():
    places, values = np.array([[-1], [5], [1], [1]]), np.array([1, 2, 3, 4], np.int32)
    found = evaluated("sparse_to_dense", places, values, np.int32(0), output_shape=(3,))
    assert_same(found, np.array([0, 4, 0], np.int32))


@reference("torch", "sparse_to_dense")
def test_sparse_to_dense_agrees_with_torch():
    torch = pytest.importorskip("torch")
    places, values = np.array([[0, 2], [1, 0], [3, 1]]), filled((3,), "float32", 1)
    parts = torch.tensor(places.T), torch.tensor(values)
    held = torch.sparse_coo_tensor(*parts, (4, 3), check_invariants=True)
    found = evaluated("sparse_to_dense", places, values, np.float32(0), output_shape=(4, 3))
    assert_same(found, held.to_dense().numpy())


@reference("formula", "sparse_fill_empty_rows")
@quickly()
@hypothesis.given(sparse_tensors())
def test_every_row_of_a_filled_tensor_has_an_element(drawn):
    shape, indices, values = drawn
    sizes, rest = np.array(shape), np.array([5], np.float32)
    places, found, empty = evaluated("sparse_fill_empty_rows", indices, values, sizes, rest)
    kept = set(indices[:, 0].tolist())
    assert empty.tolist() == [int(row not in kept) for row in range(shape[0])]
    assert (empty.dtype, places.dtype) == (np.int64, np.int64)
    given = [(tuple(at), value) for at, value in zip(indices.tolist(), values, strict=True)]
    zeros = (0,) * (len(shape) - 1)
    given += [((row, *zeros), rest[0]) for row in range(shape[0]) if row not in kept]
    expected = sorted(given, key=lambda item: item[0][0])
    assert [tuple(at) for at in places.tolist()] == [at for at, _ in expected]
    assert_same(found, np.array([value for _, value in expected], np.float32))


def test_rows_out_of_the_tensor_cannot_be_filled():
    places, values = np.array([[2, 0]]), np.array([1.0])
    with pytest.raises(EvaluationError, match="out of the 2 rows"):
        evaluated("sparse_fill_empty_rows", places, values, np.array([2, 2]), np.float64(0))


@reference("numpy", "sparse_reshape")
@quickly()
@hypothesis.given(st.data())
def test_sparse_reshape_moves_places_as_reshape_moves_elements(data):
    shape, indices, values = data.draw(sparse_tensors())
    total = int(np.prod(shape))
    first = data.draw(st.sampled_from([n for n in range(1, total + 1) if total % n == 0]))
    wanted = data.draw(st.sampled_from([(first, total // first), (-1, first), (total,), (-1,)]))
    old, new = np.array(shape), np.array(wanted)
    places, sizes = evaluated("sparse_reshape", indices, old, new)
    dense = np.zeros(shape, np.float32)
    dense[tuple(indices.T)] = values
    expected = dense.reshape(wanted)
    assert sizes.tolist() == list(expected.shape)
    found = np.zeros(sizes, np.float32)
    found[tuple(places.T)] = values
    assert_same(found, expected)


def test_sparse_reshape_that_cannot_be_is_refused():
    places = np.array([[1, 1]])
    for new in ([3, 1], [-1, 3], [-1, -1], [-1, 0]):
        with pytest.raises(EvaluationError, match="cannot have the shape"):
            evaluated("sparse_reshape", places, np.array([2, 2]), np.array(new))
    with pytest.raises(EvaluationError, match="out of the shape"):
        evaluated("sparse_reshape", np.array([[2, 0]]), np.array([2, 2]), np.array([4]))


T = TensorType
VALUES, ONE = T((4,)), T(())


def test_how_many_elements_there_will_be_is_not_known():
    places = T((Any(), 2), "int32")
    found = inferred("sparse_fill_empty_rows", None, places, VALUES, T((2,), "int64"), ONE)
    shown = [f"{show_shape(field.shape)} {field.dtype}" for field in found.fields]
    assert shown == ["(?, 2) int64", "(?,) float32", "(?,) int64"]
    moved = inferred("sparse_reshape", None, places, T((2,), "int64"), T((3,), "int64"))
    assert [show_shape(field.shape) for field in moved.fields] == ["(?, 3)", "(3,)"]


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"sparse_to_dense", "sparse_fill_empty_rows", "sparse_reshape"}
    assert evaluated_in("relayish.op.tensor.sparse") == tested
