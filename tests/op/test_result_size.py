"""The sizes predicted for results are those the results have."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.build import const
from relayish.ir.relay.type import Any, TensorType, TupleType, Type
from relayish.op import call_op, list_ops, make_attrs, register_op
from relayish.op.declaration.properties import (
    evaluate,
    non_computational,
    quantized,
    random,
    result_size,
    stateful,
)
from relayish.op.declaration.registry import get_op
from relayish.op.types.result_size import bound_by_broadcast, bound_by_inputs, bound_result
from relayish.passes.relay.fold.fold_constant import fold_constant
from tests.support.each import each
from tests.support.sound_calls import sound_calls

A = np.arange(6, dtype="float32").reshape(2, 3)
B = np.arange(12, dtype="float32").reshape(4, 3)
INDICES = np.array([1, 0, 1], "int32")
ZERO, ONE = np.float32(0), np.float32(1)
IMAGE = np.ones((1, 2, 3, 4), "float32")
LINES = {n: np.ones((1, 2, 4, 3, 5)[: 2 + n], "float32") for n in (1, 2, 3)}
KERNEL = np.ones((3, 2, 2, 2), "float32")
CONVOLVED = {"channels": 3, "kernel_size": (2, 2), "padding": (3, 0)}
ROWS = np.ones(2, "float32"), np.array([1, 0], "int32"), np.array([0, 1, 1, 2], "int32")

CASES: dict[str, tuple[dict[str, object], tuple[object, ...]]] = {
    "adv_index": ({}, ((B, INDICES[:, None], INDICES),)),
    "arange": (
        {"start": const(0), "stop": const(7), "step": const(1), "dtype": "float32"},
        (ZERO, np.float32(7), ONE),
    ),
    "broadcast_to": ({"shape": (5, 2, 3)}, (A,)),
    "dyn.broadcast_to": ({}, (A, np.array([5, 2, 3]))),
    "dyn.full": ({"dtype": "float32"}, (ONE, np.array([4, 5]))),
    "dyn.image.resize2d": ({}, (IMAGE, np.array([5, 6]), np.zeros(4, "float32"))),
    "dyn.nn.upsampling": ({}, (IMAGE, np.float32(2), np.float32(1.6))),
    "dyn.nn.upsampling3d": ({}, (LINES[3], np.float32(1), np.float32(2), np.float32(3))),
    "dyn.nn.pad": ({}, (A, np.array([[1, 2], [0, 1]]), ZERO)),
    "dyn.one_hot": ({"axis": -1, "dtype": "float32"}, (INDICES, ONE, ZERO, np.int32(9))),
    "dyn.ones": ({"dtype": "float32"}, (np.array([4, 5]),)),
    "dyn.sparse_to_dense": ({}, (np.array([1, 3]), np.array([ONE, ONE]), ZERO, np.array([9]))),
    "dyn.tile": ({}, (A, np.array([4, 5]))),
    "dyn.zeros": ({"dtype": "float32"}, (np.array([4, 5]),)),
    "einsum": ({"equation": "ij,kj->ik"}, ((A, B),)),
    "full": ({"shape": (4, 5), "dtype": "float32"}, (ONE,)),
    "gather_nd": ({}, (A, np.array([[0, 1, 1, 0]]))),
    "image.affine_grid": ({"target_shape": (7, 8)}, (A[None],)),
    "image.crop_and_resize": (
        {"crop_size": (5, 6)},
        (IMAGE, np.array([[0, 0, 1, 1]], "float32"), np.array([0], "int32")),
    ),
    "image.dilation2d": ({"padding": (4, 4)}, (IMAGE, KERNEL[0])),
    **{f"image.resize{n}d": ({"size": (6,) * n}, (LINES[n],)) for n in (1, 2, 3)},
    "layout_transform": ({"src_layout": "HW", "dst_layout": "HW16w"}, (A,)),
    "meshgrid": ({"indexing": "ij"}, ((INDICES, INDICES, INDICES),)),
    "nn.batch_matmul": ({"transpose_b": True}, (A[None], B[None])),
    "nn.bitserial_dense": ({"units": 4}, (INDICES[None], np.ones((4, 3), "int32"))),
    "nn.contrib_dense_pack": ({}, (A, np.ones((5, 3, 2), "float32"))),
    **{
        f"nn.{kind}_pool{n}d": ({"pool_size": (2,) * n, "padding": (1,) * n}, (LINES[n],))
        for kind in ("avg", "max")
        for n in (1, 2, 3)
    },
    **{
        f"nn.adaptive_{kind}_pool{n}d": ({"output_size": (9,) * n}, (LINES[n],))
        for kind in ("avg", "max")
        for n in (1, 2, 3)
    },
    **{
        f"nn.conv{n}d": ({"padding": (3,) * n}, (LINES[n], np.ones((4, 2, *(2,) * n), "float32")))
        for n in (1, 2, 3)
    },
    **{
        f"nn.conv{n}d_transpose": (
            {"strides": (4,) * n},
            (LINES[n], np.ones((2, 3, *(2,) * n), "float32")),
        )
        for n in (1, 2, 3)
    },
    "nn.bitserial_conv2d": (CONVOLVED, (IMAGE.astype("int8"), KERNEL.astype("int8"))),
    "nn.contrib_conv2d_NCHWc": (CONVOLVED, (IMAGE, KERNEL)),
    "nn.contrib_conv2d_gemm_weight_transform": ({"tile_N": 4, "tile_K": 16}, (KERNEL,)),
    "nn.contrib_conv2d_gemm_without_weight_transform": (
        CONVOLVED,
        (IMAGE, np.ones((1, 1, 16, 32), "float32")),
    ),
    "nn.contrib_conv2d_winograd_weight_transform": ({"tile_size": 4}, (KERNEL,)),
    "nn.contrib_conv2d_winograd_without_weight_transform": (
        {"tile_size": 4, **CONVOLVED},
        (IMAGE, np.ones((5, 5, 3, 2), "float32")),
    ),
    "nn.contrib_conv3d_winograd_weight_transform": ({"tile_size": 4}, (KERNEL[:, :, None],)),
    "nn.contrib_conv3d_winograd_without_weight_transform": (
        {"tile_size": 4, "channels": 3, "kernel_size": (1, 2, 2)},
        (LINES[3], np.ones((5, 5, 1, 3, 2), "float32")),
    ),
    "nn.contrib_depthwise_conv2d_NCHWc": ({"groups": 2}, (IMAGE, KERNEL[:2, :1])),
    "nn.conv2d_backward_weight": ({"kernel_size": (2, 2)}, (IMAGE[..., :2, :3], IMAGE)),
    "nn.deformable_conv2d": ({}, (IMAGE, np.ones((1, 8, 2, 3), "float32"), KERNEL)),
    "nn.correlation": ({"max_displacement": 2, "padding": (4, 4)}, (IMAGE, IMAGE)),
    "nn.dense": ({}, (A, B)),
    "nn.dilate": ({"strides": (2, 3)}, (A,)),
    "nn.internal.sparse_dense_padded": ({}, (A, *ROWS)),
    "nn.matmul": ({"transpose_b": True}, (A, B)),
    "nn.mirror_pad": ({"pad_width": ((1, 1), (0, 2))}, (A,)),
    "nn.pad": ({"pad_width": ((1, 2), (0, 1))}, (A, ZERO)),
    "nn.space_to_batch_nd": ({"block_shape": (2,), "paddings": ((3, 6),)}, (A,)),
    "nn.sparse_conv2d": ({"layout": "NCHW"}, (IMAGE, *ROWS)),
    "nn.sparse_dense": ({"sparse_lhs": True}, (A, *ROWS)),
    "nn.upsampling": ({"scale_h": 9, "scale_w": 1.5}, (IMAGE,)),
    "nn.upsampling3d": ({"scale_d": 3, "scale_h": 9, "scale_w": 1.5}, (IMAGE[None],)),
    "one_hot": ({"depth": 9, "axis": -1, "dtype": "float32"}, (INDICES, ONE, ZERO)),
    "repeat": ({"repeats": 7, "axis": 1}, (A,)),
    "sliding_window": ({"axis": 0, "window_shape": (2, 2), "strides": (1, 1)}, (B,)),
    "sparse_fill_empty_rows": (
        {},
        (np.array([[0, 1]]), np.array([ONE]), np.array([1, 4]), ZERO),
    ),
    "sparse_to_dense": ({"output_shape": (5,)}, (np.array([1, 3]), np.array([ONE, ONE]), ZERO)),
    "stft": (
        {"n_fft": 2, "hop_length": 1, "win_length": 2, "onesided": False},
        (B, np.ones(2, "float32")),
    ),
    "take": ({"axis": 0}, (A, INDICES)),
    "tile": ({"reps": (4, 5)}, (A,)),
    "vision.multibox_prior": ({"sizes": (0.5, 1.0), "ratios": (1.0, 2.0)}, (IMAGE,)),
    **{
        f"vision.roi_{kind}": (
            {"pooled_size": (5, 6), "spatial_scale": 1.0},
            (IMAGE, np.array([[0, 0, 0, 2, 2]], "float32")),
        )
        for kind in ("align", "pool")
    },
}


@pytest.mark.parametrize("equation", ["ij,kj", "...j,kj->...k", " ij , kj -> ikj"])
def test_size_of_an_einsum_is_predicted_however_it_is_written(equation: str) -> None:
    op = get_op("einsum")
    attrs = SimpleNamespace(equation=equation)
    assert bound_result(op, attrs, (A, B)) == evaluate.get(op)(attrs, (A, B)).size


@each("name", sorted(CASES))
def test_predicted_size_is_the_size_of_the_result(name: str) -> None:
    op = get_op(name)
    values, inputs = CASES[name]
    attrs = make_attrs(op, values)
    result = evaluate.get(op)(attrs, *inputs)
    parts = result if isinstance(result, (tuple, list)) else (result,)
    assert bound_result(op, attrs, *inputs) == sum(np.asarray(part).size for part in parts)


def test_size_of_an_enlarged_pixel_is_predicted() -> None:
    op, pixel, scale = get_op("dyn.nn.upsampling"), IMAGE[:, :, :1, :1], np.float32(3)
    attrs = make_attrs(op, {})
    found = evaluate.get(op)(attrs, pixel, scale, scale)
    assert bound_result(op, attrs, pixel, scale, scale) == found.size


def test_rows_that_may_be_filled_count_as_empty() -> None:
    op = get_op("sparse_fill_empty_rows")
    inputs = np.array([[0, 1]]), np.array([ONE]), np.array([10**12, 4]), ZERO
    assert bound_result(op, None, *inputs) > 10**12


@pytest.mark.parametrize("axis", [1, 2])
def test_size_of_what_is_taken_in_batches_is_predicted(axis: int) -> None:
    op, data, indices = get_op("take"), IMAGE[0], np.zeros((2, 5), "int32")
    attrs = make_attrs(op, {"axis": axis, "batch_dims": 1})
    found = evaluate.get(op)(attrs, data, indices)
    assert bound_result(op, attrs, data, indices) == found.size


def test_size_of_a_broken_call_is_an_error_its_reader_expects() -> None:
    op = get_op("tile")
    with pytest.raises(TypeError, match="expected positive numbers"):
        bound_result(op, make_attrs(op, {"reps": (-1,)}), A)


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, 7, 2), (7, 0, -2), (0.0, 1.0, 0.3), (3, 3, 1), (5, 0, 1)]
)
def test_size_of_a_range_is_rounded_up(start: float, stop: float, step: float) -> None:
    op = get_op("arange")
    bounds = [np.float64(value) for value in (start, stop, step)]
    named = dict(zip(("start", "stop", "step"), map(const, (start, stop, step)), strict=True))
    attrs = make_attrs(op, {**named, "dtype": "float64"})
    assert bound_result(op, attrs, *bounds) == evaluate.get(op)(attrs, *bounds).size


def test_every_size_that_is_declared_is_tested() -> None:
    told = {name for name in list_ops("relay") if get_op(name) in result_size}
    shared = (bound_by_inputs, bound_by_broadcast)
    bounds = {name for name in told if result_size.get(get_op(name)) in shared}
    assert told - bounds - {"argwhere"} <= set(CASES)


def value_of(ty: Type) -> object:
    if isinstance(ty, TupleType):
        return tuple(map(value_of, ty.fields))
    return np.ones(ty.shape, ty.dtype)


CALLS = sound_calls()


@each("name", sorted(CALLS))
def test_size_is_known_before_an_operator_is_evaluated_early(name: str) -> None:
    op = get_op(name)
    types, attrs = CALLS[name]
    is_left = op in stateful or op in random or (op in non_computational and op not in quantized)
    if op not in evaluate or is_left:
        return
    inputs = tuple(map(value_of, types))
    assert bound_result(op, attrs, *inputs) >= 0


def test_operator_of_which_nothing_is_said_is_not_evaluated_early_where_it_may_be_large() -> None:
    def spread(attrs: object, data: Type) -> TensorType:
        return TensorType((Any(),) if data.dtype == "int64" else (10**12,))

    evaluated: list[object] = []
    with declared_temporarily():
        register_op(
            "tests.spread",
            arguments=("data",),
            rule=spread,
            evaluate=lambda _, data: evaluated.append(data),
        )
        for dtype in ("int64", "int32"):  # the size is open, and too large
            call = call_op("tests.spread", const(np.ones(3, dtype)))
            assert fold_constant(call) is call
    assert evaluated == []


@pytest.mark.parametrize(
    "name", ["nn.conv2d", "nn.avg_pool2d", "nn.max_pool2d", "image.dilation2d"]
)
def test_size_counts_the_padding_a_window_steps_over(name):
    wide, data, ones = 30_000, np.ones((1, 1, 2, 2), "float32"), np.ones((1, 1, 1, 1), "float32")
    attributes = {"padding": (wide, wide), "strides": (wide, wide)}
    inputs = {"nn.conv2d": (data, ones), "image.dilation2d": (data, ones[0])}.get(name, (data,))
    if len(inputs) == 1:
        attributes["pool_size"] = (1, 1)
    op = get_op(name)
    assert bound_result(op, make_attrs(op, attributes), *inputs) >= (2 * wide) ** 2
