"""Registering functions for operators, by name and level."""

from __future__ import annotations

from typing import Any

from relayish._support.arity import check_arity
from relayish.ir.relay.expr import Op
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import resolve_op


def set_function(
    table: OpTable[Any],  # Any: of functions that take what the table says
    op_name: str | Op,
    func: Any,  # Any: still to be checked
    level: int,
) -> Any:  # Any: the very function that is given, or a decorator
    """Let ``func``, or the decorated function where it is ``None``, be the property of an operator.

    Args:
        table: A table that says what its functions take.
        op_name: An operator or its name, declared already or not.
        func: The function.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DeclarationError: If it cannot be called so.
        DuplicateNameError: If the operator has one of the same level.
    """
    found = resolve_op(op_name)

    def declare(function: Any) -> Any:  # Any: as above
        assert table.takes is not None
        check_arity(function, table.takes, f"{table.name} of operator {found.full_name!r}")
        table.set_at_level(found, function, level)
        return function

    return declare if func is None else declare(func)
