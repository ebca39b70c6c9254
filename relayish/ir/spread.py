"""How nodes of each kind divide into scopes: code generated from the roles of their fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from relayish.ir.field import Field, Shape
from relayish.ir.node import NAMES, Node
from relayish.ir.roles import Role, Runs
from relayish.ir.scoping import variables_in
from relayish.ir.traversal import ByKind, compile_function


class Placer(Protocol):
    """What is told where the children of a node stand."""

    scope: dict[Node, int]
    home: dict[Node, int]

    def widen(self, node: Node, before: int, scope: int) -> None:
        """Note that ``node``, which is used in the scope ``before``, is used in another as well."""

    def open(self, scope: int, runs: Runs) -> int:
        """Return a new scope inside of another."""

    def open_around(self, scope: int) -> int:
        """Return a new scope for what several scopes of one node know."""

    def place_several(self, nodes: Sequence[object], scope: int) -> None:
        """Note that several nodes are evaluated in ``scope``, each in a room of its own."""

    def declare(self, scope: int) -> int:
        """Return the scope in which a statement of ``scope`` declares variables."""

    def bind_again(self, variable: Node, binder: Node, scope: int) -> None:
        """Note that ``binder`` binds ``variable``, which another node does as well."""


# Any: a node of one kind
Spread: TypeAlias = Callable[[Placer, Any, int, Node, list[Node]], tuple[int, ...]]
"""``spread(placer, node, scope, owner, parts)`` places children and returns the scopes opened.

``node`` is ``owner`` or a part of it, and evaluated in ``scope``. Its own parts are put on the
stack ``parts``.
"""


def spread_of_kind(kind: type[Node], *, branches: bool = True) -> Spread | None:
    """Return how nodes of class ``kind`` spread; ``None`` where all stands in their own scope.

    Args:
        kind: A class of nodes.
        branches: Whether blocks in which no more is known than around them have scopes.
    """
    roles = {f.role for f in kind.fields_ if f.is_evaluated}
    if not roles & (_SPREADING if branches else _BINDING):
        return None
    return _generate(kind, branches=branches)


_BINDING: Final = frozenset({Role.BINDER, Role.PART})
_SPREADING: Final = _BINDING | {Role.SCOPE}


def _generate(kind: type[Node], *, branches: bool) -> Spread:
    held = [f for f in kind.fields_ if f.is_evaluated]
    inner = [f for f in held if f.role is Role.SCOPE]
    bound = [f for f in held if f.role is Role.BINDER]
    seeing = [f for f in held if f.sees_binders]
    several = len(inner) > 1 or any(f.holds_many and not f.block for f in inner)
    shared = bool(bound and inner) and bool(seeing or several)
    lines = ["placed = placer.scope.setdefault"]
    if bound:
        lines.append("home = placer.home")
    fixed = all(f.shape is Shape.ONE or f.block for f in inner)
    if not fixed:
        lines.append("opened = ()")
    for declared in held:
        if declared.role is Role.OPERAND and not declared.sees_binders:
            lines += _each(declared, _place("scope"))
    outer = "placer.declare(scope)" if bound and not inner else "scope"
    lines.append(f"known = around = {_around(inner, seeing) if shared else outer}")
    binds = bool(bound) and not shared
    for number, declared in enumerate(inner):
        runs_once = declared.runs is Runs.ONCE
        lines += _open(
            declared,
            number,
            shares=shared and runs_once,
            opened=branches or binds or runs_once,
        )
    if shared:
        lines.append("known = around")
    for declared in seeing:
        lines += _each(declared, _place("known"))
    for declared in bound:
        lines += _each(declared, _BIND[_holds_patterns(declared)])
    for declared in reversed(held):
        if declared.role is Role.PART:
            lines += _each(declared, ["parts.append(child)"], backwards=True)
    returned = "".join([f"inner{number}, " for number in range(len(inner))])
    lines.append(f"return ({returned})" if fixed else "return opened")
    made: Spread = compile_function(
        "spread(placer, node, scope, owner, parts)",
        lines,
        {"Node": Node, "NAMES": NAMES, "variables_in": variables_in}
        | {runs.name: runs for runs in Runs},
    )
    return made


def _around(inner: list[Field], seeing: list[Field]) -> str:
    """Return what opens the scope that the scopes of a node have in common.

    What a let binds is known in its value and body, which stand in one scope.
    """
    if len(seeing) == len(inner) == 1 and inner[0].runs is Runs.ONCE:
        return "placer.open(scope, ONCE)"
    return "placer.open_around(scope)"


def _open(declared: Field, number: int, *, shares: bool, opened: bool) -> list[str]:
    """Return the lines that open the scope of a field, or one for each item it holds."""
    assert declared.runs is not None
    opens = f"placer.open(around, {declared.runs.name})" if opened else "around"
    if declared.holds_many and not declared.block:
        opening = f"known = {opens}; opened += (known,)"
        return _each(declared, [opening, *_place("known")])
    opening = "around" if shares else opens
    lines = [f"known = inner{number} = {opening}"]
    if declared.holds_many:
        lines.append(f"placer.place_several(node.{declared.name}, known)")
    else:
        lines += _each(declared, _place("known"))
    if declared.shape is Shape.ONE or declared.block:
        return lines
    lines.append("opened += (known,)")
    return [f"if {_THERE[declared.shape].format(f=declared.name)}:", *_indented(lines)]


def _each(declared: Field, lines: list[str], *, backwards: bool = False) -> list[str]:
    """Return the lines that do something with each ``child`` in a field."""
    name = f"node.{declared.name}"
    if declared.shape is Shape.ONE:
        return [f"child = {name}", *lines]
    if declared.shape is Shape.OPTIONAL:
        return [f"child = {name}", "if child is not None:", *_indented(lines)]
    if declared.shape is Shape.MIXED:
        lines = ["if isinstance(child, Node):", *_indented(lines)]
    return [f"for child in {name}{'[::-1]' if backwards else ''}:", *_indented(lines)]


def _place(scope: str) -> list[str]:
    """Return the lines that place ``child``, which mostly is met for the first time."""
    return [
        f"before = placed(child, {scope})",
        f"if before != {scope} and type(child) not in NAMES:",
        f"    placer.widen(child, before, {scope})",
    ]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _holds_patterns(declared: Field) -> bool:
    assert declared.kind is not None
    return declared.kind.held_as_ is Role.BINDER


def _bind(variable: str) -> list[str]:
    return [
        f"if {variable} in home: placer.bind_again({variable}, owner, known)",
        f"else: home[{variable}] = known",
    ]


_BIND: Final = {
    False: _bind("child"),
    True: ["for variable in variables_in(child):", *_indented(_bind("variable"))],
}
_THERE: Final = {
    Shape.OPTIONAL: "node.{f} is not None",
    Shape.MANY: "node.{f}",
    Shape.MIXED: "any([isinstance(child, Node) for child in node.{f}])",
}


SPREADS: Final = ByKind(spread_of_kind)
"""For each kind what :func:`spread_of_kind` returns."""
