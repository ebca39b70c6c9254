"""Blocks: where statements stand one after the other, told of every language.

A kind with a field of statements (``field(block=True)``) is a block. Where each statement holds
what comes after it instead (``field(rest=True)``), as Relay's ``Let`` does, the first begins one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.errors import DeclarationError
from relayish.ir.domains.language import on_declaration
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import describe, show_found
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.registration.declarations import (
    Redo,
    Undo,
    declared_temporarily,
    watch_declarations,
)


def _rest_of_kind(kind: type[Node]) -> str | None:
    return next((f.name for f in kind.fields_ if f.rest), None)


_CHAINS: Final = ByKind(_rest_of_kind)


def rest_field(kind: type[Node]) -> str | None:
    """Return the field in which a statement of class ``kind`` holds what comes after it."""
    found: str | None = _CHAINS[kind]
    return found


def _statements_field_of_kind(kind: type[Node]) -> str | None:
    found = [f.name for f in kind.fields_ if f.block]
    return found[0] if len(found) == 1 else None


_STATEMENTS: Final = ByKind(_statements_field_of_kind)


def statements_field(kind: type[Node]) -> str | None:
    """Return the field in which a block of class ``kind`` lists its statements, if it does."""
    found: str | None = _STATEMENTS[kind]
    return found


_BLOCKS: Final = ByKind(
    lambda kind: statements_field(kind) is not None or rest_field(kind) is not None
)


def is_block(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` are blocks, or begin one."""
    found: bool = _BLOCKS[kind]
    return found


def may_be_statement(kind: type[Node]) -> bool:
    """Return whether a node of class ``kind`` may stand in a block of its language.

    It may have a value as well, as calls of the loop IR have; where it stands tells.
    """
    found: bool = _IN_BLOCKS[kind]
    return found


def block_kind(kind: type[Node]) -> type[Node] | None:
    """Return the kind of blocks in the language of ``kind`` that list statements and nothing else.

    Returns:
        ``None`` where statements are chained, or where several kinds of the language do.
    """
    found: type[Node] | None = _BLOCK_KINDS[kind]
    return found


def chain_kind(kind: type[Node]) -> type[Node] | None:
    """Return the kind of statements that are chained in the language of ``kind``, if it has one."""
    found: type[Node] | None = _CHAIN_KINDS[kind]
    return found


def _find_chain_kind(kind: type[Node]) -> type[Node] | None:
    found = [other for other in kind.language_.kinds.values() if rest_field(other) is not None]
    return found[0] if len(found) == 1 else None


def _may_be_statement(kind: type[Node]) -> bool:
    if rest_field(kind) is not None:
        return True
    return any(
        f.block and f.kind is not None and issubclass(kind, f.kind)
        for other in kind.language_.kinds.values()
        for f in other.fields_
    )


def _find_block_kind(kind: type[Node]) -> type[Node] | None:
    found = [
        other
        for other in kind.language_.kinds.values()
        if statements_field(other) is not None
        and all(f.block or f.role is Role.LEAF for f in other.fields_)
    ]
    return found[0] if len(found) == 1 else None


_IN_BLOCKS: Final = ByKind(_may_be_statement)
_BLOCK_KINDS: Final = ByKind(_find_block_kind)
_CHAIN_KINDS: Final = ByKind(_find_chain_kind)


def _forget_kinds(*_declared: object) -> None:
    """Find anew what depends on all kinds of a language, for there are others now."""
    _IN_BLOCKS.clear()
    _BLOCK_KINDS.clear()
    _CHAIN_KINDS.clear()


def _watch(_context: declared_temporarily) -> Undo:
    def undo() -> Redo:
        _forget_kinds()
        return _forget_kinds

    return undo


on_declaration(_forget_kinds)
watch_declarations(_watch)


def is_statement_of(parent: Node | None, node: Node) -> bool:
    """Return whether ``node``, which ``parent`` holds, is a statement, and no operand or part.

    What is chained is one wherever it stands; others are where a block could stand as well.
    """
    kind = type(node)
    if not may_be_statement(kind):
        return False
    if parent is None or rest_field(kind) is not None:
        return True
    declared = holding_field(parent, node, Role.SCOPE)
    if declared is None or declared.kind is None:
        return False
    return declared.block or block_kind(kind) in declared.kind.kinds


def holding_field(parent: Node, child: Node, role: Role) -> Field | None:
    """Return the field of that role in which ``parent`` holds ``child``, if there is one."""
    for declared in type(parent).fields_:
        if declared.role is role:
            held = getattr(parent, declared.name)
            if held is child or (declared.holds_many and any(c is child for c in held)):
                return declared
    return None


def make_block(original: Node, statements: Sequence[Node]) -> Node:
    """Return what runs ``statements`` in the place of ``original``, a statement or a block.

    It is ``original`` itself where nothing changed, and the one statement where it was no block.

    Raises:
        DeclarationError: If the language of ``original`` has no kind of block.
    """
    field = statements_field(type(original))
    if field is not None:
        return original.with_fields(**{field: tuple(statements)})
    if len(statements) == 1:
        return statements[0]
    made = block_kind(type(original))
    if made is None:
        raise DeclarationError(
            f"{describe(original)} stands alone and becomes {len(statements)} statements, but the "
            f"language {original.language_.name!r} has no kind of block to put them in: one node "
            f"class with field(block=True); found {show_found(original)}"
        )
    return made(**{str(statements_field(made)): tuple(statements)})
