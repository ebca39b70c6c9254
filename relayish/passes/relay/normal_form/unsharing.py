"""Unsharing: copies of what blocks share in a scope without an insertion point for lets.

Before, with a loop whose condition and body know its variable::

    %0 = add(%i, 1);
    while (%i = 0; less(%0, 9)) { %0 }

After::

    while (%i = 0; less(add(%i, 1), 9)) { add(%i, 1) }
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.errors import PassError
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import SYMBOLS, Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.renaming import duplicate, make_fresh_variable, with_names
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import binders, operands
from relayish.ir.scopes.scoping import scopes as scopes_of
from relayish.passes.relay.normal_form.blocks import check_operands

Select: TypeAlias = Callable[[Scopes, Collection[Node]], Collection[Node] | None]
"""``select(scopes, effectful)``: the nodes that are to be bound; ``None`` for all."""

_GROWTH = 4
"""How many times as large a program may become where blocks need copies of what they share."""


def unshare(
    expr: Expr,
    scopes: Scopes,
    select: Select,
    effectful: Collection[Node],
    find: Callable[[Expr], Scopes],
) -> tuple[Expr, Scopes, Collection[Node]]:
    """Copy what is to be bound in scopes without an insertion point into each block within.

    Args:
        expr: An expression.
        scopes: Its scopes.
        select: Tells what is to be bound.
        effectful: The nodes of it that may act.
        find: What finds the scopes of an expression.

    Returns:
        The expression, ``expr`` itself where nothing is copied; its scopes; its effectful nodes.

    Raises:
        PassError: If blocks share what may act, or makes a thing of its own, or too much, or
            something is to be bound in an operand that sees what its node binds.

    Complexity:
        Linear in distinct nodes for each depth at which blocks that share something are nested.
    """
    limit = _GROWTH * (len(scopes.order) + 1000)
    while shared := _find_shared_nodes(scopes, select, effectful):
        _check_copies(scopes, shared, effectful)
        if len(scopes.order) > limit:
            raise PassError(
                f"blocks of nested loops share so much that copies of it for each make the program "
                f"larger than {limit} nodes; bind what they share by a let in each"
            )
        images = _copy_for_each_block(scopes, shared)
        image = images[expr]
        assert isinstance(image, Expr)
        expr = image
        effectful = frozenset([images.get(node, node) for node in effectful])
        scopes = find(expr)
    return expr, scopes, effectful


def _find_shared_nodes(
    scopes: Scopes, select: Select, effectful: Collection[Node]
) -> dict[int, set[Node]]:
    """Return the nodes of each scope without an insertion point in which some are to be bound."""
    no_insertion = scopes.without_insertion_point
    if not no_insertion:
        return {}
    wanted = select(scopes, effectful)
    found = [
        (node, scope)
        for node, scope in scopes.scope.items()
        if scope in no_insertion and type(node) not in SYMBOLS
    ]
    chosen = {scope for node, scope in found if wanted is None or node in wanted}
    members: dict[int, set[Node]] = {scope: set() for scope in sorted(chosen)}
    for node, scope in found:
        if scope in chosen:
            members[scope].add(node)
    return members


def _check_copies(
    scopes: Scopes, members: Mapping[int, Collection[Node]], effectful: Collection[Node]
) -> None:
    """Raise if one of the nodes to be copied acts, or is not referentially transparent."""
    transparency = ReferentialTransparency()
    for owner in scopes.opened:
        if not members.keys().isdisjoint(_find_opened(scopes, owner)):
            check_operands(owner)
    for scope, nodes in members.items():
        for node in nodes:
            assert isinstance(node, Expr)
            if node not in effectful and transparency.holds_for(node):
                continue
            owner = next(owner for owner in scopes.opened if scope in _find_opened(scopes, owner))
            places = "statements" if scope in scopes.statement_scopes else "scopes"
            raise PassError(
                f"{describe(node)} is shared by several {places} of {describe(owner)} and may "
                f"act, or make a reference; no let in one of them would be known to all: bind it "
                f"by a let where it is to be evaluated"
            )


def _copy_for_each_block(scopes: Scopes, members: Mapping[int, set[Node]]) -> dict[Node, Node]:
    """Return what becomes of each node when blocks have copies of what they share.

    Scopes inside of others are left for the next time.
    """
    parent = scopes.tree.parent
    images: dict[Node, Node] = {}
    inside: set[int] = set(members)
    outermost: set[int] = set()
    for scope in range(1, len(parent)):  # those around it have lower numbers
        if parent[scope] in inside:
            inside.add(scope)
        elif scope in members:
            outermost.add(scope)
    for node in scopes.order:
        image = EXPRESSIONS.rebuild[type(node)](node, images.get)
        if node in scopes.opened and not outermost.isdisjoint(_find_opened(scopes, node)):
            image = _with_copies(node, image, scopes, outermost, members, images)
        images[node] = image
    return images


def _find_opened(scopes: Scopes, node: Node) -> set[int]:
    """Return the scopes that ``node`` opens, with the one around several of them."""
    own, parent = scopes.scope[node], scopes.tree.parent
    opened = {scope for scope in scopes.opened[node] if scope != own}
    return opened.union([parent[scope] for scope in opened]) - {own}


def _with_copies(
    node: Node,
    image: Node,
    scopes: Scopes,
    outermost: Collection[int],
    members: Mapping[int, set[Node]],
    images: dict[Node, Node],
) -> Node:
    """Return the image of a node, each scope of which but the first has copies of its own."""
    parent = scopes.tree.parent
    met: set[int] = set()
    roots: list[Node] = []
    for new, old, scope in zip(scopes_of(image), scopes_of(node), scopes.opened[node], strict=True):
        around = parent[scope]
        if scope in outermost:  # statements that share something
            roots += new.roots[:1]
            for root in old.roots[1:]:
                roots += _copy_inside((root,), scopes, scope, members[scope], images)
        elif around in met:
            roots += _copy_inside(old.roots, scopes, around, members[around], images)
        else:
            roots += new.roots
        if around in outermost:
            met.add(around)
    return with_evaluated(image, operands(image), roots)


def _copy_inside(
    roots: Sequence[Node],
    scopes: Scopes,
    shared: int,
    members: set[Node],
    images: dict[Node, Node],
) -> list[Node]:
    """Return ``roots`` with copies of what belongs inside of the scope ``shared``."""

    def is_own(node: Node, var: Node) -> bool:
        return node in members or scopes.binding_scope.get(var) != shared  # else others use it

    order = EXPRESSIONS.post_order(roots, lambda node: scopes.is_inside(node, shared))
    copies: dict[Node, Node] = {}
    for node in order:
        if scopes.is_inside(node, shared):
            copies.update(
                {var: make_fresh_variable(var) for var in binders(node) if is_own(node, var)}
            )
    for var, copy in reversed(list(copies.items())):  # outer ones first
        copies[var] = with_names(copy, copies)
    for node in order:
        if node in copies:
            continue
        if not scopes.is_inside(node, shared):
            copies[node] = images.get(node, node)
            continue
        copy = EXPRESSIONS.rebuild[type(node)](node, copies.get)
        if copy is node and node in members:
            copy = duplicate(node)
        copies[node] = copy
        if node not in members:
            images[node] = copy
    return [copies[root] for root in roots]
