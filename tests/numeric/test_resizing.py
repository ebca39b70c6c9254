"""Resized axes against torch, ONNX's reference and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, weighing_dtype
from relayish.numeric.resizing import Axis, Resampling, find_samples, resize
from tests.support.each import each
from tests.support.reference_onnx import run_onnx
from tests.support.seeds import quickly, seeds

few = quickly(25)
MODES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
old_and_new = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 7)), min_size=1, max_size=2)


def resized(data: Array, size: Any, how: Resampling, **others: Any) -> Array:
    axes = [
        (n, size_of if isinstance(size_of, Axis) else Axis(data.shape[n], size_of))
        for n, size_of in enumerate(size, data.ndim - len(size))
    ]
    return resize(data, axes, how, weighing_dtype(data.dtype), **others)


def draw(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def of_onnx(data: Array, size: Any, roi: Any = None, **attributes: Any) -> Array:
    return run_onnx("Resize", data, roi, None, np.array([*data.shape[:2], *size]), **attributes)


@pytest.mark.references
@few
@given(
    old_and_new,
    st.sampled_from(MODES),
    st.sampled_from(["linear", "cubic"]),
    st.booleans(),
    st.booleans(),
)
def test_interpolation_is_that_of_onnx(
    sizes: list[tuple[int, int]], mode: str, method: str, exclude: bool, antialias: bool
) -> None:
    old, new = zip(*sizes, strict=True)
    # Where one element is left, the reference departs from what ONNX says: it takes -0.5 for 0.
    assume(mode != "pytorch_half_pixel" or 1 not in new)
    exclude &= method == "cubic"
    data = draw(1, 1, *old)
    how = Resampling(
        method, mode, exclude_outside=exclude, antialias=antialias and mode == MODES[0]
    )
    expected = of_onnx(
        data,
        new,
        mode=method,
        coordinate_transformation_mode=mode,
        cubic_coeff_a=-0.75,
        exclude_outside=int(exclude),
        antialias=int(how.antialias),
    )
    np.testing.assert_allclose(resized(data, new, how), expected, rtol=1e-4, atol=2e-5)


@pytest.mark.references
@few
@given(st.integers(1, 9), st.integers(1, 12), st.sampled_from(MODES), st.sampled_from(ROUNDINGS))
def test_nearest_element_is_that_of_onnx(old: int, new: int, mode: str, rounding: str) -> None:
    assume(mode != "pytorch_half_pixel" or new > 1)
    data = draw(1, 2, old)
    expected = of_onnx(
        data, (new,), mode="nearest", coordinate_transformation_mode=mode, nearest_mode=rounding
    )
    found = resized(data, (new,), Resampling("nearest", mode, rounding))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.references
@each("method", ["linear", "cubic", "nearest"])
@each("roi", [(0.4, 0.6, 0.6, 0.8), (0.2, -0.5, 1.3, 0.9), (0.8, 0.1, 0.2, 0.9)])
def test_resized_region_is_that_of_onnx(method: str, roi: tuple[float, ...]) -> None:
    data, size, mode = draw(1, 1, 5, 4), (4, 3), "tf_crop_and_resize"
    whole = np.array([0, 0, *roi[:2], 1, 1, *roi[2:]], np.float32)
    expected = of_onnx(
        data,
        size,
        whole,
        mode=method,
        coordinate_transformation_mode=mode,
        nearest_mode="round_prefer_floor",
        extrapolation_value=9.0,
    )
    axes = [Axis(5, 4, None, roi[0], roi[2]), Axis(4, 3, None, roi[1], roi[3])]
    found = resized(data, axes, Resampling(method, mode), extrapolation=9.0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.references
@each("seed", seeds(30))
def test_interpolation_is_that_of_torch(seed: int) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    rank, aligned = int(rng.integers(1, 4)), bool(seed % 2)
    method = "cubic" if rank == 2 and rng.integers(2) else "linear"
    antialias = rank == 2 and not aligned and bool(rng.integers(2))
    data = draw(2, 3, *rng.integers(1, 8, rank), seed=seed)
    size = tuple(rng.integers(2, 15, rank).tolist())  # torch repeats the first row of one column
    how = Resampling(
        method,
        "align_corners" if aligned else "half_pixel",
        slope=-0.5 if antialias else -0.75,
        exclude_outside=antialias,
        antialias=antialias,
    )
    name = {1: "linear", 2: f"bi{method}", 3: "trilinear"}[rank]
    expected = torch.nn.functional.interpolate(
        torch.tensor(data), size, mode=name, align_corners=aligned, antialias=antialias
    )
    found = resized(data, size, how)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.references
@each("rank", [2, 3])
@each("mode", [("asymmetric", "nearest"), ("tf_half_pixel_for_nn", "nearest-exact")])
def test_nearest_elements_are_those_of_torch(rank: int, mode: tuple[str, str]) -> None:
    torch = pytest.importorskip("torch")
    data, size = draw(2, 3, *(4, 5, 3)[:rank]), (6, 3, 9)[:rank]
    expected = torch.nn.functional.interpolate(torch.tensor(data), size, mode=mode[1])
    found = resized(data, size, Resampling("nearest", mode[0], "floor"))
    np.testing.assert_array_equal(found, expected.numpy())


@few
@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(ROUNDINGS), st.booleans())
def test_element_half_way_is_rounded_as_exact_fractions_are(
    old: int, new: int, rounding: str, centred: bool
) -> None:
    mode = "half_pixel" if centred else "align_corners"
    half = Fraction(1, 2)
    exact = [
        (at + half) * old / new - half if centred else Fraction(at * (old - 1), max(new - 1, 1))
        for at in range(new)
    ]
    nearest = {
        "round_prefer_floor": lambda at: ceil(at - half),
        "round_prefer_ceil": lambda at: floor(at + half),
        "floor": floor,
        "ceil": ceil,
    }[rounding]
    how = Resampling("nearest", mode, rounding)
    found = find_samples(Axis(old, new), how, np.dtype(np.float32)).indices[:, 0]
    assert found.tolist() == [min(max(nearest(at), 0), old - 1) for at in exact]


@each("dtype", ["uint8", "int16", "int64", "float32"])
def test_an_image_of_one_number_stays_one(dtype: str) -> None:
    for old in range(2, 12):
        for new in range(2, 24):
            image = np.full((1, old), 100, dtype)
            found = resized(image, (new,), Resampling("linear", "half_pixel")).astype(dtype)
            assert (found == 100).all(), (old, new)


def test_ends_of_the_whole_region_are_not_outside() -> None:
    how = Resampling("linear", "tf_crop_and_resize")
    for old in range(2, 40):
        for new in range(2, 40):
            samples = find_samples(Axis(old, new), how, np.dtype(np.float32))
            assert samples.outside is not None
            assert not samples.outside.any(), (old, new)


def test_regions_that_end_at_no_number_lie_outside() -> None:
    axis = Axis(3, 2, None, float("nan"), 1.0)
    how = Resampling("cubic", "tf_crop_and_resize")
    assert resized(draw(3), [axis], how, extrapolation=7.0).tolist() == [7, 7]


def test_each_of_the_first_axis_has_a_region_of_its_own() -> None:
    data, how = draw(3, 2, 5), Resampling("linear", "tf_crop_and_resize")
    starts, ends = np.array([0.0, 0.25, 0.5]), np.array([1.0, 0.5, 1.5])
    found = resized(data, [Axis(5, 4, None, starts, ends)], how)
    for one, start, end, image in zip(data, starts, ends, found, strict=True):
        expected = resized(one, [Axis(5, 4, None, float(start), float(end))], how)
        np.testing.assert_array_equal(image, expected)


@each(
    ("how", "told"),
    [
        (Resampling("odd", "half_pixel"), "mode is 'odd'; expected nearest, linear or cubic"),
        (
            Resampling("nearest", "half_pixl"),
            "no coordinate_transformation_mode 'half_pixl'; did you mean half_pixel?",
        ),
        (
            Resampling("nearest", "half_pixel", "up"),
            "no rounding_method 'up'; expected one of round, ",
        ),
        (Resampling("linear", "half_pixel"), "an axis of size 0 has nothing to make 4"),
    ],
)
def test_what_cannot_be_resized_is_refused(how: Resampling, told: str) -> None:
    with pytest.raises(EvaluationError) as error:
        resized(draw(0 if told.startswith("an") else 3), (4,), how)
    assert told in str(error.value)
