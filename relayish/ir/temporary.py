"""Temporaries: how a language gives a name to the value of an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node


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

_TEMPORARIES: KindTable[MakeTemporary | None] = KindTable(
    "the name of a value", "relayish.ir.temporary.register_temporary", {Node: None}
)


def register_temporary(
    kind: type[Node], make: MakeTemporary | None, *, replace: bool = False
) -> None:
    """Say how the values of expressions of class ``kind`` are given a name.

    Args:
        kind: A kind or a family.
        make: Makes a temporary; ``None``: such nodes stay where they are.
        replace: Take the place of what was said before.

    Raises:
        DuplicateNameError: If somebody else said that already and ``replace`` is false.
    """
    _TEMPORARIES.register(kind, make, replace=replace)


def make_temporary(expr: Node, name: str) -> Temporary | None:
    """Return a name for the value of ``expr``; ``None`` where it can have none.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> made = make_temporary(Tuple(()), "t")
        >>> made.binding.value, made.binding.var is made.use
        (Tuple(fields=()), True)
    """
    make = _TEMPORARIES[type(expr)]
    return None if make is None else make(expr, name)
