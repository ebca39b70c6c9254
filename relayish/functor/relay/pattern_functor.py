"""Functors over patterns, with handlers such as ``visit_pattern_var``."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from relayish.functor.functor import Functor
from relayish.functor.mutator import Mutator
from relayish.functor.relay.handlers import MutatorHandlers, VisitorHandlers
from relayish.functor.visitor import Visitor
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Pattern
from relayish.ir.relay.traversal import PATTERNS

R = TypeVar("R")


class PatternFunctor(Functor[Pattern, R], Generic[R]):
    """Maps patterns to results of any kind, by handlers that the subclass defines."""

    family: ClassVar[type[Node]] = Pattern
    traversal = PATTERNS


class PatternVisitor(VisitorHandlers, Visitor[Pattern]):
    """Visits every distinct pattern within a pattern once.

    Source:
        Relay ``PatternVisitor``.
    """

    family: ClassVar[type[Node]] = Pattern
    traversal = PATTERNS


class PatternMutator(MutatorHandlers, Mutator[Pattern]):
    """Rebuilds a pattern from what its handlers return; the same object where nothing changed.

    Source:
        Relay ``PatternMutator``.
    """

    family: ClassVar[type[Node]] = Pattern
    traversal = PATTERNS
