"""Pooling to a result of a given size, whose windows are chosen to share the data out."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from relayish.numeric.precision import unpack, widen
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.nn.pooling import divide, get_lowest
from relayish.op.nn.pooling_attrs import (
    AdaptivePool1DAttrs,
    AdaptivePool2DAttrs,
    AdaptivePool3DAttrs,
    AdaptivePoolAttrs,
)
from relayish.op.nn.pooling_types import adaptive_pool_type, find_pooled_axes
from relayish.op.values.evaluation import Array, as_sizes


def _targets(attrs: AdaptivePoolAttrs, data: Array) -> list[tuple[int, int]]:
    """Return the pooled axes, each with the size the result has along it."""
    rank = attrs.rank
    axes = find_pooled_axes(attrs.layout, rank, data.ndim)
    sizes = as_sizes(attrs.output_size) or tuple(data.shape[axis] for axis in axes)
    if len(sizes) == 1:
        sizes *= rank
    return list(zip(axes, sizes, strict=True))


def _bounds(size: int, count: int) -> tuple[Array, Array]:
    """Return where ``count`` windows start and end that together cover ``size`` elements.

    They overlap where ``count`` does not divide ``size``.
    """
    places = np.arange(count)
    return places * size // count, -(-(places + 1) * size // count)


def _pool(data: Array, targets: list[tuple[int, int]], combine: Callable[..., Array]) -> Array:
    """Return ``combine`` of every window, one axis after the other."""
    result = data
    for axis, count in targets:
        if count == result.shape[axis]:
            continue
        lines = np.moveaxis(result, axis, -1)
        starts, ends = _bounds(lines.shape[-1], count)
        parts = [combine(lines[..., s:e], axis=-1) for s, e in zip(starts, ends, strict=True)]
        result = np.stack(parts, axis)
    return result


def _adaptive_max_pool(attrs: AdaptivePoolAttrs, data: Array) -> Array:
    def highest(part: Array, axis: int) -> Array:
        return part.max(axis=axis, initial=get_lowest(data))

    found = _pool(unpack(data), _targets(attrs, data), highest)
    return found.astype(data.dtype, copy=False)


def _adaptive_avg_pool(attrs: AdaptivePoolAttrs, data: Array) -> Array:
    targets, source = _targets(attrs, data), widen(data)

    def total(part: Array, axis: int) -> Array:
        return part.sum(axis=axis, dtype=source.dtype)

    counts = []
    for axis, count in targets:
        starts, ends = _bounds(data.shape[axis], count)
        counts.append((ends - starts).reshape([-1 if a == axis else 1 for a in range(data.ndim)]))
    return divide(_pool(source, targets, total), reduce(np.multiply, counts), data.dtype)


def _declare(layout: str, attrs_type: type[AdaptivePoolAttrs]) -> None:
    """Declare both pools of data of ``layout``, such as ``nn.adaptive_max_pool2d``."""
    axes = ", ".join(layout.lower())
    for kind, what, evaluate, precision in (
        ("max", "largest element", _adaptive_max_pool, MixedPrecision.FOLLOW),
        ("avg", "mean", _adaptive_avg_pool, MixedPrecision.NEVER),
    ):
        register_op(
            f"nn.adaptive_{kind}_pool{len(layout) - 2}d",
            signature=f"data, output_size=None, layout='{layout}', out_layout=''",
            description=f"""
            Take the {what} of each of as many windows as asked for.
            data ({axes}), axes as layout -> (n, c, *output_size)
            """,
            attrs_type=attrs_type,
            rule=adaptive_pool_type,
            evaluate=evaluate,
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            mixed_precision=precision,
            infer_layout=of_layout(out_layout=True),
        )


_declare("NCW", AdaptivePool1DAttrs)
_declare("NCHW", AdaptivePool2DAttrs)
_declare("NCDHW", AdaptivePool3DAttrs)
