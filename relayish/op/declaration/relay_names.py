"""Declaring operators by the functions that Relay has for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.ir.relay.expr import Op
from relayish.op.declaration import properties
from relayish.op.declaration.op_table import DECLARED_LEVEL
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import get_op, register_op


def register(
    op_name: str,
    describe: str = "",
    *,
    arguments: Sequence[str] = ("data",),
    **told: Any,  # Any: those of register_op, which says what they are
) -> Op:
    """Declare the operator ``op_name`` and return its node.

    Args:
        op_name: What it is called: ``my.relu``.
        describe: What it does, in a sentence.
        arguments: The names of its arguments.
        told: What else :func:`~relayish.op.declaration.registry.register_op` takes:
            ``domain``, ``attrs_type``, ``rule`` or ``relation``, ``evaluate``, …

    Raises:
        DuplicateNameError: If the domain has an operator of that name.
    """
    return register_op(op_name, arguments=arguments, description=describe, **told)


def register_pattern(op_name: str | Op, pattern: OpPattern, level: int = DECLARED_LEVEL) -> None:  # noqa: ARG001 - Relay's
    """Say how the operator fuses; what was said before no longer holds.

    ``level`` is taken and left aside: Relay lets the highest level win, here the last word does.
    """
    properties.pattern.set(get_op(op_name), OpPattern(pattern), replace=True)


def register_stateful(op_name: str | Op, stateful: bool, level: int = DECLARED_LEVEL) -> None:  # noqa: ARG001 - Relay's
    """Say whether calls of the operator have effects; ``level`` as in :func:`register_pattern`."""
    properties.stateful.set(get_op(op_name), bool(stateful), replace=True)
