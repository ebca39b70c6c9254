"""Relay in binary form: operators have to be declared; the class of its modules."""

from __future__ import annotations

from relayish.binary.records import REQUIREMENTS
from relayish.errors import UnknownNameError
from relayish.ir.relay import module as _module  # noqa: F401 - found by its name
from relayish.ir.relay.expr import Op
from relayish.op import is_registered
from relayish.op.declaration.registry import find_ops


def _check_operator(op: Op) -> None:
    """Raise if nobody declares an operator.

    Raises:
        UnknownNameError: If so; says of which domain it is.
    """
    if not is_registered(op) and op not in find_ops(op.name, op.domain):
        raise UnknownNameError(
            f"the file holds calls of the operator {op.name!r} of domain {op.domain!r}, which is "
            f"not declared; import the package that declares it and read the file again, or read "
            f"it with allow_unknown_ops=True"
        )


REQUIREMENTS.register(Op, _check_operator)
