"""The context of a simplification: operators go by declared facts, whatever their domain."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from relayish.domain.dispatch import Dispatch
from relayish.domain.literal_folding import LiteralFolder, is_literal
from relayish.domain.transform_ctx import TransformCtx
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.kinds.algebra import ALGEBRAS, NUMBERS, Algebra, Number, Numbers
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import has_scopes, operands
from relayish.ir.verification.rules import VERIFY_RULES, Report, demand_nothing


class SimplifyCtx(TransformCtx):
    """The context of a visit that simplifies: nodes are rebuilt, and go where facts say so.

    These are the facts of :class:`~relayish.ir.kinds.algebra.Algebra`: identity and absorbing
    elements, idempotence, involutions, inverses, and associativity where it brings two literals
    together. What is left out must have no effect, and must not be able to fault unless the same is
    still evaluated; reading a variable is taken to be neither. Operators on literals are evaluated:
    see :class:`.LiteralFolder`.

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
        self._repeatable: dict[Node, bool] = {}
        self._folder = LiteralFolder()

    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Return ``node`` rebuilt with simplified children, or what that is by declared facts."""
        image = super().handle_node(visitor, node)
        if image is not node and _is_refused(image) and not _is_refused(node):
            image = (
                node  # an operand became a literal with which it would fault: it does if it runs
            )
        return self.simplify(image) if self.by_facts else image

    def simplify(self, node: Node) -> Node:
        """Return what ``node`` is by the facts of its operator, over simplified operands.

        Complexity:
            Constant, but for what is asked of new operands.
        """
        image = self._folder.fold(node)
        algebra = ALGEBRAS[type(node)]
        if image is not node or algebra is _NONE or not NUMBERS.knows(type(node)):
            return image
        held = operands(node)
        if len(held) == 1:
            return _without_involution(node, held[0], algebra)
        if len(held) != 2:
            return node
        image = self._of_two(node, *held, algebra)
        if image is not node or NUMBERS[type(node)].is_float(held[0]):
            return image
        image = self._without_inverse(node, *held, algebra)
        return self._regrouped(node) if image is node else image

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
        if algebra.idempotent and keeps_type and is_same(a, b) and self.is_repeatable(b):
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

    def _without_inverse(self, node: Node, a: Node, b: Node, algebra: Algebra) -> Node:
        """Return what is left where an operand and its inverse meet."""
        if not algebra.total or not _is_of_one_type(node, a, b):
            return node
        commutes, opposite = _COMMUTES[type(node)], algebra.inverse_element
        for x, y in ((a, b), (b, a)):
            if (x is a or commutes) and ALGEBRAS[type(x)].inverse is type(node):
                found = self._undone(x, y)
                if found is not None:
                    return found
            is_inverse = opposite is type(y) and is_same(operands(y)[0], x)
            if is_inverse and algebra.identity is not None and self.is_removable(y):
                return NUMBERS[type(node)].make(algebra.identity, node)
        return node

    def _undone(self, done: Node, y: Node) -> Node | None:
        """Return ``x`` of ``done``, which is ``x op y``, if nothing is lost without ``y``."""
        held = operands(done)
        if not ALGEBRAS[type(done)].total or len(held) != 2 or not _is_of_one_type(y, *held):
            return None
        left = None
        if is_same(held[1], y):
            left = held[0]
        elif _COMMUTES[type(done)] and is_same(held[0], y):
            left = held[1]
        if left is None:
            return None
        stays = is_same(left, y) and self.is_repeatable(y)
        return left if stays or self.is_removable(y) else None

    def _regrouped(self, node: Node) -> Node:
        """Return ``x op (y op z)`` for ``(x op y) op z`` where ``y`` and ``z`` are literals.

        So it is of an operator and its inverse: ``(x - y) + z`` is ``x - (y - z)``.
        """
        outer = _split(node)
        inner = None if outer is None else _split(outer.rest)
        if outer is None or inner is None:
            return node
        kind = _joining(type(outer.rest), type(node))
        if kind is None or not _is_of_one_type(node, outer.literal, inner.rest, inner.literal):
            return node
        joined = kind(inner.literal, outer.literal)
        literal = self._folder.fold(joined)
        if literal is joined:
            return node
        made = with_evaluated(outer.rest, (inner.rest, literal), ())
        return self._of_two(made, inner.rest, literal, ALGEBRAS[type(made)])

    def is_removable(self, node: Node) -> bool:
        """Return whether evaluating ``node`` does nothing, and cannot fault.

        Complexity:
            Linear in what was not asked about before; no recursion.
        """
        return _holds_below(node, _is_harmless, self._removable)

    def is_repeatable(self, node: Node) -> bool:
        """Return whether evaluating ``node`` twice in a row does what evaluating it once does.

        Complexity:
            As :meth:`is_removable`.
        """
        return _holds_below(node, _is_without_effect, self._repeatable)


def _holds_below(node: Node, holds: Callable[[Node], bool], known: dict[Node, bool]) -> bool:
    """Return whether something holds of a node and all that is evaluated for it; remember that."""
    pending = [node]
    while pending:
        each = pending[-1]
        if each in known:
            pending.pop()
            continue
        below = operands(each)
        if not holds(each):
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
_IS_PLAIN = ByKind(lambda kind: len([f for f in kind.fields_ if f.compared]) == 2)
"""Whether an operator with two operands holds nothing else."""
_COMMUTES = ByKind(lambda kind: Property.COMMUTATIVE in kind.properties_)


class _Split(NamedTuple):
    rest: Node
    literal: Node


def _split(node: Node) -> _Split | None:
    """Return the operands of an operator, the second of which is a literal, or may stand there."""
    kind = type(node)
    if not ALGEBRAS[kind].total or is_literal(node):
        return None
    held = operands(node)
    if len(held) != 2:
        return None
    if is_literal(held[1]):
        return _Split(*held)
    return _Split(held[1], held[0]) if _COMMUTES[kind] and is_literal(held[0]) else None


def _joining(inner: type[Node], outer: type[Node]) -> Callable[..., Node] | None:
    """Return the kind ``op`` of which ``(x inner y) outer z`` is ``x inner (y op z)``."""
    algebra = ALGEBRAS[inner]
    if inner is outer:
        plain = inner if algebra.associative else algebra.inverse
        found = plain if plain is inner or _are_inverse(plain, inner) else None
    elif _are_inverse(inner, outer):
        found = outer
    else:
        found = inner if _are_inverse(outer, inner) else None
    return found if found is not None and _IS_PLAIN[found] else None


def _are_inverse(plain: type[Node] | None, inverse: type[Node]) -> bool:
    """Return whether an operator is associative and commutative, and another undoes it."""
    if plain is None:
        return False
    algebra = ALGEBRAS[plain]
    return algebra.associative and _COMMUTES[plain] and algebra.inverse is inverse


def _is_of_one_type(first: Node, *others: Node) -> bool:
    if not all(NUMBERS.knows(type(each)) for each in (first, *others)):
        return False
    wanted = NUMBERS[type(first)].type_of(first)
    return all(NUMBERS[type(each)].type_of(each) == wanted for each in others)


def _is_refused(node: Node) -> bool:
    """Return whether ``node`` breaks the rule of its kind."""
    rule = VERIFY_RULES[type(node)]
    if rule is demand_nothing:
        return False
    report = Report()
    rule(node, report)
    return bool(report.violations)


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
    return _is_without_effect(node) and (type(node) in ATOMS or ALGEBRAS[type(node)].total)


def _is_without_effect(node: Node) -> bool:
    """Return whether all that ``node`` does beside giving a value is to read, or to fault."""
    kind = type(node)
    return kind in ATOMS or not (has_scopes(kind) or kind.traits_.effect & ~Effect.READS)


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
