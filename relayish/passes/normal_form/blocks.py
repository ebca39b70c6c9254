"""The blocks of a node: what it evaluates in scopes, each of which lets can be put around.

Some scopes are no place for a let: the one that condition and body of a loop have in common, say,
in which the variable of the loop is known. What belongs there is evaluated by each block within.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

from relayish.analysis.timeless import Timeless
from relayish.errors import PassError, indefinite
from relayish.ir.field import Field, Shape
from relayish.ir.held import Held, holding
from relayish.ir.node import SYMBOLS, Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.renaming import fresh_variable, with_names
from relayish.ir.replacing import with_evaluated
from relayish.ir.roles import Role
from relayish.ir.scopes import Scopes
from relayish.ir.scoping import binders, evaluated, operands, parts, recursive_operands
from relayish.ir.scoping import scopes as scopes_of
from relayish.ir.span import at_span
from relayish.ir.traversal import ByKind

Block: TypeAlias = tuple[Expr, int]
"""The result of a block, and the scope that it is."""


class Blocks:
    """The operands and blocks of the nodes of one program, while it is brought into normal form."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._declaring = _declaring(scopes) if scopes.statement_scopes else frozenset()

    def of(self, node: Expr) -> tuple[Sequence[Any], list[Block]]:  # Any: expressions
        """Return the operands of a node that has scopes, and its blocks; none of a kernel.

        Raises:
            PassError: If the node evaluates what no let can bind.
        """
        opened = self._scopes.opened.get(node)
        if opened is None:
            return (), []
        plain = _PLAIN[type(node)]
        if plain is not None:
            held, roots = plain
            return held(node), list(zip(roots(node), opened, strict=True))
        blocks: list[Any] = []
        for inner, scope in zip(scopes_of(node), opened, strict=True):
            own = self._scopes.statement_scopes.get(scope, (scope,))
            blocks += zip(inner.roots, own, strict=False)
        outside = operands(node)
        if recursive_operands(node):
            raise PassError(
                f"{told(node)} evaluates an operand in which what it binds is known; a let "
                f"cannot stand there, so normal forms know of Let alone: write Let instead"
            )
        for held in (*outside, *[root for root, _ in blocks]):
            check_expression(held)
        return outside, blocks

    def check_lets(self, node: Expr, blocks: list[Block], bound: Collection[int]) -> None:
        """Raise if a let is to stand around a statement that declares what others use.

        Args:
            node: What evaluates the blocks.
            blocks: Its blocks.
            bound: The scopes in which something is bound.
        """
        for root, scope in blocks:
            if scope in self._declaring and scope in bound:
                raise PassError(
                    f"{told(root)}, a statement of {told(node)}, declares what other statements "
                    f"use; a let around it would hide that from them, so normal forms know of Let "
                    f"alone: write Let instead"
                )


def _declaring(scopes: Scopes) -> frozenset[int]:
    """Return the scopes of the statements that declare variables which others use."""
    declared: dict[Node, int] = {}
    for node in scopes.opened:
        own = scopes.scope[node]
        known = scopes.declare(own)
        if known != own:
            bound = [var for each in (node, *parts(node)) for var in binders(each)]
            declared.update({var: own for var in bound if scopes.binding_scope[var] == known})
    return frozenset(
        [
            declared[var]
            for user in (scopes.order if declared else ())
            for var in evaluated(user)
            if var in declared and not scopes.is_inside(user, declared[var])
        ]
    )


def _plain_of_kind(kind: type[Node]) -> tuple[Held, Held] | None:
    """Return what gives operands, and roots of scopes, where each scope plainly is one block."""
    told = [f for f in kind.fields_ if f.is_evaluated and f.role is not Role.BINDER]
    if any(f.role is Role.PART or f.sees_binders or not _is_expression(f) for f in told):
        return None
    roots = [f for f in told if f.role is Role.SCOPE]
    if any(f.shape is not Shape.ONE for f in roots):
        return None
    return holding([f for f in told if f.role is Role.OPERAND]), holding(roots)


def _is_expression(declared: Field) -> bool:
    return declared.kind is not None and issubclass(declared.kind, Expr)


_PLAIN: Final = ByKind(_plain_of_kind)


Wanted: TypeAlias = Callable[[Scopes, Collection[Node]], Collection[Node] | None]
"""Tells which nodes are to be bound, ``None`` for all, given those that may act."""

_GROWTH = 4
"""How many times as large a program may become where blocks need copies of what they share."""


