"""Functors of expressions, under the names of ``tvm.relay.expr_functor``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.functor import ExprFunctor, ExprMutator, ExprVisitor

__all__ = ["ExprFunctor", "ExprMutator", "ExprVisitor"]

__getattr__ = names_of(__name__)
