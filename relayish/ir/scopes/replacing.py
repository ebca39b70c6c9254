"""Functional update by place: a node with other operands and scopes, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import nodes_held
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import PATTERNS

_Node = TypeVar("_Node", bound=Node)


def with_evaluated(
    node: _Node,
    operands: Sequence[Node],
    roots: Sequence[Node],
    variables: Mapping[Node, Node] | None = None,
) -> _Node:
    """Return ``node`` with what it evaluates replaced, that of its parts included.

    Unlike a rebuild, which asks what becomes of a child, this tells apart the places in which the
    same child stands.

    Args:
        node: A node of any kind.
        operands: One for each of :func:`~relayish.ir.scopes.scoping.operands`, in that order.
        roots: One for each root of :func:`~relayish.ir.scopes.scoping.scopes`, in that order.
        variables: Other names for some of the variables that the node binds.

    Returns:
        ``node`` itself when all are those it has.

    Complexity:
        Linear in the number of parts and of what they hold; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import If, Var
        >>> x, y, z = Var("x"), Var("y"), Var("z")
        >>> changed = with_evaluated(If(x, y, y), (x,), (y, z))
        >>> changed.true_branch is y, changed.false_branch is z
        (True, True)
    """
    replace = _REPLACE[type(node)]
    if replace is not None and not variables:
        made: _Node = replace(node, operands, roots)
        return made
    given = {Role.OPERAND: iter(operands), Role.SCOPE: iter(roots)}

    def change(_owner: Node, declared: Field, held: Node) -> Node:
        if declared.role in given:
            return next(given[declared.role])
        return (
            rename_pattern(held, variables) if variables and declared.role is Role.BINDER else held
        )

    image = rebuild_fields(node, change)
    assert isinstance(image, type(node))
    return image


def rename_pattern(root: _Node, variables: Mapping[Any, Node]) -> _Node:  # Any: of some kind
    """Return a pattern with other variables; a variable alone, by its other name.

    Complexity:
        Linear in the number of distinct nodes in the pattern; no recursion.
    """
    images: dict[Node, Node] = {}
    for node in PATTERNS.post_order(root):
        image = PATTERNS.rebuild[type(node)](node, images.get)
        images[node] = variables.get(node, image)
    return cast("_Node", images[root])


def rebuild_fields(node: Node, change: Callable[[Node, Field, Node], Node]) -> Any:  # Any: its kind
    """Return ``node`` with each node that a field of it, or of its parts, holds replaced.

    Args:
        node: A node of any kind.
        change: ``change(owner, field, held)`` returns what takes the place of ``held`` in ``field``
            of ``owner``: the node, or a part of it. It is called in order of declaration, the node
            before its parts, which is the order of :func:`~relayish.ir.scopes.scoping.scopes`.

    Returns:
        ``node`` itself where everything stayed.

    Complexity:
        Linear in the number of fields and of what they hold; no recursion.
    """
    owners: list[tuple[Node, dict[str, object], int]] = []
    pending: list[tuple[Node, int]] = [(node, -1)]
    while pending:
        owner, around = pending.pop()
        number, changes, inside = len(owners), dict[str, object](), list[Node]()
        owners.append((owner, changes, around))
        for declared in _HOLDING[type(owner)]:
            if declared.role is Role.PART:
                inside += nodes_held(declared, owner)
                continue
            value = getattr(owner, declared.name)
            if declared.holds_many:
                changes[declared.name] = tuple(
                    [
                        change(owner, declared, item) if isinstance(item, Node) else item
                        for item in value
                    ]
                )
            elif value is not None:
                changes[declared.name] = change(owner, declared, value)
        pending += [(part, number) for part in inside[::-1]]
    images: list[list[Node]] = [[] for _ in owners]  # of the parts of each, the last one first
    for (owner, changes, around), inside in zip(owners[::-1], images[::-1], strict=True):
        given = reversed(inside)
        for declared in _HOLDING[type(owner)]:
            if declared.role is Role.PART:
                changes[declared.name] = _fill(declared, owner, given)
        node = owner.with_fields(**changes)
        if around >= 0:
            images[around].append(node)
    return node


def _fill(declared: Field, owner: Node, given: Iterator[Node]) -> object:
    """Return what a field is to hold: for each node that it holds, the next that is given."""
    value = getattr(owner, declared.name)
    if declared.holds_many:
        return tuple([next(given) if isinstance(item, Node) else item for item in value])
    return None if value is None else next(given)


def _replace_of_kind(kind: type[Node]) -> Callable[[Any, Any, Any], Any] | None:  # Any: one kind
    """Return the update for kinds that hold one node in each field, ``None`` for others.

    Places that take any node of a family are trusted to get one; others are checked.
    """
    evaluated = [f for f in kind.fields_ if f.role in (Role.OPERAND, Role.SCOPE, Role.PART)]
    if any(f.role is Role.PART or f.shape is not Shape.ONE for f in evaluated):
        return None
    images: dict[str, str] = {}
    for role, given in ((Role.OPERAND, "operands"), (Role.SCOPE, "roots")):
        names = [f.name for f in evaluated if f.role is role]
        images.update({name: f"{given}[{at}]" for at, name in enumerate(names)})
    names = list(images)
    values = [
        "None"
        if f.inferred
        else f"new{names.index(f.name)}"
        if f.name in names
        else f"node.{f.name}"
        for f in kind.fields_
    ]
    same = " and ".join([f"new{at} is node.{name}" for at, name in enumerate(names)]) or "True"
    trusted = all(f.kind is not None and Node in f.kind.__bases__ for f in evaluated)
    lines = [f"new{at} = {image}" for at, image in enumerate(images.values())]
    lines += [f"if {same}: return node", f"return make({', '.join(values)})"]
    make = kind._make if trusted else kind
    made: Callable[[Any, Any, Any], Any] = compile_function(
        "replace(node, operands, roots)", lines, {"make": make}
    )
    return made


_HOLDING: Final = ByKind(
    lambda kind: [f for f in kind.fields_ if f.kind is not None and not f.inferred]
)
"""By kind: the fields that hold nodes, but for what was inferred."""
_REPLACE: Final = ByKind(_replace_of_kind)
