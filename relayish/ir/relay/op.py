"""Operators by name: one :class:`Op` node for each, for the life of the process."""

from __future__ import annotations

from relayish.ir.relay.expr import Op
from relayish.ir.storage import INTERNED

_OPS: dict[str, Op] = {}


def intern_op(name: str) -> Op:
    """Return the one node of the operator ``name``, declared or not.

    Complexity:
        Constant.
    """
    found = _OPS.get(name)
    return found if found is not None else _OPS.setdefault(name, Op(name))


INTERNED[Op] = lambda op: (intern_op, (op.name,))
