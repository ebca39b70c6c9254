"""Convolve with gaps in place of rearranging the data.

Before::

    %0 = nn.space_to_batch_nd(%x, block_shape=[2, 2], paddings=[[2, 3], [2, 3]]);
    %1 = nn.conv2d(%0, %weight, data_layout="NHWC", kernel_layout="HWIO");
    nn.batch_to_space_nd(%1, block_shape=[2, 2], crops=[[0, 1], [0, 1]])

After::

    nn.conv2d(%x, %weight, padding=[2, 2, 2, 2], dilation=[2, 2], ...)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import relay_op
from relayish.op.types.layout import read_layout
from relayish.pass_infra import register_pass

_TO_BATCH: Final = relay_op("nn.space_to_batch_nd")
_TO_SPACE: Final = relay_op("nn.batch_to_space_nd")
_SPATIAL: Final = "HW"

pads: OpTable[Callable[[Call, float], bool]] = OpTable("padding of atrous convolutions")
"""``pads.get(op)(call, number)``: whether what the convolution pads for itself is that number."""


@register_pass(
    "FlattenAtrousConv", opt_level=0, required=("InferType",), infer_types=True, idempotent=True
)
def flatten_atrous_conv(expr: Expr) -> Expr:
    """Dilated-convolution fusion: convolve with gaps in place of rearranging the data.

    Return ``expr`` with convolutions over rearranged data as ones with gaps over the data.

    ``nn.space_to_batch_nd`` makes images of, say, every second row and column; after a convolution
    with strides of 1, ``nn.batch_to_space_nd`` puts them together. A dilation has the same result:
    what the one pads and the other crops becomes padding, if no more is cropped.

    Args:
        expr: Any well-formed expression.

    Returns:
        ``expr`` itself when there was no such convolution.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FlattenAtrousConv``.
    """
    return post_order_rewrite(expr, _Flattener())


class _Flattener(ExprRewriter):
    """Rewrites what puts the images together."""

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        return _flatten(post) if post.op is _TO_SPACE else post


def _flatten(to_space: Call) -> Expr:
    """Return the convolution between the two rearrangements with gaps, or else ``to_space``."""
    conv = to_space.args[0]
    pad = pads.get(conv.op) if type(conv) is Call else None
    if pad is None:
        return to_space
    assert isinstance(conv, Call)
    to_batch = conv.args[0]
    if type(to_batch) is not Call or to_batch.op is not _TO_BATCH:
        return to_space
    attrs: Any = conv.attrs  # Any: those of a convolution, and below of what rearranges
    before: Any = to_batch.attrs
    after: Any = to_space.attrs
    if not pad(conv, before.pad_value) or not _fits(attrs, before, after):
        return to_space
    blocks = _select_axes(before.block_shape, attrs.data_layout, 1)
    padded = _select_axes(before.paddings, attrs.data_layout, (0, 0))
    cropped = _select_axes(after.crops, attrs.data_layout, (0, 0))
    own = _sizes(attrs.padding)
    if blocks is None or padded is None or cropped is None or own is None:
        return to_space
    padding = [
        padded[place][side] + blocks[place] * own[side * 2 + place] - cropped[place][side]
        for side in (0, 1)
        for place in (0, 1)
    ]
    if min(padding) < 0:
        return to_space
    dilation = [size * block for size, block in zip(attrs.dilation, blocks, strict=True)]
    return conv.with_fields(
        args=(to_batch.args[0], *conv.args[1:]),
        attrs=attrs.with_values(padding=padding, dilation=dilation),
        span=to_space.span,
    )


def _fits(attrs: Any, before: Any, after: Any) -> bool:  # Any: see _flattened
    """Return whether the data is taken apart and put together in the same way."""
    return (
        tuple(before.block_shape) == tuple(after.block_shape)
        and all(stride == 1 for stride in attrs.strides)
        and attrs.out_layout in ("", attrs.data_layout)
        and all(isinstance(size, int) for size in (*attrs.dilation, *before.block_shape))
    )


def _select_axes(values: Sequence[Any], layout: str, default: object) -> list[Any] | None:
    """Return the entries of the rows and of the columns; ``None`` if there are others that count.

    The first of ``values`` is that of the axis behind the first, the batch.

    Any: a size of blocks, or a pair of widths.
    """
    letters = [axis.letter for axis in read_layout(layout)]
    if letters[0] != "N" or any(part.lower() in letters for part in _SPATIAL):
        return None
    found: dict[str, Any] = {}
    for letter, value in zip(letters[1:], values, strict=False):
        entry = tuple(value) if isinstance(value, (tuple, list)) else value
        if letter in _SPATIAL:
            found[letter] = entry
        elif entry != default:
            return None
    return [found.get(letter, default) for letter in _SPATIAL]


def _sizes(padding: Sequence[object]) -> list[int] | None:
    """Return what is padded above, left, below and right."""
    sizes = [size for size in padding if isinstance(size, int) and size >= 0]
    if len(sizes) != len(padding) or len(sizes) not in (1, 2, 4):
        return None
    return sizes * (4 // len(sizes))


def _pads_zero(conv: Call, number: float) -> bool:  # noqa: ARG001
    return number == 0


def _pads_zero_point(conv: Call, number: float) -> bool:
    zero_point = conv.args[2]
    data = zero_point.data if type(zero_point) is Constant else None
    if not isinstance(data, (np.ndarray, np.generic)):
        return False
    return data.size == 1 and float(data.item()) == number


pads.set(relay_op("nn.conv2d"), _pads_zero)
pads.set(relay_op("qnn.conv2d"), _pads_zero_point)
