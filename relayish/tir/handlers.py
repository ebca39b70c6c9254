"""The default handlers of the loop IR's functors, as type checkers see them.

While a program runs, the engine makes them from the kinds that are declared, those of packages
included. ``handlers.pyi`` says which kinds the loop IR itself has; it is generated.
"""


class VisitorHandlers:
    """``visit_<kind>`` of visitors: each visits the children of its node."""


class MutatorHandlers:
    """``visit_<kind>`` of mutators: each returns its node with the children mutated."""


class ExprMutatorHandlers(MutatorHandlers):
    """The same where what is both, as a call, is an expression."""


class StmtMutatorHandlers(MutatorHandlers):
    """The same where what is both, as a call, is a statement."""


class RewriterHandlers:
    """``rewrite_<kind>`` of rewriters: each returns ``post``."""
