"""Lowering of gradients of pools, and of correlation: windows over what is spread."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr
from relayish.op.builders.builder import op
from relayish.op.nn.pooling import pool_padding, window_sizes
from relayish.op.nn.pooling_types import find_pooled_axes, with_dilation
from relayish.op.nn.windows import sides
from relayish.passes.relay.lowering.call import LoweringHandler, Site, lowers, refuse_unless
from relayish.passes.relay.lowering.nn.pooling import divide
from relayish.passes.relay.lowering.tensors import (
    Shape,
    cast,
    cut,
    lowest,
    number,
    spread,
    windows,
    work_dtype,
)


class PoolGradients(LoweringHandler):
    """Rules for gradients of pools, and for correlation."""

    @lowers
    def handle_avg_pool2d_grad(self, site: Site) -> Expr:
        """Share the gradient out, and add up what comes to each place."""
        attrs, grad = with_dilation(site.attrs), site.args[0]
        dtype, work = site.dtype(1), work_dtype(site.dtype(0))
        include_pad = bool(attrs.get("count_include_pad", default=False))
        counts = window_sizes(attrs, site.shape(1), include_pad=include_pad)
        portion = divide(cast(grad, site.dtype(0), work), counts, work, work)
        axes = find_pooled_axes(attrs.layout, 2, site.rank(1))
        around = _around(attrs, axes, site.shape(0), site.shape(1))
        zero = number(0, work)
        shape = site.shape(0)
        wide, size = spread(portion, shape, around, zero, work, _along(shape, axes, attrs.strides))
        ones = (1,) * len(axes)
        seen, whole, _ = windows(wide, size, axes, attrs.pool_size, ones, attrs.dilation)
        total = op.sum(seen, axis=tuple(range(len(shape), len(whole))))
        return cast(total, work, dtype)

    @lowers
    def handle_max_pool2d_grad(self, site: Site) -> Expr:
        """Put the gradient where the first of the greatest elements of each window was."""
        attrs = with_dilation(site.attrs)
        dtype, work = site.dtype(1), work_dtype(site.dtype(1))
        shape, places = site.shape(1), site.shape(0)
        axes = find_pooled_axes(attrs.layout, 2, len(shape))
        padding = _along_pairs(shape, axes, pool_padding(attrs, axes, shape))
        least = cast(lowest(dtype), dtype, work)
        data = cast(site.args[1], dtype, work)
        padded, wide = spread(data, shape, padding, least, work)
        seen, whole, _ = windows(padded, wide, axes, attrs.pool_size, attrs.strides, attrs.dilation)
        kernel = whole[len(shape) :]
        taps = prod(kernel)
        first = op.argmax(op.reshape(seen, newshape=(*places, taps)), axis=(-1,))
        numbers = const(np.arange(taps), "int32")
        chosen = op.equal(op.expand_dims(op.cast(first, "int32"), axis=len(places)), numbers)
        grad_work = work_dtype(site.dtype(0))
        zero = number(0, grad_work)
        grad = cast(site.args[0], site.dtype(0), grad_work)
        parts = op.where(chosen, op.expand_dims(grad, axis=len(places)), zero)
        parts = op.reshape(parts, newshape=(*places, *kernel))
        around = (*_around(attrs, axes, places, shape), *[(0, 0)] * len(kernel))
        strides = (*_along(places, axes, attrs.strides), *[1] * len(kernel))
        wide_parts, size = spread(parts, (*places, *kernel), around, zero, grad_work, strides)
        ones = (1,) * len(axes)
        seen, whole, looked = windows(wide_parts, size, axes, attrs.pool_size, ones, attrs.dilation)
        own = [len(places) + axis - min(axes) for axis in axes]
        facing = _facing(whole, own, looked)
        kept = op.where(const(facing, "bool"), seen, zero)
        total = op.sum(kept, axis=tuple(range(len(places), len(whole))))
        return cast(total, grad_work, dtype)

    @lowers
    def handle_correlation(self, site: Site) -> Expr:
        """Compare windows of the first image with all that are near in the second."""
        attrs, dtype = site.attrs, site.dtype()
        refuse_unless(attrs.kernel_size % 2 == 1, "its window has no middle")
        site.result_shape()
        work, kernel = work_dtype(dtype), attrs.kernel_size
        widths = ((0, 0), (0, 0), *_padding(attrs.padding))
        zero = number(0, work)
        left, right = (
            spread(cast(site.args[place], dtype, work), site.shape(place), widths, zero, work)
            for place in (0, 1)
        )
        batch, channels, *whole = left[1]
        far = attrs.max_displacement
        reach = far // attrs.stride2 * attrs.stride2
        inner = [size - 2 * far for size in whole]
        here = cut(left[0], left[1], _ends((batch, channels), far, inner))
        near = [size + 2 * reach for size in inner]
        around = cut(right[0], right[1], _ends((batch, channels), far - reach, near))
        there = op.sliding_window(
            around, axis=2, window_shape=tuple(inner), strides=(attrs.stride2,) * 2
        )
        here = op.expand_dims(here, axis=2, num_newaxis=2)
        match = op.multiply(here, there)
        if not attrs.is_multiply:
            match = op.abs(op.subtract(here, there))
        summed = op.sum(match, axis=(1,))
        seen = op.sliding_window(
            summed, axis=3, window_shape=(kernel, kernel), strides=(attrs.stride1,) * 2
        )
        total = op.reshape(op.sum(seen, axis=(5, 6)), newshape=site.result_shape())
        count = np.array(kernel * kernel * channels)
        return divide(total, count, work, dtype)


def _padding(padding: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return sides(padding if len(padding) != 1 else (*padding, *padding), 2)


def _ends(shape: Shape, start: int, sizes: Sequence[int]) -> list[tuple[int, int]]:
    return [*[(0, size) for size in shape], *[(start, start + size) for size in sizes]]


def _along(shape: Shape, axes: Sequence[int], values: Sequence[int]) -> list[int]:
    """Return a number for each axis, those of ``axes`` from ``values``, 1 for the others."""
    found = [1] * len(shape)
    for axis, value in zip(axes, values, strict=True):
        found[axis] = value
    return found


def _along_pairs(
    shape: Shape, axes: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    found = [(0, 0)] * len(shape)
    for axis, pair in zip(axes, pairs, strict=True):
        found[axis] = pair
    return tuple(found)


def _around(
    attrs: Any,  # Any: those of a pool
    axes: tuple[int, ...],
    places: Shape,
    shape: Shape,
) -> tuple[tuple[int, int], ...]:
    """Return what is put around the spread gradient, so that windows over it stand for elements."""
    padding = pool_padding(attrs, axes, shape)
    pairs = []
    for axis, (before, after), size, step, gap in zip(
        axes, padding, attrs.pool_size, attrs.strides, attrs.dilation, strict=True
    ):
        reach = (size - 1) * gap
        spread_size = (places[axis] - 1) * step + 1
        missing = shape[axis] + before + after - (spread_size + reach)
        pairs.append((reach - before, reach + missing - after))
    return _along_pairs(places, axes, pairs)


def _facing(whole: Shape, own: Sequence[int], looked: Sequence[int]) -> Any:  # Any: an array
    """Return where a tap of a window is looked at from the element that it stands for."""
    found: Any = np.ones((1,) * len(whole), np.bool_)
    for one, other in zip(own, looked, strict=True):
        size = whole[one]
        shape = [1] * len(whole)
        shape[one] = shape[other] = size
        found = found & np.eye(size, dtype=np.bool_)[::-1].reshape(shape)
    return found
