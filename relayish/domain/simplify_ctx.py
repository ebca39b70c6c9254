"""The context of a simplification: operators go by declared facts, whatever their domain."""

from __future__ import annotations

import math
from typing import Any

from relayish.domain.dispatch import Dispatch
from relayish.domain.transform_ctx import TransformCtx
from relayish.ir.algebra import ALGEBRAS, NUMBERS, Algebra, Number, Numbers
from relayish.ir.effect import Effect
from relayish.ir.module import AnyModule
from relayish.ir.node import ATOMS, Node
from relayish.ir.property import Property
from relayish.ir.scoping import has_scopes, operands
from relayish.ir.traversal import ByKind


class SimplifyCtx(TransformCtx):
    """The context of a visit that simplifies: nodes are rebuilt, and go where facts say so.

    These are the facts of :class:`~relayish.ir.algebra.Algebra`: identity and absorbing elements,
    idempotence, involutions. What is left out must have no effect, and must not be able to fault;
    reading a variable is taken to be neither.

    A handler for the task ``"simplify"`` has methods that return what is simpler. What the context
    makes of a node is what ``visitor.visit_by_default(node)`` returns.

    Attributes:
        mod: The module that is simplified, ``None`` where there is none.
        by_facts: Whether declared facts are used.

    Source:
        AIR's document, "Simplifier": by attributes, or by the handlers of each domain.
    """

    def __init__(self, mod: AnyModule | None = None, *, by_facts: bool = True) -> None:
        self.mod = mod
        self.by_facts = by_facts
        self._removable: dict[Node, bool] = {}

    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Return ``node`` rebuilt with simplified children, or what that is by declared facts."""
        image = super().handle_node(visitor, node)
        return self.simplify(image) if self.by_facts else image

    def simplify(self, node: Node) -> Node:
        """Return what ``node`` is by the facts of its operator, over simplified operands.

        Complexity:
            Constant, but for what is asked of new operands.
        """
        algebra = ALGEBRAS[type(node)]
        if algebra is _NONE or not NUMBERS.knows(type(node)):
            return node
        held = operands(node)
        if len(held) == 1:
            return _without_involution(node, held[0], algebra)
        return self._of_two(node, *held, algebra) if len(held) == 2 else node

    def _of_two(self, node: Node, a: Node, b: Node, algebra: Algebra) -> Node:
        numbers, commutes = NUMBERS[type(node)], _COMMUTES[type(node)]
        is_float = numbers.is_float(a)
        keeps_type = numbers.type_of(node) == numbers.type_of(a) == numbers.type_of(b)
        neutral = algebra.float_identity if is_float else algebra.identity
        if neutral is not None and numbers.type_of(node) == numbers.type_of(a):
            if _is(numbers, b, neutral):
                return a
            if commutes and keeps_type and _is(numbers, a, neutral):
                return b
        if algebra.idempotent and keeps_type and is_same(a, b) and self.is_removable(b):
            return a
        if is_float:
            return node
        if algebra.same is not None and is_same(a, b) and self.is_removable(a):
            return numbers.make(algebra.same, node)
        zero = algebra.absorbing
        if zero is not None and keeps_type:
            if _is(numbers, b, zero) and self.is_removable(a):
                return b
            if commutes and _is(numbers, a, zero) and self.is_removable(b):
                return a
        return node

    def is_removable(self, node: Node) -> bool:
        """Return whether evaluating ``node`` does nothing, and cannot fault.

        Complexity:
            Linear in what was not asked about before; no recursion.
        """
        known = self._removable
        pending = [node]
        while pending:
            each = pending[-1]
            if each in known:
                pending.pop()
                continue
            below = operands(each)
            if not _is_harmless(each):
                known[each] = False
                pending.pop()
                continue
            unknown = [child for child in below if child not in known]
            if unknown:
                pending += unknown
                continue
            known[each] = all(known[child] for child in below)
            pending.pop()
        return known[node]


_NONE = ALGEBRAS[Node]
_COMMUTES = ByKind(lambda kind: Property.COMMUTATIVE in kind.properties_)


def is_same(a: Node, b: Node) -> bool:
    """Return whether two nodes are certain to have one value: they hold the same, node by node.

    Complexity:
        Constant: below them, the same objects are asked for.
    """
    if a is b:
        return True
    if type(a) is not type(b) or has_scopes(type(a)):
        return False
    for declared in type(a).fields_:
        if not declared.compared:
            continue
        left, right = getattr(a, declared.name), getattr(b, declared.name)
        if left is right:
            continue
        if declared.kind is not None or type(left) is not type(right) or left != right:
            return False
    return True


def _is_harmless(node: Node) -> bool:
    kind = type(node)
    if kind in ATOMS:
        return True
    if has_scopes(kind) or kind.traits_.effect & ~Effect.READS:
        return False
    return ALGEBRAS[kind].total


def _without_involution(node: Node, operand: Node, algebra: Algebra) -> Node:
    if algebra.involution and type(operand) is type(node):
        return operands(operand)[0]
    return node


def _is(numbers: Numbers, node: Node, wanted: Number) -> bool:
    """Return whether ``node`` is the literal of a number, the sign of zero included."""
    found = numbers.value(node)
    if found is None or found != wanted:
        return False
    if isinstance(found, float) and isinstance(wanted, float):
        return math.copysign(1, found) == math.copysign(1, wanted)
    return True
