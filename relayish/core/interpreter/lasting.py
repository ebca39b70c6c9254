"""Addresses that outlast a call: whether a module can keep any that it is given.

If none can be kept, memory that a caller lends is given back when the call ends, which nobody can
tell; else it stays, since a later call may access it.
"""

from __future__ import annotations

from collections.abc import Mapping

from relayish.core.ir.definition import FuncDecl, FuncEntry, GlobalVariable
from relayish.core.ir.family import Definition
from relayish.core.ir.language import CORE
from relayish.core.ir.memory import Ldo, Sto, type_of
from relayish.core.ir.type import Type
from relayish.core.layout import Layout
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM


def keeps_addresses(definitions: Mapping[str, Node], layout: Layout) -> bool:
    """Return whether an address that a function is given may be found again after the call.

    It may where a variable of the module, memory of the caller, a result or a function of another
    language can hold one; where parts of what holds one are accessed by their place, or addresses
    are of anything; and where nodes of other domains do what nobody knows.

    Complexity:
        Linear in the module.
    """
    return any(_may_keep(each, layout) for each in definitions.values())


def _may_keep(definition: Node, layout: Layout) -> bool:
    if not isinstance(definition, Definition):
        return True
    if isinstance(definition, GlobalVariable):
        return _holds_address(definition.type, layout)
    if isinstance(definition, FuncDecl):
        return any(_holds_address(each, layout) for each in definition.type.params)
    if not isinstance(definition, FuncEntry):
        return False
    if _holds_address(definition.result, layout):
        return True
    return any(
        _lends_more(each.type, layout) for each in (*definition.formals, *definition.locals)
    ) or any(_is_opaque(node, layout) for node in PROGRAM.pre_order(definition.body))


def _lends_more(held: Type, layout: Layout) -> bool:
    """Return whether what addresses of a type are of may hold addresses, or be anything."""
    if not held.is_pointer:
        return False
    return held.pointee.is_void or _holds_address(held.pointee, layout)


def _is_opaque(node: Node, layout: Layout) -> bool:
    if type(node).domain_ != CORE.name:
        return True
    if isinstance(node, (Ldo, Sto)):
        accessed = node.type if isinstance(node, Ldo) else node.value.type
        both = (type_of(node.symbol), accessed)
        return any(_holds_address(each, layout) for each in both)
    held = getattr(node, "type", None)
    return isinstance(held, Type) and held.is_pointer and held.pointee.is_void


def _holds_address(held: Type, layout: Layout) -> bool:
    """Return whether values of a type hold addresses; functions, which have none, do not."""
    pending = [held]
    seen: set[Type] = set()
    while pending:
        each = pending.pop()
        while each.is_array:
            each = each.element
        if each.is_pointer:
            return True
        if each.is_struct and each not in seen:
            seen.add(each)
            pending += layout.fields_of(each).values()
    return False
