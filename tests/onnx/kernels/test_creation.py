from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.onnx.element_types import find_numpy_dtype
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel


@each(
    "case",
    [
        ({"value_float": 2.5}, np.float32, 2.5),
        ({"value_floats": (1.0, 2.0)}, np.float32, [1, 2]),
        ({"value_int": 3}, np.int64, 3),
        ({"value_ints": ()}, np.int64, []),
        ({"value_string": "a"}, object, "a"),
        ({"value_strings": ("a", "")}, object, ["a", ""]),
        ({"value": np.int8([1])}, np.int8, [1]),
        ({"sparse_value": np.int8([0])}, np.int8, [0]),
    ],
)
def test_a_constant_is_the_value_of_its_attribute(case):
    attributes, dtype, expected = case
    (found,) = run_kernel("Constant", version=13, **attributes)
    assert isinstance(found, np.ndarray)
    assert found.dtype == dtype
    assert found.tolist() == expected


def test_a_constant_has_one_value():
    value = np.float32([1])
    assert run_kernel("Constant", version=1, value=value)[0] is value
    assert run_kernel("Constant", version=11, value=value)[0] is value
    with pytest.raises(EvaluationError, match="Constant has 0 values"):
        run_kernel("Constant", version=13)
    with pytest.raises(EvaluationError, match="Constant has 2 values"):
        run_kernel("Constant", version=13, value=value, value_int=1)


@each("places", [[2, 3], [[0, 2], [1, 0]]])
def test_a_sparse_constant_is_zero_elsewhere(places):
    parts = {"values": np.float32([7, 8]), "indices": np.array(places), "dims": (2, 3)}
    (found,) = run_kernel("Constant", version=11, sparse_value=parts)
    assert found.dtype == np.float32
    assert found.tolist() == [[0, 0, 7], [8, 0, 0]]


def test_a_sparse_constant_has_a_place_for_each_element():
    parts = {"values": np.float32([7, 8]), "indices": np.array([[0], [1]]), "dims": (2, 3)}
    with pytest.raises(EvaluationError, match=r"places of shape \(2, 1\)"):
        run_kernel("Constant", version=13, sparse_value=parts)


def test_a_constant_of_a_shape_is_zero_or_as_told():
    found = run_kernel("ConstantOfShape", np.array([2, 0, 3]), version=9)[0]
    assert (found.dtype, found.shape) == (np.float32, (2, 0, 3))
    found = run_kernel("ConstantOfShape", np.array([2]), version=9, value=np.int8([7]))[0]
    assert (found.dtype, found.tolist()) == (np.int8, [7, 7])
    found = run_kernel("ConstantOfShape", np.zeros(0, int), version=25)[0]
    assert (found.shape, found.item()) == ((), 0.0)
    with pytest.raises(EvaluationError, match=r"shape \[-1\] of ConstantOfShape"):
        run_kernel("ConstantOfShape", np.array([-1]), version=9)
    with pytest.raises(EvaluationError, match="value of ConstantOfShape must be one number"):
        run_kernel("ConstantOfShape", np.array([1]), version=9, value=np.int8([7, 8]))


@each("case", [(3, 9, 3), (10, 4, -2), (0, 0, 1), (5, 0, 1), (0, 10, 3), (0, -10, -3), (0, 9, 3)])
@each("dtype", [np.int16, np.int32, np.int64, np.float32, np.float64])
def test_ranges_are_those_of_python(case, dtype):
    (found,) = run_kernel("Range", *(np.array(one, dtype) for one in case), version=11)
    assert found.dtype == dtype
    assert found.tolist() == list(range(*case))


def test_ranges_of_fractions_are_products():
    (found,) = run_kernel("Range", *np.float32([[0], [1], [0.1]]), version=11)
    assert found.dtype == np.float32
    assert found.tolist() == (np.arange(10, dtype=np.float32) * np.float32(0.1)).tolist()


@each("dtype", [np.float16, ml_dtypes.bfloat16])
def test_ranges_of_narrow_numbers_are_computed_wide_if_told(dtype):
    start, limit, delta = (np.array(one, dtype) for one in (1, 3, 0.01))
    wide = run_kernel("Range", start, limit, delta, version=27)[0]
    narrow = run_kernel("Range", start, limit, delta, version=27, stash_type=16)[0]
    assert wide.dtype == narrow.dtype == dtype
    exact = 1 + np.arange(len(wide), dtype=np.float32) * delta.astype(np.float32)
    assert wide.tolist() == exact.astype(dtype).tolist() != narrow.tolist()
    assert narrow.tolist() == (start + np.arange(len(wide)).astype(dtype) * delta).tolist()
    assert len(wide) == len(narrow) == int(np.ceil(2 / float(delta)))


