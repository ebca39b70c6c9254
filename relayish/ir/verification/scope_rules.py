"""Scoping: every variable is bound at most once, and used only in its scope.

It is told by the roles of fields, and holds of every language that does not say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import describe, one_line_at
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.span import at_span
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.placement import placement_of_kind
from relayish.ir.scopes.scoping import PROGRAM, binders, collect_variables, evaluated, parts

Refuse: TypeAlias = Callable[[Node, str], None]
"""``refuse(node, message)``: takes down, or raises, what is wrong about ``node``."""

_SHOWN_VARIABLES: Final = 8


class BoundOnce(Scopes):
    """The scopes of a program, and what is wrong where variables are to be bound once.

    Attributes:
        again: Variables that are bound already, each with what binds it again.
    """

    def __init__(self, root: Node, order: Sequence[Node]) -> None:
        self.again: list[tuple[Node, Node]] = []
        super().__init__(root, order=order)

    def bind_again(self, variable: Node, binder: Node, scope: int) -> None:
        super().bind_again(variable, binder, scope)
        self.again.append((variable, binder))

    def misplaced(self) -> dict[Node, int]:
        """Return the variables of which some use is not where they are known, with where that is.

        Those that are bound twice are left out.
        """
        again = dict(self.again)
        return {
            variable: inner
            for variable, inner in self.binding_scope.items()
            if self.scope[variable] != inner and variable not in again
        }

    def binders_of(self, variables: Collection[Node]) -> dict[Node, list[tuple[Node, Node]]]:
        """Return, for each of ``variables`` that is bound, the nodes that bind it, in order.

        Each is told with the part of it that does, itself where it has none.

        Complexity:
            Linear in the nodes of the program, or nothing without variables; no recursion.
        """
        found: dict[Node, list[tuple[Node, Node]]] = {}
        for node in self.order if variables else ():
            if node in self.opened:
                for each in (node, *parts(node)):
                    for variable in binders(each):
                        if variable in variables:
                            found.setdefault(variable, []).append((node, each))
        return found

    def uses_outside(self, known: Mapping[Node, int | None]) -> Iterator[tuple[Node, Node]]:
        """Yield uses of variables outside of the scopes in which these are known, in order.

        Args:
            known: These scopes, by variable; ``None`` for what is known nowhere.
        """
        for user in self.order if known else ():
            if user not in self.scope:
                continue
            for variable in dict.fromkeys(evaluated(user)):
                if variable in known:
                    inner = known[variable]
                    if inner is None or not self.is_inside(user, inner):
                        yield user, variable


class _BoundByNodes(BoundOnce):
    """The same where no statement declares variables: only what binds has scopes."""

    _placements = ByKind(partial(placement_of_kind, branches=False))
    has_declarations = False

    def declaration_scope(self, scope: int) -> int:
        self.has_declarations = True
        return scope


def bound_once(root: Node) -> BoundOnce:
    """Return the scopes of a program; those alone that bind, where no statement declares."""
    order = PROGRAM.post_order(root)
    scopes = _BoundByNodes(root, order)
    return BoundOnce(root, order) if scopes.has_declarations else scopes


def check_scoping(root: Node, refuse: Refuse) -> Scopes:
    """Refuse variables that are bound twice, or used out of scope; return the scopes of ``root``.

    Args:
        root: A definition, or an expression.
        refuse: Called for each problem, in order; where it raises, that ends the check.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on variables used in other scopes
        than that which binds them; no recursion.
    """
    scopes = bound_once(root)
    misplaced = scopes.misplaced()
    if scopes.again or misplaced:
        known = {
            variable: binders[-1][0]  # users stand behind what they use, the outermost last
            for variable, binders in scopes.binders_of({*misplaced, *dict(scopes.again)}).items()
        }
        _refuse_rebound(scopes.again, known, refuse)
        _refuse_misplaced(misplaced, scopes, known, refuse)
    return scopes


def check_closed_scopes(name: str, scopes: Scopes, refuse: Refuse) -> None:
    """Refuse variables that nothing in a definition, called ``name`` in messages, binds.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    bound = scopes.binding_scope
    if any(type(node) in VARIABLES and node not in bound for node in scopes.order):
        check_closed(scopes.order[-1], name, refuse)


def check_closed(definition: Node, name: str, refuse: Refuse) -> None:
    """Refuse if ``definition``, called ``name`` in messages, uses variables that nothing binds.

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
    refuse(
        user,
        f"{name} uses {listed}, which nothing binds; {shown} is used in {one_line_at(user)}: "
        f"{advice}",
    )


def _refuse_rebound(
    again: Sequence[tuple[Node, Node]], known: Mapping[Node, Node], refuse: Refuse
) -> None:
    for variable, binder in again:
        first = known.get(variable, binder)
        refuse(
            binder,
            f"variable {_variable(variable)} is bound twice: by {describe(first)} and by "
            f"{describe(binder)}; a variable is bound once, use a new {type(variable).__name__} "
            f"for the second",
        )


def _refuse_misplaced(
    misplaced: Mapping[Node, int], scopes: BoundOnce, known: Mapping[Node, Node], refuse: Refuse
) -> None:
    """Refuse each use of variables outside of the scopes that they are known in."""
    if not misplaced:
        return
    users: dict[Node, list[Node]] = {variable: [] for variable in misplaced}
    for user, variable in scopes.uses_outside(misplaced):
        if user is not known[variable]:
            users[variable].append(user)
    for variable, found in users.items():
        for user in found or (variable,):
            used = f" by {describe(user)}" if found else ""
            refuse(
                user,
                f"variable {_variable(variable)} is used{used} outside the scope of its binder, "
                f"{describe(known[variable])}; use it only in there, or bind it further out",
            )


def _variable(variable: Node) -> str:
    return display_name(variable) + at_span(variable)
