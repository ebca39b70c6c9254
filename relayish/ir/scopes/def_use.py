"""Definitions, kills and uses: what a node gives a value, and what it takes one from.

All of it is told from the roles of fields, so that data flow over any language can start from here.
"""

from __future__ import annotations

from relayish.ir.fields.roles import Access, Role
from relayish.ir.nodes.getters import Nodes, nodes_held
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.scopes.scoping import binders, parts


def definitions(node: Node) -> Nodes:
    """Return what ``node`` gives a value: the variables it binds and the places it writes.

    Places that an operand merely refers to are not among them; see :func:`places`.
    """
    return (*binders(node), *_find_places(node, Access.WRITE, Access.INDIRECT))


def kills(node: Node) -> Nodes:
    """Return the definitions of ``node`` that overwrite all of the former value."""
    return (*binders(node), *_find_places(node, Access.WRITE, Access.INDIRECT | Access.PARTLY))


def uses(node: Node) -> Nodes:
    """Return what ``node`` itself takes a value from: variables it is given and places it reads.

    A place that is only written is not used, though its name stands in the node; a reference to it
    is.
    """
    found: list[Node] = []
    for part in (node, *parts(node)):
        for declared in part.fields_:
            if declared.role is not Role.OPERAND:
                continue
            if not declared.access or Access.INDIRECT in declared.access:
                found += [held for held in nodes_held(declared, part) if type(held) in VARIABLES]
            elif Access.READ in declared.access:
                found += nodes_held(declared, part)
    return tuple(found)


def places(node: Node, access: Access) -> Nodes:
    """Return the operands that name or refer to what ``node`` itself reads or writes.

    Args:
        node: Any node; what its parts access counts as well.
        access: ``Access.READ`` or ``Access.WRITE``, or both for either.
    """
    return _find_places(node, access, Access.NONE)


def _find_places(node: Node, access: Access, without: Access) -> Nodes:
    found: list[Node] = []
    for part in (node, *parts(node)):
        for declared in part.fields_:
            if declared.access & access and not declared.access & without:
                found += nodes_held(declared, part)
    return tuple(found)
