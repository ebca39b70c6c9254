"""Expressions that Python's operators do not build."""

from __future__ import annotations

from relayish.core.ir.family import Expr, Operand, Symbol, as_expr, binary
from relayish.core.ir.memory import Array, Ild, Lda


def equal(a: Operand, b: Operand) -> Expr:
    """Return ``a == b`` of values, a number as a literal of the type of the other."""
    return binary("eq", a, b)


def not_equal(a: Operand, b: Operand) -> Expr:
    """Return ``a != b`` of values, a number as a literal of the type of the other."""
    return binary("ne", a, b)


def land(a: Operand, b: Operand) -> Expr:
    """Return that both of two truth values hold."""
    return binary("land", a, b)


def lor(a: Operand, b: Operand) -> Expr:
    """Return that one of two truth values holds, or both."""
    return binary("lor", a, b)


def element(array: Operand, *indices: Operand) -> Array:
    """Return the address of an element of an array: of a symbol, or at an address.

    Example:
        >>> from relayish.core.ir.symbol import Var
        >>> element(Var("a", "float32[2, 3]"), 1, 2).type
        Type('float32*')
    """
    is_array = isinstance(array, Symbol) and getattr(array, "type").is_array  # noqa: B009 - of kinds
    address = Lda(array) if is_array and isinstance(array, Symbol) else as_expr(array)
    return Array(address, tuple([as_expr(index) for index in indices]))


def load(address: Operand) -> Expr:
    """Return what is at an address, or what a symbol holds."""
    return as_expr(address) if isinstance(address, Symbol) else Ild(as_expr(address))
