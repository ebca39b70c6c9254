from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    evaluated,
    every_index,
    random_values,
    reference,
)
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
torch = pytest.importorskip("torch")
from hypothesis import given  # noqa: E402 - after what may skip the file
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.references

FEW = quickly(20)
dtypes = st.sampled_from(["float16", "float32", "float64", "int8", "int64", "uint8", "bool"])
shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
resize = torch.nn.functional.interpolate


def as_torch(value):
    return torch.tensor(np.asarray(value, "float64"))


INSIDE = {
    "edge": lambda i, n: min(max(i, 0), n - 1),
    "reflect": lambda i, n: abs(i) if i < n else 2 * (n - 1) - i,
    "SYMMETRIC": lambda i, n: -1 - i if i < 0 else i if i < n else 2 * n - 1 - i,
    "REFLECT": lambda i, n: abs(i) if i < n else 2 * (n - 1) - i,
    "constant": lambda i, n: i if 0 <= i < n else None,
}


def padded(data, widths, mode, value):
    """Pad as the index arithmetic of the mode says, element by element."""
    shape = [n + sum(pair) for n, pair in zip(data.shape, widths, strict=True)]
    result = np.empty(shape, data.dtype)
    for index in every_index(shape):
        places = [
            INSIDE[mode](i - before, n)
            for i, (before, _), n in zip(index, widths, data.shape, strict=True)
        ]
        result[index] = value if None in places else data[tuple(places)]
    return result


@reference("formula", "nn.pad")
@FEW
@given(shapes, dtypes, st.sampled_from(["constant", "edge", "reflect"]), st.data())
def test_pad_adds_elements_and_takes_away(shape, dtype, mode, draw):
    data = random_values(*shape, dtype=dtype, low=0)
    widths = []
    for size in shape:
        most = size - 1 if mode == "reflect" else 3
        before = draw.draw(st.integers(-size if mode == "constant" else 0, most))
        after = draw.draw(st.integers(-(size + min(before, 0)), most))
        widths.append((before, max(after, -before - size)))
    options = {"pad_width": tuple(widths), "pad_mode": mode}
    found = evaluated("nn.pad", data, np.int32(1), **options)
    assert_same(found, padded(data, widths, mode, 1))


@reference("formula", "nn.mirror_pad")
@FEW
@given(shapes, dtypes, st.sampled_from(["SYMMETRIC", "REFLECT"]), st.data())
def test_mirror_pad_with_and_without_the_edge(shape, dtype, mode, draw):
    data = random_values(*shape, dtype=dtype, low=0)
    most = [size if mode == "SYMMETRIC" else size - 1 for size in shape]
    widths = [(draw.draw(st.integers(0, m)), draw.draw(st.integers(0, m))) for m in most]
    found = evaluated("nn.mirror_pad", data, pad_width=tuple(widths), mode=mode)
    assert_same(found, padded(data, widths, mode, 0))


@reference("formula", "nn.dilate")
@FEW
@given(shapes, dtypes, st.data())
def test_dilate_spreads_elements(shape, dtype, draw):
    data = random_values(*shape, dtype=dtype, low=0)
    strides = tuple(draw.draw(st.integers(1, 3)) for _ in shape)
    found = evaluated("nn.dilate", data, strides=strides, dilation_value=1.0)
    for index in every_index(found.shape):
        place = [divmod(i, s) for i, s in zip(index, strides, strict=True)]
        within = all(rest == 0 for _, rest in place)
        assert found[index] == (data[tuple(at for at, _ in place)] if within else 1)
    assert found.shape == tuple((n - 1) * s + 1 for n, s in zip(shape, strides, strict=True))


@reference("formula", "nn.fifo_buffer")
@FEW
@given(shapes, dtypes, st.integers(1, 3), st.data())
def test_fifo_buffer_keeps_what_came_last(shape, dtype, more, draw):
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    data = random_values(*shape, dtype=dtype, low=0)
    room = list(shape)
    room[axis] += more
    buffer = random_values(*room, dtype=dtype, seed=1, low=0)
    found = evaluated("nn.fifo_buffer", data, buffer, axis=axis)
    stream = np.moveaxis(np.concatenate((buffer, data), axis), axis, 0)
    assert_same(np.moveaxis(found, axis, 0), stream[-room[axis] :])


@reference("torch", "nn.upsampling")
@FEW
@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["float32", "float64", "float16"]),
    st.sampled_from(["NCHW", "NHWC", "NCHW2c"]),
)
def test_upsampling_agrees(h, w, scale, dtype, layout):
    plain = random_values(2, 4, h, w, dtype=dtype)
    data = {
        "NCHW": plain,
        "NHWC": np.moveaxis(plain, 1, -1),
        "NCHW2c": np.moveaxis(plain.reshape(2, 2, 2, h, w), 2, -1),
    }[layout]

    def call(**options):
        found = evaluated(
            "nn.upsampling", data, scale_h=scale, scale_w=scale, layout=layout, **options
        )
        if layout == "NHWC":
            return np.moveaxis(found, -1, 1)
        if layout == "NCHW2c":
            return np.moveaxis(found, -1, 2).reshape(2, 4, *found.shape[2:4])
        return found

    wide, tolerance = as_torch(plain), 1e-5
    nearest = resize(wide, scale_factor=scale, mode="nearest").numpy().astype(dtype)
    assert_same(call(), nearest)
    size = (h * scale, w * scale)
    corners = resize(wide, size=size, mode="bilinear", align_corners=True).numpy().astype(dtype)
    found = call(method="bilinear", align_corners=True)
    assert found.dtype == corners.dtype
    close = 5e-3 if dtype == "float16" else tolerance
    np.testing.assert_allclose(found, corners, rtol=close, atol=close)


