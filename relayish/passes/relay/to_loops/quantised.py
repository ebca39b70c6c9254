"""Simulated quantisation as loops: numbers as they are after they were integers."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.domain import register_handler
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.qnn.simulation import CODES
from relayish.op.types.dimension import normalise_axis
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, converted
from relayish.passes.relay.to_loops.formulas import computes
from relayish.passes.relay.to_loops.pointwise import extern, greater_of, smaller_of
from relayish.passes.relay.to_loops.refusing import Refusing
from relayish.tir.builders.expr import select
from relayish.tir.ir.operators import EQ, Expr, const

_WIDE: Final = "float64"
"""What holds sums of floats and zero points."""


@register_handler("loops")
class QuantisedToLoops(Refusing, domain="qnn"):
    """Writes simulated quantisation; plain operators stand for all that compute integers."""

    otherwise = "QnnCanonicalizeOps could not write it by others; run it first, with types"

    @computes
    def handle_simulated_quantize(self, site: Site) -> Elements:
        """Round, move and clip, as the integers would that a code stands for."""
        data, code, scale, zero = site.args
        dtype = data.dtype
        work = str(np.result_type(numpy_dtype(dtype), numpy_dtype(scale.dtype)))

        def at(index: Index) -> Expr:
            number: Expr = data.at(index)
            asked, factor, moved = (
                code.at(()),
                _along(site, scale, index),
                _along(site, zero, index),
            )
            steps = extern("round")(converted(number, work) / converted(factor, work))
            whole = converted(steps, _WIDE) + converted(moved, _WIDE)
            found = number
            for known, name in CODES.items():
                limits = np.iinfo(name)
                low, high = (const(float(end), _WIDE) for end in (limits.min, limits.max))
                cut = converted(smaller_of(greater_of(whole, low), high), dtype)
                found = select(EQ(asked, const(known, asked.type)), cut, found)
            return found

        return Elements(site.shape, dtype, at)

    @computes
    def handle_simulated_dequantize(self, site: Site) -> Elements:
        """Take a zero point away, and multiply by a scale, where a code stands for integers."""
        data, code, scale, zero = site.args
        dtype = data.dtype

        def at(index: Index) -> Expr:
            number: Expr = data.at(index)
            asked = code.at(())
            shifted = converted(number, _WIDE) - converted(_along(site, zero, index), _WIDE)
            found = converted(shifted * converted(_along(site, scale, index), _WIDE), dtype)
            for known in CODES:
                number = select(EQ(asked, const(known, asked.type)), found, number)
            return number

        return Elements(site.shape, dtype, at)


def _along(site: Site, parameter: Elements, index: Index) -> Expr:
    """Return the scale or the zero point of an element."""
    if parameter.shape in ((), (1,)):
        return parameter.at((const(0),) * len(parameter.shape))
    return parameter.at((index[normalise_axis(int(site.attrs.axis), len(index))],))
