"""Lowering of normalisations: what ``SimplifyInference`` spells out, and what it leaves."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr, Tuple
from relayish.ir.relay.type import TensorType
from relayish.passes.lowering.call import LoweringHandler, Site, lowers, refuse_unless
from relayish.passes.lowering.tensors import cast, number, spread, windows, work_dtype
from relayish.passes.rewrite.rules.inference import INFERENCE
from relayish.passes.rewrite.rules.table import CallRule, op


class Normalisations(LoweringHandler):
    """Rules for normalisations."""

    @lowers
    def handle_batch_norm(self, site: Site) -> Expr:
        """Return the data normalised by the mean and variance given, and these."""
        normalised = _expand(site, INFERENCE.fields[site.call.op, 0])
        *_, mean, variance = site.args
        return Tuple((normalised, mean, variance))

    @lowers
    def handle_layer_norm(self, site: Site) -> Expr:
        """Normalise along one axis."""
        return _expand(site, INFERENCE.calls[site.call.op])

    @lowers
    def handle_instance_norm(self, site: Site) -> Expr:
        """Normalise each channel of each image."""
        return _expand(site, INFERENCE.calls[site.call.op])

    @lowers
    def handle_group_norm(self, site: Site) -> Expr:
        """Normalise groups of channels."""
        return _expand(site, INFERENCE.calls[site.call.op])

    @lowers
    def handle_l2_normalize(self, site: Site) -> Expr:
        """Divide by the root of the sum of squares."""
        return _expand(site, INFERENCE.calls[site.call.op])

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


def _expand(site: Site, rule: CallRule) -> Expr:
    """Return what a rule of ``SimplifyInference`` makes of a call, of narrow floats in float32."""
    dtype = site.real_dtype()
    work = work_dtype(dtype)
    if work == dtype:
        return rule(site.before, site.call)
    typed = [
        arg.with_fields(checked_type=TensorType(site.ty(place).shape, work))
        for place, arg in enumerate(site.before.args)
    ]
    wide = [cast(arg, site.dtype(place), work) for place, arg in enumerate(site.args)]
    image = rule(site.before.with_fields(args=typed), site.call.with_fields(args=wide))
    return cast(image, work, dtype)
