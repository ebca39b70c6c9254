"""Verification: rules that programs have to keep, by kind of node, and reports of broken ones.

A language that has rules asks :data:`VERIFY_RULES` about each node of a program, and adds what only
the program as a whole tells. Kinds of other packages stand in the same table, so that each verifier
knows the rules of all nodes it meets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import VerificationError
from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node
from relayish.ir.span import Span
from relayish.ir.traversal import Traversal


class Violation(NamedTuple):
    """One thing that is wrong with a program.

    Attributes:
        rule: The rule it breaks: a member of the enumeration of rules of some language.
        message: What was found, what was expected, and what to do.
        node: What breaks the rule.
        span: Where that, or what it is part of, comes from; ``None`` where no text is known.
        definition: The function it stands in, or ``""``.
    """

    rule: Enum
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

    def __call__(self, rule: Enum, node: Node, message: str) -> None:
        """Note that ``node`` breaks ``rule``."""
        self.violations.append(Violation(rule, message, node, getattr(node, "span", None)))


VerifyRule: TypeAlias = Callable[[Any, Report], None]  # Any: a node of one kind
"""``rule(node, report)`` looks at the fields of ``node`` and the types of what they hold."""


def _demand_nothing(node: Node, report: Report) -> None:
    pass


VERIFY_RULES: Final[KindTable[VerifyRule]] = KindTable(
    "the verifier", "relayish.ir.verification.register_verify_rule", {Node: _demand_nothing}
)
"""By kind; a rule of a kind stands in place of those of its families."""


def register_verify_rule(
    kind: type[Node], *, replace: bool = False
) -> Callable[[VerifyRule], VerifyRule]:
    """Say what nodes of class ``kind`` have to be; a decorator.

    Args:
        kind: A kind, or a family of kinds, each of which may have a rule of its own instead.
        replace: Take the place of the rule that there is.

    Raises:
        DuplicateNameError: If the kind has a rule and ``replace`` is false.
    """
    return VERIFY_RULES.register(kind, replace=replace)


def place_violations(
    violations: Sequence[Violation],
    everything: Sequence[Node],
    traversal: Traversal,
    definition: str,
) -> list[Violation]:
    """Return violations in order of the program, those of nodes without a span with one around.

    Args:
        violations: What rules found in one definition, in any order.
        everything: Its nodes, children before parents.
        traversal: What tells the children.
        definition: Its name, or ``""``.
    """
    if not violations:
        return []
    place = {node: number for number, node in enumerate(everything)}
    spans: dict[Node, Span] = {}
    for node in reversed(everything):
        span = getattr(node, "span", None) or spans.get(node)
        if span is not None:
            spans[node] = span
            for child in traversal.children(node):
                spans.setdefault(child, span)
    return [
        each._replace(span=each.span or spans.get(each.node), definition=definition)
        for each in sorted(violations, key=lambda each: place.get(each.node, 0))
    ]


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


_MOST: Final = 20
"""How many violations an error spells out."""
