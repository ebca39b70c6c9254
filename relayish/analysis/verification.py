"""Verification of Relay's definitions: scoping of variables and type variables, and types."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from relayish.analysis.carried_types import stale_types
from relayish.analysis.infer_type import infer_type
from relayish.analysis.infer_type.rule import TYPE_RULES
from relayish.analysis.infer_type.signature import tells_type
from relayish.analysis.type_scopes import FreeTypeVariables
from relayish.analysis.well_formed import check_scopes, type_definition_problem
from relayish.domain.verifier import rules
from relayish.domain.verifier.rules import Rule
from relayish.errors import RelayishError, TypeInferenceError, UnknownKindError
from relayish.ir.fields.roles import Role
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import PROGRAM
from relayish.ir.verification.rules import DEFINITION_RULES, Scoped, Violation


def verify_relay(definitions: Mapping[str, Expr], mod: AnyModule | None) -> list[Violation]:
    """Return what is wrong with definitions of Relay, all of it.

    Variables are bound once and used in scope, so are type variables; then every expression has a
    type. Types are not asked for where scoping is wrong. Where a definition calls functions of
    languages that tell Relay no type, its expressions are taken for well typed.

    Complexity:
        That of type inference; no recursion.
    """
    free = FreeTypeVariables()  # functions share types: each is looked at once
    check = partial(check_scopes, free=free, closed=mod is not None)
    found = rules.check_scopes(definitions, mod, check)
    if isinstance(mod, IRModule):
        first = next(iter(definitions))
        for data in mod.type_definitions.values():
            problem = type_definition_problem(data)
            if problem is not None:
                found.append(Violation(Rule.SCOPE, problem, data, data.span, first))
    if isinstance(mod, IRModule):
        found += _check_types(definitions, mod, {each.definition for each in found})
    return found


def _check_types(
    definitions: Mapping[str, Expr], mod: IRModule, unsound: Collection[str]
) -> list[Violation]:
    """Return why definitions have no types, where they have none, or carry others.

    Those that are unsound are left out, as is what refers to them, or to functions of which no
    type is known, or holds kinds of which no type rule is.
    """
    try:
        return _check_known_types(definitions, mod, unsound)
    except UnknownKindError:  # kinds of packages that registered no type rule
        untold = {name for name, each in definitions.items() if not _tells_all_types(each)}
    try:
        return _check_known_types(definitions, mod, {*unsound, *untold})
    except UnknownKindError:
        return []  # which kinds are asked is told by the rules of others


def _tells_all_types(definition: Expr) -> bool:
    """Return whether type rules are registered of all kinds of expressions in a definition."""
    nodes = PROGRAM.post_order(definition)
    kinds = {type(node) for node in nodes if node.held_as_ is Role.OPERAND} - ATOMS
    return all(TYPE_RULES.knows(kind) for kind in kinds)


def _check_known_types(
    definitions: Mapping[str, Expr], mod: IRModule, unsound: Collection[str]
) -> list[Violation]:
    kept = _with_known_types(definitions, mod, unsound)
    others = [key for key in mod.functions if key.name_hint not in kept]
    rest = mod.without_functions(others)
    asked = {name: each for name, each in definitions.items() if name in kept}
    if not asked:
        return []
    try:
        typed = infer_type(rest, fresh=True)
    except TypeInferenceError as error:
        found: list[Violation] = []
        first = next(iter(asked))
        for each in error.diagnostics:
            name = each.definition.removeprefix("@")
            name = name if name in asked else first
            span = None if each.span is None else Span(*each.span)
            node = _node_at(asked[name], span)
            found.append(Violation(Rule.TYPE, each.message, node, span, name))
        return found or [_violation_of(error, asked)]
    except UnknownKindError:
        raise
    except RelayishError as error:
        return [_violation_of(error, asked)]
    return [
        Violation(Rule.TYPE, stale.message, stale.node, stale.node.span, stale.definition)
        for stale in stale_types(rest, typed)
    ]


def _with_known_types(
    definitions: Mapping[str, Expr], mod: IRModule, unsound: Collection[str]
) -> set[str]:
    """Return the names of definitions that refer to nothing of which no type is told."""
    users: dict[str, list[str]] = {}
    for name, definition in definitions.items():
        for node in EXPRESSIONS.post_order(definition):
            if isinstance(node, GlobalVar):
                users.setdefault(node.name_hint, []).append(name)
    kept = {name for name in definitions if name not in unsound}
    for key, other in mod.functions_of(Node).items():
        name = key.name_hint
        if name in users and not isinstance(other, Expr) and tells_type(other):
            kept.add(name)
    pending = [name for name in users if name not in kept]
    while pending:
        for user in users.get(pending.pop(), ()):
            if user in kept:
                kept.remove(user)
                pending.append(user)
    return kept


def _node_at(definition: Expr, span: Span | None) -> Node:
    """Return the innermost expression that comes from a place, the definition without one."""
    if span is None:
        return definition
    at_span = (node for node in EXPRESSIONS.post_order(definition) if _span_of(node) == span)
    return next(at_span, definition)


def _span_of(node: Node) -> Span | None:
    return getattr(node, "span", None)


def _violation_of(error: RelayishError, definitions: Mapping[str, Expr]) -> Violation:
    name, definition = next(iter(definitions.items()))
    return Violation(Rule.TYPE, str(error), definition, definition.span, name)


DEFINITION_RULES.register(Expr, Scoped(verify_relay))
