"""Declaring operators under the names that Relay's ``tvm.relay.op.op`` has for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.ir.domain import Domain
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Op
from relayish.op import registry
from relayish.op.mixed_precision import register_mixed_precision_conversion
from relayish.op.registry import OpPattern, get_op, list_ops, register_op

__all__ = [
    "OpPattern",
    "const",
    "get",
    "list_op_names",
    "register",
    "register_mixed_precision_conversion",
    "register_pattern",
    "register_stateful",
]


def get(op_name: str, domain: Domain | str | None = None) -> Op:
    """Return the declared operator ``op_name``; see :func:`~relayish.op.registry.get_op`.

    Raises:
        UnknownNameError: If no operator of that name is declared, or several are.
    """
    return get_op(op_name, domain)


def list_op_names() -> tuple[str, ...]:
    """Return the names of all declared operators, sorted."""
    return list_ops()


def register(
    op_name: str,
    describe: str = "",
    *,
    arguments: Sequence[str] = ("data",),
    **properties: Any,  # Any: those of register_op, which says what they are
) -> Op:
    """Declare the operator ``op_name`` and return its node.

    Args:
        op_name: What it is called: ``my.relu``.
        describe: What it does, in a sentence.
        arguments: The names of its arguments.
        properties: What else :func:`~relayish.op.registry.register_op` takes: ``domain``,
            ``attrs_type``, ``rule`` or ``relation``, ``evaluate``, …

    Raises:
        DuplicateNameError: If the domain has an operator of that name.
    """
    op = register_op(op_name, arguments=arguments, **properties)
    if describe:
        registry.description.set(op, describe)
    return op


def register_pattern(op_name: str | Op, pattern: OpPattern, level: int = 10) -> None:  # noqa: ARG001 - Relay's
    """Say how the operator fuses; what was said before no longer holds.

    ``level`` is taken and left aside: Relay lets the highest level win, here the last word does.
    """
    registry.pattern.set(get_op(op_name), OpPattern(pattern), replace=True)


def register_stateful(op_name: str | Op, stateful: bool, level: int = 10) -> None:  # noqa: ARG001 - Relay's
    """Say whether calls of the operator have effects; ``level`` as in :func:`register_pattern`."""
    registry.stateful.set(get_op(op_name), bool(stateful), replace=True)
