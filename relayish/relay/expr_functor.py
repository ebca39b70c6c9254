"""Functors of expressions, under the names of ``tvm.relay.expr_functor``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.functor import ExprFunctor, ExprMutator, ExprVisitor

__all__ = ["ExprFunctor", "ExprMutator", "ExprVisitor"]

set_finder(__name__)
