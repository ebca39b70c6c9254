"""Functors: dispatch on the kind of a node, visitors, mutators, rewriters."""

from relayish.functor.expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from relayish.functor.let_list import LetList, LetListError, expand_a_normal_form
from relayish.functor.memoized import memoized
from relayish.functor.mixed_mode import MixedModeVisitor
from relayish.functor.pattern_functor import PatternFunctor, PatternMutator, PatternVisitor
from relayish.functor.rewriter import ExprRewriter, MixedModeMutator, post_order_rewrite
from relayish.functor.type_functor import TypeFunctor, TypeMutator, TypeVisitor

__all__ = [
    "ExprFunctor",
    "ExprMutator",
    "ExprRewriter",
    "ExprVisitor",
    "LetList",
    "LetListError",
    "MixedModeMutator",
    "MixedModeVisitor",
    "PatternFunctor",
    "PatternMutator",
    "PatternVisitor",
    "TypeFunctor",
    "TypeMutator",
    "TypeVisitor",
    "expand_a_normal_form",
    "memoized",
    "post_order_rewrite",
]
