"""Placement of children in scopes: for each kind, code generated from the roles of its fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function, for_each, indent
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import variables_in


class Placer(Protocol):
    """What takes note of the scopes that children of nodes are used in."""

    scope: dict[Node, int]
    binding_scope: dict[Node, int]

    def widen(self, node: Node, before: int, scope: int) -> None:
        """Note that ``node``, which is used in the scope ``before``, is used in another as well."""

    def open(self, scope: int, runs: Runs) -> int:
        """Return a new scope inside of another."""

    def open_shared(self, scope: int) -> int:
        """Return a new scope around the scopes of a node in which it binds the same variables."""

    def place_statements(self, nodes: Sequence[object], scope: int) -> None:
        """Note that several nodes are evaluated in ``scope``, each in a scope of its own."""

    def declaration_scope(self, scope: int) -> int:
        """Return the scope that declarations in ``scope`` bind in."""

    def bind_again(self, variable: Node, binder: Node, scope: int) -> None:
        """Note that ``binder`` binds a variable that is bound already, by it or by another node."""


# Any: a node of one kind
PlaceChildren: TypeAlias = Callable[[Placer, Any, int, Node, list[Node]], tuple[int, ...]]
"""``place_children(placer, node, scope, owner, parts)`` returns the scopes that it opened.

``node`` is ``owner`` or a part of it, and evaluated in ``scope``. Its own parts are put on the
stack ``parts``.
"""


def placement_of_kind(kind: type[Node], *, branches: bool = True) -> PlaceChildren | None:
    """Return how children of nodes of class ``kind`` are placed; ``None``: in the scope around.

    Args:
        kind: A class of nodes.
        branches: Whether blocks in which no more is known than around them have scopes.
    """
    outside, recursive, inner, _, bound, parts, shared = scope_fields(kind)
    if not (bound or parts or (inner and branches)):
        return None
    lines = ["placed = placer.scope.setdefault"]
    if bound:
        lines.append("binding_scope = placer.binding_scope")
    fixed = all(f.shape is Shape.ONE or f.block for f in inner)
    if not fixed:
        lines.append("opened = ()")
    for declared in outside:
        lines += for_each(declared, _place("scope"))
    outer = "placer.declaration_scope(scope)" if bound and not inner else "scope"
    # what a let binds is known in its value and body, which stand in one scope
    joined = len(recursive) == len(inner) == 1 and inner[0].runs is Runs.ONCE
    around = "placer.open(scope, ONCE)" if joined else "placer.open_shared(scope)"
    lines.append(f"known = around = {around if shared else outer}")
    binds = bool(bound) and not shared
    for number, declared in enumerate(inner):
        lines += _write_open(
            declared,
            number,
            shares=joined,
            opened=branches or binds,
            fixed=fixed,
        )
    if shared:
        lines.append("known = around")
    for declared in recursive:
        lines += for_each(declared, _place("known"))
    for declared in bound:
        lines += for_each(declared, _BIND[declared.holds_patterns])
    for declared in reversed(parts):
        lines += for_each(declared, ["parts.append(child)"], backwards=True)
    returned = "".join([f"inner{number}, " for number in range(len(inner))])
    lines.append(f"return ({returned})" if fixed else "return opened")
    made: PlaceChildren = compile_function(
        "place_children(placer, node, scope, owner, parts)",
        lines,
        {"Node": Node, "NAMES": NAMES, "variables_in": variables_in}
        | {runs.name: runs for runs in Runs},
    )
    return made


def _write_open(
    declared: Field, number: int, *, shares: bool, opened: bool, fixed: bool
) -> list[str]:
    """Return the lines that open the scope of a field, or one for each item it holds."""
    assert declared.runs is not None
    opens = f"placer.open(around, {declared.runs.name})" if opened else "around"
    if declared.holds_many and not declared.block:
        opening = f"known = {opens}; opened += (known,)"
        return for_each(declared, [opening, *_place("known")])
    opening = "around" if shares else opens
    lines = [f"known = inner{number} = {opening}"]
    if declared.holds_many:
        lines.append(f"placer.place_statements(node.{declared.name}, known)")
    else:
        lines += for_each(declared, _place("known"))
    if fixed:
        return lines
    lines.append("opened += (known,)")
    if declared.shape is Shape.ONE or declared.block:
        return lines
    return [f"if {_THERE[declared.shape].format(f=declared.name)}:", *indent(lines)]


def _place(scope: str) -> list[str]:
    """Return the lines that place ``child``, which mostly is met for the first time."""
    return [
        f"before = placed(child, {scope})",
        f"if before != {scope} and type(child) not in NAMES:",
        f"    placer.widen(child, before, {scope})",
    ]


def _bind(variable: str) -> list[str]:
    return [
        f"if {variable} in binding_scope: placer.bind_again({variable}, owner, known)",
        f"else: binding_scope[{variable}] = known",
    ]


_BIND: Final = {
    False: _bind("child"),
    True: ["for variable in variables_in(child):", *indent(_bind("variable"))],
}
_THERE: Final = {
    Shape.OPTIONAL: "node.{f} is not None",
    Shape.MANY: "node.{f}",
    Shape.MIXED: "any([isinstance(child, Node) for child in node.{f}])",
}


PLACEMENTS: Final = ByKind(placement_of_kind)
"""For each kind what :func:`placement_of_kind` returns."""
