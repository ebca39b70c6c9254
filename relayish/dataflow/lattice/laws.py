"""The laws of lattices, as equations that can be tried on states."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

_NAMES: Final = (
    *("join", "meet", "leq", "equal", "widen", "narrow", "bottom", "top"),
    *("transfer", "a", "b", "c"),
)
_STATES: Final = re.compile(r"\b[abc]\b")
_MENDED: Final = re.compile(r"\b(join|meet|leq|equal|widen|narrow|bottom|top|transfer)\b")


class Relation(Enum):
    """How the two sides of a law are related."""

    EQUAL = "="
    """They are states that are equal."""
    IFF = "iff"
    """They are truths that are the same."""
    IMPLIES = "implies"
    """They are truths, of which the second holds where the first does."""


class Law:
    """A law of lattices: a relation of two expressions of operations, true for all states.

    Args:
        name: What it says.
        text: Two expressions, with one of the relations between them.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        left, sign, right = re.split(r" (=|iff|implies) ", text)
        self.relation = Relation(sign)
        self.left, self.right = left, right
        self._left, self._right = _compiled(left), _compiled(right)

    def broken(self, operations: Mapping[str, Any]) -> str | None:  # Any: operations, states
        """Return what both sides give where the law does not hold; ``None`` where it does.

        Args:
            operations: What its names stand for: operations, extremes and states.
        """
        given = [operations.get(name) for name in _NAMES]
        x = self._left(*given)
        match self.relation:
            case Relation.EQUAL:
                y = self._right(*given)
                if operations["equal"](x, y) and operations["equal"](y, x):
                    return None
                return f"{self.left} is {shown(x)}, but {self.right} is {shown(y)}"
            case Relation.IFF:
                y = self._right(*given)
                return None if bool(x) == bool(y) else f"{self.left} is {x}, {self.right} is {y}"
            case Relation.IMPLIES:
                if not x or self._right(*given):
                    return None
                return f"{self.left}, but not {self.right}"

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states that it is about."""
        return tuple(dict.fromkeys(sorted(_STATES.findall(self.text))))

    @property
    def mended(self) -> str:
        """What may be at fault, as names."""
        names = dict.fromkeys(_MENDED.findall(self.text))
        return " or ".join(names)


def shown(state: object) -> str:
    """Return the text of a state, cut where it is long."""
    text = repr(state)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _compiled(text: str) -> Callable[..., Any]:  # Any: a state or a truth
    made: Callable[..., Any] = eval(f"lambda {', '.join(_NAMES)}: {text}")  # noqa: S307 - of below
    return made


_LONGEST: Final = 300

LAWS: Final = (
    Law("equal is reflexive", "equal(a, a) iff True"),
    Law("equal is symmetric", "equal(a, b) iff equal(b, a)"),
    Law("equal is transitive", "equal(a, b) and equal(b, c) implies equal(a, c)"),
    Law("join is idempotent", "join(a, a) = a"),
    Law("meet is idempotent", "meet(a, a) = a"),
    Law("join is commutative", "join(a, b) = join(b, a)"),
    Law("meet is commutative", "meet(a, b) = meet(b, a)"),
    Law("join is associative", "join(join(a, b), c) = join(a, join(b, c))"),
    Law("meet is associative", "meet(meet(a, b), c) = meet(a, meet(b, c))"),
    Law("join absorbs meet", "join(a, meet(a, b)) = a"),
    Law("meet absorbs join", "meet(a, join(a, b)) = a"),
    Law("leq is reflexive", "leq(a, a) iff True"),
    Law("leq is antisymmetric", "leq(a, b) and leq(b, a) implies equal(a, b)"),
    Law("leq is transitive", "leq(a, b) and leq(b, c) implies leq(a, c)"),
    Law("states that are equal are below each other", "equal(a, b) implies leq(a, b)"),
    Law("leq says what join says", "leq(a, b) iff equal(join(a, b), b)"),
    Law("leq says what meet says", "leq(a, b) iff equal(meet(a, b), a)"),
    Law("join is an upper bound", "leq(a, join(a, b)) and leq(b, join(a, b)) iff True"),
    Law("meet is a lower bound", "leq(meet(a, b), a) and leq(meet(a, b), b) iff True"),
    Law("join is the least upper bound", "leq(a, c) and leq(b, c) implies leq(join(a, b), c)"),
    Law("meet is the greatest lower bound", "leq(c, a) and leq(c, b) implies leq(c, meet(a, b))"),
    Law("bottom is below all states", "leq(bottom, a) iff True"),
    Law("bottom is the identity of join", "join(bottom, a) = a"),
    Law("bottom is what meet with it gives", "meet(a, bottom) = bottom"),
    Law("top is above all states", "leq(a, top) iff True"),
    Law("top is the identity of meet", "meet(top, a) = a"),
    Law("top is what join with it gives", "join(a, top) = top"),
    Law("widen is an upper bound", "leq(a, widen(a, b)) and leq(b, widen(a, b)) iff True"),
    Law("narrow is between its operands", "leq(b, a) implies leq(b, narrow(a, b))"),
    Law("narrow is between its operands", "leq(b, a) implies leq(narrow(a, b), a)"),
)
"""What all lattices keep, in the order in which they are tried: what others rest on comes first."""
MONOTONE: Final = Law("transfers are monotone", "leq(a, b) implies leq(transfer(a), transfer(b))")
RETURNS_OPERANDS: Final = (
    Law(
        "join returns a where the result equals it", "equal(join(a, b), a) implies join(a, b) is a"
    ),
    Law(
        "meet returns a where the result equals it", "equal(meet(a, b), a) implies meet(a, b) is a"
    ),
    Law(
        "widen returns a where the result equals it",
        "equal(widen(a, b), a) implies widen(a, b) is a",
    ),
    Law(
        "narrow returns a where the result equals it",
        "leq(b, a) and equal(narrow(a, b), a) implies narrow(a, b) is a",
    ),
)
