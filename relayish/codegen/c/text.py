"""Expressions of C as texts that know how tightly they bind, so that no parenthesis is in vain."""

from __future__ import annotations

from typing import Final, NamedTuple

ATOM: Final = 16
UNARY: Final = 14
PRODUCT: Final = 13
SUM: Final = 12
ORDER: Final = 10
EQUALITY: Final = 9
BITS_AND: Final = 8
BITS_XOR: Final = 7
BITS_OR: Final = 6
CONDITION: Final = 3

LEVELS: Final = {
    "*": PRODUCT,
    "/": PRODUCT,
    "%": PRODUCT,
    "+": SUM,
    "-": SUM,
    "<": ORDER,
    "<=": ORDER,
    ">": ORDER,
    ">=": ORDER,
    "==": EQUALITY,
    "!=": EQUALITY,
    "&": BITS_AND,
    "^": BITS_XOR,
    "|": BITS_OR,
}
"""How tightly operators between two operands bind."""


class CText(NamedTuple):
    """An expression of C.

    Attributes:
        text: What is written.
        level: How tightly its outermost operator binds; an atom the most.
        depth: How deep operators stand in one another.
    """

    text: str
    level: int = ATOM
    depth: int = 0

    @property
    def is_name(self) -> bool:
        """Whether it is one word or number, which may be written any number of times."""
        return self.text.replace(".", "0").replace("_", "0").isalnum()

    def at(self, level: int) -> str:
        """Return the text where what binds less than ``level`` stands in parentheses."""
        return self.text if self.level >= level else f"({self.text})"


def infix(sign: str, a: CText, b: CText) -> CText:
    """Return two operands with an operator between them.

    Example:
        >>> total = infix("+", CText("a"), CText("b"))
        >>> infix("*", total, infix("-", CText("c"), total)).text
        '(a + b) * (c - (a + b))'
    """
    level = LEVELS[sign]
    # compilers warn of comparisons beside one another, of & beside +, and of ! before either
    bitwise = level <= BITS_AND
    left = UNARY if level < SUM and a.level < SUM + bitwise else level
    left = ATOM if level < SUM and a.text.startswith("!") else left
    right = UNARY if level < SUM and b.level < SUM + bitwise else level + 1
    return CText(f"{a.at(left)} {sign} {b.at(right)}", level, 1 + max(a.depth, b.depth))


def prefix(sign: str, a: CText) -> CText:
    """Return an operand behind an operator; a minus does not meet another.

    A negation stands in parentheses beside other operators, since compilers warn of it there.

    Example:
        >>> prefix("-", prefix("-", CText("a"))).text
        '-(-a)'
        >>> infix("<", prefix("!", CText("a")), CText("b")).text
        '(!a) < b'
    """
    text = a.at(UNARY)
    text = f"({text})" if text.startswith(sign) else text
    return CText(f"{sign}{text}", SUM - 1 if sign == "!" else UNARY, a.depth + 1)


def cast(type_: str, a: CText) -> CText:
    """Return a value converted to a type of C."""
    return CText(f"({type_}){a.at(UNARY)}", UNARY, a.depth + 1)


def apply(function: str, *args: CText) -> CText:
    """Return the call of a function."""
    depth = 1 + max([arg.depth for arg in args], default=0)
    return CText(f"{function}({', '.join([arg.text for arg in args])})", ATOM, depth)


def choose(condition: CText, a: CText, b: CText) -> CText:
    """Return one of two values by a condition."""
    depth = 1 + max(condition.depth, a.depth, b.depth)
    level = CONDITION + 1
    return CText(f"{condition.at(level)} ? {a.at(level)} : {b.at(level)}", CONDITION, depth)
