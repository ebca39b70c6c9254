"""Operators by domain and name: one :class:`Op` node for each, for the life of the process."""

from __future__ import annotations

from relayish.ir.domains.domain import is_domain_name
from relayish.ir.kinds.opcode import OPERATOR_FIELDS, OperatorField
from relayish.ir.nodes.storage import INTERNED
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.language import RELAY

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


def family_of(op: Op) -> tuple[str, str]:
    """Return the names of the domain to which calls of ``op`` belong, and of the operator in it.

    Relay's families are domains: ``nn.relu`` is ``relu`` of ``nn``. An operator without a family
    is one of Relay's core, and one of another domain is what it is called there.

    Example:
        >>> [family_of(op_of(name)) for name in ("nn.relu", "qnn.op.x", "add", "lattices::add")]
        [('nn', 'relu'), ('qnn', 'op.x'), ('relay', 'add'), ('lattices', 'add')]
    """
    if op.domain != RELAY.name:
        return op.domain, op.name
    family, _, name = op.name.partition(".")
    is_family = name and family != RELAY.name and is_domain_name(family)
    return (family, name) if is_family else (RELAY.name, op.name)


OPERATOR_FIELDS.register(
    Call,
    OperatorField(lambda call: call.op if type(call.op) is Op else None, family_of, field="op"),
)
INTERNED.register(
    Op,
    lambda op: (intern_op, (op.name,) if op.domain == RELAY.name else (op.name, op.domain)),
)
