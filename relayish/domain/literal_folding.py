"""Constant folding in any domain: pure operators on literals, by handlers that evaluate."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from relayish.domain.eval_ctx import EvalCtx
from relayish.domain.tasks import assemble
from relayish.domain.visitor import Visitor
from relayish.errors import RelayishError
from relayish.ir.fields.effect import Effect
from relayish.ir.kinds.algebra import NUMBERS, Number, Numbers
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import has_scopes, operands


class LiteralFolder:
    """Evaluates operators whose operands are literals, by the handlers of the task ``"evaluate"``.

    A literal takes the place of an operator if it is evaluated to the same number, of the same type
    and bit by bit. So what faults stays, and so does what gives no number, a NaN, an infinity, or a
    number that no literal of the type tells.
    """

    def __init__(self) -> None:
        self._made: Visitor[EvalCtx] | None = None

    def fold(self, node: Node) -> Node:
        """Return the literal of the value of ``node``, or ``node`` itself.

        Complexity:
            One evaluation of the operator; no recursion, for operands are literals.
        """
        if not _IS_PURE[type(node)] or not NUMBERS.knows(type(node)):
            return node
        numbers, held = NUMBERS[type(node)], operands(node)
        if not held or not all(is_literal(operand) for operand in held):
            return node
        if numbers.value(node) is not None:  # a literal that is written as an operator
            return node
        try:
            return self._evaluated(node, numbers)
        except (RelayishError, ArithmeticError, MemoryError):
            return node  # running it says what is wrong

    def _evaluated(self, node: Node, numbers: Numbers) -> Node:
        value = self._value_of(node)
        number = _number_in(value)
        if number is None:
            return node
        made = numbers.make(number, node)
        keeps_type = numbers.type_of(made) == numbers.type_of(node)
        return made if keeps_type and _is_same_number(self._value_of(made), value) else node

    def _value_of(self, node: Node) -> Any:  # Any: of all languages
        if self._made is None:
            self._made = assemble("evaluate", EvalCtx(), occurrences=False)
        self._made.forget()
        with np.errstate(all="ignore"):
            return self._made.visit(node)


def is_literal(node: Node) -> bool:
    """Return whether a node is the literal of a number, as its language writes numbers."""
    kind = type(node)
    return NUMBERS.knows(kind) and NUMBERS[kind].value(node) is not None


def _number_in(value: object) -> Number | None:
    """Return a finite number as Python has it, ``None`` for any other value."""
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, (bool, int, float)) or not math.isfinite(number):
        return None
    return number


def _is_same_number(a: Any, b: Any) -> bool:  # Any: of all languages
    if type(a) is not type(b) or a != b:
        return False
    return math.copysign(1, a) == math.copysign(1, b)


_IS_PURE: Final = ByKind(
    lambda kind: kind not in ATOMS and kind.traits_.effect is Effect.NONE and not has_scopes(kind)
)
