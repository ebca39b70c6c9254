"""Traversals of Relay programs."""

from __future__ import annotations

from typing import Final

from relayish.ir.nodes.traversal import Traversal
from relayish.ir.relay.adt import Clause, Pattern
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import Type

EXPRESSIONS: Final = Traversal(Expr, Pattern, Clause, evaluated=True)
"""Expressions, with what patterns and clauses hold of them; types are not entered."""

TYPES: Final = Traversal(Type)
"""Types and the types they are made of."""

PATTERNS: Final = Traversal(Pattern)
"""Patterns and the patterns they are made of."""
