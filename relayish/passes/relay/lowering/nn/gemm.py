"""Lowering of convolutions whose weight was cut into the tiles of a matrix product beforehand."""

from __future__ import annotations

from math import prod

from relayish.ir.relay.expr import Expr
from relayish.op.nn.windows import sides
from relayish.passes.relay.lowering.call import Site, lowers, refuse_unless
from relayish.passes.relay.lowering.nn.convolution import Convolutions, Slide, Tensor, known_sizes
from relayish.passes.relay.lowering.tensors import arrange, cut, number, reshape, spread, transpose


class TiledConvolutions(Convolutions):
    """Rules for weights in tiles, and for convolutions with them."""

    @lowers
    def handle_contrib_conv2d_gemm_weight_transform(self, site: Site) -> Expr:
        """Fill a matrix up with zeros and cut it into tiles."""
        attrs, dtype, shape = site.attrs, site.dtype(), site.shape()
        wide, deep, *_ = site.result_shape()
        rows, columns = prod(shape[:3]), shape[3]
        matrix = reshape(site.args[0], shape, (rows, columns))
        full = (deep * attrs.tile_K, wide * attrs.tile_N)
        widths = ((0, full[0] - rows), (0, full[1] - columns))
        filled, _ = spread(matrix, (rows, columns), widths, number(0, dtype), dtype)
        tiles = reshape(filled, full, (deep, attrs.tile_K, wide, attrs.tile_N))
        return transpose(tiles, (2, 0, 3, 1) if _is_turned(dtype) else (2, 0, 1, 3))

    @lowers
    def handle_contrib_conv2d_gemm_without_weight_transform(self, site: Site) -> Expr:
        """Put the tiles together again, and contract windows with kernels."""
        attrs = site.attrs
        data = self._plain(self._argument(site, 0), attrs.data_layout, "NC", 2)
        (outputs,) = known_sizes((attrs.channels,))
        kernel = (*known_sizes(attrs.kernel_size), data.shape[1] // attrs.groups)
        shape = site.shape(1)
        refuse_unless(len(shape) == 4, "its weight is not in tiles")
        turned = _is_turned(site.dtype(1))
        order = (1, 3, 0, 2) if turned else (1, 2, 0, 3)
        sizes = [shape[place] for place in order]
        full = (sizes[0] * sizes[1], sizes[2] * sizes[3])
        inner = prod(kernel)
        refuse_unless(full[0] >= inner and full[1] >= outputs, "its weight holds no such kernels")
        matrix = reshape(transpose(site.args[1], order), sizes, full)
        used = cut(matrix, full, [(0, inner), (0, outputs)])
        plain = transpose(reshape(used, (inner, outputs), (*kernel, outputs)), (3, 2, 0, 1))
        weight = Tensor(plain, (outputs, kernel[2], *kernel[:2]), site.dtype(1))
        slide = Slide(sides(attrs.padding, 2), attrs.strides, attrs.dilation, attrs.groups)
        found = self.convolve(data, weight, slide, site.result().dtype)
        return arrange(found.expr, "NCHW", attrs.out_layout or attrs.data_layout)


def _is_turned(dtype: str) -> bool:
    """Return whether tiles are transposed: those of integers of 8 bits are."""
    return dtype in ("int8", "uint8")
