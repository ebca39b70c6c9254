"""Properties of operators that calls name: what follows from the record of each."""

from __future__ import annotations

from functools import cache
from typing import Final

from relayish.ir.domains.property import Property
from relayish.ir.relay.expr import Op
from relayish.op.declaration import properties


def properties_of_op(op: Op) -> Property:
    """Return the properties of calls of ``op``.

    They are those it is declared with, and what follows: all have a value, and from the record
    follow ``LEAF``, without arguments; ``ATTR``, with a class of attributes; ``COMMUTATIVE``;
    ``SIDE_EFFECT``, of what has state or calls functions; ``BARRIER``, past which fusion moves
    nothing.
    """
    return _join(
        properties.properties.get(op, Property.NONE),
        not properties.arguments.get(op),
        op in properties.attrs_type,
        op in properties.commutative,
        op in properties.stateful or op in properties.callees,
        op in properties.fusion_barrier,
    )


@cache
def _join(declared: Property, *held: bool) -> Property:
    """Return the properties of an operator of which these facts hold; joining flags takes long."""
    found = Property.EXPR | declared
    for holds, following in zip(held, _FOLLOWING, strict=True):
        if holds:
            found |= following
    return found


_FOLLOWING: Final = (
    Property.LEAF,
    Property.ATTR,
    Property.COMMUTATIVE,
    Property.SIDE_EFFECT,
    Property.BARRIER,
)
