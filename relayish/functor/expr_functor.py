"""Functors over expressions: the classes a pass author derives from.

Handlers are called ``visit_<kind>`` and take the node: ``visit_call, visit_let, visit_if,
visit_function, visit_tuple, visit_tuple_getitem, visit_var, visit_global_var, visit_constant,
visit_op, visit_constructor, visit_match, visit_ref_create, visit_ref_read, visit_ref_write``.
``visit_clause`` and ``visit_pattern`` intercept the parts of a match, ``visit_type`` the types
that stand in expressions, which are not entered otherwise.
"""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from relayish.functor.functor import Functor, Mutator, Visitor
from relayish.functor.vtable import default_handler, find_handler
from relayish.ir.relay.adt import Clause, Constructor, Match, Pattern
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.ir.traversal import Traversal

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

    family = Expr
    traversal = EXPRESSIONS


class ExprVisitor(Visitor[Expr]):
    """Visits every distinct expression once, children in order of their fields.

    Complexity:
        Linear in the number of distinct nodes; kinds that are not overridden use no Python stack.

    Source:
        Relay ``ExprVisitor``; the order of a let is that of its Python class: var, value, body.
    """

    family = Expr
    traversal: ClassVar[Traversal] = EXPRESSIONS

    @classmethod
    def _tabulate(cls) -> None:
        cls.traversal = _traversal_of(cls)
        super()._tabulate()

    @default_handler
    def visit_call(self, call: Call) -> object:
        """Visit the children of ``call``."""
        return self.visit_children(call)

    @default_handler
    def visit_let(self, let: Let) -> object:
        """Visit the children of ``let``."""
        return self.visit_children(let)

    @default_handler
    def visit_if(self, if_: If) -> object:
        """Visit the children of ``if_``."""
        return self.visit_children(if_)

    @default_handler
    def visit_function(self, func: Function) -> object:
        """Visit the children of ``func``."""
        return self.visit_children(func)

    @default_handler
    def visit_tuple(self, tup: Tuple) -> object:
        """Visit the children of ``tup``."""
        return self.visit_children(tup)

    @default_handler
    def visit_tuple_getitem(self, item: TupleGetItem) -> object:
        """Visit the children of ``item``."""
        return self.visit_children(item)

    @default_handler
    def visit_var(self, var: Var) -> object:
        """Visit the children of ``var``."""
        return self.visit_children(var)

    @default_handler
    def visit_global_var(self, var: GlobalVar) -> object:
        """Visit the children of ``var``."""
        return self.visit_children(var)

    @default_handler
    def visit_constant(self, const: Constant) -> object:
        """Visit the children of ``const``."""
        return self.visit_children(const)

    @default_handler
    def visit_op(self, op: Op) -> object:
        """Visit the children of ``op``."""
        return self.visit_children(op)

    @default_handler
    def visit_constructor(self, constructor: Constructor) -> object:
        """Visit the children of ``constructor``."""
        return self.visit_children(constructor)

    @default_handler
    def visit_match(self, match_: Match) -> object:
        """Visit the children of ``match_``."""
        return self.visit_children(match_)

    @default_handler
    def visit_ref_create(self, ref: RefCreate) -> object:
        """Visit the children of ``ref``."""
        return self.visit_children(ref)

    @default_handler
    def visit_ref_read(self, ref: RefRead) -> object:
        """Visit the children of ``ref``."""
        return self.visit_children(ref)

    @default_handler
    def visit_ref_write(self, ref: RefWrite) -> object:
        """Visit the children of ``ref``."""
        return self.visit_children(ref)


class ExprMutator(Mutator[Expr]):
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

    family = Expr
    traversal: ClassVar[Traversal] = EXPRESSIONS

    @classmethod
    def _tabulate(cls) -> None:
        cls.traversal = _traversal_of(cls)
        super()._tabulate()

    @default_handler
    def visit_call(self, call: Call) -> Expr:
        """Return ``call`` with its children mutated."""
        return self.mutate_children(call)

    @default_handler
    def visit_let(self, let: Let) -> Expr:
        """Return ``let`` with its children mutated."""
        return self.mutate_children(let)

    @default_handler
    def visit_if(self, if_: If) -> Expr:
        """Return ``if_`` with its children mutated."""
        return self.mutate_children(if_)

    @default_handler
    def visit_function(self, func: Function) -> Expr:
        """Return ``func`` with its children mutated."""
        return self.mutate_children(func)

    @default_handler
    def visit_tuple(self, tup: Tuple) -> Expr:
        """Return ``tup`` with its children mutated."""
        return self.mutate_children(tup)

    @default_handler
    def visit_tuple_getitem(self, item: TupleGetItem) -> Expr:
        """Return ``item`` with its children mutated."""
        return self.mutate_children(item)

    @default_handler
    def visit_var(self, var: Var) -> Expr:
        """Return ``var`` with its children mutated."""
        return self.mutate_children(var)

    @default_handler
    def visit_global_var(self, var: GlobalVar) -> Expr:
        """Return ``var`` with its children mutated."""
        return self.mutate_children(var)

    @default_handler
    def visit_constant(self, const: Constant) -> Expr:
        """Return ``const`` with its children mutated."""
        return self.mutate_children(const)

    @default_handler
    def visit_op(self, op: Op) -> Expr:
        """Return ``op`` with its children mutated."""
        return self.mutate_children(op)

    @default_handler
    def visit_constructor(self, constructor: Constructor) -> Expr:
        """Return ``constructor`` with its children mutated."""
        return self.mutate_children(constructor)

    @default_handler
    def visit_match(self, match_: Match) -> Expr:
        """Return ``match_`` with its children mutated."""
        return self.mutate_children(match_)

    @default_handler
    def visit_ref_create(self, ref: RefCreate) -> Expr:
        """Return ``ref`` with its children mutated."""
        return self.mutate_children(ref)

    @default_handler
    def visit_ref_read(self, ref: RefRead) -> Expr:
        """Return ``ref`` with its children mutated."""
        return self.mutate_children(ref)

    @default_handler
    def visit_ref_write(self, ref: RefWrite) -> Expr:
        """Return ``ref`` with its children mutated."""
        return self.mutate_children(ref)
