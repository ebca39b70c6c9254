"""Values of pools and of their gradients, against torch, against loops and formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.ir.values.dtype import numpy_dtype
from relayish.op import get_op
from relayish.op.declaration.properties import evaluate
from relayish.op.nn.pooling_attrs import AvgPool2DAttrs
from relayish.op.types import layout
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    random_values,
    reference,
)
from tests.support.seeds import quickly


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pooling_agrees_with_a_loop(rank, include, ceil_mode):
    data = random_values(1, 2, *(6, 5, 4)[:rank])
    pool, stride, pad = 3, 2, 1
    up = math.ceil if ceil_mode else math.floor
    out = [up((n + 2 * pad - pool) / stride) + 1 for n in data.shape[2:]]
    highest = np.empty((1, 2, *out), np.float32)
    mean = np.empty((1, 2, *out), np.float32)
    for batch, channel, *at in every_index(highest.shape):
        values, padded = [], 0
        for window in every_index((pool,) * rank):
            place = [a * stride + w - pad for a, w in zip(at, window, strict=True)]
            if all(0 <= p < n for p, n in zip(place, data.shape[2:], strict=True)):
                values.append(float(data[batch, channel, *place]))
            elif all(-pad <= p < n + pad for p, n in zip(place, data.shape[2:], strict=True)):
                padded += 1
        highest[batch, channel, *at] = max(values)
        mean[batch, channel, *at] = sum(values) / (len(values) + (padded if include else 0))
    options = {
        "pool_size": (pool,) * rank,
        "strides": (stride,) * rank,
        "padding": (pad,) * rank,
        "ceil_mode": ceil_mode,
    }
    assert_same(evaluated(f"nn.max_pool{rank}d", data, **options), highest)
    found = evaluated(f"nn.avg_pool{rank}d", data, count_include_pad=include, **options)
    assert_same(found, mean)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@reference("numpy", "nn.global_avg_pool2d", "nn.global_max_pool2d")
def test_global_pooling_reduces_the_spatial_axes(layout):
    data = random_values(2, 3, 4, 5)
    axes = (2, 3) if layout == "NCHW" else (1, 2)
    total, top = data.sum(axis=axes, keepdims=True), data.max(axis=axes, keepdims=True)
    count = np.float32(20 if layout == "NCHW" else 12)
    assert_same(evaluated("nn.global_avg_pool2d", data, layout=layout), total / count)
    assert_same(evaluated("nn.global_max_pool2d", data, layout=layout), top)


POOLS = tuple(f"nn.{kind}_pool{n}d" for kind in ("max", "avg") for n in (1, 2, 3))


def drawn_pool(data, given, hypothesis, rank):
    """Return a tensor, Relay's attributes, and torch's, of a pool that torch knows too."""
    pool = tuple(data.draw(given.integers(1, 4)) for _ in range(rank))
    strides = tuple(data.draw(given.integers(1, 3)) for _ in range(rank))
    padding = tuple(data.draw(given.integers(0, k // 2)) for k in pool)
    sizes = tuple(data.draw(given.integers(k, 8)) for k in pool)
    ceil_mode = data.draw(given.booleans())
    for k, s, p, n in zip(pool, strides, padding, sizes, strict=True):
        # torch leaves out a last window that starts in the padding behind
        hypothesis.assume(not ceil_mode or -(-(n + 2 * p - k) // s) * s < n + p)
    source = random_values(2, 2, *sizes, dtype=data.draw(given.sampled_from(["f4", "f8"])))
    options = {
        "pool_size": pool,
        "strides": strides,
        "padding": padding,
        "ceil_mode": ceil_mode,
    }
    theirs = {"kernel_size": pool, "stride": strides, "padding": padding, "ceil_mode": ceil_mode}
    return source, options, theirs


@reference("torch", *POOLS)
def test_pools_agree_with_torch_whatever_their_attributes():
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    given = hypothesis.strategies

    @quickly(25)
    @hypothesis.given(given.data())
    def agrees(data):
        rank = data.draw(given.integers(1, 3))
        source, options, theirs = drawn_pool(data, given, hypothesis, rank)
        tensor = torch.from_numpy(np.array(source))
        spread = tuple(data.draw(given.integers(1, 2)) for _ in range(rank))
        reach = [(k - 1) * d + 1 for k, d in zip(options["pool_size"], spread, strict=True)]
        fits = all(r <= n for r, n in zip(reach, source.shape[2:], strict=True))
        if fits and not options["ceil_mode"]:
            theirs_dilated, options_dilated = (
                theirs | {"dilation": spread},
                options | {"dilation": spread},
            )
        else:
            theirs_dilated, options_dilated = theirs, options
        highest = getattr(torch.nn.functional, f"max_pool{rank}d")(tensor, **theirs_dilated)
        assert_same(evaluated(f"nn.max_pool{rank}d", source, **options_dilated), highest.numpy())
        include = data.draw(given.booleans())
        function = getattr(torch.nn.functional, f"avg_pool{rank}d")
        mean = function(tensor, count_include_pad=include, **theirs)
        found = evaluated(f"nn.avg_pool{rank}d", source, count_include_pad=include, **options)
        assert_same(found, mean.numpy(), 1e-4)

    agrees()


@reference("torch", "nn.max_pool2d_grad", "nn.avg_pool2d_grad")
def test_gradients_of_pools_agree_with_torch():
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    given = hypothesis.strategies

    @quickly(15)
    @hypothesis.given(given.data())
    def agrees(data):
        source, options, theirs = drawn_pool(data, given, hypothesis, 2)
        source = np.round(source)  # several elements are the largest
        layout_name = data.draw(given.sampled_from(["NCHW", "NHWC", "HWNC"]))
        include = data.draw(given.booleans())
        for kind in ("max", "avg"):
            tensor = torch.from_numpy(source).requires_grad_()
            more = {"count_include_pad": include} if kind == "avg" else {}
            function = getattr(torch.nn.functional, f"{kind}_pool2d")
            result = function(tensor, **theirs, **more)
            grad = random_values(*result.shape, dtype=str(source.dtype), seed=9)
            result.backward(torch.from_numpy(np.array(grad)))
            inputs = [layout.convert_layout(a, "NCHW", layout_name) for a in (grad, source)]
            if more and include:  # only attributes of avg_pool2d can say so
                op = get_op("nn.avg_pool2d_grad")
                attrs = AvgPool2DAttrs(layout=layout_name, **options, **more)
                found = evaluate.get(op)(attrs, *inputs)
            else:
                found = evaluated(f"nn.{kind}_pool2d_grad", *inputs, layout=layout_name, **options)
            expected = layout.convert_layout(tensor.grad.numpy(), "NCHW", layout_name)
            assert_same(found, expected, 1e-4)

    agrees()


ADAPTIVE = tuple(f"nn.adaptive_{kind}_pool{n}d" for kind in ("max", "avg") for n in (1, 2, 3))


@reference("torch", *ADAPTIVE)
def test_adaptive_pools_agree_with_torch():
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    given = hypothesis.strategies

    @quickly(20)
    @hypothesis.given(given.data())
    def agrees(data):
        rank = data.draw(given.integers(1, 3))
        sizes = tuple(data.draw(given.integers(1, 7)) for _ in range(rank))
        target = tuple(data.draw(given.integers(1, 9)) for _ in range(rank))
        source = random_values(2, 3, *sizes)
        tensor = torch.from_numpy(np.array(source))
        for kind in ("max", "avg"):
            function = getattr(torch.nn.functional, f"adaptive_{kind}_pool{rank}d")
            found = evaluated(f"nn.adaptive_{kind}_pool{rank}d", source, output_size=target)
            assert_same(found, function(tensor, target).numpy(), 1e-4)
            last = np.moveaxis(source, 1, -1)
            plain = "N" + "DHW"[3 - rank :] + "C"
            found = evaluated(
                f"nn.adaptive_{kind}_pool{rank}d", last, output_size=target, layout=plain
            )
            assert_same(np.moveaxis(found, -1, 1), function(tensor, target).numpy(), 1e-4)

    agrees()


@reference("formula", *ADAPTIVE)
def test_adaptive_pool_without_a_size_leaves_the_data():
    data = random_values(1, 2, 3, 4)
    assert_same(evaluated("nn.adaptive_avg_pool2d", data), data)
    one = evaluated("nn.adaptive_max_pool2d", data, output_size=(2,))
    assert_same(one, evaluated("nn.adaptive_max_pool2d", data, output_size=(2, 2)))


@pytest.mark.parametrize("name", ["NCHW2c", "NHWC", "CHWN", "HW"])
@reference("formula", "nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d")
def test_a_pool_goes_over_height_and_width_of_any_layout(name):
    plain = "HW" if name == "HW" else "NCHW"
    data = random_values(*((6, 5) if name == "HW" else (2, 4, 6, 5)))
    options = {"pool_size": (3, 2), "strides": (2, 1), "padding": (1, 0, 0, 1)}
    for op, attributes in (
        ("nn.max_pool2d", options),
        ("nn.avg_pool2d", options | {"count_include_pad": True}),
        ("nn.avg_pool2d", options),
        ("nn.global_avg_pool2d", {}),
        ("nn.global_max_pool2d", {}),
    ):
        given = layout.convert_layout(data, plain, name)
        whole = data[None, None] if name == "HW" else data
        expected = evaluated(op, whole, **attributes)
        found = evaluated(op, given, layout=name, **attributes)
        expected = expected[0, 0] if name == "HW" else expected
        assert_same(found, layout.convert_layout(expected, plain, name), 1e-4)


@reference("numpy", "nn.avg_pool2d", "nn.global_avg_pool2d", "nn.adaptive_avg_pool2d")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_means_of_narrow_floats_are_rounded_once(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    narrow = np.dtype(dtype if dtype == "float16" else ml_dtypes.bfloat16)
    data = random_values(1, 1, 16, 16, low=0).astype(narrow)
    expected = data.astype(np.float64).mean(axis=(2, 3), keepdims=True).astype(narrow)
    assert_same(evaluated("nn.avg_pool2d", data, pool_size=(16, 16)), expected)
    assert_same(evaluated("nn.global_avg_pool2d", data), expected)
    assert_same(evaluated("nn.adaptive_avg_pool2d", data, output_size=(1, 1)), expected)


def test_every_evaluated_pool_is_tested():
    modules = ("pooling", "adaptive_pooling", "pooling_gradient")
    assert evaluated_in(*(f"relayish.op.nn.{m}" for m in modules)) == {
        *POOLS,
        *ADAPTIVE,
        *("nn.global_avg_pool2d", "nn.global_max_pool2d"),
        *("nn.max_pool2d_grad", "nn.avg_pool2d_grad"),
    }


POOLED_TYPES = (
    *("bool", "int4", "uint4", "int8", "uint8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float8_e4m3fn", "float32", "float64"),
)


@pytest.mark.parametrize("name", POOLED_TYPES)
@reference("formula", "nn.max_pool2d", "nn.avg_pool2d", "nn.max_pool2d_grad")
def test_pools_are_of_every_element_type(name):
    dtype = numpy_dtype(name)
    low = 0 if name == "bool" or name.startswith("u") else -8
    numbers = np.random.default_rng(3).integers(low, 2 if name == "bool" else 8, (1, 1, 6, 6))
    data = numbers.astype(dtype)
    windows = numbers.reshape(1, 1, 3, 2, 3, 2)
    options = {"pool_size": (2, 2), "strides": (2, 2)}
    highest = windows.max(axis=(3, 5)).astype(dtype)
    for op, more in (
        ("nn.max_pool2d", options),
        ("nn.adaptive_max_pool2d", {"output_size": (3, 3)}),
    ):
        found = evaluated(op, data, **more)
        assert found.dtype == dtype
        assert (found == highest).all()
    assert evaluated("nn.global_max_pool2d", data)[0, 0, 0, 0] == highest.max()
    back = evaluated("nn.max_pool2d_grad", highest, data, **options)
    assert back.dtype == dtype
    assert back.astype(np.float64).sum() == highest.astype(np.float64).sum()
    if name == "bool":
        return
    total = windows.sum(axis=(3, 5))
    if np.dtype(dtype).kind in "iu" or "int" in name:
        wrapped = total.astype(dtype).astype(np.int64)
        expected = (np.sign(wrapped) * (abs(wrapped) // 4)).astype(dtype)
    else:
        expected = (total / 4).astype(dtype)
    for op, more in (
        ("nn.avg_pool2d", options),
        ("nn.adaptive_avg_pool2d", {"output_size": (3, 3)}),
    ):
        found = evaluated(op, data, **more)
        assert found.dtype == dtype
        assert (found == expected).all()


@reference("formula", "nn.max_pool2d_grad")
def test_gradient_without_dilation_has_none():
    data = random_values(1, 2, 4, 4, dtype="float32")
    grad = random_values(1, 2, 3, 3, dtype="float32", seed=2)
    options = {"pool_size": (2, 2)}
    for name in ("nn.max_pool2d_grad", "nn.avg_pool2d_grad"):
        found = evaluated(name, grad, data, **options, dilation=())
        assert_same(found, evaluated(name, grad, data, **options))
