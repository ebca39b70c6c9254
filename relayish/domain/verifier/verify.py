"""The verifier: what programs of all domains have to be, every rule of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from enum import Enum
from typing import Any, Final

from relayish._support import hooks
from relayish._support.collector import pause_collection
from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.dispatch import Dispatch, Handle
from relayish.domain.handler import DefaultHandler, Handler
from relayish.domain.tasks import assemble, register_filler
from relayish.domain.verifier.rules import (
    Rule,
    check_labels,
    check_node,
    check_scopes,
    check_structure,
    check_symbols,
)
from relayish.domain.visitor import Visitor
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.verification import scope_rules
from relayish.ir.verification.rules import (
    DEFINITION_RULES,
    VERIFY_RULES,
    DefinitionRule,
    Report,
    Scoped,
    Violation,
    definitions_of,
    demand_nothing,
    failure,
    place_violations,
)


def verify(program: Node | AnyModule, *instead: Handler | type[Handler]) -> tuple[Violation, ...]:
    """Return what is wrong with ``program``, all of it, whatever domains it is of.

    These are asked, one after the other:

    * the rules of all languages, :class:`~relayish.domain.verifier.rules.Rule`, which follow from
      properties of operators and roles of fields;
    * those of the language of each definition, by
      :func:`~relayish.ir.verification.rules.DEFINITION_RULES`, and of the kinds in it, by
      :func:`~relayish.ir.verification.rules.VERIFY_RULES`;
    * the handlers that domains registered for the task ``"verify"``, whose methods say what is
      wrong by ``visitor.context.report(node, message)``; what is below is visited in any case.

    A definition whose fields hold what they do not take is not asked about anything further.

    Args:
        program: A module of definitions of any languages, a definition, or a piece of one. What a
            piece does not bind is taken for bound outside.
        instead: Handlers that take the place of those registered for their domains.

    Returns:
        Violations in order of name of the definitions, and in these of the program: each with its
        rule, node, and span, that of what is around where the node has none.

    Complexity:
        Linear in the number of distinct nodes, but for what languages ask; no recursion.

    Source:
        AIR ``CONTAINER::Verify``, which stops at the first thing that is wrong.

    Example:
        >>> from relayish.ir.relay.expr import Let, Var
        >>> from relayish.ir.relay.module import IRModule
        >>> x, y = Var("x"), Var("y")
        >>> for violation in verify(Let(x, y, Let(x, y, x))):
        ...     print(violation.rule, violation.message)
        Rule.SCOPE variable %x is bound twice: by a Let (let %x = %y; ...) and by a Let \
(let %x = %y; ...); a variable is bound once, use a new Var for the second
    """
    mod, definitions = definitions_of(program)
    hooks.load_handlers("verify")
    with pause_collection():
        return _Verification(mod, definitions, instead).run()


def check(program: Node | AnyModule, *instead: Handler | type[Handler]) -> None:
    """Raise unless ``program`` keeps the rules of all its domains; see :func:`verify`.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.
    """
    found = verify(program, *instead)
    if found:
        raise failure(found)


class VerifyCtx(AnalyzeCtx):
    """The context of a verification: handlers say to it what is wrong.

    Attributes:
        mod: The module that is verified, ``None`` where there is none.
        definition: The name of the definition that is being visited.
    """

    def __init__(self, mod: AnyModule | None = None, *, asks_rules: bool = True) -> None:
        self.mod = mod
        self.definition = ""
        self._taken_down = Report()
        self._asks_rules = asks_rules

    def report(self, node: Node, message: str, rule: Enum = Rule.HANDLER) -> None:
        """Say what is wrong with ``node``: what was found, what was expected, and what to do.

        Args:
            node: What breaks a rule.
            message: In words; it begins with what was found.
            rule: The rule, a member of an enumeration of the domain's own.
        """
        self._taken_down(rule, node, message)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What was reported so far."""
        return tuple(self._taken_down.violations)

    def _take_down(self, report: Report) -> None:
        """Put what is reported from now on into ``report``."""
        self._taken_down = report

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        """Visit what is below a node whose domain was declared while programs were verified."""
        return self.handle_node(visitor, node)

    def _is_called(self, kind: type[Node]) -> bool:
        """Return whether a rule is asked about nodes of ``kind``."""
        return self._asks_rules and VERIFY_RULES[kind] is not demand_nothing

    def _step_for(self, kind: type[Node], step: Handle) -> Handle:
        """Return what asks the rule of a kind and its handler, and goes on below in any case."""
        rule = VERIFY_RULES[kind]
        asks = self._asks_rules and not isinstance(rule, HandlerRule)
        is_method = hasattr(step, "__self__")

        def ask(visitor: Dispatch, node: Node) -> None:
            if asks:
                rule(node, self._taken_down)
            if is_method:
                step(visitor, node)
            self.handle_node(visitor, node)

        return ask


