"""Declaring operators by the functions that Relay has for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.ir.registration.declarations import DECLARED_LEVEL
from relayish.ir.relay.expr import Op
from relayish.op.declaration.attribute_keys import set_attr
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


def register_pattern(op_name: str | Op, pattern: OpPattern, level: int = DECLARED_LEVEL) -> None:
    """Say how an operator fuses.

    Args:
        op_name: A declared operator or its name.
        pattern: How it fuses, or Relay's number for it.
        level: Of two patterns of one operator, that of the higher level counts.

    Raises:
        UnknownNameError: If there is no such operator.
        DuplicateNameError: If the operator has one of the same level, as what its declaration tells
            has that of declarations.
    """
    set_attr(get_op(op_name), "TOpPattern", pattern, level)


def register_stateful(op_name: str | Op, stateful: bool, level: int = DECLARED_LEVEL) -> None:
    """Say whether calls of an operator have effects; else as :func:`register_pattern`."""
    set_attr(get_op(op_name), "TOpIsStateful", stateful, level)
