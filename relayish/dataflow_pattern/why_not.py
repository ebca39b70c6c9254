"""Reasons why a callback, or an entry of a table of patterns, finds nothing to replace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relayish.analysis.infer_type import infer_type
from relayish.dataflow_pattern.callback import DFPatternCallback, pattern_of, replacement
from relayish.dataflow_pattern.explain import explain
from relayish.dataflow_pattern.group import find_groups
from relayish.dataflow_pattern.partition import Entry, cut_out, partition, read_entry
from relayish.dataflow_pattern.pattern import DFPattern, expect_expr
from relayish.errors import PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.naming import brief
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.function_attributes import COMPOSITE
from relayish.ir.relay.module import IRModule
from relayish.rewriting.watch import Outcome
from relayish.rewriting.why_not import WhyNot, answer, explain_rule, list_roots

# Any, here and below: a module or a node, a module, rules or a table, as why_not takes them


@explain_rule.register
def _ask_callback(
    callback: DFPatternCallback, program: Any, mod: Any, among: Any, keep_order: bool
) -> WhyNot:
    if among is not None or keep_order:
        raise PassError("a callback is asked by itself: give neither among nor keep_order")
    pattern, outcomes = pattern_of(callback), list[Outcome]()
    roots = _expressions(program, mod)
    if callback.require_type:
        roots = [(infer_type(expr, within), within) for expr, within in roots]
    for expr, within in roots:
        refused: dict[Expr, str] = {}
        for group in find_groups(pattern, expr, within, refused=refused).values():
            image = replacement(callback, group.root, group.root, group.node_map)
            is_left = image is group.root or structural_equal(image, group.root)
            outcomes.append(Outcome(group.root, None if is_left else image))
        outcomes += [Outcome(root, reason=text) for root, text in refused.items()]
    return _answer(type(callback).__name__, pattern, outcomes, roots)


@explain_rule.register(tuple)
def _ask_entry(
    entry: tuple[Any, ...], program: Any, mod: Any, among: Any, keep_order: bool
) -> WhyNot:
    if keep_order:
        raise PassError("what is cut out acts where it did: do not give keep_order")
    name, pattern, check = read_entry(entry)
    table = [read_entry(each) for each in among or ()]
    names = [each[0] for each in table]
    earlier = table[: names.index(name)] if name in names else table
    outcomes: list[Outcome] = []
    roots = [
        (expr.body if isinstance(expr, Function) else expr, within)
        for expr, within in _expressions(program, mod)
    ]
    for expr, within in roots:
        found, left = _find((name, pattern, check), expr, within), expr
        for other, its_pattern, its_check in earlier:
            left = partition(its_pattern, left, {COMPOSITE: other}, its_check, within)
            still = _find((name, pattern, check), left, within)
            if not any(each.is_applied for each in still):
                still = still or [each for each in found if not each.is_applied]
                still += [each._replace(taken_by=other) for each in found if each.is_applied]
            found = still
        outcomes += found
    return _answer(name, pattern, outcomes, roots)


def _find(entry: Entry, expr: Expr, mod: IRModule | None) -> list[Outcome]:
    """Return what becomes of the matches of an entry in an expression."""
    name, pattern, check = entry
    found: list[Outcome] = []
    refused: dict[Expr, str] = {}
    for group in find_groups(pattern, expr, mod, whole_scopes=True, refused=refused).values():
        verdict: object = True if check is None else check(group.root)
        if verdict:
            func = cut_out(group, 0, {COMPOSITE: name})
            found.append(Outcome(group.root, Call(func, tuple(group.inputs))))
        else:
            found.append(Outcome(group.root, reason=f"its check returned {brief(verdict)}"))
    return found + [Outcome(root, reason=text) for root, text in refused.items()]


def _answer(
    name: str,
    pattern: DFPattern,
    outcomes: list[Outcome],
    roots: Iterable[tuple[Expr, IRModule | None]],
) -> WhyNot:
    if outcomes:
        return answer(name, outcomes)
    explanations = [explain(pattern, expr, within) for expr, within in roots]
    return answer(name, (), explanations, missed="it is part of what was cut out before")


def _expressions(program: Any, mod: Any) -> list[tuple[Expr, IRModule | None]]:
    found = list_roots(program, mod)
    if program is not mod and len(found) == 1:
        expect_expr(found[0][0], "why_not")
    return [(expr, within) for expr, within in found if isinstance(expr, Expr)]
