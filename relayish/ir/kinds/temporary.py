"""Temporaries: how a language gives a name to the value of an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node


class Temporary(NamedTuple):
    """A name for the value of an expression.

    Attributes:
        binding: The statement that computes the value; of one that holds what comes after it, that
            does not matter.
        use: What stands for the value behind it.
        declared: What the function has to declare for it, if anything.
    """

    binding: Node
    use: Node
    declared: Node | None = None


MakeTemporary: TypeAlias = Callable[[Any, str], Temporary | None]
"""``make(expr, name)``: a temporary, ``None`` where it has no value.  Any: a node of one kind"""


def _make_none(_expr: Node, _name: str) -> None:
    """Make nothing: the value has no name."""


TEMPORARIES: Final[KindTable[MakeTemporary]] = KindTable(
    "the name of a value", "relayish.ir.kinds.temporary.TEMPORARIES", {Node: _make_none}
)
"""By kind: how the values of expressions are given a name."""


def make_temporary(expr: Node, name: str) -> Temporary | None:
    """Return a name for the value of ``expr``; ``None`` where it can have none.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> made = make_temporary(Tuple(()), "t")
        >>> made.binding.value, made.binding.var is made.use
        (Tuple(fields=()), True)
    """
    return TEMPORARIES[type(expr)](expr, name)