def test_a_range_without_steps_or_end_is_an_error():
    one = np.array(1.0)
    with pytest.raises(EvaluationError, match="delta of Range is 0"):
        run_kernel("Range", one, one, np.array(0.0), version=11)
    for limit in (np.inf, np.nan):
        with pytest.raises(EvaluationError, match="has no end"):
            run_kernel("Range", one, np.array(limit), one, version=11)
    with pytest.raises(EvaluationError, match="start of Range must be one number"):
        run_kernel("Range", np.ones(2), one, one, version=11)


@each("k", [-3, -1, 0, 2, 5])
def test_ones_stand_on_a_diagonal(k):
    x = np.zeros((3, 4), np.int32)
    assert run_kernel("EyeLike", x, version=9, k=k)[0].tolist() == np.eye(3, 4, k).tolist()
    for to in (1, 9, 16, 11):
        found = run_kernel("EyeLike", x, version=22, k=k, dtype=to)[0]
        assert found.dtype == find_numpy_dtype(to)
        assert found.astype(int).tolist() == np.eye(3, 4, k).tolist()
    with pytest.raises(EvaluationError, match="input of EyeLike has shape"):
        run_kernel("EyeLike", x[0], version=9)


DRAWN = {
    "RandomNormal": ((), {"shape": (200, 5)}),
    "RandomUniform": ((), {"shape": (200, 5)}),
    "RandomNormalLike": ((np.zeros((200, 5), np.float32),), {}),
    "RandomUniformLike": ((np.zeros((200, 5), np.float32),), {}),
    "Bernoulli": ((np.full((200, 5), 0.25, np.float32),), {}),
}


@each("op", DRAWN)
def test_numbers_are_drawn_anew_but_for_one_seed(op):
    inputs, attributes = DRAWN[op]
    since = 15 if op == "Bernoulli" else 1
    (one,) = run_kernel(op, *inputs, version=since, seed=3.0, **attributes)
    (same,) = run_kernel(op, *inputs, version=22, seed=3.0, **attributes)
    (other,) = run_kernel(op, *inputs, version=since, seed=3.5, **attributes)
    assert (one.shape, one.dtype) == ((200, 5), np.float32)
    assert one.tolist() == same.tolist() != other.tolist()
    given = [
        run_kernel(op, *inputs, version=since, generator=np.random.default_rng(seed), **attributes)[
            0
        ].tolist()
        for seed in (1, 1, 2)
    ]
    assert given[0] == given[1] != given[2]
    assert len({str(run_kernel(op, *inputs, version=22, **attributes)) for _ in range(2)}) == 2


@each("to", [1, 10, 11, 16])
def test_drawn_numbers_follow_their_distribution(to):
    rng = np.random.default_rng(0)
    shape = (50_000,)
    (normal,) = run_kernel(
        "RandomNormal", version=22, shape=shape, dtype=to, mean=3.0, scale=2.0, generator=rng
    )
    (even,) = run_kernel(
        "RandomUniform", version=22, shape=shape, dtype=to, low=-1.0, high=3.0, generator=rng
    )
    assert normal.dtype == even.dtype == find_numpy_dtype(to)
    normal, even = normal.astype(float), even.astype(float)
    assert (normal.mean(), normal.std()) == pytest.approx((3, 2), abs=0.05)
    assert (even.mean(), even.std()) == pytest.approx((1, 4 / 12**0.5), abs=0.05)
    assert even.min() >= -1
    assert even.max() <= 3


def test_bernoulli_gives_ones_as_often_as_told():
    x = np.tile(np.array([0, 0.25, 1]), (20_000, 1))
    (found,) = run_kernel("Bernoulli", x, version=22, dtype=7, generator=np.random.default_rng(0))
    assert found.dtype == np.int64
    assert found.mean(axis=0).tolist() == [0, pytest.approx(0.25, abs=0.02), 1]


def test_multinomial_draws_classes_by_their_logarithms():
    x = np.log(np.array([[1, 2, 1], [0, 0, 5]]) + 1e-300).astype(np.float64) + 700
    (found,) = run_kernel(
        "Multinomial", x, version=7, sample_size=20_000, dtype=7, generator=np.random.default_rng(0)
    )
    assert (found.dtype, found.shape) == (np.int64, (2, 20_000))
    shares = np.bincount(found[0], minlength=3) / 20_000
    assert shares.tolist() == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert np.unique(found[1]).tolist() == [2]
    assert run_kernel("Multinomial", x, version=22)[0].dtype == np.int32
    assert run_kernel("Multinomial", x[:0], version=22, sample_size=4)[0].shape == (0, 4)
    for shape in ((3,), (2, 0)):
        with pytest.raises(EvaluationError, match="Multinomial"):
            run_kernel("Multinomial", np.zeros(shape), version=22)
