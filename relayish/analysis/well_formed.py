"""Well-formedness: every variable is bound at most once, and used only in its scope."""

from __future__ import annotations

from typing import NoReturn

from relayish.analysis.type_scopes import (
    FreeTypeVariables,
    find_misplaced_type_variable,
    find_unbound_type_variable,
)
from relayish.errors import WellFormedError
from relayish.ir.fields.naming import name_of
from relayish.ir.kinds.one_line import quote
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.verification import scope_rules
from relayish.ir.verification.rules import (
    DEFINITION_RULES,
    DefinitionRule,
    DefinitionVerifier,
    Scoped,
)
from relayish.ir.verification.scope_rules import Refuse


def well_formed(program: Node | AnyModule) -> bool:
    """Return whether ``program`` keeps the rules of scoping; see :func:`check_well_formed`.

    Example:
        >>> from relayish.ir.relay.expr import Let, Var
        >>> x, y = Var("x"), Var("y")
        >>> well_formed(Let(x, y, x)), well_formed(Let(x, y, Let(x, y, x)))
        (True, False)
    """
    try:
        check_well_formed(program)
    except WellFormedError:
        return False
    return True


def check_well_formed(program: Node | AnyModule) -> None:
    """Raise unless ``program``, of any language, keeps the rules of scoping.

    A variable is bound at most once in the whole program (a function that occurs in several
    places is one function). Where it is bound, every use lies in the scope of its binder: value and
    body of a let, body of a function, arm of a clause, and what the roles of fields say of other
    kinds. A node that occurs in several places must be in scope in each.

    Annotations mention type variables only where these are in scope.

    Of definitions of other languages, what these say by :func:`DEFINITION_RULES` is asked in place
    of these rules.

    Variables of an expression that nothing binds are free, and welcome; so are type variables. The
    definitions of a module are looked at one by one, and must be closed: there is nobody who could
    bind what is free in them.

    Raises:
        WellFormedError: Naming the variable and, where nodes carry spans, the places.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on variables used in other scopes
        than that which binds them; no recursion.

    Source:
        Relay ``WellFormed``, and what ``IRModule.Add`` demands of functions.
    """
    if not isinstance(program, Module):
        rule = _rule_of(program)
        if rule is not None:
            DefinitionVerifier(None).require(rule, program, "")
        else:
            check_scopes(program, _raise, free=FreeTypeVariables(), closed=False)
        return
    others = DefinitionVerifier(program)
    free = FreeTypeVariables()  # functions share types: each is looked at once
    for key, definition in program.functions.items():
        name = program.name_of(key)
        try:
            rule = _rule_of(definition)
            if rule is not None:
                others.require(rule, definition, name or "")
                continue
            scopes = check_scopes(definition, _raise, free=free, closed=True)
        except WellFormedError as error:
            error.add_note(f"in the definition of @{name}")
            raise
        scope_rules.check_closed_scopes(f"@{name}", scopes, _raise)
    if isinstance(program, IRModule):
        for data in program.type_definitions.values():
            problem = type_definition_problem(data)
            if problem is not None:
                raise WellFormedError(problem)


def _rule_of(definition: Node) -> DefinitionRule | None:
    """Return the rule of a language with rules of its own, ``None`` for those of scoping."""
    kind = type(definition)
    rule = DEFINITION_RULES[kind] if DEFINITION_RULES.knows(kind) else None
    return None if isinstance(rule, Scoped) else rule


def type_definition_problem(data: TypeData) -> str | None:
    """Return what is wrong where a definition mentions type variables that it does not bind."""
    found = find_unbound_type_variable(data)
    if found is None:
        return None
    constructor, variable = found
    return (
        f"type {data.header.name_hint}: constructor {constructor.name_hint} mentions the type "
        f"variable {name_of(variable)}, which is no parameter of the type; add it to these, or "
        f"replace it by a type"
    )


def check_closed(definition: Node, name: str) -> None:
    """Raise if ``definition``, called ``name`` in errors, uses variables that nothing binds.

    One that is bound anywhere in it is not free, whether it is in scope where it is used or not.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    scope_rules.check_closed(definition, name, _raise)


def _raise(_: Node, message: str) -> NoReturn:
    raise WellFormedError(message)


def check_scopes(root: Node, refuse: Refuse, *, free: FreeTypeVariables, closed: bool) -> Scopes:
    """Refuse variables bound twice or used out of scope, type variables too; return the scopes.

    Args:
        root: A definition, or an expression.
        refuse: Called for each problem, in order.
        free: What is known of types already.
        closed: Whether type variables have to be bound.
    """
    scopes = scope_rules.check_scoping(root, refuse)
    misplaced = find_misplaced_type_variable(scopes, free, closed=closed)
    if misplaced is not None:
        refuse(
            misplaced.node,
            f"an annotation of {quote(misplaced.node)} mentions the type variable "
            f"{name_of(misplaced.variable)}, which is not in scope there; add it to the type "
            f"parameters of the function around it, or replace it by a type",
        )
    return scopes
