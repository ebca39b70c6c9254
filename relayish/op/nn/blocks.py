"""Moving blocks of space into channels or batches, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.blocks import batch_to_space, depth_to_space, space_to_batch, space_to_depth
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.types.dimension import add, floor_divide, multiply, show_type, subtract
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes


@attrs("relay.attrs.SubPixelAttrs")
class SubPixelAttrs(Attrs):
    """Attributes of ``nn.depth_to_space``, ``nn.space_to_depth``."""

    block_size: int = 1
    layout: str = "NCHW"
    mode: str = "DCR"


@attrs("relay.attrs.SpaceToBatchNDAttrs")
class SpaceToBatchNDAttrs(Attrs):
    """Attributes of ``nn.space_to_batch_nd``."""

    block_shape: tuple[int, ...] = (1, 1)
    paddings: tuple[tuple[Dimension, ...], ...]  # type: ignore[misc]  # required, given by name
    pad_value: float = 0.0


@attrs("relay.attrs.BatchToSpaceNDAttrs")
class BatchToSpaceNDAttrs(Attrs):
    """Attributes of ``nn.batch_to_space_nd``."""

    block_shape: tuple[int, ...] = (1, 1)
    crops: tuple[tuple[Dimension, ...], ...]  # type: ignore[misc]  # required, given by name


def _space_to_depth_type(attrs: SubPixelAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` with blocks of height and width in its channels.

    What is left over of a height or width that is no multiple of the block is dropped.
    """
    found, block = tensor(data, "data"), _block_size(attrs)
    n, c, h, w = convert_shape(found.shape, attrs.layout, "NCHW")
    shape = n, multiply(c, block * block), floor_divide(h, block), floor_divide(w, block)
    return TensorType(convert_shape(shape, "NCHW", attrs.layout), found.dtype)


