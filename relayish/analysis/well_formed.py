"""Well-formedness: every variable is bound at most once, and used only in its scope."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

from relayish.analysis.type_scopes import (
    FreeTypeVariables,
    find_misplaced_type_variable,
    find_unbound_type_variable,
)
from relayish.errors import WellFormedError
from relayish.ir.kind_table import KindTable
from relayish.ir.module import AnyModule, Module
from relayish.ir.naming import display_name, name_of
from relayish.ir.node import VARIABLES, Node
from relayish.ir.one_line import describe, one_line_at, quote
from relayish.ir.placement import placement_of_kind
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes import Scopes
from relayish.ir.scoping import PROGRAM, collect_variables, evaluated
from relayish.ir.span import at_span
from relayish.ir.traversal import ByKind

_SHOWN_VARIABLES: Final = 8


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

    Of definitions of other languages, what these say by :func:`register_verifier` is asked in place
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
        if VERIFIERS.knows(type(program)):
            VERIFIERS[type(program)](program, None)
        else:
            _check(program, FreeTypeVariables(), closed=False)
        return
    free = FreeTypeVariables()  # functions share types: each is looked at once
    for key, definition in program.functions.items():
        name = program.name_of(key)
        try:
            if VERIFIERS.knows(type(definition)):
                VERIFIERS[type(definition)](definition, program)
                continue
            scopes = _check(definition, free, closed=True)
        except WellFormedError as error:
            error.add_note(f"in the definition of @{name}")
            raise
        bound = scopes.binding_scope
        if [1 for node in scopes.order if type(node) in VARIABLES and node not in bound]:
            check_closed(definition, f"@{name}")
    if isinstance(program, IRModule):
        for data in program.type_definitions.values():
            _check_type_definition(data)


def register_verifier(kind: type[Node], verifier: Verifier) -> None:
    """Say when a definition of another language is well formed.

    Args:
        kind: The kind of definition, or a family.
        verifier: ``verifier(definition, mod)`` raises a
            :class:`~relayish.errors.WellFormedError` that says what is wrong. ``mod`` is the module
            in which the definition stands, or ``None``.

    Raises:
        DuplicateNameError: If the kind has a verifier of somebody else's.
    """
    VERIFIERS.register(kind, verifier)


Verifier: TypeAlias = Callable[[Any, AnyModule | None], None]  # Any: a node of one kind

VERIFIERS: Final[KindTable[Verifier]] = KindTable(
    "well-formedness", "relay.analysis.register_verifier"
)
"""By kind of definition; those of no kind in it follow the rules of scoping and no others."""


def _check_type_definition(data: TypeData) -> None:
    """Raise unless a definition binds the type variables that its constructors mention."""
    found = find_unbound_type_variable(data)
    if found is not None:
        constructor, variable = found
        raise WellFormedError(
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
    occurring, bound = collect_variables(definition, PROGRAM)
    free = [var for var in occurring if var not in bound]
    if not free:
        return
    listed = ", ".join([display_name(var) for var in free[:_SHOWN_VARIABLES]])
    if len(free) > _SHOWN_VARIABLES:
        listed += f" and {len(free) - _SHOWN_VARIABLES} more"
    first = free[0]
    user = next((n for n in PROGRAM.post_order(definition) if first in evaluated(n)), definition)
    shown = display_name(first)
    advice = "bind it, or make it a parameter"
    if any(display_name(var) == shown for var in bound):
        advice = f"another variable called {shown} is bound: use that one there"
    raise WellFormedError(
        f"{name} uses {listed}, which nothing binds; {shown} is used in {one_line_at(user)}: "
        f"{advice}"
    )


def _check(root: Node, free: FreeTypeVariables, *, closed: bool) -> Scopes:
    """Raise unless variables are bound once and used in scope; return the scopes of ``root``.

    ``free`` is what is known of types already; ``closed`` tells whether type variables have to be
    bound.
    """
    order = PROGRAM.post_order(root)
    scopes: _BoundOnce = (by_nodes := _BoundByNodes(root, order=order))
    if by_nodes.has_declarations:
        scopes = _BoundOnce(root, order=order)
    scope_of = scopes.scope
    for variable, inner in scopes.binding_scope.items():
        if scope_of[variable] != inner:  # further out: some use is not inside
            _refuse(variable, inner, scopes)
    misplaced = find_misplaced_type_variable(scopes, free, closed=closed)
    if misplaced is not None:
        raise WellFormedError(
            f"an annotation of {quote(misplaced.node)} mentions the type variable "
            f"{name_of(misplaced.variable)}, which is not in scope there; add it to the type "
            f"parameters of the function around it, or replace it by a type"
        )
    return scopes


class _BoundOnce(Scopes):
    """The scopes of a program in which no variable may be bound twice."""

    def bind_again(self, variable: Node, binder: Node, scope: int) -> None:  # noqa: ARG002
        found = self.binder(variable)
        first = binder if found is None else found
        raise WellFormedError(
            f"variable {_variable(variable)} is bound twice: by {describe(first)} and by "
            f"{describe(binder)}; a variable is bound once, use a new {type(variable).__name__} "
            f"for the second"
        )


class _BoundByNodes(_BoundOnce):
    """The same where no statement declares variables: only what binds has scopes."""

    _placements = ByKind(partial(placement_of_kind, branches=False))
    has_declarations = False

    def declaration_scope(self, scope: int) -> int:
        self.has_declarations = True
        return scope


def _refuse(variable: Node, inner: int, scopes: Scopes) -> NoReturn:
    """Raise the error for a variable that is used outside of the scope ``inner``."""
    binder = scopes.binder(variable)
    assert binder is not None
    outside = [
        user
        for user in scopes.order
        if user in scopes.scope
        and user is not binder
        and not scopes.is_inside(user, inner)
        and variable in evaluated(user)
    ]
    used = f" by {describe(outside[0])}" if outside else ""
    raise WellFormedError(
        f"variable {_variable(variable)} is used{used} outside the scope of its binder, "
        f"{describe(binder)}; use it only in there, or bind it further out"
    )


def _variable(variable: Node) -> str:
    return display_name(variable) + at_span(variable)
