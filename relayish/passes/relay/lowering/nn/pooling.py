"""Lowering of pooling: windows over the padded data, of which the greatest or the sum is taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.builder import op
from relayish.op.nn.pooling import pool_padding, window_sizes
from relayish.op.nn.pooling_types import find_pooled_axes
from relayish.passes.relay.lowering.call import LoweringHandler, Site, lowers
from relayish.passes.relay.lowering.nn.convolution import known_sizes
from relayish.passes.relay.lowering.tensors import (
    Shape,
    cast,
    is_integral_type,
    lowest,
    number,
    pick,
    spread,
    windows,
    work_dtype,
)


class Pools(LoweringHandler):
    """Rules for pools over windows of a fixed size, over all there is, and adaptive ones."""

    @lowers
    def handle_max_pool1d(self, site: Site) -> Expr:
        """Take the greatest element that each window sees."""
        return _max_pool(site)

    @lowers
    def handle_max_pool2d(self, site: Site) -> Expr:
        """Take the greatest element that each window sees."""
        return _max_pool(site)

    @lowers
    def handle_max_pool3d(self, site: Site) -> Expr:
        """Take the greatest element that each window sees."""
        return _max_pool(site)

    @lowers
    def handle_avg_pool1d(self, site: Site) -> Expr:
        """Divide the sum of what each window sees by how many elements count."""
        return _avg_pool(site)

    @lowers
    def handle_avg_pool2d(self, site: Site) -> Expr:
        """Divide the sum of what each window sees by how many elements count."""
        return _avg_pool(site)

    @lowers
    def handle_avg_pool3d(self, site: Site) -> Expr:
        """Divide the sum of what each window sees by how many elements count."""
        return _avg_pool(site)

    @lowers
    def handle_global_max_pool2d(self, site: Site) -> Expr:
        """Take the greatest element of each channel."""
        axes = find_pooled_axes(site.attrs.layout, 2, len(site.shape()))
        dtype, work = site.dtype(), work_dtype(site.dtype())
        wide = cast(site.args[0], dtype, work)
        return cast(op.max(wide, axis=axes, keepdims=True), work, dtype)

    @lowers
    def handle_global_avg_pool2d(self, site: Site) -> Expr:
        """Divide the sum of each channel by how many elements it has."""
        shape = site.shape()
        axes = find_pooled_axes(site.attrs.layout, 2, len(shape))
        dtype, work = site.dtype(), work_dtype(site.dtype())
        total = op.sum(cast(site.args[0], dtype, work), axis=axes, keepdims=True)
        return divide(total, np.array(shape[axes[0]] * shape[axes[1]]), work, dtype)

    @lowers
    def handle_adaptive_max_pool1d(self, site: Site) -> Expr:
        """Take the greatest element of each of as many windows as asked for."""
        return _adaptive_max_pool(site)

    @lowers
    def handle_adaptive_max_pool2d(self, site: Site) -> Expr:
        """Take the greatest element of each of as many windows as asked for."""
        return _adaptive_max_pool(site)

    @lowers
    def handle_adaptive_max_pool3d(self, site: Site) -> Expr:
        """Take the greatest element of each of as many windows as asked for."""
        return _adaptive_max_pool(site)

    @lowers
    def handle_adaptive_avg_pool1d(self, site: Site) -> Expr:
        """Take the mean of each of as many windows as asked for."""
        return _adaptive_avg_pool(site)

    @lowers
    def handle_adaptive_avg_pool2d(self, site: Site) -> Expr:
        """Take the mean of each of as many windows as asked for."""
        return _adaptive_avg_pool(site)

    @lowers
    def handle_adaptive_avg_pool3d(self, site: Site) -> Expr:
        """Take the mean of each of as many windows as asked for."""
        return _adaptive_avg_pool(site)


def _windows(site: Site, value: Expr, work: str) -> tuple[Expr, tuple[int, ...]]:
    """Return what the windows of a pool see, and at which axes."""
    attrs, shape = site.attrs, site.shape()
    axes = find_pooled_axes(attrs.layout, len(attrs.pool_size), len(shape))
    widths = [(0, 0)] * len(shape)
    for axis, pair in zip(axes, pool_padding(attrs, axes, shape), strict=True):
        widths[axis] = pair
    data = cast(site.args[0], site.dtype(), work)
    padded, wide = spread(data, shape, tuple(widths), value, work)
    given = map(known_sizes, (attrs.pool_size, attrs.strides, attrs.dilation))
    seen, _, inner = windows(padded, wide, axes, *given)
    first = min(axes)
    return seen, tuple(range(len(shape), 2 * len(shape) - first)) if inner else ()


def _max_pool(site: Site) -> Expr:
    dtype, work = site.dtype(), work_dtype(site.dtype())
    seen, inner = _windows(site, _least(dtype, work), work)
    return cast(op.max(seen, axis=inner), work, dtype)


def _least(dtype: str, work: str) -> Expr:
    """Return the least finite number of a type, in the one that is computed in."""
    return lowest(dtype) if work == dtype else cast(lowest(dtype), dtype, work)


def _avg_pool(site: Site) -> Expr:
    dtype, work = site.dtype(), work_dtype(site.dtype())
    seen, inner = _windows(site, number(0, work), work)
    attrs = site.attrs
    counts = window_sizes(attrs, site.shape(), include_pad=attrs.count_include_pad)
    return divide(op.sum(seen, axis=inner), counts, work, dtype)


def divide(total: Expr, counts: Any, work: str, dtype: str) -> Expr:  # Any: an array
    """Return ``total / counts`` as ``dtype``; integers are divided as in C, towards 0."""
    if len(set(counts.ravel().tolist())) == 1:
        counts = counts.ravel()[0]
    if not is_integral_type(dtype):
        return cast(op.divide(total, const(counts.astype(work), work)), work, dtype)
    wide = "uint64" if numpy_dtype(dtype) == np.uint64 else "int64"
    whole = cast(cast(total, work, dtype), dtype, wide)
    return cast(op.trunc_divide(whole, const(counts.astype(wide), wide)), wide, dtype)


def _targets(site: Site) -> list[tuple[int, int]]:
    """Return the pooled axes, each with the size that the result has along it."""
    shape, result = site.shape(), site.result_shape()
    axes = find_pooled_axes(site.attrs.layout, site.attrs.rank, len(shape))
    return [(axis, result[axis]) for axis in axes]


def _bounds(size: int, count: int) -> list[tuple[int, int]]:
    """Return where windows start and end that share out the elements of an axis."""
    return [(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]


def _places(bounds: Sequence[tuple[int, int]]) -> Any:  # Any: an array
    """Return the places each window sees, one row each; the last of a short one again."""
    longest = max(end - start for start, end in bounds)
    return [[min(start + at, end - 1) for at in range(longest)] for start, end in bounds]


def _adaptive_max_pool(site: Site) -> Expr:
    dtype, work = site.dtype(), work_dtype(site.dtype())
    image, shape = cast(site.args[0], dtype, work), site.shape()
    changed = [(axis, count) for axis, count in _targets(site) if count != shape[axis]]
    for axis, count in changed:
        seen = pick(image, _places(_bounds(shape[axis], count)), axis)
        image = op.max(seen, axis=(axis + 1,))
    if changed and not is_integral_type(dtype):  # the greatest of these and a number
        image = op.maximum(image, _least(dtype, work))
    return cast(image, work, dtype)


def _adaptive_avg_pool(site: Site) -> Expr:
    dtype, work = site.dtype(), work_dtype(site.dtype())
    image, shape = cast(site.args[0], dtype, work), site.shape()
    counts: Any = np.ones((1,) * len(shape), np.int64)  # Any: an array
    for axis, count in _targets(site):
        if count == shape[axis]:
            continue
        bounds = _bounds(shape[axis], count)
        sizes = [end - start for start, end in bounds]
        seen = pick(image, _places(bounds), axis)
        if min(sizes) < max(sizes):
            seen = _without_repeats(seen, sizes, axis, shape, work)
        image = op.sum(seen, axis=(axis + 1,))
        along = [1] * len(shape)
        along[axis] = count
        counts = counts * np.reshape(sizes, along)
    return divide(image, counts, work, dtype)


def _without_repeats(seen: Expr, sizes: Sequence[int], axis: int, shape: Shape, work: str) -> Expr:
    """Return what windows see with 0 in place of elements that were taken again."""
    there = np.arange(max(sizes)) < np.reshape(sizes, (-1, 1))
    mask = there.reshape((*there.shape, *(1,) * (len(shape) - axis - 1)))
    found: Expr = op.where(const(mask, "bool"), seen, number(0, work))
    return found
