"""Fourier transforms as loops: sums of elements that are turned, by tables of the unit circle."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np

from relayish.ir.relay.expr import Constant
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, converted
from relayish.passes.relay.to_loops.formulas import computes, reduced
from relayish.passes.relay.to_loops.ordering import cast_elements
from relayish.passes.relay.to_loops.scattering import Scattering
from relayish.tir.builders.expr import select
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.operators import EQ, Cast, Expr, Mod, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT32, INT64

_WORK = "float64"


class Spectra(Scattering, domain="relay"):
    """Writes Fourier transforms, each frequency as a sum."""

    @computes
    def handle_dft(self, site: Site) -> tuple[Elements, ...]:
        """Transform along the last axis; the inverse turns the other way, and is divided."""
        real, imaginary = site.kept(0), site.kept(1)
        size, is_inverse = real.shape[-1], bool(site.attrs.inverse)
        if not prod(real.shape):
            return real, imaginary
        along, across = _circle(site, size)
        divisor = const(float(size if is_inverse else 1), _WORK)

        def part(first: Elements, other: Elements, sign: int) -> Elements:
            def body(index: Index, inner: Index) -> Expr:
                place = (*index[:-1], *inner)
                turn = _turn(index[-1], inner[0], size)
                one = converted(first.at(place), _WORK) * along[turn,]
                two = converted(other.at(place), _WORK) * across[turn,]
                return one + two if sign > 0 else one - two

            none = const(0.0, _WORK)
            total = reduced(site, ReduceType.SUM, none, real.shape, [size], body)
            whole = Elements(real.shape, _WORK, lambda index: total.at(index) / divisor)
            return cast_elements(whole, real.dtype)

        way = -1 if is_inverse else 1
        return part(real, imaginary, way), part(imaginary, real, -way)

    @computes
    def handle_stft(self, site: Site) -> Elements:
        """Transform each frame, which the window multiplies."""
        data, window, attrs = site.kept(0), site.kept(1), site.attrs
        length, dtype = int(attrs.win_length), site.result.dtype
        along, across = _circle(site, length)
        scale = const(sqrt(attrs.n_fft) if attrs.normalized else 1.0, _WORK)

        def body(index: Index, inner: Index) -> Expr:
            batch, frequency, frame, is_imaginary = index
            at = frame * int(attrs.hop_length) + inner[0]
            found = converted(data.at((batch, at)), _WORK) * converted(window.at(inner), _WORK)
            turn = _turn(frequency, inner[0], length)
            wave = select(EQ(is_imaginary, const(0)), along[turn,], -across[turn,])
            return found * wave

        total = reduced(site, ReduceType.SUM, const(0.0, _WORK), site.shape, [length], body)
        return Elements(site.shape, dtype, lambda i: converted(total.at(i) / scale, dtype))


def _circle(site: Site, size: int) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of as many equal parts of a turn."""
    angles = 2 * np.pi * np.arange(size) / size
    along, across = (site.context.constant(Constant(f(angles))) for f in (np.cos, np.sin))
    return along, across


def _turn(one: Expr, other: Expr, size: int) -> Expr:
    """Return which part of a turn the product of two indices is."""
    product = Cast(INT64, one) * Cast(INT64, other)
    return Cast(INT32, Mod(product, const(size, "int64")))
