from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import evaluate
from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.each import each
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
from hypothesis import given
from hypothesis import strategies as st

FEW = quickly(25)
sizes = st.integers(1, 5)
kinds = st.sampled_from(
    [
        ("float32", None),
        ("float64", None),
        ("float16", None),
        ("float16", "float32"),
        ("int8", "int32"),
        ("uint8", "int32"),
        ("int8", None),
        ("int64", None),
    ]
)


def product(lhs, rhs, dtype):
    """Multiply matrices of Python numbers, wrapping integers around."""
    exact = np.asarray(lhs).astype(object) @ np.asarray(rhs).astype(object)
    if np.dtype(dtype).kind not in "iu":
        return exact.astype(np.float64).astype(dtype)
    bits = 8 * np.dtype(dtype).itemsize
    wrapped = [int(value) % 2**bits for value in exact.ravel()]
    return np.array(wrapped, f"u{bits // 8}").astype(dtype).reshape(exact.shape)


def as_stack(matrix, count):
    return np.stack([matrix + matrix.dtype.type(i) for i in range(count)])


@reference("formula", "nn.dense", "nn.matmul")
@FEW
@given(kinds, sizes, sizes, sizes, st.booleans(), st.booleans(), st.booleans())
def test_matmul_multiplies_as_integers_do(kind, m, k, n, stacked, transpose_a, transpose_b):
    dtype, out = kind
    low, high = (0, 200) if dtype == "uint8" else (-100, 100)
    lhs, rhs = (random_values(*s, dtype=dtype, low=low, high=high) for s in ((m, k), (k, n)))
    data = as_stack(lhs, 2) if stacked else lhs
    expected = product(data, rhs, out or dtype)
    if dtype == "float16" and out is None:  # sums of products beyond 65504 are infinite
        data, rhs = data / np.float16(16), rhs / np.float16(16)
        expected = product(data, rhs, dtype)
    given_a = np.swapaxes(data, -1, -2) if transpose_a else data
    given_b = rhs.T if transpose_b else rhs
    options = {"transpose_a": transpose_a, "transpose_b": transpose_b, "out_dtype": out}
    close = 5e-3 if "float16" in kind else 2e-5
    found = evaluated("nn.matmul", given_a, given_b, **options)
    np.testing.assert_allclose(found, expected, rtol=close, atol=0.05)
    assert found.dtype == (out or dtype)
    assert_same(evaluated("nn.matmul", given_a, given_b, units=n, **options), found)
    assert_same(evaluated("nn.dense", data, rhs.T, out_dtype=out), found, close)
    assert_same(evaluated("nn.dense", data, rhs.T, units=n, out_dtype=out), found, close)


@reference("torch", "nn.dense", "nn.bias_add")
@FEW
@given(st.lists(sizes, min_size=1, max_size=3), sizes, sizes)
def test_dense_and_bias_agree_with_a_linear_layer(outer, k, n):
    torch = pytest.importorskip("torch")
    data, weight = random_values(*outer, k), random_values(n, k, seed=1)
    bias = random_values(n, seed=2)
    found = evaluated("nn.bias_add", evaluated("nn.dense", data, weight), bias, axis=-1)
    tensors = (torch.tensor(np.array(v)) for v in (data, weight, bias))
    assert_same(found, torch.nn.functional.linear(*tensors).numpy(), 1e-4)


@reference("torch", "nn.batch_matmul")
@FEW
@given(kinds, sizes, sizes, sizes, sizes, st.sampled_from(["both", "left", "right"]))
@pytest.mark.parametrize("transpose", [(False, True), (True, False)])
def test_batch_matmul_multiplies_stacks(transpose, kind, b, m, k, n, many):
    dtype, out = kind
    lhs = random_values(1 if many == "right" else b, m, k, dtype=dtype, low=0, high=9)
    rhs = random_values(1 if many == "left" else b, k, n, dtype=dtype, low=0, high=9, seed=1)
    torch = pytest.importorskip("torch")
    wide = (torch.tensor(v.astype("float64")) for v in (lhs, rhs))
    expected = torch.matmul(*wide).numpy()
    if np.dtype(dtype).kind in "iu":
        expected = expected.astype("int64")
    first = np.swapaxes(lhs, 1, 2) if transpose[0] else lhs
    second = np.swapaxes(rhs, 1, 2) if transpose[1] else rhs
    options = {"transpose_a": transpose[0], "transpose_b": transpose[1], "out_dtype": out}
    found = evaluated("nn.batch_matmul", first, second, **options)
    assert_same(found, expected.astype(out or dtype))


@reference("formula", "nn.contrib_dense_pack")
@pytest.mark.parametrize("inner", [None, 2])
def test_packed_dense_multiplies_by_the_weight_before_packing(inner):
    data, weight = random_values(3, 6), random_values(8, 6, seed=1)
    packed = weight.reshape(2, 4, 6).transpose(0, 2, 1)
    if inner is not None:
        packed = weight.reshape(2, 4, 3, inner).transpose(0, 2, 1, 3)
    assert_same(evaluated("nn.contrib_dense_pack", data, packed), data @ weight.T)


@reference("numpy", "nn.bias_add")
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_bias_is_added_along_its_axis(axis, dtype):
    data = random_values(2, 3, 4, dtype=dtype)
    bias = random_values(data.shape[axis], dtype=dtype, seed=9)
    shape = [1, 1, 1]
    shape[axis] = -1
    assert_same(evaluated("nn.bias_add", data, bias, axis=axis), data + bias.reshape(shape))


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba,ac", (2, 3), (3, 4)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("...ij,...jk->...ik", (5, 2, 3), (1, 3, 4)),
    ("i...,i...->...", (2, 3, 4), (2, 3, 4)),
    ("ii->i", (3, 3)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("i,i", (3,), (3,)),
    ("i,j,k -> k j i", (2,), (3,), (4,)),
    ("...", (2, 3)),
]


@reference("torch", "einsum")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@each("case", EQUATIONS)
def test_einsum_follows_its_equation(case, dtype):
    torch = pytest.importorskip("torch")
    equation, *shapes = case
    operands = tuple(
        random_values(*s, dtype=dtype, seed=i, low=-2, high=3) for i, s in enumerate(shapes)
    )
    wide = [torch.tensor(value.astype("float64")) for value in operands]
    expected = np.asarray(torch.einsum(equation, *wide)).astype(dtype)
    found = evaluated("einsum", operands, equation=equation)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    close = 2e-2 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(found.astype("float64"), expected, rtol=close, atol=close)


def test_product_of_a_stack_and_a_weight_that_disagree_has_no_value():
    op = get_op("nn.dense")
    attrs = make_attrs(op, {})
    with pytest.raises(EvaluationError, match="do not multiply"):
        evaluate.get(op)(attrs, np.ones((2, 2, 2, 2)), np.ones((2, 3)))
