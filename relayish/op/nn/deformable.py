"""Deformable convolution: every element of the kernel looks where the data tells it to."""

from __future__ import annotations

from math import prod

from relayish.numeric.deformable import deform_convolve
from relayish.numeric.precision import accumulator, round_to
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_deformable_convolution
from relayish.op.nn.convolution import arrange_result, fit_kernel
from relayish.op.nn.convolution_attrs import DeformableConv2DAttrs
from relayish.op.nn.convolution_types import deformable_convolution_relation
from relayish.op.nn.windows import sides, windows_over
from relayish.op.types.layout import convert_layout
from relayish.op.values.evaluation import Array, result_dtype


def _deformable_convolution(
    attrs: DeformableConv2DAttrs, data: Array, offset: Array, weight: Array
) -> Array:
    """Return the convolution of what is found at the places of the window moved by ``offset``.

    For each element of the kernel the channels of ``offset`` hold, one after the other, by how much
    it is moved down and to the right. Between elements the data is interpolated linearly, with 0
    for what would follow the last row or column. As in Relay, all that lies before the middle of
    the first row or column is 0, and all that lies a whole one past the last.
    """
    source = convert_layout(data, attrs.data_layout, "NCHW")
    moves = convert_layout(offset, attrs.data_layout, "NCHW")
    kernel = convert_layout(weight, attrs.kernel_layout, "OIHW")
    kernel = fit_kernel(kernel, source.shape[1], attrs.groups)
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    batch, _, height, width = source.shape
    (top, bottom), (left, right) = sides(attrs.padding, 2)
    shape = (height + top + bottom, width + left + right)
    over = windows_over(shape, (0, 1), kernel.shape[2:], attrs.strides, attrs.dilation)
    result = deform_convolve(
        source,
        kernel,
        moves.reshape((batch, attrs.deformable_groups, prod(over.kernel), 2, *over.counts)),
        over,
        before=(top, left),
        groups=attrs.groups,
        work=accumulator(dtype, source, kernel, prod(kernel.shape[1:])),
        only_within=True,
    )
    return arrange_result(attrs, round_to(result, dtype))


register_op(
    "nn.deformable_conv2d",
    description="""
    Slide a kernel whose elements are moved by offsets.
    data (n, c, h, w); offset (n, 2 * kh * kw * deformable_groups, h', w'); weight (o, c /
        groups, kh, kw) -> (n, o, h', w')
    """,
    relation=deformable_convolution_relation,
    evaluate=_deformable_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    chosen_dtype="out_dtype",
    infer_layout=of_deformable_convolution,
)
