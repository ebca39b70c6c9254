"""Rules of core that a program can break, and messages that show what breaks them."""

from __future__ import annotations

from enum import Enum

from relayish.core.ir.family import Expr
from relayish.core.ir.type import Type
from relayish.ir.kinds.one_line import one_line


class Rule(Enum):
    """The rules of core that a program can break."""

    TYPE = "type"  # operands, values, conditions and addresses have the types that they need
    LITERAL = "literal"  # a literal is in the range of its type
    INDEX = "index"  # as many indices as dimensions, in range where they are known
    SYMBOL = "symbol"  # registers have no address, constants are not written
    FIELD = "field"  # fields and offsets are there, and hold what is said
    STRUCTURE = "structure"  # statements stand where they may, and all are there
    SCOPE = "scope"  # variables and registers are those of the function, each once
    NAME = "name"  # what is named in a module is defined there, as what it is used as
    CALL = "call"  # calls give what is called the arguments it takes, and take what it returns
    RETURN = "return"  # functions return what they say, on every path
    DEFINITION = "definition"  # types have values, initial values are known while compiling


def typed(expr: Expr) -> str:
    """Return an expression and its type, as messages show them: ``%i of type int32``."""
    return f"{one_line(expr)} of type {expr.type}"


def is_value(given: Type) -> bool:
    """Return whether there are values of a type."""
    return not given.is_void and not given.is_function
