"""Division of integers as C has it: the quotient is rounded towards zero."""

from __future__ import annotations

from relayish.errors import DivisionByZeroError


def divide(a: int, b: int, high: int) -> int:
    """Return the quotient rounded towards zero; past ``high`` it wraps around."""
    if b == 0:
        raise DivisionByZeroError(f"{a} is divided by zero")
    found = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        return -found
    return found if found <= high else -found


def remainder(a: int, b: int) -> int:
    """Return what the quotient rounded towards zero leaves; it has the sign of ``a``."""
    if b == 0:
        raise DivisionByZeroError(f"the remainder of {a} by zero is asked for")
    found = abs(a) % abs(b)
    return -found if a < 0 else found