def cubic_weights(t, a=-0.5):
    def near(s):
        return (a + 2) * s**3 - (a + 3) * s**2 + 1

    def far(s):
        return a * s**3 - 5 * a * s**2 + 8 * a * s - 4 * a

    return {-1: far(1 + t), 0: near(t), 1: near(1 - t), 2: far(2 - t)}


@reference("formula", "nn.upsampling")
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(("size", "scale"), [(4, 3), (5, 1.5), (4, 0.6)])
def test_upsampling_by_curves_weighs_neighbours(align, size, scale):
    data = random_values(1, 1, 1, size, dtype="float64")
    options = {"scale_h": 1, "scale_w": scale, "method": "bicubic", "align_corners": align}
    found = evaluated("nn.upsampling", data, **options).ravel()
    assert found.size == round(size * scale)
    for i, value in enumerate(found):
        x = i * (size - 1) / (found.size - 1) if align else i * size / found.size
        expected = sum(
            weight * data[0, 0, 0, min(max(int(x) + near, 0), size - 1)]
            for near, weight in cubic_weights(x - int(x)).items()
        )
        assert value == pytest.approx(expected, abs=1e-9)


@reference("torch", "nn.upsampling3d")
@FEW
@given(
    st.lists(st.integers(1, 4), min_size=3, max_size=3),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["half_pixel", "align_corners"]),
    st.booleans(),
)
def test_upsampling_of_volumes_agrees(sizes, scale, mode, last):
    plain = random_values(1, 2, *sizes)
    data = np.moveaxis(plain, 1, -1) if last else plain
    options = {f"scale_{axis}": scale for axis in "dhw"}
    options |= {"layout": "NDHWC" if last else "NCDHW", "method": "trilinear"}
    found = evaluated("nn.upsampling3d", data, coordinate_transformation_mode=mode, **options)
    found = np.moveaxis(found, -1, 1) if last else found
    target = [n * scale for n in sizes]
    corners = mode == "align_corners"
    expected = resize(as_torch(plain), size=target, mode="trilinear", align_corners=corners)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-5)
    options["method"] = "nearest_neighbor"
    found = evaluated(
        "nn.upsampling3d", data, coordinate_transformation_mode="asymmetric", **options
    )
    found = np.moveaxis(found, -1, 1) if last else found
    assert_same(found, resize(as_torch(plain), size=target, mode="nearest").numpy().astype("f4"))


def test_upsampling_of_integers_keeps_their_type():
    data = np.array([[[[0, 10]]]], np.uint8)
    found = evaluated("nn.upsampling", data, scale_h=1, scale_w=2, method="bilinear")
    assert_same(found, np.array([[[[0, 5, 10, 10]]]], np.uint8))


@reference("formula", "nn.correlation")
@quickly(12)
@given(
    st.sampled_from([1, 3]),
    st.integers(0, 2),
    st.integers(1, 2),
    st.integers(1, 2),
    st.sampled_from([(2,), (1, 2), (2, 1, 3, 2)]),
    st.booleans(),
)
def test_correlation_compares_windows(kernel, reach, stride1, stride2, padding, multiply):
    one, other = random_values(1, 2, 5, 6), random_values(1, 2, 5, 6, seed=1)
    found = evaluated(
        "nn.correlation",
        one,
        other,
        kernel_size=kernel,
        max_displacement=reach,
        stride1=stride1,
        stride2=stride2,
        padding=padding,
        is_multiply=multiply,
    )
    top, left, bottom, right = (padding * 4)[:4] if len(padding) < 4 else padding
    around = ((0, 0), (0, 0), (top, bottom), (left, right))
    first, second = np.pad(one, around), np.pad(other, around)
    steps = range(-(reach // stride2), reach // stride2 + 1)
    moves = [(dy * stride2, dx * stride2) for dy in steps for dx in steps]
    assert found.shape[1] == len(moves)
    for _, q, i, j in every_index(found.shape):
        y, x = i * stride1 + reach, j * stride1 + reach
        dy, dx = moves[q]
        here = first[0, :, y : y + kernel, x : x + kernel]
        there = second[0, :, y + dy : y + dy + kernel, x + dx : x + dx + kernel]
        assert here.shape == there.shape == (2, kernel, kernel)
        each = here * there if multiply else abs(here - there)
        assert found[0, q, i, j] == pytest.approx(each.mean(), abs=1e-5)
