"""Convolve the same data once with all weights.

Before::

    (nn.conv2d(%x, %w1), nn.conv2d(%x, %w2))

After::

    %0 = nn.conv2d(%x, concatenate((%w1, %w2)), channels=12);
    (strided_slice(%0, begin=[0, 0], end=[-1, 4], slice_mode="size"),
     strided_slice(%0, begin=[0, 4], end=[-1, 8], slice_mode="size"))
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from relayish.ir.relay.expr import Call, Expr
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.convolution_attrs import Conv2DAttrs
from relayish.op.types.layout import read_layout
from relayish.pass_infra import register_pass
from relayish.passes.relay.combine_parallel.combine import combine_parallel
from relayish.passes.relay.combine_parallel.combiner import Image, dtype_of, get_static_shape
from relayish.passes.relay.combine_parallel.sections import SectionCombiner


@register_pass(
    "CombineParallelConv2D", opt_level=4, required=("InferType",), infer_types=True, idempotent=True
)
def combine_parallel_conv2d(expr: Expr, *, min_num_branches: int = 3) -> Expr:
    """Combining of parallel convolutions: convolve the same data once with all weights.

    Return ``expr`` with convolutions of the same data combined, and what follows each of them.

    Convolutions have the same attributes but for their numbers of channels, no groups, and weights
    of the same size but for them. Elementwise operators behind all of them are combined as well, as
    long as their other arguments have a number for each channel. None is combined where one would
    have to wait for the result of another.

    Args:
        expr: An expression whose types were inferred; nothing is combined where they were not.
        min_num_branches: How many convolutions it takes; never less than 2.

    Returns:
        ``expr`` itself when nothing was combined.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.

    Source:
        Relay ``CombineParallelConv2D``.
    """
    return combine_parallel(expr, _Combiner(), min_num_branches)


class _Combiner(SectionCombiner):
    """Concatenates weights along their output channels."""

    op = relay_op("nn.conv2d")
    slices_all_axes = False

    def key(self, call: Call) -> Hashable | None:
        attrs, shape = _attrs(call), get_static_shape(call.args[1])
        layouts = (attrs.data_layout, attrs.kernel_layout, attrs.out_layout)
        if shape is None or attrs.groups != 1 or call.checked_type is None:
            return None
        if any(axis.factor for layout in layouts for axis in read_layout(layout)):
            return None
        same = attrs.with_values(channels=None, kernel_size=None)
        place = _output_channels(attrs)
        return (same, shape[:place], shape[place + 1 :], dtype_of(call.args[1]))

    def axis(self, root: Call) -> int:
        attrs = _attrs(root)
        return (attrs.out_layout or attrs.data_layout).index("C")

    def weight_axis(self, root: Call) -> int:
        return _output_channels(_attrs(root))

    def combine_roots(self, calls: Sequence[Call], image: Image) -> Expr:
        attrs = _attrs(calls[0]).with_values(channels=sum(map(self.units, calls)))
        return calls[0].with_fields(args=self.join_args(calls, image), attrs=attrs)


def _attrs(call: Call) -> Conv2DAttrs:
    assert isinstance(call.attrs, Conv2DAttrs)
    return call.attrs


def _output_channels(attrs: Conv2DAttrs) -> int:
    return attrs.kernel_layout.index("O")
