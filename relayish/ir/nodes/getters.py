"""Getters: the nodes in some fields of a node, and which fields share a scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

Nodes: TypeAlias = tuple[Node, ...]

NodesGetter: TypeAlias = Callable[[Any], Nodes]  # Any: a node of one kind
"""``get(node)``: the nodes in some fields of a node, in order."""


def nodes_held(declared: Field, node: Node) -> list[Node]:
    """Return the nodes that a field of ``node`` holds, in order."""
    value = getattr(node, declared.name)
    if declared.holds_many:
        return [item for item in value if isinstance(item, Node)]
    return [] if value is None else [value]


def compile_getter(fields: Iterable[Field]) -> NodesGetter:
    """Generate the function that returns the nodes in ``fields`` of a node, in order."""
    items = "".join([_ITEMS[f.shape].format(f=f"node.{f.name}") + ", " for f in fields])
    made: NodesGetter = compile_function("get(node)", [f"return ({items})"], {"Node": Node})
    return made


_ITEMS: Final = {
    Shape.ONE: "{f}",
    Shape.OPTIONAL: "*(() if {f} is None else ({f},))",
    Shape.MANY: "*{f}",
    Shape.MIXED: "*[item for item in {f} if isinstance(item, Node)]",
}


def compile_count(fields: Iterable[Field]) -> Callable[[Any], int]:  # Any: a node of one kind
    """Generate the function that returns how many nodes ``fields`` of a node hold."""
    counts = [_COUNTS[f.shape].format(f=f"node.{f.name}") for f in fields]
    made: Callable[[Any], int] = compile_function(
        "count(node)", [f"return {' + '.join(counts) or 0}"], {"Node": Node}
    )
    return made


_COUNTS: Final = {
    Shape.ONE: "1",
    Shape.OPTIONAL: "({f} is not None)",
    Shape.MANY: "len({f})",
    Shape.MIXED: "sum([isinstance(item, Node) for item in {f}])",
}


ItemGetter: TypeAlias = Callable[[Any, int], Node | None]  # Any: a node of one kind
"""``item(node, place)``: the node at a place among those in some fields, or ``None``."""


def compile_item(fields: Iterable[Field]) -> ItemGetter:
    """Generate the function that returns one of the nodes in ``fields``, by its place among them.

    It returns ``None`` where there are not so many, and makes no tuple of them, which would take
    time linear in their number.
    """
    lines = [line.format(f=f"node.{f.name}") for f in fields for line in _ITEM[f.shape]]
    made: ItemGetter = compile_function(
        "item(node, place)", [*lines, "return None"], {"Node": Node}
    )
    return made


_ONE_ITEM: Final = ("if place == 0: return {f}", "place -= 1")
_ONE_OF_MANY: Final = (
    "if place < len(held): return held[place]",
    "place -= len(held)",
)
_ITEM: Final = {
    Shape.ONE: _ONE_ITEM,
    Shape.OPTIONAL: ("if {f} is not None:", *[f"    {line}" for line in _ONE_ITEM]),
    Shape.MANY: ("held = {f}", *_ONE_OF_MANY),
    Shape.MIXED: ("held = [item for item in {f} if isinstance(item, Node)]", *_ONE_OF_MANY),
}


class ScopeFields(NamedTuple):
    """The fields of a kind by the scope that their nodes are evaluated in.

    Attributes:
        outside: Operands, which are evaluated in the scope around the node.
        recursive: Operands in which what the node binds is in scope, as it is in its scopes.
        scopes: Those that are scopes.
        blocks: These and operands that see what is bound, in order of declaration.
        binders: What the node binds, as a piece of the program: variables, or patterns of such.
        parts: The parts of the node, whose own fields share no scope with these.
        is_shared: Whether there is a scope around all scopes and recursive operands, in which they
            know what is bound.
    """

    outside: tuple[Field, ...]
    recursive: tuple[Field, ...]
    scopes: tuple[Field, ...]
    blocks: tuple[Field, ...]
    binders: tuple[Field, ...]
    parts: tuple[Field, ...]
    is_shared: bool


def scope_fields(kind: type[Node]) -> ScopeFields:
    """Return how the fields of nodes of class ``kind`` share scopes."""
    found: ScopeFields = _SCOPE_FIELDS[kind]
    return found


def is_declaration(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` are declarations.

    These bind variables for the statements that follow them in a block, and have no scopes of
    their own; a let, which has a body, is none.
    """
    found: bool = _IS_DECLARATION[kind]
    return found


def _is_declaration_kind(kind: type[Node]) -> bool:
    return any(field.declares for field in kind.fields_)


def _scope_fields_of_kind(kind: type[Node]) -> ScopeFields:
    held = [f for f in kind.fields_ if f.is_evaluated]
    scopes, binders, parts = (
        tuple([f for f in held if f.role is role]) for role in (Role.SCOPE, Role.BINDER, Role.PART)
    )
    blocks = tuple([f for f in held if f.role is Role.SCOPE or f.recursive])
    recursive = tuple([f for f in blocks if f.role is Role.OPERAND and scopes and binders])
    outside = tuple([f for f in held if f.role is Role.OPERAND and f not in recursive])
    several = len(scopes) > 1 or any(f.holds_many and not f.block for f in scopes)
    is_shared = bool(binders and scopes) and bool(recursive or several)
    return ScopeFields(outside, recursive, scopes, blocks, binders, parts, is_shared)


_IS_DECLARATION: Final = ByKind(_is_declaration_kind)
_SCOPE_FIELDS: Final = ByKind(_scope_fields_of_kind)
