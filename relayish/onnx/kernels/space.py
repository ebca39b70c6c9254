"""Blocks of space as channels, and columns as blocks of an image."""

from __future__ import annotations

from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import blocks
from relayish.numeric.windows import extend
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_rank, place_windows


@kernel("DepthToSpace", since=(1, 11, 13, 28), added={"mode": 11})
def depth_to_space(x: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    """Return channels (n, c, h, w) as blocks: (n, c / blocksize², h * blocksize, w * blocksize).

    In mode DCR the blocks are the slowest part of the channels, in CRD the fastest.
    """
    _check_image(x, mode)
    channels = x.shape[1]
    if blocksize < 1 or channels % blocksize**2:
        raise EvaluationError(
            f"{channels} channels do not make blocks of {blocksize} by {blocksize}; expected a "
            f"multiple of {blocksize**2}"
        )
    return blocks.depth_to_space(x.shape, blocksize, blocks_first=mode == "DCR").apply(x)


@kernel("SpaceToDepth", since=(1, 13, 28), added={"mode": 28})
def space_to_depth(x: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    """Return blocks (n, c, h, w) as channels: (n, c * blocksize², h / blocksize, w / blocksize)."""
    _check_image(x, mode)
    height, width = x.shape[2:]
    if blocksize < 1 or height % blocksize or width % blocksize:
        raise EvaluationError(
            f"an image of {height} by {width} is not made of blocks of {blocksize}; expected a "
            "multiple in both directions"
        )
    return blocks.space_to_depth(x.shape, blocksize, blocks_first=mode == "DCR").apply(x)


def _check_image(x: Array, mode: str) -> None:
    if x.ndim != 4:
        raise EvaluationError(f"the input has shape {x.shape}; expected (n, c, h, w)")
    if mode not in ("DCR", "CRD"):
        raise EvaluationError(f"mode is {mode!r}; expected DCR or CRD")


@kernel("Col2Im", since=(18,))
def col2im(
    x: Array,
    image_shape: Array,
    block_shape: Array,
    *,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Array:
    """Return the image (n, c, ...) whose blocks are the columns of ``x`` (n, c * block, blocks).

    Where blocks overlap they are added up.
    """
    sizes, block = tuple(image_shape.tolist()), tuple(block_shape.tolist())
    windows, padding = place_windows(sizes, block, strides=strides, dilations=dilations, pads=pads)
    count, places = prod(block), windows.counts
    if x.ndim != 3 or x.shape[1] % count or x.shape[2] != prod(places):
        raise EvaluationError(
            f"columns have shape {x.shape}; expected (n, c * {count}, {prod(places)}) for blocks "
            f"{block} of an image {sizes}"
        )
    columns = x.reshape(x.shape[0], x.shape[1] // count, *block, *places)
    padded = [size + sum(around) for size, around in zip(sizes, padding, strict=True)]
    around = [(-before, -after) for before, after in padding]
    return extend(windows.fold(columns, padded), windows.axes, around)


@kernel("MaxUnpool", since=(9, 11, 22))
def max_unpool(
    x: Array,
    indices: Array,
    output_shape: Array | None = None,
    *,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Array:
    """Return zeros, with the elements of ``x`` where ``indices`` say they were before a pooling.

    Indices count elements of the tensor that ``x`` was pooled of. Where ``output_shape`` is
    greater than that, what is more is behind it.
    """
    rank = x.ndim - 2
    if indices.shape != x.shape:
        raise EvaluationError(f"indices have shape {indices.shape}; expected {x.shape}")
    kernel_shape = check_rank("kernel_shape", kernel_shape, rank)
    steps = check_rank("strides", strides or (1,) * rank, rank)
    margins = check_rank("pads", pads or (0,) * 2 * rank, 2 * rank)
    sizes = tuple(
        (n - 1) * step + window - begin - end
        for n, step, window, begin, end in zip(
            x.shape[2:], steps, kernel_shape, margins[:rank], margins[rank:], strict=True
        )
    )
    shape = (*x.shape[:2], *sizes)
    if indices.size and (indices.min() < 0 or indices.max() >= prod(shape)):
        raise EvaluationError(
            f"indices reach from {indices.min()} to {indices.max()}; expected 0 to "
            f"{prod(shape) - 1}, the elements of {shape}"
        )
    flat = np.zeros(prod(shape), x.dtype)
    flat[indices.ravel()] = x.ravel()
    unpooled = flat.reshape(shape)
    if output_shape is None or tuple(output_shape.tolist()) == shape:
        return unpooled
    whole = np.zeros(tuple(output_shape.tolist()), x.dtype)
    common = tuple(slice(0, min(n, m)) for n, m in zip(shape, whole.shape, strict=True))
    whole[common] = unpooled[common]
    return whole
