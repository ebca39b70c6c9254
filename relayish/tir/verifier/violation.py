"""Rules of the loop IR that a program can break, and messages that show what does."""

from __future__ import annotations

from enum import Enum

from relayish.ir.kinds.one_line import one_line
from relayish.tir.ir.operators import Expr


class Rule(Enum):
    """The rules of the loop IR that a program can break."""

    TYPE = "type"  # operands, values and conditions have the types that they need
    LITERAL = "literal"  # a literal is in the range of its type
    INDEX = "index"  # as many indices as dimensions, of a type that counts
    STRUCTURE = "structure"  # statements, blocks and parts stand where they may
    NAME = "name"  # names of tensors, functions and modules are unique
    MEMORY = "memory"  # tensors fit the buffers they look at
    SCOPE = (
        "scope"  # variables and buffers are bound once, used in scope, and assigned to if scalar
    )
    LIFETIME = "lifetime"  # memory is allocated once, used while it lives, and freed once
    LOOP_KIND = "loop kind"  # flags of loops agree with one another and with what they say more
    SCHEDULE_BLOCK = "schedule block"  # its variables get affine values, one each
    REGION = "region"  # what a schedule block says that it reads and writes covers what it does
    REDUCE = "reduce"  # axes of reductions have bounds, and are their own
    CALL = "call"  # what is called is known, and takes such arguments
    OPERATION = "operation"  # tensors and the operations they come from agree
    BOUNDS = "bounds"  # no access is certain to be out of range


def typed(expr: Expr) -> str:
    """Return an expression and its type, as messages show them: ``%i of type int32``."""
    return f"{one_line(expr)} of type {expr.type}"