def separated(
    expr: Expr,
    scopes: Scopes,
    wanted: Wanted,
    acts: Collection[Node],
    find: Callable[[Expr], Scopes],
) -> tuple[Expr, Scopes, Collection[Node]]:
    """Return ``expr`` with nothing to be bound in scopes that are no blocks; scopes and acting.

    Args:
        expr: An expression.
        scopes: Its scopes.
        wanted: What is to be bound.
        acts: The nodes of it that may act.
        find: What finds the scopes of an expression.

    Raises:
        PassError: If blocks share what may act, or makes a thing of its own, or too much.

    Complexity:
        Linear in distinct nodes for each depth at which blocks that share something are nested.
    """
    limit = _GROWTH * (len(scopes.order) + 1000)
    while True:
        members = _members(scopes, wanted(scopes, acts))
        if not members:
            return expr, scopes, acts
        _check(scopes, members, acts)
        if len(scopes.order) > limit:
            raise PassError(
                "blocks of nested loops share more and more with one another; bind what they "
                "share by a let in each"
            )
        images = _copied_for_each(scopes, members)
        expr = _image(images[expr])
        acts = frozenset([images.get(node, node) for node in acts])
        scopes = find(expr)


def _members(scopes: Scopes, wanted: Collection[Node] | None) -> dict[int, set[Node]]:
    """Return the nodes of each scope that is no block and in which some are to be bound."""
    homeless = scopes.shared.union(scopes.statement_scopes)
    found = [
        (node, scope)
        for node, scope in scopes.scope.items()
        if scope in homeless and type(node) not in SYMBOLS
    ]
    chosen = {scope for node, scope in found if wanted is None or node in wanted}
    members: dict[int, set[Node]] = {scope: set() for scope in sorted(chosen)}
    for node, scope in found:
        if scope in chosen:
            members[scope].add(node)
    return members


def _check(scopes: Scopes, members: Mapping[int, Collection[Node]], acts: Collection[Node]) -> None:
    timeless = Timeless()
    for scope, nodes in members.items():
        for node in nodes:
            assert isinstance(node, Expr)
            if node not in acts and timeless.check(node):
                continue
            parent = scopes.tree.parent
            owner = next(
                owner
                for owner, opened in scopes.opened.items()
                if scope in opened or scope in [parent[inner] for inner in opened]
            )
            places = "statements" if scope in scopes.statement_scopes else "scopes"
            raise PassError(
                f"{told(node)} is shared by several {places} of {told(owner)} and may act, or "
                f"make a reference; no let in one of them would be known to all: bind it by a let "
                f"where it is to be evaluated"
            )


def _copied_for_each(scopes: Scopes, members: Mapping[int, set[Node]]) -> dict[Node, Node]:
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
        rebuild = EXPRESSIONS.rebuild[type(node)]
        image = node if rebuild is None else rebuild(node, images.get)
        own = scopes.scope.get(node)
        opened = [scope for scope in scopes.opened.get(node, ()) if scope != own]
        around = [parent[scope] for scope in opened if parent[scope] != own]
        if not outermost.isdisjoint((*opened, *around)):
            image = _with_copies(node, image, scopes, outermost, members, images)
        images[node] = image
    return images


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
                roots += _copied((root,), scopes, scope, members[scope], images)
        elif around in met:
            roots += _copied(old.roots, scopes, around, members[around], images)
        else:
            roots += new.roots
        if around in outermost:
            met.add(around)
    return with_evaluated(image, operands(image), roots)


def _copied(
    roots: Sequence[Node],
    scopes: Scopes,
    shared: int,
    members: set[Node],
    images: dict[Node, Node],
) -> list[Node]:
    """Return copies of ``roots``, with variables of their own, of what is inside of a scope."""

    def is_own(node: Node, var: Node) -> bool:
        return node in members or scopes.binding_scope.get(var) != shared  # else others use it

    order = EXPRESSIONS.post_order(roots, lambda node: scopes.is_inside(node, shared))
    copies: dict[Node, Node] = {}
    for node in order:
        if scopes.is_inside(node, shared):
            copies.update({var: fresh_variable(var) for var in binders(node) if is_own(node, var)})
    for var, copy in reversed(list(copies.items())):  # outer ones first
        copies[var] = with_names(copy, copies)
    for node in order:
        if node in copies:
            continue
        if not scopes.is_inside(node, shared):
            copies[node] = images.get(node, node)
            continue
        rebuild = EXPRESSIONS.rebuild[type(node)]
        copy = node if rebuild is None else rebuild(node, copies.get)
        if copy is node and node in members:
            copy = node._make(*[getattr(node, f.name) for f in node.fields_])
        copies[node] = copy
        if node not in members:
            images[node] = copy
    return [copies[root] for root in roots]


def _image(node: Node) -> Expr:
    assert isinstance(node, Expr)
    return node


def check_expression(held: Node) -> None:
    """Raise if ``held``, which is evaluated in a Relay program, is of another language."""
    if not isinstance(held, Expr):
        raise PassError(
            f"{held!r} is no expression of Relay; a let cannot bind it: bring the program into "
            f"normal form before it is put there"
        )


def told(node: Node) -> str:
    """Return what an error says of ``node``: its kind, and where it stands."""
    return indefinite(type(node)) + at_span(node)
