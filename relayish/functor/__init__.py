"""Functors: dispatch on the kind of a node, visitors, mutators, rewriters.

:class:`Functor`, :class:`Visitor`, :class:`Mutator`, :class:`PostOrderVisitor` and
:class:`Rewriter` serve any family of nodes; the others are made of them for Relay's.
"""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.functor.functor import Functor
from relayish.functor.memoized import Memoized, memoized
from relayish.functor.mutator import Mutator
from relayish.functor.post_order import PostOrderVisitor, Rewriter
from relayish.functor.relay.expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from relayish.functor.relay.let_list import LetList, LetListError, expand_a_normal_form
from relayish.functor.relay.mixed_mode import MixedModeMutator, MixedModeVisitor
from relayish.functor.relay.pattern_functor import PatternFunctor, PatternMutator, PatternVisitor
from relayish.functor.relay.rewriter import ExprRewriter, post_order_rewrite
from relayish.functor.relay.type_functor import TypeFunctor, TypeMutator, TypeVisitor
from relayish.functor.visitor import Visitor

__all__ = _imported_names(__name__)

_set_finder(__name__)
