"""Verification of Relay's definitions: scoping of variables and type variables, and types."""

from __future__ import annotations

from collections.abc import Mapping

from relayish.analysis.infer_type import infer_type
from relayish.analysis.infer_type.signature import SIGNATURES
from relayish.analysis.type_scopes import FreeTypeVariables
from relayish.analysis.well_formed import check_scopes
from relayish.domain.verifier.rules import Rule
from relayish.errors import RelayishError, TypeInferenceError
from relayish.ir import scope_rules
from relayish.ir.module import AnyModule
from relayish.ir.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.span import Span
from relayish.ir.verification import Scoped, Violation, register_definition_rule


def verify_relay(definitions: Mapping[str, Expr], mod: AnyModule | None) -> list[Violation]:
    """Return what is wrong with definitions of Relay, all of it.

    Variables are bound once and used in scope, so are type variables; then every expression has a
    type. Types are not asked for where scoping is wrong. Where a definition calls functions of
    languages that tell Relay no type, its expressions are taken for well typed.

    Complexity:
        That of type inference; no recursion.
    """
    found: list[Violation] = []
    free = FreeTypeVariables()  # functions share types: each is looked at once
    for name, definition in definitions.items():

        def refuse(node: Node, message: str, name: str = name) -> None:
            found.append(Violation(Rule.SCOPE, message, node, getattr(node, "span", None), name))

        scopes = check_scopes(definition, free, refuse, closed=mod is not None)
        if mod is not None:
            scope_rules.check_closed_scopes(f"@{name}", scopes, refuse)
    return found or _check_types(definitions, mod)


def _check_types(definitions: Mapping[str, Expr], mod: AnyModule | None) -> list[Violation]:
    """Return why definitions have no types, where they have none."""
    if not isinstance(mod, IRModule) or not _tells_signatures(mod):
        return []
    try:
        infer_type(mod, fresh=True)
    except TypeInferenceError as error:
        found: list[Violation] = []
        first = next(iter(definitions))
        for each in error.diagnostics:
            name = each.definition.removeprefix("@")
            name = name if name in definitions else first
            span = None if each.span is None else Span(*each.span)
            node = _node_at(definitions[name], span)
            found.append(Violation(Rule.TYPE, each.message, node, span, name))
        return found or [_violation_of(error, definitions)]
    except RelayishError as error:
        return [_violation_of(error, definitions)]
    return []


def _tells_signatures(mod: IRModule) -> bool:
    """Return whether the types of all functions of other languages in a module are known."""
    others = [each for each in mod.functions.values() if not isinstance(each, Expr)]
    return all(SIGNATURES.knows(type(each)) for each in others)


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


register_definition_rule(Expr, Scoped(verify_relay))
