"""Lowering of activations, of the family of softmax, and of losses."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr, Tuple
from relayish.op.builders.builder import op
from relayish.passes.relay.lowering.call import LoweringHandler, Site, lowers, refuse_unless
from relayish.passes.relay.lowering.tensors import cast, number, work_dtype
from relayish.passes.relay.rewrite.rules.tensors import broadcast_along


class Activations(LoweringHandler):
    """Rules for activations and losses."""

    @lowers
    def handle_relu(self, site: Site) -> Expr:
        """Take the greater of each element and 0."""
        found: Expr = op.maximum(site.args[0], number(0, site.dtype()))
        return found

    @lowers
    def handle_leaky_relu(self, site: Site) -> Expr:
        """Scale what is not positive."""
        (data,) = site.args
        return _where_positive(site, op.multiply(data, number(site.attrs.alpha, site.dtype())))

    @lowers
    def handle_prelu(self, site: Site) -> Expr:
        """Scale what is not positive, by channel."""
        data, alpha = site.args
        slope = broadcast_along(alpha, site.rank(), site.axis())
        return _where_positive(site, op.multiply(data, slope))

    @lowers
    def handle_softmax(self, site: Site) -> Expr:
        """Divide powers by their sum; the greatest element is subtracted first."""
        powers = op.exp(_less_greatest(site))
        return _rounded(site, op.divide(powers, _total(site, powers)))

    @lowers
    def handle_fast_softmax(self, site: Site) -> Expr:
        """Divide powers by their sum, as softmax does, with approximated ones."""
        powers = op.fast_exp(_less_greatest(site))
        return _rounded(site, op.divide(powers, _total(site, powers)))

    @lowers
    def handle_log_softmax(self, site: Site) -> Expr:
        """Subtract the logarithm of the sum of powers."""
        shifted = _less_greatest(site)
        return _rounded(site, op.subtract(shifted, op.log(_total(site, op.exp(shifted)))))

    @lowers
    def handle_dropout(self, site: Site) -> Expr:
        """Return the data and a mask of ones: nothing is dropped when a network is run."""
        (data,) = site.args
        return Tuple((data, op.ones_like(data)))

    @lowers
    def handle_cross_entropy(self, site: Site) -> Expr:
        """Sum products with logarithms."""
        x, y = _wide(site, 0), _wide(site, 1)
        return _minus_mean(site, op.multiply(op.log(x), y))

    @lowers
    def handle_cross_entropy_with_logits(self, site: Site) -> Expr:
        """Sum products."""
        return _minus_mean(site, op.multiply(_wide(site, 0), _wide(site, 1)))

    @lowers
    def handle_nll_loss(self, site: Site) -> Expr:
        """Gather the predictions of the right classes, and add them up by weight."""
        predictions, targets, weights = site.args
        attrs, work = site.attrs, work_dtype(site.dtype())
        site.shape(0)
        reduction = attrs.reduction
        refuse_unless(reduction in ("mean", "sum", "none"), f"there is no reduction {reduction!r}")
        label, zero = site.dtype(1), number(0, work)
        counts = op.not_equal(targets, number(attrs.ignore_index, label))
        classes = op.cast(op.where(counts, targets, number(0, label)), "int64")
        found = op.gather(predictions, axis=1, indices=op.expand_dims(classes, axis=1))
        chosen = cast(op.squeeze(found, axis=(1,)), site.dtype(), work)
        weight = cast(op.take(weights, classes, axis=0), site.dtype(2), work)
        scale = op.where(counts, weight, zero)
        loss = op.where(counts, op.negative(op.multiply(chosen, scale)), zero)
        if reduction != "none":
            loss = op.sum(loss)
        if reduction == "mean":
            loss = op.divide(loss, op.sum(scale))
        return _rounded(site, loss)


def _wide(site: Site, index: int = 0) -> Expr:
    dtype = site.dtype(index)
    return cast(site.args[index], dtype, work_dtype(dtype))


def _rounded(site: Site, image: Expr) -> Expr:
    return cast(image, work_dtype(site.dtype()), site.dtype())


def _where_positive(site: Site, other: Expr) -> Expr:
    (data, *_), dtype = site.args, site.dtype()
    found: Expr = op.where(op.greater(data, number(0, dtype)), data, other)
    return found


def _less_greatest(site: Site) -> Expr:
    site.real_dtype()
    refuse_unless(site.ty().shape[site.axis()] != 0, "there are no elements along its axis")
    wide = _wide(site)
    found: Expr = op.subtract(wide, op.max(wide, axis=(site.axis(),), keepdims=True))
    return found


def _total(site: Site, powers: Expr) -> Expr:
    found: Expr = op.sum(powers, axis=(site.axis(),), keepdims=True)
    return found


def _minus_mean(site: Site, products: Expr) -> Expr:
    """Return minus the mean over rows of the sums of ``products``."""
    dtype = work_dtype(site.real_dtype())
    rows = number(site.shape()[0], dtype)
    return _rounded(site, op.divide(op.negative(op.sum(products)), rows))
