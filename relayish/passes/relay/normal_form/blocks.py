"""Blocks: the expressions that a node evaluates in scopes of their own, where lets can be put.

Not every scope has an insertion point for lets: the condition and the body of a loop have one
scope in common, in which its variable is known, but each is a block by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, TypeAlias

from relayish.errors import PassError
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.getters import NodesGetter, compile_getter, is_declaration, scope_fields
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import Expr
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.scoping import PROGRAM, binders, evaluated, has_scopes, operands, parts
from relayish.ir.scopes.scoping import scopes as scopes_of

Block: TypeAlias = tuple[Expr, int]
"""The result of a block, and the scope that it is."""


class Blocks:
    """The operands and blocks of the nodes of one program, while it is brought into normal form."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._declaring = (
            _find_declaring_statements(scopes) if scopes.statement_scopes else frozenset()
        )

    def of(self, node: Expr) -> tuple[Sequence[Any], list[Block]]:  # Any: expressions
        """Return the operands and blocks of a node with scopes; of a kernel, which is opaque, none.

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
        check_operands(node)
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
                raise _make_hidden_declaration_error(root, node)


def check_operands(node: Node) -> None:
    """Raise if ``node`` evaluates operands in which what it binds is known."""
    if any(_has_recursive_operands(type(each)) for each in (node, *parts(node))):
        raise PassError(
            f"{describe(node)} evaluates an operand in which what it binds is known; a let "
            f"cannot stand there, so normal forms know of Let alone: write Let instead"
        )


def _has_recursive_operands(kind: type[Node]) -> bool:
    """Return whether variables that nodes of ``kind`` bind are known in operands of theirs."""
    found = scope_fields(kind)
    return bool(found.binders) and any(f.recursive for f in found.blocks)


def check_declares_nothing(statement: Node, node: Node) -> None:
    """Raise if ``statement``, around which a let is to stand, declares variables for ``node``."""
    inside = PROGRAM.post_order(statement, lambda each: not has_scopes(type(each)))
    if any(is_declaration(type(each)) for each in inside):
        raise _make_hidden_declaration_error(statement, node)


def _make_hidden_declaration_error(statement: Node, node: Node) -> PassError:
    return PassError(
        f"{describe(statement)}, a statement of {describe(node)}, declares what other statements "
        f"may use; a let around it would hide that from them, so this pass knows of Let alone: "
        f"bind what the statement computes by a Let around {describe(node)}, or write Let in place "
        f"of the declaration"
    )


def _find_declaring_statements(scopes: Scopes) -> frozenset[int]:
    """Return the scopes of the statements that declare variables which others use."""
    declared: dict[Node, int] = {}
    for node in scopes.opened:
        own = scopes.scope[node]
        known = scopes.declaration_scope(own)
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


def _compile_getters(kind: type[Node]) -> tuple[NodesGetter, NodesGetter] | None:
    """Return the getters of operands and of blocks; ``None`` where scopes may be no blocks."""
    held = [f for f in kind.fields_ if f.is_evaluated and f.role is not Role.BINDER]
    if any(f.role is Role.PART or f.recursive or not _is_expression(f) for f in held):
        return None
    roots = [f for f in held if f.role is Role.SCOPE]
    if any(f.shape is not Shape.ONE for f in roots):
        return None
    return compile_getter([f for f in held if f.role is Role.OPERAND]), compile_getter(roots)


def _is_expression(declared: Field) -> bool:
    return declared.kind is not None and issubclass(declared.kind, Expr)


_PLAIN: Final = ByKind(_compile_getters)


def check_expression(held: Node) -> None:
    """Raise if ``held``, which is evaluated in a Relay program, is of another language."""
    if not isinstance(held, Expr):
        raise PassError(
            f"{held!r} is no expression of Relay; a let cannot bind it: bring the program into "
            f"normal form before nodes of other languages are put into it"
        )
