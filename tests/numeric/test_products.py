from __future__ import annotations

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.products import einsum, matrix_product


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u8"])
def test_large_products_of_integers_are_exact_and_wrap_around(dtype: str) -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(-(2**62), 2**62, (64, 96)).astype(dtype)
    right = rng.integers(-(2**62), 2**62, (96, 48)).astype(dtype)
    left[0] = np.iinfo(dtype).min
    with np.errstate(over="ignore"):
        expected = left.astype("i8") @ right.astype("i8")
    for result in (np.dtype("i8"), np.dtype("i4")):
        found = matrix_product(left, right, result)
        assert found.dtype == result
        assert found.tolist() == expected.astype(result).tolist()


def test_a_product_of_big_integers_loses_no_bit() -> None:
    data = np.full((40, 40), 2**31 + 1, np.int64)
    found = matrix_product(data, data, data.dtype)
    assert found[0, 0] == (40 * (2**31 + 1) ** 2 + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_sums_of_narrow_products_are_rounded_once(dtype: npt.DTypeLike) -> None:
    ones = np.ones((1, 5000), dtype)
    expected = np.array([[5000]]).astype(dtype).tolist()
    assert matrix_product(ones, ones.T, ones.dtype).tolist() == expected
    assert einsum("ij,kj->ik", (ones, ones)).tolist() == expected
    assert einsum("ij,kj->ik", (ones, ones.astype(np.float32))).dtype == dtype


@pytest.mark.parametrize(
    ("left", "right", "complaint"),
    [
        ((2, 3), (2, 3), "do not multiply"),
        ((), (1,), "do not multiply"),
        ((1,), (), "do not multiply"),
        ((2,), (3,), "do not multiply"),
        ((2, 1, 1), (3, 1, 1), "do not broadcast"),
    ],
)
def test_matrices_that_do_not_fit_are_not_multiplied(
    left: tuple[int, ...], right: tuple[int, ...], complaint: str
) -> None:
    with pytest.raises(EvaluationError, match=complaint):
        matrix_product(np.ones(left), np.ones(right), np.dtype("f8"))


def test_vectors_are_multiplied_as_rows_and_columns() -> None:
    row, matrix = np.array([1, 2]), np.array([[3, 4], [5, 6]])
    assert matrix_product(row, matrix, row.dtype).tolist() == [13, 16]
    assert matrix_product(matrix, row, row.dtype).tolist() == [11, 17]
    assert matrix_product(row, row, row.dtype) == 5


def test_an_equation_that_does_not_fit_is_refused() -> None:
    with pytest.raises(EvaluationError, match=r"'i->i' does not fit inputs of shapes \(2, 3\)"):
        einsum("i->i", [np.ones((2, 3))])
