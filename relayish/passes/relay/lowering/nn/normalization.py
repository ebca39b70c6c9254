"""Lowering of normalisations: what ``SimplifyInference`` spells out, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from relayish.ir.relay.expr import Call, Expr, Tuple
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.passes.relay.lowering.call import (
    LoweringHandler,
    Site,
    apply_rule,
    lowers,
    refuse_unless,
)
from relayish.passes.relay.lowering.tensors import cast, number, spread, windows, work_dtype
from relayish.passes.relay.rewrite.rules import inference


class Normalisations(LoweringHandler):
    """Rules for normalisations."""

    @lowers
    def handle_batch_norm(self, site: Site) -> Expr:
        """Return the data normalised by the mean and variance given, and these."""
        normalised = _expand(site, inference.batch_norm)
        *_, mean, variance = site.args
        return Tuple((normalised, mean, variance))

    @lowers
    def handle_layer_norm(self, site: Site) -> Expr:
        """Normalise along one axis."""
        return _expand(site, partial(apply_rule, inference.layer_norm))

    @lowers
    def handle_instance_norm(self, site: Site) -> Expr:
        """Normalise each channel of each image."""
        return _expand(site, partial(apply_rule, inference.instance_norm))

    @lowers
    def handle_group_norm(self, site: Site) -> Expr:
        """Normalise groups of channels."""
        return _expand(site, partial(apply_rule, inference.group_norm))

    @lowers
    def handle_l2_normalize(self, site: Site) -> Expr:
        """Divide by the root of the sum of squares."""
        return _expand(site, partial(apply_rule, inference.l2_normalize))

    @lowers
    def handle_lrn(self, site: Site) -> Expr:
        """Divide by a power of the mean square of neighbours along the axis."""
        attrs, shape, axis = site.attrs, site.shape(), site.axis()
        refuse_unless(attrs.size > 0 and attrs.size % 2 == 1, "its window has no middle")
        dtype, work = site.real_dtype(), work_dtype(site.dtype())
        wide = cast(site.args[0], dtype, work)
        reach = attrs.size // 2
        widths = tuple([(reach, reach) if at == axis else (0, 0) for at in range(len(shape))])
        zero = number(0, work)
        squares, padded = spread(op.multiply(wide, wide), shape, widths, zero, work)
        seen, whole, _ = windows(squares, padded, (axis,), (attrs.size,), (1,), (1,))
        total = op.sum(seen, axis=tuple(range(len(shape), len(whole))))
        given = (attrs.bias, attrs.alpha / attrs.size, attrs.beta)
        bias, alpha, beta = [number(value, work) for value in given]
        scale = op.power(op.add(bias, op.multiply(alpha, total)), beta)
        return cast(op.divide(wide, scale), work, dtype)


def _expand(site: Site, spell: Callable[[Call, Call], Expr]) -> Expr:
    """Return what a rule of ``SimplifyInference`` makes of a call, of narrow floats in float32."""
    dtype = site.real_dtype()
    work = work_dtype(dtype)
    if work == dtype:
        return spell(site.call, site.before)
    typed = [
        arg.with_fields(checked_type=TensorType(site.ty(place).shape, work))
        for place, arg in enumerate(site.before.args)
    ]
    wide = [cast(arg, site.dtype(place), work) for place, arg in enumerate(site.args)]
    image = spell(site.call.with_fields(args=wide), site.before.with_fields(args=typed))
    return cast(image, work, dtype)
