from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, evaluated_in, reference
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


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"sparse_to_dense", "sparse_fill_empty_rows", "sparse_reshape"}
    assert evaluated_in("relayish.op.tensor.sparse") == tested
