"""Watching a rule: what becomes of each node that rewriting asks it about.

Whatever applies rules selects them from sets by the kinds of nodes. While a rule is watched, sets
give out in its place, and in that of those tried before it, rules that do the same and take note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.rewriting.rule import Facts, Rule, Unchanged
from relayish.rewriting.rules import WATCHING, RuleSet, Select

# Any, here and below: nodes of whatever language


class Outcome(NamedTuple):
    """What became of a node that a rule was asked about.

    Attributes:
        node: The node, over operands that were rewritten.
        image: What the rule puts in its place, if it is applied.
        reason: Why it is not, as far as the rule says.
        taken_by: The rule that was applied in its place, which is asked first.
    """

    node: Any
    image: Any = None
    reason: str = ""
    taken_by: str = ""

    @property
    def is_applied(self) -> bool:
        """Whether the rule is applied."""
        return self.image is not None and not self.taken_by


class Watch:
    """Takes note of what becomes of nodes that some rules are asked about.

    Args:
        is_watched: Tells whether a rule is one of them.
        applies: Whether what rules do is done; otherwise every node stays as it is.

    Attributes:
        outcomes: What became of each, in order.
        rules: All rules of the sets that were asked, by name.
    """

    def __init__(self, is_watched: Callable[[Rule], bool], *, applies: bool) -> None:
        self.outcomes: list[Outcome] = []
        self.rules: dict[str, Rule] = {}
        self._is_watched, self._applies = is_watched, applies
        self._watched: dict[tuple[Rule, Rule], Rule] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the rules inside the block."""
        token = WATCHING.set(self._watch)
        try:
            yield
        finally:
            WATCHING.reset(token)

    def _watch(
        self, rules: RuleSet, of_kind: Mapping[type[Node], tuple[Rule, ...] | Select]
    ) -> Mapping[type[Node], tuple[Rule, ...] | Select]:
        for each in rules.rules:
            self.rules.setdefault(each.name, each)

        def selected(kind: type[Node]) -> tuple[Rule, ...] | Select:
            found = of_kind[kind]
            if isinstance(found, tuple):
                return self._wrap(found)
            return lambda node: self._wrap(found(node))

        return ByKind(selected)

    def _wrap(self, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        """Return the rules to be tried at a node, the watched one and those before it watched."""
        found: list[Rule] = []
        watched: Rule | None = None
        for each in reversed(rules):
            watched = each if self._is_watched(each) else watched
            found.append(each if watched is None else self._watched_rule(each, watched))
        return tuple(found[::-1])

    def _watched_rule(self, given: Rule, watched: Rule) -> Rule:
        known = self._watched.get((given, watched))
        if known is None:
            attempt = self._attempt if given is watched else self._attempt_before
            known = self._watched[given, watched] = Rule(
                given.name,
                given.keys,
                given.action,
                attempt=lambda node, facts: attempt(given, watched, node, facts),
                keeps_order=given.keeps_order,
                pattern=given.pattern,
                roots=given.roots,
            )
        return known

    def _attempt(self, given: Rule, _: Rule, node: Any, facts: Facts) -> Any:
        """Ask the watched rule."""
        out, outcome = _ask(given, node, facts)
        if outcome is not None:
            self.outcomes.append(outcome)
        return out if self._applies else node

    def _attempt_before(self, given: Rule, watched: Rule, node: Any, facts: Facts) -> Any:
        """Ask another rule; if that is applied, note whether the watched one would have been."""
        out, outcome = _ask(given, node, facts)
        if outcome is not None and outcome.is_applied:
            found = facts.found
            _, instead = _ask(watched, node, facts)
            if instead is not None and instead.is_applied:
                self.outcomes.append(instead._replace(taken_by=given.name))
            facts.found = found
        return out


def _ask(rule: Rule, node: Any, facts: Facts) -> tuple[Any, Outcome | None]:
    """Return what a rule says to a node, and what becomes of that; ``None`` if it has no match."""
    facts.found = {}
    facts.rebound.clear()
    out = rule.attempt(node, facts)
    if facts.rebound:
        return out, Outcome(*facts.rebound[-1])
    if type(out) is Unchanged:
        return out, Outcome(node, reason=out.reason)
    if rule.checked(out, node, facts) is node or out is facts.pre:
        return out, Outcome(node) if rule.pattern is None or facts.found else None
    reason = facts.tell_refusal(rule, node, out)
    return out, Outcome(node, out) if reason is None else Outcome(node, reason=reason)