def _depth_to_space_type(attrs: SubPixelAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` with channels spread over blocks of height and width."""
    found, block = tensor(data, "data"), _block_size(attrs)
    n, c, h, w = convert_shape(found.shape, attrs.layout, "NCHW")
    shape = n, floor_divide(c, block * block), multiply(h, block), multiply(w, block)
    return TensorType(convert_shape(shape, "NCHW", attrs.layout), found.dtype)


def _block_size(attrs: SubPixelAttrs) -> int:
    if attrs.block_size < 1:
        raise TypeInferenceError(f"block_size must be positive; found {attrs.block_size}")
    return attrs.block_size


def _space_to_batch_nd_type(attrs: SpaceToBatchNDAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` padded, with blocks of its axes after the first in the batch."""
    found, blocks = tensor(data, "data"), attrs.block_shape
    _check_blocks(found, blocks, attrs.paddings, "paddings")
    batch, *rest = found.shape
    spatial, remaining = rest[: len(blocks)], rest[len(blocks) :]
    for block, (before, after), (axis, size) in zip(
        blocks, attrs.paddings, enumerate(spatial), strict=True
    ):
        spatial[axis] = floor_divide(add(size, add(before, after)), block)
    return TensorType((multiply(batch, math.prod(blocks)), *spatial, *remaining), found.dtype)


def _batch_to_space_nd_type(attrs: BatchToSpaceNDAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` with its batch spread over blocks of the next axes, cropped."""
    found, blocks = tensor(data, "data"), attrs.block_shape
    _check_blocks(found, blocks, attrs.crops, "crops")
    batch, *rest = found.shape
    spatial, remaining = rest[: len(blocks)], rest[len(blocks) :]
    for block, (before, after), (axis, size) in zip(
        blocks, attrs.crops, enumerate(spatial), strict=True
    ):
        whole = multiply(size, block)
        left = subtract(whole, add(before, after))
        if isinstance(left, int) and left < 0:
            raise TypeInferenceError(
                f"crops of {before} and {after} take more than the {whole} elements of axis "
                f"{axis + 1}"
            )
        spatial[axis] = left
    shape = floor_divide(batch, math.prod(blocks)), *spatial, *remaining
    return TensorType(shape, found.dtype)


def _check_blocks(
    data: TensorType,
    blocks: Sequence[int],
    margins: Sequence[Sequence[Dimension]],
    name: str,
) -> None:
    if len(margins) != len(blocks) or any(len(pair) != 2 for pair in margins):
        raise TypeInferenceError(
            f"{name} must be a pair for each size of block_shape {blocks}; found {margins}"
        )
    if any(isinstance(width, int) and width < 0 for pair in margins for width in pair):
        raise TypeInferenceError(f"{name} must not be negative; found {margins}")
    if len(blocks) >= len(data.shape):
        raise TypeInferenceError(
            f"block_shape {blocks} needs {len(blocks)} axes besides the batch; "
            f"found {show_type(data)}"
        )
    if any(block < 1 for block in blocks):
        raise TypeInferenceError(f"block_shape must be positive; found {blocks}")


def _space_to_depth(attrs: SubPixelAttrs, data: Array) -> Array:
    source, block = convert_layout(data, attrs.layout, "NCHW"), attrs.block_size
    whole = source[:, :, : source.shape[2] // block * block, : source.shape[3] // block * block]
    deep = space_to_depth(whole.shape, block, blocks_first=True).apply(whole)
    return convert_layout(deep, "NCHW", attrs.layout)


def _depth_to_space(attrs: SubPixelAttrs, data: Array) -> Array:
    source, block = convert_layout(data, attrs.layout, "NCHW"), attrs.block_size
    if attrs.mode not in ("DCR", "CDR"):
        raise EvaluationError(f"mode {attrs.mode!r} of depth_to_space is not DCR or CDR")
    used = source[:, : source.shape[1] // (block * block) * block * block]
    spread = depth_to_space(used.shape, block, blocks_first=attrs.mode == "DCR").apply(used)
    return convert_layout(spread, "NCHW", attrs.layout)


def _space_to_batch_nd(attrs: SpaceToBatchNDAttrs, data: Array) -> Array:
    blocks, rank = attrs.block_shape, len(attrs.block_shape)
    margins = [(0, 0), *map(as_sizes, attrs.paddings), *[(0, 0)] * (data.ndim - rank - 1)]
    value = np.asarray(attrs.pad_value).astype(data.dtype)
    wide = np.pad(data, margins, constant_values=value.item())
    for size, block in zip(wide.shape[1:], blocks, strict=False):
        if size % block:
            raise EvaluationError(
                f"{size} padded elements cannot be divided into blocks of {block}"
            )
    return space_to_batch(wide.shape, blocks).apply(wide)


def _batch_to_space_nd(attrs: BatchToSpaceNDAttrs, data: Array) -> Array:
    total, block = len(data), math.prod(attrs.block_shape)
    left = total % block
    if left and total > block:
        raise EvaluationError(
            f"a batch of {total} cannot be divided into blocks of {attrs.block_shape}"
        )
    used = data[: total - left]
    whole = batch_to_space(used.shape, attrs.block_shape).apply(used)
    crops = zip(map(as_sizes, attrs.crops), whole.shape[1:], strict=False)
    return whole[(slice(None), *(slice(before, n - after) for (before, after), n in crops))]


register_op(
    "nn.space_to_depth",
    signature="data, block_size, layout='NCHW'",
    description="""
    Move blocks of pixels into channels.
    data (n, c, h * b, w * b) -> (n, c * b * b, h, w)
    """,
    rule=_space_to_depth_type,
    evaluate=_space_to_depth,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_layout(only=("NCHW", "NHWC")),
)
register_op(
    "nn.depth_to_space",
    signature="data, block_size, layout='NCHW', mode='DCR'",
    description="""
    Move channels into blocks of pixels.
    data (n, c * b * b, h, w); mode DCR or CRD, which axis comes first -> (n, c, h * b, w * b)
    """,
    rule=_depth_to_space_type,
    evaluate=_depth_to_space,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=of_layout(only=("NCHW", "NHWC")),
)
register_op(
    "nn.space_to_batch_nd",
    signature="data, block_shape, paddings, pad_value=0",
    description="""
    Move blocks of spatial elements into the batch.
    data (n, s0, ..., sk, ...) -> (n * blocks, s0 / b0, ..., sk / bk, ...)
    """,
    rule=_space_to_batch_nd_type,
    evaluate=_space_to_batch_nd,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "nn.batch_to_space_nd",
    signature="data, block_shape, crops",
    description="""
    Move elements of the batch into blocks of spatial elements.
    data (n * blocks, s0, ..., sk, ...) -> (n, s0 * b0, ..., sk * bk, ...)
    """,
    rule=_batch_to_space_nd_type,
    evaluate=_batch_to_space_nd,
    pattern=OpPattern.INJECTIVE,
)
