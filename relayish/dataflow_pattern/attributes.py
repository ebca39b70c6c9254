"""Attribute patterns: whether calls, operators and functions have the attributes asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Expr, Op
from relayish.op.declaration import properties
from relayish.op.declaration.attribute_keys import find_table
from relayish.op.declaration.op_table import OpTable

_TABLES: Final[Mapping[str, OpTable[Any]]] = {  # Any: each table has values of its own type
    table.name: table for table in vars(properties).values() if isinstance(table, OpTable)
}


def has_attributes(expr: Expr, wanted: Attrs) -> bool:
    """Return whether ``expr`` has all of the attributes ``wanted``.

    Operators have what is registered of them, calls and functions what stands in their ``attrs``,
    and every kind of expression but atoms has the fields of it that hold no nodes.
    """
    return find_difference(expr, wanted) is None


def find_difference(expr: Expr, wanted: Attrs) -> tuple[str, object, object] | None:
    """Return the first of the attributes ``wanted`` that ``expr`` has not: name, wanted, found.

    What is found is :data:`ABSENT` where it has none of the name.
    """
    find = _read_op if isinstance(expr, Op) else _read_expr
    for name, value in wanted.items():
        found = find(expr, name)
        if found is ABSENT or not _is_same(found, value):
            return name, value, found
    return None


class _Absent:
    """What an attribute is that is not there."""


ABSENT: Final = _Absent()


def _read_op(op: Expr, name: str) -> object:
    table = _TABLES.get(name)
    table = find_table(name) if table is None else table
    return ABSENT if table is None else table.get(op, ABSENT)


def _read_expr(expr: Expr, name: str) -> object:
    if type(expr) in ATOMS:
        return ABSENT
    for declared in expr.fields_:
        if declared.role is not Role.LEAF or not declared.compared:
            continue
        held = getattr(expr, declared.name)
        if isinstance(held, Attrs):
            if name in held:
                return held[name]
        elif declared.name == name:
            return held
    return ABSENT


def _is_same(found: object, wanted: object) -> bool:
    if isinstance(found, tuple) and isinstance(wanted, (tuple, list)):
        return len(found) == len(wanted) and all(map(_is_same, found, wanted))
    if isinstance(found, Node) and isinstance(wanted, Node):
        return structural_equal(found, wanted)
    if isinstance(found, np.ndarray) or isinstance(wanted, np.ndarray):
        return bool(np.array_equal(np.asarray(found), np.asarray(wanted)))
    return bool(found == wanted)
