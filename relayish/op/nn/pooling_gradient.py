"""Gradients of pooling."""

from __future__ import annotations

from math import prod

import numpy as np

from relayish.numeric.pooling import find_greatest
from relayish.numeric.precision import round_to, unpack, widen
from relayish.numeric.windows import extend
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.nn.pooling import divide, get_lowest, pad_windows, pool_padding, window_sizes
from relayish.op.nn.pooling_attrs import MaxPool2DAttrs
from relayish.op.nn.pooling_types import pool_gradient_type, with_dilation
from relayish.op.values.evaluation import Array


def _cut(attrs: MaxPool2DAttrs, result: Array, axes: tuple[int, ...], data: Array) -> Array:
    """Return ``result`` without the padding that was around ``data``."""
    padding = pool_padding(attrs, axes, data.shape)
    return extend(result, axes, tuple((-before, -after) for before, after in padding))


def _max_pool_gradient(attrs: MaxPool2DAttrs, grad: Array, data: Array) -> Array:
    """Return the gradient of the result where it came from: the first of the largest elements."""
    attrs = with_dilation(attrs)
    padded, windows = pad_windows(attrs, unpack(data), get_lowest(data))
    sizes = [size if axis in windows.axes else 1 for axis, size in enumerate(padded.shape)]
    places = np.arange(prod(sizes)).reshape(sizes)
    _, chosen = find_greatest(padded, places, windows)
    given = widen(grad)
    result: Array = np.zeros(padded.shape, given.dtype)
    for tap in windows.taps():
        there = windows.view_tap(result, tap)
        there += np.where(chosen == windows.view_tap(places, tap), given, given.dtype.type(0))
    return round_to(_cut(attrs, result, windows.axes, data), data.dtype)


def _avg_pool_gradient(attrs: MaxPool2DAttrs, grad: Array, data: Array) -> Array:
    """Return the gradient of the result shared out among the elements of each window.

    The operator is declared with the attributes of ``nn.max_pool2d``, as in Relay; calls may carry
    those of ``nn.avg_pool2d`` all the same, whose ``count_include_pad`` then counts.
    """
    attrs = with_dilation(attrs)
    padded, windows = pad_windows(attrs, data, 0)
    include_pad = bool(attrs.get("count_include_pad", default=False))
    given = widen(grad)
    count = window_sizes(attrs, data.shape, include_pad=include_pad)
    portion = divide(given, count, given.dtype)
    result: Array = np.zeros(padded.shape, given.dtype)
    for tap in windows.taps():
        there = windows.view_tap(result, tap)
        there += portion
    return round_to(_cut(attrs, result, windows.axes, data), data.dtype)


register_op(
    "nn.max_pool2d_grad",
    arguments=("data", "grad"),
    signature=(
        "out_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), layout='NCHW', "
        "out_layout='', ceil_mode=False"
    ),
    description="""
    Take the gradient of nn.max_pool2d.
    out_grad (n, c, h', w'); data (n, c, h, w) -> (n, c, h, w)
    """,
    rule=pool_gradient_type,
    evaluate=_max_pool_gradient,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.avg_pool2d_grad",
    arguments=("data", "grad"),
    description="""
    Take the gradient of nn.avg_pool2d.
    out_grad (n, c, h', w'); data (n, c, h, w) -> (n, c, h, w)
    """,
    rule=pool_gradient_type,
    evaluate=_avg_pool_gradient,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
