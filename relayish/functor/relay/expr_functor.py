"""Functors over expressions: the classes a pass author derives from.

Handlers are called ``visit_<kind>`` and take the node: ``visit_call, visit_let, visit_if,
visit_function, visit_tuple, visit_tuple_getitem, visit_var, visit_global_var, visit_constant,
visit_op, visit_constructor, visit_match, visit_ref_create, visit_ref_read, visit_ref_write``.
``visit_clause`` and ``visit_pattern`` intercept the parts of a match, ``visit_type`` the types
that stand in expressions, which are not entered otherwise. Kinds that packages declare have theirs.
"""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from relayish.functor.functor import Functor
from relayish.functor.mutator import Mutator
from relayish.functor.relay.handlers import MutatorHandlers, VisitorHandlers
from relayish.functor.visitor import Visitor
from relayish.functor.vtable import find_handler
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.relay.adt import Clause, Pattern
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type

R = TypeVar("R")

_EXPRESSIONS_AND_TYPES = Traversal(Expr, Pattern, Clause, Type, evaluated=True)


def _traversal_of(owner: type) -> Traversal:
    """Follow types as well where the class has something to do with them."""
    of_any_node = getattr(owner, "visit_node", None)
    takes_types = any(
        find_handler(owner, "visit_", kind) not in (None, of_any_node) for kind in Type.kinds
    )
    return _EXPRESSIONS_AND_TYPES if takes_types else EXPRESSIONS


class ExprFunctor(Functor[Expr, R], Generic[R]):
    """Maps expressions to results of any type, by handlers that the subclass defines.

    Example:
        >>> class Depth(ExprFunctor[int]):
        ...     def visit_var(self, var: Var) -> int:
        ...         return 0
        ...
        ...     def visit_tuple(self, tup: Tuple) -> int:
        ...         return 1 + max((self.visit(f) for f in tup.fields), default=0)
        >>> Depth().visit(Tuple((Var("x"), Tuple(()))))
        2
    """

    family: ClassVar[type[Node]] = Expr
    traversal = EXPRESSIONS


class ExprVisitor(VisitorHandlers, Visitor[Expr]):
    """Visits every distinct expression once, children in order of their fields.

    Complexity:
        Linear in the number of distinct nodes; kinds that are not overridden use no Python stack.

    Source:
        Relay ``ExprVisitor``; the order of a let is that of its Python class: var, value, body.
    """

    family: ClassVar[type[Node]] = Expr
    traversal: ClassVar[Traversal] = EXPRESSIONS

    @classmethod
    def _tabulate(cls) -> None:
        cls.traversal = _traversal_of(cls)
        super()._tabulate()


class ExprMutator(MutatorHandlers, Mutator[Expr]):
    """Rebuilds an expression from what its handlers return; see :class:`Mutator`.

    Complexity:
        Linear in the number of distinct nodes; kinds that are not overridden use no Python stack.

    Source:
        Relay ``ExprMutator``.

    Example:
        >>> class IfCollapser(ExprMutator):
        ...     def visit_if(self, node: If) -> Expr:
        ...         return self.visit(node.true_branch)
        >>> x = Var("x")
        >>> IfCollapser().visit(If(x, x, Tuple(()))) is x
        True
    """

    family: ClassVar[type[Node]] = Expr
    traversal: ClassVar[Traversal] = EXPRESSIONS

    @classmethod
    def _tabulate(cls) -> None:
        cls.traversal = _traversal_of(cls)
        super()._tabulate()
