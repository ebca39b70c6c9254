"""The lowering that the domain ``image`` brings."""

from __future__ import annotations

from typing import ClassVar

from relayish.domain import register_handler
from relayish.ir.relay.expr import Expr
from relayish.op.builders.builder import op
from relayish.passes.relay.lowering.call import LoweringHandler, Site, lowers
from relayish.passes.relay.lowering.tensors import (
    arrange,
    arranged_shape,
    cast,
    number,
    spread,
    windows,
)

_RESAMPLED = "what new elements are made of follows from places between elements"


@register_handler("lower")
class LowerImage(LoweringHandler, domain="image"):
    """Lowers ``image`` to tensor operators of Relay's core, as far as these go."""

    inexpressible: ClassVar[dict[str, str]] = dict.fromkeys(
        ("affine_grid", "crop_and_resize", "grid_sample", "resize1d", "resize2d", "resize3d"),
        _RESAMPLED,
    )

    @lowers
    def handle_dilation2d(self, site: Site) -> Expr:
        """Take the greatest sum of a window, padded with zeros, and an element."""
        attrs, dtype = site.attrs, site.dtype()
        shape = arranged_shape(site.shape(), attrs.data_layout, "NCHW")
        kernel = arranged_shape(site.shape(1), attrs.kernel_layout, "IHW")
        padding = [int(size) for size in attrs.padding] * (4 // len(attrs.padding))
        sides = ((0, 0), (0, 0), *zip(padding[:2], padding[2:], strict=True))
        data = arrange(site.args[0], attrs.data_layout, "NCHW")
        padded, wide = spread(data, shape, sides, number(0, dtype), dtype)
        steps, gaps = attrs.strides[:2], attrs.dilations[:2]
        seen, _, inner = windows(padded, wide, (2, 3), kernel[1:], steps, gaps)
        weight = arrange(site.args[1], attrs.kernel_layout, "IHW")
        weight = op.reshape(weight, newshape=(kernel[0], 1, 1, *kernel[1:]))
        greatest = op.max(op.add(seen, weight), axis=inner)
        found = cast(greatest, dtype, site.result().dtype)
        return arrange(found, "NCHW", attrs.data_layout)