class HandlerRule:
    """The rule of a kind that a method of a handler is, for verifiers of one language."""

    def __init__(self, handler: type[Handler], method: str) -> None:
        self.handler = handler
        self.method = method
        self.__module__ = handler.__module__
        self.__qualname__ = f"{handler.__qualname__}.{method}"

    def __call__(self, node: Node, report: Report) -> None:
        if _VISITING.get():
            return  # the visitor will come to it, and knows its parents
        context = VerifyCtx()
        context._take_down(report)  # noqa: SLF001 - of this file
        getattr(self.handler(), self.method)(_Nowhere(context), node)


class _Nowhere(Visitor[VerifyCtx]):
    """What a handler is given by those who ask about each node themselves."""

    def visit(self, node: Any) -> None:  # Any: as the base
        """Do nothing: what is below is asked about by whoever asks."""

    def visit_by_default(self, node: Any) -> None:  # Any: as the base
        """Do nothing, as above."""


_VISITING: Final[ContextVar[bool]] = ContextVar("relayish_verify_visiting", default=False)


def _enter_rule(kind: type[Node], handler: type[Handler], method: str) -> None:
    rule = HandlerRule(handler, method)
    VERIFY_RULES.register(kind, rule, by=handler)


register_filler("verify", Node, _enter_rule)


class _Verification:
    """One verification of the definitions of a module."""

    def __init__(
        self,
        mod: AnyModule | None,
        definitions: Mapping[str, Node],
        instead: tuple[Handler | type[Handler], ...],
    ) -> None:
        self._mod = mod
        self._definitions = definitions
        self._reports = {name: Report() for name in definitions}
        self._visitors = {
            asks: assemble("verify", VerifyCtx(mod, asks_rules=asks), *instead, occurrences=False)
            for asks in (False, True)
        }
        self._sound: dict[str, list[Node]] = {}  # the nodes of each definition

    def run(self) -> tuple[Violation, ...]:
        self._ask_rules_of_all_languages()
        self._ask_languages()
        self._visit()
        found: list[Violation] = []
        for name, report in self._reports.items():
            found += self._in_order(name, report.violations)
        return tuple(found)

    def _ask_rules_of_all_languages(self) -> None:
        seen: set[Node] = set()
        for name, definition in self._definitions.items():
            report = self._reports[name]
            nodes = check_structure(definition, report)
            if report.violations:
                continue
            self._sound[name] = nodes
            for node in nodes:
                if node not in seen:
                    seen.add(node)
                    check_node(node, report)
            if self._mod is not None:
                check_symbols(nodes, self._mod, report)
            check_labels(nodes, report)

    def _ask_languages(self) -> None:
        """Ask the rule of each definition, once for all definitions that have the same."""
        groups: dict[DefinitionRule, dict[str, Node]] = {}
        for name in self._sound:
            definition = self._definitions[name]
            rule = _rule_of(type(definition))
            groups.setdefault(rule, {})[name] = definition
        token = _VISITING.set(True)
        try:
            for rule, definitions in groups.items():
                for violation in rule(definitions, self._mod):
                    self._reports[violation.definition].violations.append(violation)
        finally:
            _VISITING.reset(token)

    def _visit(self) -> None:
        """Let handlers look at what they have methods for."""
        handlers = self._visitors[True].handlers.values()
        is_handled = any(type(handler) is not DefaultHandler for handler in handlers)
        for name in self._sound:
            definition = self._definitions[name]
            asks = not _is_language_of_its_own(type(definition))
            if asks or is_handled:
                visitor = self._visitors[asks]
                visitor.context.definition = name
                visitor.context._take_down(self._reports[name])  # noqa: SLF001 - as above
                visitor.visit(definition)

    def _in_order(self, name: str, violations: list[Violation]) -> list[Violation]:
        if not violations:
            return []
        once = list({(each.node, each.message): each for each in violations}.values())
        definition = self._definitions[name]
        if name in self._sound:
            return place_violations(once, EVERYTHING.post_order(definition), EVERYTHING, name)
        around = getattr(definition, "span", None)  # what is below is not what it should be
        return [each._replace(span=each.span or around, definition=name) for each in once]


def _is_language_of_its_own(kind: type[Node]) -> bool:
    """Return whether the rule for definitions of ``kind`` asks those of kinds by itself."""
    rule = _rule_of(kind)
    return rule is not _check_scoping and not isinstance(rule, Scoped)


def _rule_of(kind: type[Node]) -> DefinitionRule:
    return DEFINITION_RULES[kind] if DEFINITION_RULES.knows(kind) else _check_scoping


def _check_scoping(definitions: Mapping[str, Node], mod: AnyModule | None) -> list[Violation]:
    """Return variables that are bound twice, used out of scope, or bound by nothing."""
    return check_scopes(definitions, mod, scope_rules.check_scoping)
