"""Operators by domain and name: one :class:`Op` node for each, for the life of the process."""

from __future__ import annotations

from relayish.ir.relay.expr import Op
from relayish.ir.relay.language import RELAY
from relayish.ir.storage import register_interning

_OPS: dict[tuple[str, str], Op] = {}


def intern_op(name: str, domain: str = RELAY.name) -> Op:
    """Return the one node of the operator ``name`` of ``domain``, declared or not.

    Complexity:
        Constant.
    """
    found = _OPS.get((domain, name))
    return found if found is not None else _OPS.setdefault((domain, name), Op(name, domain))


def op_of(full: str) -> Op:
    """Return the node of the operator of that full name, declared or not.

    It undoes :attr:`~relayish.ir.relay.expr.Op.full_name`.

    Example:
        >>> op_of("lattices::add") is intern_op("add", "lattices")
        True
    """
    domain, mark, name = full.partition("::")
    return intern_op(name, domain) if mark else intern_op(full)


register_interning(
    Op,
    lambda op: (intern_op, (op.name,) if op.domain == RELAY.name else (op.name, op.domain)),
)
