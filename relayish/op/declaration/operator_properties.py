"""Properties of operators that calls name: what follows from the record of each."""

from __future__ import annotations

from relayish.ir.property import Property
from relayish.ir.relay.expr import Op
from relayish.op.declaration import properties


def properties_of_op(op: Op) -> Property:
    """Return the properties of calls of ``op``.

    They are those it is declared with, and what follows: all have a value, and from the record
    follow ``LEAF``, without arguments; ``ATTR``, with a class of attributes; ``COMMUTATIVE``;
    ``SIDE_EFFECT``, of what has state; ``BARRIER``, past which fusion moves nothing.
    """
    found = Property.EXPR | properties.properties.get(op, Property.NONE)
    if not properties.arguments.get(op):
        found |= Property.LEAF
    if op in properties.attrs_type:
        found |= Property.ATTR
    if op in properties.commutative:
        found |= Property.COMMUTATIVE
    if op in properties.stateful:
        found |= Property.SIDE_EFFECT
    if op in properties.fusion_barrier:
        found |= Property.BARRIER
    return found
