"""Deformable convolution: every element of a window looks where it is told to."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from relayish.numeric.precision import Array, ElementType
from relayish.numeric.sampling import sample_linear
from relayish.numeric.windows import Windows


def deform_convolve(
    source: Array,
    kernel: Array,
    moves: Array,
    windows: Windows,
    *,
    before: Sequence[int],
    groups: int,
    work: ElementType,
    factors: Array | None = None,
    only_within: bool = False,
) -> Array:
    """Return the convolution of what is found where the elements of windows are moved to.

    Between elements the data is linear, and 0 around it.

    Args:
        source: (n, channels, *spatial)
        kernel: (outputs, channels / groups, *window)
        moves: (n, parts, elements, rank, *places): by how much each element of each window is
            moved along each axis, for each of as many parts of the channels.
        windows: Over the spatial axes, padding included.
        before: How much padding there is before each axis.
        groups: Into how many parts the channels are divided that are convolved each for itself.
        work: The element type of the sums of products.
        factors: (n, parts, elements, *places): what each element is multiplied by.
        only_within: Whether there is nothing from the moment an element is moved before the first
            of the data, not only a whole step before it.

    Returns:
        (n, outputs, *places), of ``work``.
    """
    batch, channels, *sizes = source.shape
    parts, taps, count = moves.shape[1], prod(windows.kernel), prod(windows.counts)
    elements = np.indices(windows.kernel).reshape(len(sizes), taps)
    places = []
    for axis, (step, first) in enumerate(zip(np.indices(windows.counts), before, strict=True)):
        spread = elements[axis] * windows.dilation[axis]
        start = spread.reshape(-1, *(1,) * len(sizes)) + step * windows.strides[axis] - first
        at = (start + moves[:, :, :, axis]).reshape(batch * parts, taps * count)
        places.append(np.where(at >= 0, at, np.nan) if only_within else at)
    maps = source.reshape(batch * parts, channels // parts, *sizes)
    seen = sample_linear(maps, places).reshape(batch, parts, channels // parts, taps, count)
    if factors is not None:
        seen *= factors.reshape(batch, parts, 1, taps, count)
    columns = seen.reshape(batch, groups, channels // groups * taps, count)
    outputs = kernel.shape[0]
    matrix = kernel.astype(work).reshape(groups, outputs // groups, channels // groups * taps)
    result: Array = np.matmul(matrix, columns.astype(work, copy=False))
    return result.reshape(batch, outputs, *windows.counts)
