"""Violations: what is wrong with a program of the loop IR, where, and which rule it breaks."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from relayish.errors import VerificationError
from relayish.ir.node import Node
from relayish.ir.one_line import one_line
from relayish.ir.span import Span
from relayish.tir.ir.operators import Expr


class Rule(Enum):
    """The rules of the loop IR that a program can break."""

    TYPE = "type"  # operands, values and conditions have the types that they need
    LITERAL = "literal"  # a literal is in the range of its type
    INDEX = "index"  # as many indices as dimensions, of a type that counts
    STRUCTURE = "structure"  # statements, blocks and parts stand where they may
    NAME = "name"  # names of tensors, functions and modules are unique
    MEMORY = "memory"  # tensors fit the buffers they look at
    SCOPE = (
        "scope"  # variables and buffers are bound once, used in scope, and assigned to if scalar
    )
    LIFETIME = "lifetime"  # memory is allocated once, used while it lives, and freed once
    LOOP_KIND = "loop kind"  # flags of loops agree with one another and with what they say more
    SCHEDULE_BLOCK = "schedule block"  # its variables get affine values, one each
    REGION = "region"  # what a schedule block says that it reads and writes covers what it does
    REDUCE = "reduce"  # axes of reductions have bounds, and are their own
    CALL = "call"  # what is called is known, and takes such arguments
    OPERATION = "operation"  # tensors and the operations they come from agree
    BOUNDS = "bounds"  # no access is certain to be out of range


class Violation(NamedTuple):
    """One thing that is wrong with a program.

    Attributes:
        rule: The rule it breaks.
        message: What was found, what was expected, and what to do.
        node: What breaks the rule.
        span: Where that, or what it is part of, comes from; ``None`` where no text is known.
        definition: The function it stands in, or ``""``.
    """

    rule: Rule
    message: str
    node: Node
    span: Span | None = None
    definition: str = ""

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        inside = f" (in {self.definition})" if self.definition else ""
        return f"{place}{self.message}{inside}"


class Report:
    """Takes down what rules find."""

    __slots__ = ("violations",)

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def __call__(self, rule: Rule, node: Node, message: str) -> None:
        """Note that ``node`` breaks ``rule``."""
        self.violations.append(Violation(rule, message, node, getattr(node, "span", None)))


def typed(expr: Expr) -> str:
    """Return an expression and its type, as messages show them: ``%i of type int32``."""
    return f"{one_line(expr)} of type {expr.type}"


def count_of(number: int, one: str, many: str = "") -> str:
    """Return how many there are of something: ``no indices``, ``1 index``, ``2 indices``."""
    return f"{number or 'no'} {one if number == 1 else many or one + 's'}"


def failure(violations: tuple[Violation, ...]) -> VerificationError:
    """Return the error that says all of ``violations``."""
    first = str(violations[0])
    if len(violations) == 1:
        return VerificationError(first, violations)
    lines = "".join([f"\n  {violation}" for violation in violations[:_MOST]])
    more = "" if len(violations) <= _MOST else f"\n  and {len(violations) - _MOST} more"
    return VerificationError(f"{len(violations)} rules are broken:{lines}{more}", violations)


_MOST = 20
