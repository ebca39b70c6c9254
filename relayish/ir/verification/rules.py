"""Verification: rules that programs have to keep, by kind of node, and reports of broken ones.

A language that has rules asks :data:`VERIFY_RULES` about each node of a program, and adds what only
the program as a whole tells. Kinds of other packages stand in the same table, so that each verifier
knows the rules of all nodes it meets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import FieldError, VerificationError, WellFormedError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import Traversal


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

    def named(self, definition: str) -> list[Violation]:
        """Return what was found, as wrong with a definition of that name."""
        return [each._replace(definition=definition) for each in self.violations]


VerifyRule: TypeAlias = Callable[[Any, Report], None]  # Any: a node of one kind
"""``rule(node, report)`` looks at the fields of ``node`` and the types of what they hold."""


def demand_nothing(node: Node, report: Report) -> None:
    """Ask nothing: what is asked about kinds of which nothing was said."""


VERIFY_RULES: Final[KindTable[VerifyRule]] = KindTable(
    "the verifier", "relayish.ir.verification.rules.VERIFY_RULES", {Node: demand_nothing}
)
"""By kind; a rule of a kind stands in place of those of its families."""


DefinitionRule: TypeAlias = Callable[[Mapping[str, Any], AnyModule | None], Iterable[Violation]]
"""``rule(definitions, mod)``: all that is wrong with definitions of a kind, by name, in order.

Each violation names its definition. ``mod`` is the module in which they stand, or ``None``.
"""


class RaisingVerifier(NamedTuple):
    """The rule that a function stands for which raises what is wrong with one definition.

    Attributes:
        verifier: ``verifier(definition, mod)`` raises a
            :class:`~relayish.errors.WellFormedError` that says what is wrong. ``mod`` is the module
            in which the definition stands, or ``None``.
    """

    verifier: Verifier

    def __call__(
        self,
        definitions: Mapping[str, Any],  # Any: as DefinitionRule has it
        mod: AnyModule | None,
    ) -> Iterable[Violation]:
        for name, definition in definitions.items():
            try:
                self.verifier(definition, mod)
            except VerificationError as error:
                for each in error.violations:
                    yield each._replace(definition=name)
            except WellFormedError as error:
                span = getattr(definition, "span", None)
                yield Violation(UnnamedRule.WELL_FORMED, str(error), definition, span, name)


class Scoped:
    """The rule of a language whose definitions are well formed if they keep those of scoping.

    Args:
        rule: Says all that is wrong with definitions, those rules included.
    """

    def __init__(self, rule: DefinitionRule) -> None:
        self.rule = rule

    def __call__(
        self,
        definitions: Mapping[str, Any],  # Any: as DefinitionRule has it
        mod: AnyModule | None,
    ) -> Iterable[Violation]:
        return self.rule(definitions, mod)


class UnnamedRule(Enum):
    """What stands for the rule where a verifier raises what is wrong and names no rule."""

    WELL_FORMED = "well formed"


DEFINITION_RULES: Final[KindTable[DefinitionRule]] = KindTable(
    "well-formedness", "relay.analysis.DEFINITION_RULES"
)
"""By kind of definition; those of no kind in it follow the rules of scoping and no others.

The rule asks :data:`VERIFY_RULES` about the nodes."""

Verifier: TypeAlias = Callable[[Any, AnyModule | None], None]  # Any: a node of one kind


class DefinitionVerifier:
    """Raises what is wrong with definitions of languages that have rules of their own.

    Args:
        mod: The module in which they stand, or ``None``.
    """

    def __init__(self, mod: AnyModule | None) -> None:
        self._mod = mod
        self._found: dict[DefinitionRule, dict[str, list[Violation]]] = {}

    def require(self, rule: DefinitionRule, definition: Node, name: str) -> None:
        """Raise what is wrong with a definition; a rule is asked once about all that it serves.

        Raises:
            WellFormedError: As a verifier raises it; else a
                :class:`~relayish.errors.VerificationError` of all violations.
        """
        if isinstance(rule, RaisingVerifier):
            rule.verifier(definition, self._mod)
            return
        if rule not in self._found:
            self._found[rule] = {}
            for violation in rule(self._served(rule, definition, name), self._mod):
                self._found[rule].setdefault(violation.definition, []).append(violation)
        found = self._found[rule].get(name)
        if found:
            raise failure(tuple(found))

    def _served(self, rule: DefinitionRule, definition: Node, name: str) -> dict[str, Node]:
        mod = self._mod
        if mod is None:
            return {name: definition}
        served: dict[str, Node] = {}
        for key, each in mod.functions.items():
            if DEFINITION_RULES.knows(type(each)) and DEFINITION_RULES[type(each)] is rule:
                served[mod.name_of(key) or ""] = each
        return served


def definitions_of(
    program: object,
    language: str = "any domain",
    family: type[Node] = Node,
    kinds: tuple[type[Node], ...] = (Node,),
) -> tuple[AnyModule | None, dict[str, Node]]:
    """Return the module that ``program`` is, if it is one, and what of it is verified, by name.

    Args:
        program: A module, or one node, which has the name ``""``.
        language: Whose verifier asks, for the error.
        family: Which nodes are taken.
        kinds: Which definitions of a module are.

    Raises:
        FieldError: If it is neither.
    """
    if isinstance(program, Module):
        found = program.functions.items()
        named = {program.name_of(key) or "": each for key, each in found if isinstance(each, kinds)}
        return program, named
    if isinstance(program, family):
        return None, {"": program}
    raise FieldError(
        f"a program of {language} is verified; found {show_found(program)}; expected one of its "
        f"nodes, or a module"
    )


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
