"""Values of convolutions, against torch, against loops and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric import convolution
from relayish.op import get_op, make_attrs
from relayish.op.types import layout
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    inferred,
    random_values,
    reference,
)
from tests.support.each import each
from tests.support.seeds import quickly

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


@pytest.mark.parametrize(
    ("rank", "groups", "strides", "padding", "dilation"),
    [(1, 1, 1, 0, 1), (1, 2, 2, 1, 2), (2, 1, 1, 1, 1), (2, 4, 2, 0, 1), (3, 2, 1, 1, 2)],
)
def test_convolution_agrees_with_a_loop(rank, groups, strides, padding, dilation):
    data = random_values(2, 4, *(6, 5, 5)[:rank], dtype="int32")
    weight = random_values(4, 4 // groups, *(2, 3, 2)[:rank], dtype="int32", seed=9)
    sides = [(0, 0), (0, 0), *[(padding, padding)] * rank]
    wide = np.pad(data, sides)
    reach = [(k - 1) * dilation + 1 for k in weight.shape[2:]]
    out = [(n - r) // strides + 1 for n, r in zip(wide.shape[2:], reach, strict=True)]
    expected = np.zeros((2, 4, *out), np.int32)
    for index in every_index(expected.shape):
        batch, o, *at = index
        first = o // (4 // groups) * (4 // groups)
        for within in every_index(weight.shape[1:]):
            i, *kernel = within
            place = [a * strides + k * dilation for a, k in zip(at, kernel, strict=True)]
            expected[index] += wide[batch, first + i, *place] * weight[o, i, *kernel]
    options = {
        "strides": (strides,) * rank,
        "padding": (padding,) * 2 * rank,
        "dilation": (dilation,) * rank,
        "groups": groups,
    }
    found = evaluated(f"nn.conv{rank}d", data, weight, **options)
    assert_same(found, expected)
    if rank == 2:
        found = evaluated(
            "nn.conv2d",
            np.moveaxis(data, 1, 3),
            weight.transpose(2, 3, 1, 0),
            data_layout="NHWC",
            kernel_layout="HWIO",
            **options,
        )
        assert_same(found, np.moveaxis(expected, 1, 3))


@pytest.mark.parametrize(
    ("rank", "groups", "stride", "padding", "extra", "dilation"),
    [(1, 1, 2, 1, 1, 1), (2, 2, 2, 0, 0, 2), (2, 1, 1, 1, 0, 1), (3, 1, 2, 1, 1, 1)],
)
def test_transposed_convolution_agrees_with_a_loop(rank, groups, stride, padding, extra, dilation):
    data = random_values(2, 4, *(4, 3, 3)[:rank], dtype="int32")
    weight = random_values(4, 3, *(3, 2, 2)[:rank], dtype="int32", seed=9)
    out = [
        (n - 1) * stride + (k - 1) * dilation + 1 - 2 * padding + extra
        for n, k in zip(data.shape[2:], weight.shape[2:], strict=True)
    ]
    expected = np.zeros((2, 3 * groups, *out), np.int32)
    for batch, i, *at in every_index(data.shape):
        for o, *kernel in every_index(weight.shape[1:]):
            place = [a * stride + k * dilation - padding for a, k in zip(at, kernel, strict=True)]
            if all(0 <= p < n for p, n in zip(place, out, strict=True)):
                channel = i // (4 // groups) * 3 + o
                expected[batch, channel, *place] += data[batch, i, *at] * weight[i, o, *kernel]
    found = evaluated(
        f"nn.conv{rank}d_transpose",
        data,
        weight,
        strides=(stride,) * rank,
        padding=(padding,) * rank,
        output_padding=(extra,) * rank,
        dilation=(dilation,) * rank,
        groups=groups,
    )
    assert_same(found, expected)


def drawn_convolution(data, given):
    """Return tensors and attributes of some convolution that is well typed."""
    rank = data.draw(given.integers(1, 3))
    groups = data.draw(given.integers(1, 3))
    inputs, outputs = (data.draw(given.integers(1, 3)) for _ in range(2))
    kernel, dilation, strides, before, after = (
        tuple(data.draw(given.integers(low, high)) for _ in range(rank))
        for low, high in ((1, 3), (1, 2), (1, 3), (0, 2), (0, 2))
    )
    sizes = tuple(
        max(data.draw(given.integers(1, 7)), (k - 1) * d + 1 - b - a)
        for k, d, b, a in zip(kernel, dilation, before, after, strict=True)
    )
    batch = data.draw(given.integers(0, 3))
    dtype = data.draw(given.sampled_from(["float32", "float64"]))
    source = random_values(batch, inputs * groups, *sizes, dtype=dtype)
    weight = random_values(outputs * groups, inputs, *kernel, dtype=dtype, seed=9)
    options = {
        "strides": strides,
        "padding": (*before, *after),
        "dilation": dilation,
        "groups": groups,
    }
    return rank, source, weight, options


def by_torch(torch, rank, source, weight, options):
    before, after = options["padding"][:rank], options["padding"][rank:]
    wide = np.pad(source, [(0, 0), (0, 0), *zip(before, after, strict=True)])
    function = getattr(torch.nn.functional, f"conv{rank}d")
    given = (torch.from_numpy(np.array(a)) for a in (wide, weight))
    names = {"strides": "stride", "dilation": "dilation", "groups": "groups"}
    return function(*given, **{names[n]: v for n, v in options.items() if n in names}).numpy()


@reference("torch", "nn.conv1d", "nn.conv2d", "nn.conv3d")
def test_convolution_agrees_with_torch_whatever_its_attributes(monkeypatch):
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    given = hypothesis.strategies

    @quickly(30)
    @hypothesis.given(given.data())
    def agrees(data):
        rank, source, weight, options = drawn_convolution(data, given)
        block = data.draw(given.sampled_from([1, 100, 2**19]))
        monkeypatch.setattr(convolution, "_BLOCK", block)
        expected = by_torch(torch, rank, source, weight, options)
        assert_same(evaluated(f"nn.conv{rank}d", source, weight, **options), expected, 1e-4)

    agrees()


LAYOUTS = [
    ("NHWC", "HWIO", ""),
    ("NHWC", "HWOI", "NCHW"),
    ("NCHW", "OHWI", "NHWC"),
    ("HWNC", "OIHW", ""),
    ("NCHW2c", "OIHW2i4o", "NCHW4c"),
    ("NCHW", "OIHW", "NCHW4c"),
]


@pytest.mark.parametrize(("data_layout", "kernel_layout", "out_layout"), LAYOUTS)
@reference("formula", "nn.conv2d")
def test_layouts_arrange_the_same_convolution(data_layout, kernel_layout, out_layout):
    data, weight = random_values(2, 8, 6, 5), random_values(4, 4, 3, 2, seed=9)
    options = {"groups": 2, "padding": (1, 0, 0, 2), "strides": (2, 1)}
    plain = evaluated("nn.conv2d", data, weight, **options)
    found = evaluated(
        "nn.conv2d",
        layout.convert_layout(data, "NCHW", data_layout),
        layout.convert_layout(weight, "OIHW", kernel_layout),
        data_layout=data_layout,
        kernel_layout=kernel_layout,
        out_layout=out_layout,
        **options,
    )
    assert_same(found, layout.convert_layout(plain, "NCHW", out_layout or data_layout))


@pytest.mark.parametrize("multiplier", [1, 3])
@reference("torch", "nn.conv2d")
def test_kernels_for_each_channel_may_come_as_channels_by_multiplier(multiplier):
    torch = pytest.importorskip("torch")
    data, weight = random_values(2, 4, 6, 6), random_values(4 * multiplier, 1, 3, 3, seed=9)
    options = {"strides": (1, 1), "padding": (1,) * 4, "dilation": (1, 1), "groups": 4}
    expected = by_torch(torch, 2, data, weight, options)
    assert_same(evaluated("nn.conv2d", data, weight, **options), expected, 1e-4)
    by_channel = weight.reshape(4, multiplier, 3, 3).transpose(2, 3, 0, 1)  # HWOI, as in TensorFlow
    found = evaluated(
        "nn.conv2d",
        data,
        by_channel,
        kernel_layout="HWOI",
        channels=4 * multiplier,
        kernel_size=(3, 3),
        **options,
    )
    assert_same(found, expected, 1e-4)


@pytest.mark.parametrize(
    ("dtypes", "low", "high", "out"),
    [
        (("int8", "int8"), -128, 128, "int32"),
        (("uint8", "int8"), 0, 128, "int32"),
        (("int16", "int16"), -(2**15), 2**15, "int32"),  # wraps around
        (("int16", "int16"), -(2**15), 2**15, "int64"),
        (("int32", "int32"), -(2**31), 2**31, "int64"),
        (("int32", "int32"), -(2**31), 2**31, None),
        (("int8", "int8"), -128, 128, None),
        (("int8", "int8"), -128, 128, "float32"),
    ],
)
@reference("numpy", "nn.conv2d", "nn.conv2d_transpose", "nn.conv2d_backward_weight")
def test_sums_of_integers_are_exact_or_wrap_around(dtypes, low, high, out):
    data = random_values(2, 8, 5, 5, dtype=dtypes[0], low=low, high=high)
    weight = random_values(4, 8, 3, 3, dtype=dtypes[1], seed=9, low=max(low, -128), high=high)
    wide = np.lib.stride_tricks.sliding_window_view(data.astype(object), (3, 3), axis=(2, 3))
    exact = np.einsum("nihwyx,oiyx->nohw", wide, weight.astype(object))
    target = np.dtype(out or dtypes[0])
    if target.kind == "f":
        expected = exact.astype(target)
    else:
        bits = 8 * target.itemsize
        expected = ((exact + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)).astype(target)
    assert_same(evaluated("nn.conv2d", data, weight, out_dtype=out), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@reference("numpy", "nn.conv2d")
def test_narrow_floats_are_rounded_once(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    narrow = np.dtype(dtype if dtype == "float16" else ml_dtypes.bfloat16)
    data = random_values(1, 32, 4, 4).astype(narrow)
    weight = random_values(8, 32, 3, 3, seed=9).astype(narrow)
    wide = evaluated("nn.conv2d", data.astype(np.float32), weight.astype(np.float32))
    assert_same(evaluated("nn.conv2d", data, weight), wide.astype(narrow))


@reference("formula", "nn.conv2d", "nn.conv2d_transpose")
def test_negative_padding_takes_away():
    data, weight = random_values(1, 2, 7, 6), random_values(3, 2, 3, 3, seed=9)
    found = evaluated("nn.conv2d", data, weight, padding=(-1, 2, 0, -2))
    cut = evaluated("nn.conv2d", data[:, :, 1:, :-2], weight, padding=(0, 2, 0, 0))
    assert_same(found, cut)
    kernel = random_values(2, 3, 2, 2, seed=8)
    wide = evaluated("nn.conv2d_transpose", data, kernel)
    found = evaluated("nn.conv2d_transpose", data, kernel, padding=(-1, 0, 2, 1))
    expected = np.pad(wide, ((0, 0), (0, 0), (1, 0), (0, 0)))[:, :, :-2, :-1]
    assert_same(found, expected)
    assert evaluated("nn.conv2d_transpose", data, kernel, padding=(4, 0, 4, 0)).shape == (
        1,
        3,
        0,
        7,
    )


@reference("torch", "nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose")
def test_transposed_convolution_agrees_with_torch_whatever_its_attributes():
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    given = hypothesis.strategies

    @quickly(30)
    @hypothesis.given(given.data())
    def agrees(data):
        rank, groups = data.draw(given.integers(1, 3)), data.draw(given.integers(1, 3))
        inputs, outputs = (data.draw(given.integers(1, 3)) for _ in range(2))
        kernel, dilation, strides, padding, sizes = (
            tuple(data.draw(given.integers(low, high)) for _ in range(rank))
            for low, high in ((1, 3), (1, 2), (1, 3), (0, 1), (2, 5))
        )
        extra = tuple(data.draw(given.integers(0, s - 1)) for s in strides)
        source = random_values(2, inputs * groups, *sizes)
        weight = random_values(inputs * groups, outputs, *kernel, seed=9)
        plain = "IO" + SPATIAL[rank]
        kernel_layout = data.draw(given.sampled_from([plain, plain[::-1], "O" + plain[2:] + "I"]))
        function = getattr(torch.nn.functional, f"conv_transpose{rank}d")
        tensors = (torch.from_numpy(np.array(a)) for a in (source, weight))
        whole = [
            (n - 1) * s + (k - 1) * d + 1 + e - 2 * p
            for n, s, k, d, e, p in zip(
                sizes, strides, kernel, dilation, extra, padding, strict=True
            )
        ]
        hypothesis.assume(min(whole) > 0)
        expected = function(
            *tensors,
            stride=strides,
            padding=padding,
            output_padding=extra,
            groups=groups,
            dilation=dilation,
        )
        found = evaluated(
            f"nn.conv{rank}d_transpose",
            source,
            layout.convert_layout(weight, plain, kernel_layout),
            strides=strides,
            padding=padding,
            output_padding=extra,
            groups=groups,
            dilation=dilation,
            kernel_layout=kernel_layout,
        )
        assert_same(found, expected.numpy(), 1e-4)

    agrees()


@reference("torch", "nn.conv2d_backward_weight")
def test_gradient_of_the_weight_agrees_with_torch(monkeypatch):
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    given = hypothesis.strategies

    @quickly(15)
    @hypothesis.given(given.data())
    def agrees(data):
        groups, inputs, outputs, k, s, d, p = (
            data.draw(given.integers(low, high))
            for low, high in ((1, 3), (1, 3), (1, 3), (1, 3), (1, 2), (1, 2), (0, 2))
        )
        monkeypatch.setattr(convolution, "_BLOCK", data.draw(given.sampled_from([1, 2**19])))
        source = random_values(2, inputs * groups, 8, 7, dtype="float64")
        weight = torch.zeros((outputs * groups, inputs, k, k), dtype=torch.float64)
        options = {"stride": s, "padding": p, "dilation": d, "groups": groups}
        given_data = torch.from_numpy(np.array(source))
        result = torch.nn.functional.conv2d(given_data, weight, **options)
        grad = random_values(*result.shape, dtype="float64", seed=9)
        expected = torch.nn.grad.conv2d_weight(
            given_data, weight.shape, torch.from_numpy(np.array(grad)), **options
        ).numpy()
        attributes = {
            "kernel_size": (k, k),
            "strides": (s, s),
            "padding": (p, p),
            "dilation": (d, d),
            "groups": groups,
        }
        assert_same(evaluated("nn.conv2d_backward_weight", grad, source, **attributes), expected)
        found = evaluated(
            "nn.conv2d_backward_weight",
            np.moveaxis(grad, 1, 3),
            np.moveaxis(source, 1, 3),
            data_layout="NHWC",
            kernel_layout="NHWC",
            out_layout="HWIO",
            **attributes,
        )
        assert_same(found, expected.transpose(2, 3, 1, 0))

    agrees()


@reference("formula", "nn.contrib_conv2d_NCHWc", "nn.contrib_depthwise_conv2d_NCHWc")
def test_blocked_convolutions_are_convolutions_in_another_layout():
    data, weight = random_values(2, 8, 5, 5), random_values(4, 8, 3, 3, seed=9)
    options = {"channels": 4, "kernel_size": (3, 3), "padding": (1, 1)}
    plain = evaluated("nn.conv2d", data, weight, **options)
    found = evaluated(
        "nn.contrib_conv2d_NCHWc",
        layout.convert_layout(data, "NCHW", "NCHW4c"),
        layout.convert_layout(weight, "OIHW", "OIHW4i2o"),
        data_layout="NCHW4c",
        kernel_layout="OIHW4i2o",
        out_layout="NCHW2c",
        **options,
    )
    assert_same(found, layout.convert_layout(plain, "NCHW", "NCHW2c"))
    weight = random_values(8, 1, 3, 3, seed=9)
    options = {"channels": 8, "kernel_size": (3, 3), "groups": 8}
    plain = evaluated("nn.conv2d", data, weight, **options)
    found = evaluated(
        "nn.contrib_depthwise_conv2d_NCHWc",
        layout.convert_layout(data, "NCHW", "NCHW4c"),
        layout.convert_layout(weight, "OIHW", "OIHW1i4o"),
        data_layout="NCHW4c",
        kernel_layout="OIHW1i4o",
        out_layout="NCHW4c",
        **options,
    )
    assert_same(found, layout.convert_layout(plain, "NCHW", "NCHW4c"))


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("tiles", [(4, 16), (3, 5), (16, 4)])
@reference(
    "formula",
    "nn.contrib_conv2d_gemm_weight_transform",
    "nn.contrib_conv2d_gemm_without_weight_transform",
)
def test_weight_in_tiles_of_a_matrix_product(tiles, dtype):
    data = random_values(1, 6, 6, 5, dtype="int8", low=-128, high=128).astype(dtype)
    weight = random_values(3, 3, 5, 7, dtype="int8", seed=9, low=-128, high=128).astype(dtype)
    packed = evaluated(
        "nn.contrib_conv2d_gemm_weight_transform", weight, tile_N=tiles[0], tile_K=tiles[1]
    )
    flat = weight.reshape(45, 7)
    tiles_of_columns = packed if dtype == "int8" else packed.swapaxes(2, 3)
    for n, k, x, y in every_index(tiles_of_columns.shape):
        row, column = k * tiles[1] + y, n * tiles[0] + x
        assert tiles_of_columns[n, k, x, y] == (flat[row, column] if row < 45 and column < 7 else 0)
    options = {"data_layout": "NHWC", "padding": (1, 1)}
    options["out_dtype"] = "int32" if dtype == "int8" else dtype
    options |= {"kernel_layout": "HWIO", "channels": 7, "kernel_size": (3, 3)}
    found = evaluated("nn.contrib_conv2d_gemm_without_weight_transform", data, packed, **options)
    assert_same(found, evaluated("nn.conv2d", data, weight, **options))


@pytest.mark.parametrize(
    ("shape", "tiles", "dtype", "expected"),
    [
        ((3, 3, 73, 79), (4, 16), "int8", (20, 44, 4, 16)),
        ((3, 3, 73, 79), (4, 16), "uint8", (20, 44, 4, 16)),
        ((3, 3, 73, 79), (16, 4), "float32", (5, 168, 4, 16)),
        ((3, 3, 73, 79), (16, 4), "int32", (5, 168, 4, 16)),
        ((1, 1, 64, 16), (4, 16), "int8", (4, 4, 4, 16)),
    ],
)
def test_rows_of_a_weight_are_filled_up_to_four_tiles(shape, tiles, dtype, expected):
    name = "nn.contrib_conv2d_gemm_weight_transform"
    attrs = make_attrs(get_op(name), {"tile_N": tiles[0], "tile_K": tiles[1]})
    assert inferred(name, attrs, TensorType(shape, dtype)).shape == expected
    packed = evaluated(name, np.ones(shape, dtype), tile_N=tiles[0], tile_K=tiles[1])
    assert packed.shape == expected
    assert packed.sum(dtype=np.float64) == np.prod(shape)


@pytest.mark.parametrize("unipolar", [True, False])
@reference("formula", "nn.bitserial_conv2d")
def test_bitserial_convolution_counts_bits(unipolar):
    data = random_values(1, 3, 4, 4, dtype="int16", low=0, high=4)
    weight = random_values(2, 3, 2, 2, dtype="int16", seed=9, low=0, high=8)
    expected = np.zeros((1, 2, 3, 3), np.int16)
    for _, o, y, x in every_index(expected.shape):
        for i, v, u in every_index((3, 2, 2)):
            for a, w in every_index((2, 3)):
                one = data[0, i, y + v, x + u] >> a & 1
                other = weight[o, i, v, u] >> w & 1
                value = one * (other - (1 - other)) if unipolar else one * other
                expected[0, o, y, x] += value << (a + w)
    found = evaluated(
        "nn.bitserial_conv2d",
        data,
        weight,
        kernel_size=(2, 2),
        channels=2,
        activation_bits=2,
        weight_bits=3,
        unipolar=unipolar,
    )
    assert_same(found, expected)


def test_convolution_without_a_place_for_its_window_is_refused():
    with pytest.raises(EvaluationError, match="does not fit into"):
        evaluated("nn.conv1d", random_values(1, 1, 2), random_values(1, 1, 3))
    data, weight = random_values(1, 1, 2, 2), random_values(1, 1, 1, 1)
    with pytest.raises(EvaluationError, match="padding"):
        evaluated("nn.conv2d", data, weight, padding=(1, 1, 1))
    with pytest.raises(EvaluationError, match="does not hold 9 kernels"):
        evaluated(
            "nn.contrib_conv2d_gemm_without_weight_transform",
            random_values(1, 3, 3, 1),
            random_values(1, 1, 8, 4),
            data_layout="NHWC",
            channels=9,
            kernel_size=(1, 1),
        )


def test_every_evaluated_convolution_is_tested():
    modules = ("convolution", "convolution_transpose", "convolution_gemm")
    assert evaluated_in(*(f"relayish.op.nn.{m}" for m in modules)) == {
        *(f"nn.conv{n}d{kind}" for n in (1, 2, 3) for kind in ("", "_transpose")),
        *("nn.conv2d_backward_weight", "nn.bitserial_conv2d"),
        *("nn.contrib_conv2d_NCHWc", "nn.contrib_depthwise_conv2d_NCHWc"),
        "nn.contrib_conv2d_gemm_weight_transform",
        "nn.contrib_conv2d_gemm_without_weight_transform",
    }


CONVOLVED_TYPES = (
    *("int4", "uint4", "int8", "uint8", "int16", "uint32", "int64"),
    *("float16", "bfloat16", "float8_e4m3fn", "float32", "float64"),
)


@pytest.mark.parametrize("out", [None, "int32", "float32", "int4"])
@each("name", CONVOLVED_TYPES)
@reference("formula", "nn.conv2d", "nn.conv2d_transpose")
def test_convolutions_are_of_every_element_type(name, out):
    dtype = numpy_dtype(name)
    low = 0 if name.startswith("u") else -2
    numbers = np.random.default_rng(3)
    data = numbers.integers(low, 3, (1, 2, 4, 4))
    weight = numbers.integers(low, 3, (2, 2, 2, 2))
    for op in ("nn.conv2d", "nn.conv2d_transpose"):
        expected = evaluated(op, data, weight).astype(numpy_dtype(out or name))
        found = evaluated(op, data.astype(dtype), weight.astype(dtype), out_dtype=out)
        assert found.dtype == expected.dtype
        assert (found == expected).all()
