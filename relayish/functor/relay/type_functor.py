"""Functors over types, with handlers such as ``visit_tensor_type`` and ``visit_type_var``."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from relayish.functor.functor import Functor
from relayish.functor.mutator import Mutator
from relayish.functor.relay.handlers import MutatorHandlers, VisitorHandlers
from relayish.functor.visitor import Visitor
from relayish.ir.nodes.node import Node
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import Type

R = TypeVar("R")


class TypeFunctor(Functor[Type, R], Generic[R]):
    """Maps types to results of any kind, by handlers that the subclass defines.

    Example:
        >>> class Rank(TypeFunctor[int]):
        ...     def visit_tensor_type(self, tensor: TensorType) -> int:
        ...         return len(tensor.shape)
        >>> Rank().visit(TensorType((2, 3)))
        2
    """

    family: ClassVar[type[Node]] = Type
    traversal = TYPES


class TypeVisitor(VisitorHandlers, Visitor[Type]):
    """Visits every distinct type within a type once; dimensions are not entered.

    Source:
        Relay ``TypeVisitor``.
    """

    family: ClassVar[type[Node]] = Type
    traversal = TYPES


class TypeMutator(MutatorHandlers, Mutator[Type]):
    """Rebuilds a type from what its handlers return; the same object where nothing changed.

    Source:
        Relay ``TypeMutator``.
    """

    family: ClassVar[type[Node]] = Type
    traversal = TYPES
