"""Checkpoints: parts of a program that are computed again when their gradient is wanted.

What ``annotation.checkpoint`` is applied to runs forward as it is, and leaves nothing behind; its
back-propagator runs it once more, collecting gradients, and goes back through that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.analysis import bound_vars
from relayish.functor import ExprRewriter, MixedModeMutator, post_order_rewrite
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import ATOMS
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.op import intern_op
from relayish.ir.scopes.renaming import duplicate
from relayish.passes.relay.functions.interprocedural.copy import retype_var

CHECKPOINT: Final = intern_op("annotation.checkpoint")
_MARK: Final = "Checkpoint"


class _Delayer(ExprRewriter):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        if post.op is not CHECKPOINT or len(post.args) != 1:
            return post
        return Call(Function((), post.args[0], attrs=DictAttrs({_MARK: 1})), (), span=post.span)


def delay_checkpoints(expr: Expr) -> Expr:
    """Return ``expr`` with the call of a marked function for each checkpoint.

    The body of a function has a scope of its own, so that it can be written down twice.

    Returns:
        ``expr`` itself when there is no checkpoint in it.
    """
    return post_order_rewrite(expr, _Delayer())


def is_checkpoint(expr: Expr) -> bool:
    """Return whether ``expr`` is a function that a checkpoint was made of."""
    return isinstance(expr, Function) and expr.attrs is not None and _MARK in expr.attrs


class _Copier(MixedModeMutator):
    """Makes every node anew but for leaves, and for what stands in the memo already."""

    def rewrite_expr(self, pre: Expr, post: Expr) -> Expr:
        return post if post is not pre or type(post) in ATOMS else duplicate(post)


def copy_unshared(expr: Expr, known: Mapping[Expr, Expr]) -> Expr:
    """Return a copy of ``expr`` that shares nothing with it that is evaluated or bound.

    What two places share is evaluated once; what is to run again must be another program.

    Args:
        expr: What to copy.
        known: What stands for parts of it in the copy.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    copier = _Copier()
    for var in bound_vars(expr):
        own = retype_var(var, lambda ty: ty)
        copier.memo_map[var] = own.with_fields(checked_type=var.checked_type)
    copier.memo_map.update(known.items())
    return copier.visit(expr)
