"""Sound calls of operators that are raised: their values, and the same for any element type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr, Var
from relayish.ir.relay.type import TensorType
from relayish.op import get_op
from tests.support.sound_calls import sound_calls

CALLS = sound_calls()
VALUES = {
    "arange": (0, 5, 2), "dyn.broadcast_to": (None, [2, 1, 2, 4, 3]), "dyn.expand_dims": (None, 2),
    "dyn.image.resize2d": (None, [3, 7], None), "dyn.one_hot": (None, 5, 1, 3),
    "dyn.reshape": (None, [4, -1]), "dyn.squeeze": (None, [2, 0]),
    "dyn.strided_slice": (None, [1, -1], [5, -9], [2, -3]), "dyn.topk": (None, 2),
    "invert_permutation": ([2, 0, 3, 1],),
    "dyn.sparse_to_dense": ([[1, 2], [5, 0]], None, 7, [2, 3]),
    "nn.internal.sparse_dense_padded": (None, None, [1, 0], [0, 2]),
    "nn.sparse_add": (None, None, [3, 0, 3], [0, 2, 3]),
    "nn.sparse_conv2d": (None, None, [1, 0], [0, 1, 2]),
    "nn.sparse_dense": (None, None, [1, 0], [0, 1]),
    "nn.sparse_transpose": (None, [1, 0], [0, 0, 1, 2]),
    "sparse_fill_empty_rows": ([[1, 2], [4, 0]], None, [6, 3], 7),
    "sparse_reshape": ([[1, 0, 2], [0, 3, 1]], [2, 4, 3], [6, -1]),
    "sparse_to_dense": ([[1, 1], [4, 0]], None, None),
    "searchsorted": ([[1, 2, 3, 3, 5], [0, 0, 2, 4, 6]], [[3, 0, 9], [1, 2, 6]]),
    "unravel_index": ([[4, 0], [3, 5]], [2, 3]),
    "vision.roi_align": (None, [[1, 0, 1, 5, 4], [0, 2, 0.5, 2, 1], [1, -5, 3, 19, 8]]),
    "vision.roi_pool": (None, [[1, 0, 1, 5, 4], [0, 2, 0, 2, 1], [1, -2, 3, 9, 8], [0, 0, 0, 1, 6]])
}  # fmt: skip
"""By operator: arguments of its sound call that are not any small numbers."""

NAMES = """dft image.affine_grid image.crop_and_resize image.dilation2d nn.deformable_conv2d stft
    vision.roi_align nn.sparse_add nn.sparse_conv2d nn.sparse_dense nn.sparse_transpose
    sparse_fill_empty_rows sparse_to_dense
    nn.avg_pool2d_grad nn.batch_to_space_nd nn.contrib_conv2d_NCHWc
    nn.contrib_conv2d_gemm_weight_transform nn.contrib_conv2d_gemm_without_weight_transform
    nn.contrib_dense_pack nn.contrib_depthwise_conv2d_NCHWc nn.conv2d_backward_weight
    nn.correlation nn.cross_entropy nn.cross_entropy_with_logits nn.dilate nn.fifo_buffer
    nn.max_pool2d_grad nn.nll_loss nn.space_to_batch_nd vision.get_valid_counts
    vision.multibox_prior vision.multibox_transform_loc vision.roi_pool vision.yolo_reorg"""


def make_value(ty: TensorType, told: object, rng: np.random.Generator) -> Any:  # Any: an array
    """Return a small value of a type, or what is told."""
    if told is not None:
        return np.asarray(told).astype(ty.dtype)
    if "float" in ty.dtype:
        return np.asarray(rng.random(ty.concrete_shape) + 0.25).astype(ty.dtype)
    return np.asarray(rng.integers(0, 2, ty.concrete_shape)).astype(ty.dtype)


def of_type(name: str) -> Callable[[str], Expr]:
    """Return what makes the sound call of an operator whose floats are of another element type."""

    def make(dtype: str) -> Expr:
        types, attrs = CALLS[name]
        rng, args = np.random.default_rng(0), list[Expr]()
        for place, ty in enumerate(types):
            assert isinstance(ty, TensorType)
            wanted = ty.with_fields(dtype=dtype) if ty.dtype == "float32" else ty
            told = VALUES.get(name, (None,) * len(types))[place]
            if wanted is ty or told is not None:
                args.append(Constant(make_value(wanted, told, rng)))
            else:
                args.append(Var(f"x{place}", wanted))
        return Call(get_op(name), args, attrs)

    return make


SOUND_CALLS: dict[str, Callable[[str], Expr]] = {name: of_type(name) for name in NAMES.split()}
"""By operator: its sound call."""
