"""Let convolutions and pools pad for themselves.

Before::

    %0 = nn.pad(%x, 0f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]);
    nn.conv2d(%0, %weight)

After::

    nn.conv2d(%x, %weight, padding=[1, 1, 1, 1])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import get_lowest_number, numpy_dtype
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.space import PadAttrs
from relayish.op.types.layout import read_layout
from relayish.pass_infra import register_pass

_PAD: Final = relay_op("nn.pad")
_SPATIAL: Final = "DHW"


class Padding(NamedTuple):
    """What is padded around something explicitly.

    Attributes:
        value: The number that is padded, an expression.
        number: That number, if it is a constant.
        dtype: The element type of what is padded.
    """

    value: Expr
    number: float | None
    dtype: str


Fold: TypeAlias = Callable[[Call, Padding], "dict[str, object] | None"]
"""Returns which attributes change beside the padding, or ``None`` if it cannot be taken over."""


class Window(NamedTuple):
    """How calls of an operator take over padding: under which name they have a layout, and when."""

    layout: str
    fold: Fold


windows: OpTable[Window] = OpTable("folding of explicit padding")
"""Operators that slide a window over their first argument, which they can pad for themselves."""


@register_pass(
    "FoldExplicitPadding", opt_level=0, required=("InferType",), infer_types=True, idempotent=True
)
def fold_explicit_padding(expr: Expr) -> Expr:
    """Padding folding: let convolutions and pools pad for themselves.

    Return ``expr`` with ``nn.pad`` taken over by the convolutions and pools that follow it.

    Convolutions pad zeros, those of quantized numbers the zero point, maximum pools the least
    finite number. An average pool takes over zeros where it counts padding, or has none of its own
    and can begin to count it.

    Args:
        expr: An expression whose types were inferred; maximum pools are left where they were not.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FoldExplicitPadding``.
    """
    return post_order_rewrite(expr, _Folder())


class _Folder(ExprRewriter):
    """Rewrites calls of windows over padded data."""

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        window = windows.get(post.op)
        if window is None:
            return post
        ty = pre.args[0].checked_type
        dtype = ty.dtype if isinstance(ty, TensorType) else ""
        while True:
            folded = _fold(post, window, dtype)
            if folded is None:
                return post
            post = folded


def _fold(call: Call, window: Window, dtype: str) -> Call | None:
    """Return ``call`` with the padding of its data taken over, or ``None`` if it cannot be."""
    data = call.args[0]
    if type(data) is not Call or data.op is not _PAD:
        return None
    attrs: Any = call.attrs  # Any: those of a window, which have a padding
    pad = data.attrs
    if not isinstance(pad, PadAttrs) or pad.pad_mode != "constant" or attrs is None:
        return None
    padding = _spatial_widths(pad.pad_width, getattr(attrs, window.layout))
    own = None if padding is None else _expand_padding(attrs.padding, len(padding) // 2)
    if padding is None or own is None:
        return None
    changes = window.fold(call, Padding(data.args[1], _number(data.args[1]), dtype))
    if changes is None:
        return None
    combined = [one + other for one, other in zip(padding, own, strict=True)]
    new_attrs: Attrs = attrs.with_values(padding=combined, **changes)
    return call.with_fields(args=(data.args[0], *call.args[1:]), attrs=new_attrs)


def _spatial_widths(pad_width: Sequence[Sequence[int]], layout: str) -> list[int] | None:
    """Return what is padded before and then after the spatial axes; ``None`` if others are, too."""
    axes = read_layout(layout)
    if len(axes) != len(pad_width) or any(axis.letter in _SPATIAL.lower() for axis in axes):
        return None
    before, after = [], []
    for axis, widths in zip(axes, pad_width, strict=True):
        if axis.letter in _SPATIAL and min(widths) >= 0:
            before.append(widths[0])
            after.append(widths[1])
        elif any(widths):
            return None
    return before + after


def _expand_padding(padding: Sequence[object], rank: int) -> list[int] | None:
    """Return what a window pads before and then after its axes, however short it is written."""
    sizes = [size for size in padding if isinstance(size, int) and size >= 0]
    if len(sizes) != len(padding):
        return None
    if len(sizes) == 1:
        sizes *= rank
    if len(sizes) == rank:
        sizes *= 2
    return sizes if len(sizes) == 2 * rank else None


def _number(value: Expr) -> float | None:
    if type(value) is not Constant or not isinstance(value.data, (np.ndarray, np.generic)):
        return None
    return float(value.data) if np.size(value.data) == 1 else None


def _fold_zeros(call: Call, padding: Padding) -> dict[str, object] | None:  # noqa: ARG001
    return {} if padding.number == 0 else None


def _fold_zero_points(call: Call, padding: Padding) -> dict[str, object] | None:
    zero_point = call.args[2]
    same = padding.number is not None and padding.number == _number(zero_point)
    return {} if same or padding.value is zero_point else None


def _fold_least(call: Call, padding: Padding) -> dict[str, object] | None:  # noqa: ARG001
    if not padding.dtype:
        return None
    return {} if padding.number == float(get_lowest_number(numpy_dtype(padding.dtype))) else None


def _fold_counted(call: Call, padding: Padding) -> dict[str, object] | None:
    attrs: Any = call.attrs  # Any: those of an average pool
    if padding.number != 0 or not (attrs.count_include_pad or not any(attrs.padding)):
        return None
    return {"count_include_pad": True}


for _name in ("nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.contrib_conv2d_NCHWc"):
    windows.set(relay_op(_name), Window("data_layout", _fold_zeros))
windows.set(relay_op("qnn.conv2d"), Window("data_layout", _fold_zero_points))
for _name in ("nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"):
    windows.set(relay_op(_name), Window("layout", _fold_least))
for _name in ("nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d"):
    windows.set(relay_op(_name), Window("layout", _fold_counted))
