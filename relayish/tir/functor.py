"""Functors of the loop IR: over expressions, over statements, and over both.

Handlers are called ``visit_<kind>`` and take the node: ``visit_for, visit_load, visit_add, ...``.
A family's serves its kinds where these have none: ``visit_binary_op, visit_unary_op,
visit_comparison, visit_stmt, visit_expr, visit_intrinsic_op, visit_operation``.
"""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from relayish.functor.functor import Functor
from relayish.functor.mutator import Mutator
from relayish.functor.post_order import Rewriter
from relayish.functor.visitor import Visitor
from relayish.ir.nodes.node import Node
from relayish.tir.handlers import (
    ExprMutatorHandlers,
    MutatorHandlers,
    RewriterHandlers,
    StmtMutatorHandlers,
    VisitorHandlers,
)
from relayish.tir.ir.family import IrNode, Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.traversal import NODES, STATEMENTS

R = TypeVar("R")


class IRFunctor(Functor[IrNode, R], Generic[R]):
    """Maps statements and expressions to results of any type, by handlers of the subclass."""

    family: ClassVar[type[Node]] = IrNode
    traversal = NODES


class IRVisitor(VisitorHandlers, Visitor[IrNode]):
    """Visits every distinct node once: statements, expressions, and what is said about these.

    Bounds of variables, shapes of tensors and buffers, and the operations that tensors come from
    are entered as well; ``visit_tensor`` without ``super()`` prunes them.

    Complexity:
        Linear in the number of distinct nodes; kinds that are not overridden use no Python stack.

    Source:
        CINN ``IRVisitor``.
    """

    family: ClassVar[type[Node]] = IrNode
    traversal = NODES


class IRMutator(MutatorHandlers, Mutator[IrNode]):
    """Rebuilds a program from what its handlers return; the same object where nothing changed.

    What is said about variables, tensors and buffers is rebuilt as well, and each of them once, so
    that all its uses change together.

    Complexity:
        Linear in the number of distinct nodes; kinds that are not overridden use no Python stack.

    Source:
        CINN ``IRMutator``, which changes nodes in place.
    """

    family: ClassVar[type[Node]] = IrNode
    traversal = NODES


class IRRewriter(RewriterHandlers, Rewriter[IrNode]):
    """Rebuilds a program bottom-up: ``rewrite_<kind>(pre, post)`` gets the node with new children.

    No handler recurses, so no program is too deep for one.

    Complexity:
        Linear in the number of distinct nodes; no Python stack.
    """

    family: ClassVar[type[Node]] = IrNode
    traversal = NODES


class ExprFunctor(Functor[Expr, R], Generic[R]):
    """Maps expressions to results of any type, by handlers of the subclass."""

    family: ClassVar[type[Node]] = Expr
    traversal = NODES


class ExprVisitor(VisitorHandlers, Visitor[Expr]):
    """Visits every distinct node of an expression once; see :class:`IRVisitor`."""

    family: ClassVar[type[Node]] = Expr
    traversal = NODES


class ExprMutator(ExprMutatorHandlers, Mutator[Expr]):
    """Rebuilds an expression from what its handlers return; see :class:`IRMutator`."""

    family: ClassVar[type[Node]] = Expr
    traversal = NODES


class StmtFunctor(Functor[Stmt, R], Generic[R]):
    """Maps statements to results of any type, by handlers of the subclass."""

    family: ClassVar[type[Node]] = Stmt
    traversal = STATEMENTS


class StmtVisitor(VisitorHandlers, Visitor[Stmt]):
    """Visits every distinct statement once; expressions are not entered."""

    family: ClassVar[type[Node]] = Stmt
    traversal = STATEMENTS


class StmtMutator(StmtMutatorHandlers, Mutator[Stmt]):
    """Rebuilds statements from what its handlers return; expressions stay as they are."""

    family: ClassVar[type[Node]] = Stmt
    traversal = STATEMENTS
