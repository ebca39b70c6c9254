"""Calls of Relay's operators, for any element type, that are written with operators of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import relayish as relay
from relayish.ir.relay.expr import Expr


def leaves(value: Any) -> Iterator[Any]:  # Any: arrays, and tuples of these
    """Yield the arrays that stand in tuples, in order."""
    if isinstance(value, (tuple, list)) or hasattr(value, "fields"):
        for each in value:
            yield from leaves(each)
    else:
        yield np.asarray(value)


def of_matrices(made: Callable[..., Expr], *shapes: tuple[int, ...]) -> Callable[[str], Expr]:
    """Return what makes a call on variables of some shapes and an element type."""

    def make(dtype: str) -> Expr:
        return made(*[relay.var(f"x{n}", shape=s, dtype=dtype) for n, s in enumerate(shapes)])

    return make


M, S, I, N = (2, 3), (1, 2, 3), (1, 4, 4, 4), (0, 3)  # noqa: E741 - matrices, stack, image, nothing
nn, image = relay.nn, relay.image


def places(values: object, dtype: str = "int64") -> Expr:
    """Return a constant of indices."""
    return relay.const(np.array(values, dtype))


def quantised(x: Expr) -> Expr:
    """Return floats as integers, with halves among them."""
    return relay.qnn.op.quantize(x, relay.const(np.float32(0.5)), relay.const(np.int32(3)))


RAISED_CALLS: dict[str, Callable[[str], Expr]] = {
    **{
        name: of_matrices(getattr(relay, name), M)
        for name in [
            "isfinite",
            "log2",
            "log10",
            "round",
            "trunc",
            "fast_exp",
            "fast_tanh",
            "fast_erf",
        ]
    },
    **{name: of_matrices(getattr(relay, name), M, M) for name in ("floor_divide", "mod")},
    "left_shift": of_matrices(lambda x, y: relay.left_shift(x, relay.clip(y, 0, 7)), M, M),
    "right_shift": of_matrices(lambda x, y: relay.right_shift(x, relay.clip(y, 0, 7)), M, M),
    "cast_like": of_matrices(relay.cast_like, M, M),
    "all": of_matrices(lambda x: relay.all(x, axis=1), M),
    "any": of_matrices(lambda x: relay.any(x, keepdims=True), M),
    "any of nothing": of_matrices(lambda x: relay.any(x, axis=0), N),
    "all of nothing": of_matrices(lambda x: relay.all(x, axis=0), N),
    "variance": of_matrices(lambda x: relay.variance(x, axis=1, unbiased=True), M),
    "cumsum": of_matrices(lambda x: relay.cumsum(x, axis=1), M),
    "cumsum of all": of_matrices(lambda x: relay.cumsum(x, exclusive=True), M),
    "cumsum as int8": of_matrices(lambda x: relay.cumsum(x, axis=0, dtype="int8"), M),
    "cumsum of nothing": of_matrices(lambda x: relay.cumsum(x, axis=0), N),
    "fixed_point": of_matrices(lambda x: relay.fixed_point_multiply(x, 1 << 30, -2), M),
    "fixed_point to the left": of_matrices(
        lambda x: relay.fixed_point_multiply(x, -1234567890, 3), M
    ),
    "fixed_point per axis": of_matrices(
        lambda x: relay.fixed_point_multiply_per_axis(
            x,
            places([1 << 30, 3, 7 << 27], "int32"),
            places([1, 0, 2], "int32"),
            places([0, 2, 31], "int32"),
            True,
            True,
            [1],
        ),
        M,
    ),
    "layout_transform": of_matrices(lambda x: relay.layout_transform(x, "NCHW", "HWNC"), I),
    "take clipped": of_matrices(lambda x: relay.take(x, relay.cast(x, "int64"), axis=1), M),
    "take wrapped": of_matrices(
        lambda x: relay.take(x, relay.cast(x, "int32"), axis=0, mode="wrap"), M
    ),
    "take of all": of_matrices(lambda x: relay.take(x, places([[0, 9], [-3, 5]])), M),
    "gather": of_matrices(lambda x: relay.gather(x, 1, places([[0, -1], [2, 1]], "int32")), M),
    "gather_nd": of_matrices(lambda x: relay.gather_nd(x, places([[1, 0], [-1, 2]])), M),
    "gather_nd in batches": of_matrices(
        lambda x: relay.gather_nd(x, places([[1, 0]], "uint8"), 1), M
    ),
    "adv_index": of_matrices(
        lambda x: relay.adv_index([x, places([[1], [0]]), places([0, 1], "int32")]), (2, 2, 3)
    ),
    **{
        f"scatter_elements {how}": of_matrices(
            lambda x, y, how=how: relay.scatter_elements(x, places([[0, 0], [1, -1]]), y, 1, how),
            M,
            (2, 2),
        )
        for how in ("add", "mul", "min", "max")
    },
    "scatter_elements": of_matrices(
        lambda x, y: relay.scatter_elements(x, places([[0, 1]]), y, 0), M, M
    ),
    **{
        f"scatter_nd {how}": of_matrices(
            lambda x, y, how=how: relay.scatter_nd(x, places([[0, 1], [2, 0]]), y, how), M, (2,)
        )
        for how in ("update", "add", "mul", "min", "max")
    },
    "one_hot": of_matrices(
        lambda x: relay.one_hot(
            relay.const(np.array([[0, 5, -1]], "int8")),
            relay.max(x),
            relay.min(x),
            3,
            1,
            x.type_annotation.dtype,
        ),
        M,
    ),
    **{
        f"topk {told}": of_matrices(
            lambda x, told=told: relay.topk(x, 2, 0, told, is_ascend=told == "values"), (4, 3)
        )
        for told in ("values", "indices")
    },
    "topk both": of_matrices(lambda x: relay.topk(x, 0, 1, dtype="int16")[1], M),
    "sort": of_matrices(lambda x: relay.sort(x, axis=0), (5, 2)),
    "sort falling": of_matrices(lambda x: relay.sort(x, is_ascend=False), M),
    "argsort": of_matrices(lambda x: relay.argsort(relay.clip(x, 0, 1), dtype="uint8"), (2, 6)),
    "argmax of all": of_matrices(lambda x: relay.argmax(x, keepdims=True), M),
    "argwhere": of_matrices(relay.argwhere, M),
    "matrix_set_diag": of_matrices(relay.matrix_set_diag, (2, 3, 4), (2, 3)),
    "matrix_set_diag of several": of_matrices(
        lambda x, y: relay.matrix_set_diag(x, y, (-1, 1)), (3, 3), (3, 3)
    ),
    "strided_set": of_matrices(
        lambda x, y: relay.strided_set(x, y, places([2, 0]), places([-9, 3]), places([-2, 2])),
        (3, 3),
        (2, 2),
    ),
    "shape_of": of_matrices(lambda x: relay.shape_of(x, "int64"), M),
    "ndarray_size": of_matrices(relay.ndarray_size, M),
    "arange": of_matrices(
        lambda x: relay.add(
            relay.arange(relay.const(1.5), relay.const(7.0), relay.const(2.0)),
            relay.cast(relay.max(x), "float32"),
        ),
        M,
    ),
    "reverse": of_matrices(lambda x: relay.reverse(x, 1), M),
    "reverse of nothing": of_matrices(lambda x: relay.reverse(x, 0), N),
    "repeat": of_matrices(lambda x: relay.repeat(x, 2, -1), M),
    "repeat of all": of_matrices(lambda x: relay.repeat(x, 3), M),
    "mirror_pad symmetric": of_matrices(lambda x: nn.mirror_pad(x, ((1, 2), (0, 3))), M),
    "mirror_pad reflect": of_matrices(lambda x: nn.mirror_pad(x, ((1, 0), (2, 1)), "REFLECT"), M),
    "meshgrid": of_matrices(lambda x, y: relay.meshgrid((x, y), "xy")[1], (3,), (2,)),
    "trilu": of_matrices(lambda x: relay.trilu(x, relay.const(1), upper=False), (2, 3, 3)),
    "sequence_mask": of_matrices(
        lambda x: relay.sequence_mask(x, relay.const(np.array([1, 2, 0], "int32")), 5), M
    ),
    "reverse_sequence": of_matrices(
        lambda x: relay.reverse_sequence(x, relay.const(np.array([0, 2, 9], "int32")), 0, 1),
        (4, 3),
    ),
    "slice_like": of_matrices(relay.slice_like, (3, 4), M),
    "broadcast_to_like": of_matrices(relay.broadcast_to_like, (3,), M),
    "collapse_sum_like": of_matrices(relay.collapse_sum_like, (4, *M), (1, 3)),
    "tile to more axes": of_matrices(lambda x: relay.tile(x, (2, 1, 2)), M),
    "reshape of nothing": of_matrices(relay.reshape_like, N, (3, 0)),
    "dropout's mask": of_matrices(lambda x: nn.dropout_raw(x)[1], M),
    "prelu": of_matrices(nn.prelu, I, (4,)),
    "l2_normalize": of_matrices(lambda x: nn.l2_normalize(x, 0.5, (1,)), M),
    "layer_norm": of_matrices(lambda x, y: nn.layer_norm(x, y, y), S, (3,)),
    "layer_norm elsewhere": of_matrices(lambda x, y: nn.layer_norm(x, y, y, 1), S, (2,)),
    "instance_norm": of_matrices(lambda x, y: nn.instance_norm(x, y, y), S, (2,)),
    "group_norm": of_matrices(lambda x, y: nn.group_norm(x, y, y, 2), I, (4,)),
    "dense into integers of 32 bits": of_matrices(
        lambda x, y: nn.dense(x, y, out_dtype="int32"), M, (4, 3)
    ),
    "conv2d into integers of 32 bits": of_matrices(
        lambda x, w: nn.conv2d(
            x, w, strides=(2, 1), padding=(1, 0), channels=2, kernel_size=(3, 2), out_dtype="int32"
        ),
        I,
        (2, 4, 3, 2),
    ),
    "max_pool2d to the end": of_matrices(
        lambda x: nn.max_pool2d(x, (3, 2), (2, 2), ceil_mode=True), I
    ),
    "max_pool2d of nothing": of_matrices(
        lambda x: nn.max_pool2d(x, (2, 1), (1, 2), padding=(2, 0)), I
    ),
    "avg_pool2d of nothing": of_matrices(lambda x: nn.avg_pool2d(x, (1, 2), padding=(0, 2)), I),
    "avg_pool2d to the end": of_matrices(
        lambda x: nn.avg_pool2d(x, (2, 3), (2, 2), padding=(1, 0), ceil_mode=True), I
    ),
    "adaptive_avg_pool2d": of_matrices(lambda x: nn.adaptive_avg_pool2d(x, (2, 4)), I),
    "adaptive_max_pool2d": of_matrices(lambda x: nn.adaptive_max_pool2d(x, (2, 1)), I),
    "adaptive_avg_pool2d of other windows": of_matrices(
        lambda x: nn.adaptive_avg_pool2d(x, (3, 4)), (1, 2, 5, 6)
    ),
    "adaptive_max_pool2d of other windows": of_matrices(
        lambda x: nn.adaptive_max_pool2d(x, (3, 2)), (1, 2, 5, 6)
    ),
    "depth_to_space": of_matrices(lambda x: nn.depth_to_space(x, 2, mode="CDR"), I),
    "space_to_depth": of_matrices(lambda x: nn.space_to_depth(x, 2), I),
    **{
        f"resize2d {mode} {rounding}": of_matrices(
            lambda x, mode=mode, rounding=rounding: image.resize2d(
                x, (6, 3), None, "NHWC", "nearest_neighbor", mode, rounding
            ),
            I,
        )
        for mode in ("asymmetric", "align_corners", "half_pixel")
        for rounding in ("round", "floor", "ceil", "round_prefer_floor", "")
    },
    "resize2d linear": of_matrices(lambda x: image.resize2d(x, (7, 3)), I),
    "resize2d cubic": of_matrices(lambda x: image.resize2d(x, (6, 3), method="cubic"), I),
    "resize1d": of_matrices(lambda x: image.resize1d(x, (5,)), S),
    "upsampling": of_matrices(lambda x: nn.upsampling(x, 2, 3), I),
    "upsampling bilinear": of_matrices(
        lambda x: nn.upsampling(x, 2, 2, method="bilinear", align_corners=True), I
    ),
    "upsampling3d": of_matrices(lambda x: nn.upsampling3d(x, 2, 1, 2), (1, 1, 2, 2, 2)),
    "grid_sample": of_matrices(
        lambda x, y: image.grid_sample(x, relay.divide(y, relay.full_like(y, relay.max(y)))),
        I,
        (1, 2, 3, 3),
    ),
    "quantize": of_matrices(quantised, M),
    "dequantize": of_matrices(
        lambda x: relay.qnn.op.dequantize(x, relay.const(np.float32(0.5)), relay.const(3)), M
    ),
    "dequantize along an axis": of_matrices(
        lambda x: relay.qnn.op.dequantize(
            x, relay.const(np.array([0.5, 2, 4], "float32")), places([1, 2, 3], "int32")
        ),
        M,
    ),
}
"""By name: an operator of Relay, and what is special about the call."""
