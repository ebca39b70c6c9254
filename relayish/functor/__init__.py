"""Functors: dispatch on the kind of a node, visitors, mutators, rewriters.

:class:`Functor`, :class:`Visitor`, :class:`Mutator`, :class:`PostOrderVisitor` and
:class:`Rewriter` serve any family of nodes; the others are made of them for Relay's.
"""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.functor.functor": ("Functor",),
    "relayish.functor.memoized": ("Memoized", "memoized"),
    "relayish.functor.mutator": ("Mutator",),
    "relayish.functor.post_order": ("PostOrderVisitor", "Rewriter"),
    "relayish.functor.relay.expr_functor": ("ExprFunctor", "ExprMutator", "ExprVisitor"),
    "relayish.functor.relay.let_list": ("LetList", "LetListError", "expand_a_normal_form"),
    "relayish.functor.relay.mixed_mode": ("MixedModeMutator", "MixedModeVisitor"),
    "relayish.functor.relay.pattern_functor": (
        "PatternFunctor",
        "PatternMutator",
        "PatternVisitor",
    ),
    "relayish.functor.relay.rewriter": ("ExprRewriter", "post_order_rewrite"),
    "relayish.functor.relay.type_functor": ("TypeFunctor", "TypeMutator", "TypeVisitor"),
    "relayish.functor.visitor": ("Visitor",),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)
