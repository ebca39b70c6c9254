"""Lowering of convolutions: windows over the padded data, contracted with the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.numeric.windows import Sides
from relayish.op.builders.builder import op
from relayish.op.nn.convolution_types import gradient_layouts
from relayish.op.nn.window_types import SPATIAL
from relayish.op.nn.windows import sides
from relayish.op.types.extent import dimensions_of
from relayish.passes.relay.lowering.call import Site, lowers, refuse_unless
from relayish.passes.relay.lowering.contracting import Contractions
from relayish.passes.relay.lowering.nn.products import few_bits
from relayish.passes.relay.lowering.tensors import (
    Shape,
    arrange,
    arranged_shape,
    cast,
    number,
    reshape,
    spread,
    windows,
)

_OUT, _IN = "XYZ", "ijk"


class Slide(NamedTuple):
    """How windows slide over data.

    Attributes:
        widths: What is padded around the spatial axes.
        strides: How far apart windows are.
        dilation: How far apart elements of a window are.
        groups: How many parts the channels are divided into.
    """

    widths: Sides
    strides: Sequence[int]
    dilation: Sequence[int]
    groups: int


class Tensor(NamedTuple):
    """An expression with its shape and element type."""

    expr: Expr
    shape: Shape
    dtype: str

    @property
    def ty(self) -> TensorType:
        """Its type."""
        return TensorType(dimensions_of(self.shape), self.dtype)


class Convolutions(Contractions):
    """Rules for convolutions of all ranks, transposed ones, and gradients of weights."""

    @lowers
    def handle_conv1d(self, site: Site) -> Expr:
        """Contract windows with kernels."""
        return self._convolve(site)

    @lowers
    def handle_conv2d(self, site: Site) -> Expr:
        """Contract windows with kernels."""
        return self._convolve(site)

    @lowers
    def handle_conv3d(self, site: Site) -> Expr:
        """Contract windows with kernels."""
        return self._convolve(site)

    @lowers
    def handle_contrib_conv2d_NCHWc(self, site: Site) -> Expr:  # noqa: N802 - the operator's name
        """Contract windows with kernels, both brought into plain layout."""
        return self._convolve(site)

    @lowers
    def handle_contrib_depthwise_conv2d_NCHWc(self, site: Site) -> Expr:  # noqa: N802 - as above
        """Contract windows with kernels, both brought into plain layout."""
        return self._convolve(site)

    @lowers
    def handle_conv1d_transpose(self, site: Site) -> Expr:
        """Contract windows over the spread data with kernels turned around."""
        return self._convolve_transposed(site)

    @lowers
    def handle_conv2d_transpose(self, site: Site) -> Expr:
        """Contract windows over the spread data with kernels turned around."""
        return self._convolve_transposed(site)

    @lowers
    def handle_conv3d_transpose(self, site: Site) -> Expr:
        """Contract windows over the spread data with kernels turned around."""
        return self._convolve_transposed(site)

    @lowers
    def handle_bitserial_conv2d(self, site: Site) -> Expr:
        """Convolve the lowest bits of both; bits of a unipolar weight count 1 or -1."""
        attrs = site.attrs
        refuse_unless(site.rank(1) == 4, "its weight is packed into words")
        bits = few_bits(site.args[0], site.dtype(0), attrs.activation_bits)
        data = self._plain(Tensor(bits, site.shape(0), "int64"), attrs.data_layout, "NC", 2)
        bits = few_bits(site.args[1], site.dtype(1), attrs.weight_bits, unipolar=attrs.unipolar)
        kernel = self._plain(Tensor(bits, site.shape(1), "int64"), attrs.kernel_layout, "OI", 2)
        slide = Slide(sides(attrs.padding, 2), attrs.strides, (1, 1), 1)
        found = self.convolve(data, kernel, slide, "int64")
        total = cast(found.expr, "int64", site.result().dtype)
        return arrange(total, "NCHW", attrs.data_layout)

    @lowers
    def handle_conv2d_backward_weight(self, site: Site) -> Expr:
        """Contract the gradient with what windows over the data see, along all places."""
        attrs = site.attrs
        data_layout, weight_layout = gradient_layouts(attrs)
        given = self._plain(self._argument(site, 0), attrs.data_layout, "NC", 2)
        data = self._plain(self._argument(site, 1), data_layout, "NC", 2)
        kernel = known_sizes(attrs.kernel_size)
        slide = Slide(sides(attrs.padding, 2), attrs.strides, attrs.dilation, attrs.groups)
        seen = self._windows(data, kernel, slide)
        given = split_channels(given, 1, attrs.groups)
        group = "g" if attrs.groups > 1 else ""
        equation = f"n{group}oXY,n{group}cXYij->{group}ocij"
        dtype = site.result().dtype
        total = self.product(equation, (given.expr, given.ty), (seen.expr, seen.ty), dtype)
        plain = (given.shape[-3] * attrs.groups, data.shape[1] // attrs.groups, *kernel)
        if group:
            total = reshape(total, (attrs.groups, given.shape[-3], *plain[1:]), plain)
        return arrange(total, "OIHW", weight_layout)

    def _convolve(self, site: Site) -> Expr:
        attrs = site.attrs
        rank = len(attrs.strides)
        data = self._plain(self._argument(site, 0), attrs.data_layout, "NC", rank)
        kernel = self._plain(self._argument(site, 1), attrs.kernel_layout, "OI", rank)
        groups = attrs.groups
        if groups > 1 and kernel.shape[0] == groups == data.shape[1]:
            one_each = (prod(kernel.shape[:2]), 1, *kernel.shape[2:])
            kernel = Tensor(reshape(kernel.expr, kernel.shape, one_each), one_each, kernel.dtype)
        refuse_unless(kernel.shape[1] * groups == data.shape[1], "its weight fits no such data")
        slide = Slide(sides(attrs.padding, rank), attrs.strides, attrs.dilation, groups)
        found = self.convolve(data, kernel, slide, site.result().dtype)
        return self._laid_out(attrs, found, rank)

    def convolve(self, data: Tensor, kernel: Tensor, slide: Slide, dtype: str) -> Tensor:
        """Return ``data: (n, c, *spatial)`` convolved with ``(o, c / groups, *window)``."""
        rank, groups = len(kernel.shape) - 2, slide.groups
        seen = self._windows(data, kernel.shape[2:], slide)
        parts = split_channels(kernel, 0, groups)
        group = "g" if groups > 1 else ""
        out, inner = _OUT[:rank], _IN[:rank]
        equation = f"n{group}c{out}{inner},{group}oc{inner}->n{group}o{out}"
        total = self.product(equation, (seen.expr, seen.ty), (parts.expr, parts.ty), dtype)
        places = seen.shape[2 + len(group) : 2 + len(group) + rank]
        shape = (data.shape[0], kernel.shape[0], *places)
        if group:
            split = (data.shape[0], groups, kernel.shape[0] // groups, *places)
            total = reshape(total, split, shape)
        return Tensor(total, shape, dtype)

    def _convolve_transposed(self, site: Site) -> Expr:
        attrs = site.attrs
        rank, groups = len(attrs.strides), attrs.groups
        data = self._plain(self._argument(site, 0), attrs.data_layout, "NC", rank)
        kernel = self._plain(self._argument(site, 1), attrs.kernel_layout, "IO", rank)
        window = kernel.shape[2:]
        padding = sides(attrs.padding, rank)
        reaches = [(k - 1) * d for k, d in zip(window, attrs.dilation, strict=True)]
        around = tuple(
            (reach - before, reach - after + more)
            for reach, (before, after), more in zip(
                reaches, padding, attrs.output_padding, strict=True
            )
        )
        zero = number(0, data.dtype)
        wide, shape = spread(
            data.expr,
            data.shape,
            ((0, 0), (0, 0), *around),
            zero,
            data.dtype,
            (1, 1, *attrs.strides),
        )
        refuse_unless(0 not in shape, "padding takes all of its data away")
        parts = split_channels(kernel, 0, groups)
        turned = parts.expr
        for axis in range(len(parts.shape) - rank, len(parts.shape)):
            if parts.shape[axis] > 1:
                turned = op.reverse(turned, axis=axis)
        slide = Slide(((0, 0),) * rank, (1,) * rank, attrs.dilation, groups)
        seen = self._windows(Tensor(wide, shape, data.dtype), window, slide)
        group = "g" if groups > 1 else ""
        out, inner = _OUT[:rank], _IN[:rank]
        equation = f"n{group}c{out}{inner},{group}co{inner}->n{group}o{out}"
        dtype = site.result().dtype
        total = self.product(equation, (seen.expr, seen.ty), (turned, parts.ty), dtype)
        places = seen.shape[2 + len(group) : 2 + len(group) + rank]
        whole = (data.shape[0], kernel.shape[1] * groups, *places)
        if group:
            total = reshape(total, (data.shape[0], groups, kernel.shape[1], *places), whole)
        return self._laid_out(attrs, Tensor(total, whole, dtype), rank)

    def _windows(self, data: Tensor, kernel: Sequence[int], slide: Slide) -> Tensor:
        """Return what windows see, channels split into groups: ``(n, g, c, *places, *window)``."""
        rank = len(kernel)
        zero = number(0, data.dtype)
        widths = ((0, 0), (0, 0), *slide.widths)
        padded, shape = spread(data.expr, data.shape, widths, zero, data.dtype)
        axes = range(2, 2 + rank)
        seen, shape, _ = windows(padded, shape, axes, kernel, slide.strides, slide.dilation)
        return split_channels(Tensor(seen, shape, data.dtype), 1, slide.groups)

    def _argument(self, site: Site, index: int) -> Tensor:
        return Tensor(site.args[index], site.shape(index), site.dtype(index))

    def _plain(self, tensor: Tensor, layout: str, order: str, rank: int) -> Tensor:
        target = order + SPATIAL[rank]
        shape = arranged_shape(tensor.shape, layout, target)
        return Tensor(arrange(tensor.expr, layout, target), shape, tensor.dtype)

    def _laid_out(self, attrs: Any, result: Tensor, rank: int) -> Expr:  # Any: of a convolution
        plain = "NC" + SPATIAL[rank]
        return arrange(result.expr, plain, attrs.out_layout or attrs.data_layout)


def split_channels(tensor: Tensor, axis: int, groups: int) -> Tensor:
    """Return ``tensor`` with an axis split into groups and what is in each; itself for one."""
    if groups == 1:
        return tensor
    size = tensor.shape[axis]
    shape = (*tensor.shape[:axis], groups, size // groups, *tensor.shape[axis + 1 :])
    return Tensor(reshape(tensor.expr, tensor.shape, shape), shape, tensor.dtype)


def known_sizes(sizes: Sequence[object] | None) -> tuple[int, ...]:
    """Return sizes of an attribute as numbers.

    Raises:
        NotLowerableError: If they are not given, or are known by name only.
    """
    found = [size for size in sizes or () if isinstance(size, int)]
    refuse_unless(sizes is not None and len(found) == len(sizes), "a size of it is not known")
    return tuple(found)
