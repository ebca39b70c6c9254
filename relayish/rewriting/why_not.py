"""Reasons why a rule is not applied to a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Final

from relayish.errors import PassError, UnknownNameError, suggest
from relayish.ir.kinds.one_line import one_line, one_line_at, show_found
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.pass_infra.base.context import PassContext, resume
from relayish.pass_infra.composition.sequential import parse_pipeline
from relayish.rewriting.rewrite import rewrite_rules
from relayish.rewriting.rule import Key, Rule
from relayish.rewriting.rules import RuleSet
from relayish.rewriting.watch import Outcome, Watch

# Any, here and below: nodes, modules and patterns of whatever language

_HIGHEST_LEVEL: Final = 9


@dataclass(frozen=True, eq=False)
class WhyNot:
    """Why a rule is not applied; true if it is not.

    Attributes:
        rule: The name of the rule.
        outcomes: What became of the nodes that it concerns: first those it is applied to, then
            those of which a reason is known.
        explanation: Where the nearest match of its pattern ends, if it has one and that matches
            nothing; see :class:`~relayish.dataflow_pattern.Explanation`.
        concerns: What it is asked about, as text.
    """

    rule: str
    outcomes: tuple[Outcome, ...]
    explanation: Any | None = None
    concerns: str = ""

    def __bool__(self) -> bool:
        return not any(each.is_applied for each in self.outcomes)

    def __str__(self) -> str:
        if not self:
            done = self.outcomes[0]
            return f"{self.rule} replaces {one_line_at(done.node)} by {one_line(done.image)}"
        if self.explanation is not None:
            return f"{self.rule} has nothing to replace: {self.explanation}"
        if not self.outcomes:
            return f"{self.rule} is asked about {self.concerns}"
        lines = list(dict.fromkeys(map(self._tell, self.outcomes)))
        more = [f"and {len(lines) - _MOST_SHOWN} more"] if len(lines) > _MOST_SHOWN else []
        return "\n".join([*lines[:_MOST_SHOWN], *more])

    def _tell(self, outcome: Outcome) -> str:
        shown = one_line_at(outcome.node)
        if outcome.taken_by:
            return f"{self.rule} comes too late for {shown}: {outcome.taken_by} replaces that first"
        reason = f": {outcome.reason}" if outcome.reason else ""
        return f"{self.rule} leaves {shown} as it is{reason}"


_MOST_SHOWN: Final = 5


def why_not(
    rule: Any,  # Any: see below
    program: Any,
    mod: Any = None,
    *,
    among: Iterable[Any] | None = None,
    keep_order: bool = False,
) -> WhyNot:
    """Return why a rule is not applied to a program, or what it replaces by what.

    Args:
        rule: A rule; of a pass, the names of both, ``"SimplifyExpr/drop_idle_arrangement"``; a
            :class:`~relayish.dataflow_pattern.DFPatternCallback`; an entry of a table of
            ``MergeComposite``, ``(name, pattern)`` or ``(name, pattern, check)``.
        program: A module, or a node of a program of any language; a module if the rule is that of a
            pass.
        mod: The module that a node belongs to.
        among: The rules together with which it is applied, or the entries of the table, one of
            which may come first. Otherwise it is asked about the program as it is.
        keep_order: As in :func:`~relayish.rewriting.rewrite_rules`.

    Raises:
        DeclarationError: If it is a rule of an engine that does not take the program.
        UnknownNameError: If there is no such pass, or that has no such rule.
        PassError: If it is no rule, the program is none, or the rule returns what it may not.

    Complexity:
        That of rewriting, and of explaining a pattern.

    Example:
        >>> import relayish as relay
        >>> from relayish.dataflow_pattern import rule
        >>> from relayish.rewriting import Unchanged, why_not
        >>> @rule("nn.dropout")
        ... def drop(call, facts):
        ...     return call.args[0] if call.attrs.rate == 0 else Unchanged("its rate is not 0")
        >>> x = relay.var("x", shape=(2,))
        >>> print(why_not(drop, relay.nn.dropout(x, rate=0.5).tuple_value))
        drop leaves nn.dropout(%x) as it is: its rate is not 0
        >>> print(why_not(drop, relay.nn.relu(x)))
        drop is asked about nn.dropout, of which there is none in nn.relu(%x)
        >>> print(why_not(drop, relay.nn.dropout(x, rate=0.0).tuple_value))
        drop replaces nn.dropout(%x) by %x
    """
    if not isinstance(program, (Node, Module)):
        raise PassError(
            f"why_not takes a rule and a program, a node or a module; found {show_found(program)}"
        )
    return explain_rule(rule, program, mod, among, keep_order)


@singledispatch
def explain_rule(
    rule: Any,
    program: Any,  # noqa: ARG001 - as those that answer have it, and what follows
    mod: Any,  # noqa: ARG001
    among: Any,  # noqa: ARG001
    keep_order: bool,  # noqa: ARG001
) -> WhyNot:
    """Answer :func:`why_not`, by the class of the rule, for which other packages register."""
    raise PassError(
        f"why_not takes a rule, 'Pass/rule', a callback or an entry of a table of patterns; found "
        f"{show_found(rule)}"
    )


@explain_rule.register
def _ask_rule(rule: Rule, program: Any, mod: Any, among: Any, keep_order: bool) -> WhyNot:
    rules = RuleSet([rule] if among is None else among)

    def rewrite(root: Any, within: Any) -> None:
        rewrite_rules(rules, root, within, keep_order=keep_order, again=among is not None)

    return watch_rule(rule, rules, program, mod, rewrite, applies=among is not None)


def watch_rule(
    rule: Rule,
    rules: RuleSet,
    program: Any,
    mod: Any,
    rewrite: Callable[[Any, Any], object],
    *,
    applies: bool,
) -> WhyNot:
    """Return what becomes of a rule while ``rewrite(root, mod)`` rewrites a program.

    Args:
        rule: The rule.
        rules: Those that are applied, it among them.
        program: A module, or a node.
        mod: The module that a node belongs to.
        rewrite: Called with each definition of a module.
        applies: Whether what rules do is done.

    Raises:
        PassError: If it is not among them.
    """
    if rule not in rules.rules:
        raise PassError(
            f"rule {rule.name} is none of those it is to be applied with; found "
            f"{', '.join(each.name for each in rules.rules)}; give it among them"
        )
    watch = Watch(lambda each: each is rule, applies=applies)
    with watch.watching():
        for root, within in list_roots(program, mod):
            rewrite(root, within)
    return _answer(rule, watch.outcomes, program, mod)


@explain_rule.register
def _ask_pass(name: str, program: Any, mod: Any, among: Any, keep_order: bool) -> WhyNot:
    pipeline, _, rule = name.rpartition("/")
    if not pipeline or not isinstance(program, Module):
        raise PassError(
            f"a rule of a pass goes by the names of both, 'SimplifyExpr/drop_idle_dropout', and is "
            f"asked about a module; found {name!r} and {show_found(program)}"
        )
    if among is not None or keep_order:
        raise PassError(f"{pipeline} applies its rules itself: give neither among nor keep_order")
    watch = Watch(lambda each: each.name == rule, applies=True)
    context = PassContext.current().with_level(_HIGHEST_LEVEL)
    with watch.watching(), resume(context):
        parse_pipeline(pipeline)(program)
    if rule not in watch.rules:
        raise UnknownNameError(_tell_unknown(pipeline, rule, sorted(watch.rules)))
    return _answer(watch.rules[rule], watch.outcomes, program, mod)


def _tell_unknown(pipeline: str, rule: str, known: list[str]) -> str:
    """Return that a rule is none of those that passes asked about a module."""
    if not known:
        return (
            f"{pipeline} asked no rules about the module, and so not {rule!r}; name a pass that "
            f"applies rules, as SimplifyExpr does, and a module for it to change"
        )
    more = ", ..." if len(known) > _MOST_SHOWN else ""
    return (
        f"{pipeline} has no rule {rule!r}{suggest(rule, known)}; it has {len(known)} for the "
        f"module: {', '.join(known[:_MOST_SHOWN])}{more}"
    )


def _answer(rule: Rule, outcomes: list[Outcome], program: Any, mod: Any) -> WhyNot:
    if outcomes:
        return answer(rule.name, outcomes)
    if rule.pattern is not None:
        roots = list_roots(program, mod)
        found = [rule.pattern.explain(*each) for each in roots]
        return answer(rule.name, (), found, missed="rules before it changed what it matches")
    asked = ", ".join(sorted(map(_name, rule.keys or ()))) or "all nodes"
    where = one_line(program) if isinstance(program, Node) else "the module"
    return answer(rule.name, (), concerns=f"{asked}, of which there is none in {where}")


def answer(
    name: str,
    outcomes: Iterable[Outcome],
    explanations: Sequence[Any] = (),
    *,
    missed: str = "",
    concerns: str = "",
) -> WhyNot:
    """Return what is to be told of a rule.

    Args:
        name: The name of the rule.
        outcomes: What became of the nodes that it was asked about.
        explanations: Those of its pattern, if there were none, by definition.
        missed: Why it was not asked about what its pattern matches, if it matches anything.
        concerns: What it is asked about, as text.
    """
    matched = [Outcome(each.matched, reason=missed) for each in explanations if each]
    found = sorted([*outcomes, *matched], key=lambda each: (not each.is_applied, not each.reason))
    nearest = max(explanations, key=lambda each: each.held, default=None)
    concerns = concerns or "what a module defines, and there is nothing in this one"
    return WhyNot(name, tuple(found), None if found else nearest, concerns)


def list_roots(program: Any, mod: Any) -> list[tuple[Any, Any]]:
    """Return the definitions of a module, or a node, each with the module it belongs to."""
    if not isinstance(program, Module):
        return [(program, mod)]
    return [(each, program) for each in program.functions.values()]


def _name(key: Key) -> str:
    if isinstance(key, tuple):
        return ".".join(filter(None, key))
    return str(getattr(key, "full_name", None) or getattr(key, "__name__", None) or key)
