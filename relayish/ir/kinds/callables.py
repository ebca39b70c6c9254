"""Calls across languages: what a definition is as a function of values, and of which types.

Each language runs its functions by an interpreter of its own. For others, a definition is a
function of Python on numpy's scalars and arrays, none of which it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node

Callee: TypeAlias = Callable[..., Any]  # Any: numpy scalars and arrays, and tuples of them
"""``callee(*values)``: the value of a function on values, none of which it changes."""


class ValueType(NamedTuple):
    """The type of a number, or of an array.

    Attributes:
        shape: The sizes of its dimensions, ``None`` where one is not known; ``()``: a number.
        dtype: The type of its elements.
    """

    shape: tuple[int | None, ...]
    dtype: str


class CallSignature(NamedTuple):
    """The types of what a function takes and gives.

    Attributes:
        params: Of the parameters, in order.
        results: Of what it gives: of one alone a value, of any other number a tuple.
    """

    params: tuple[ValueType, ...]
    results: tuple[ValueType, ...]


class ForeignCall(NamedTuple):
    """How definitions of a kind are called from other languages.

    Attributes:
        make: ``make(definition, name, mod)``: the function that a definition of a module is.
        signature: ``signature(definition)``: what it takes and gives; ``None`` where that is not
            told.
    """

    make: Callable[[Any, str, AnyModule], Callee]  # Any: definitions of the kind
    signature: Callable[[Any], CallSignature | None] | None = None  # Any: as above


CALLABLES: Final[KindTable[ForeignCall]] = KindTable(
    "calls across languages", "relayish.domain.CALLABLES"
)


def signature_of(definition: Node) -> CallSignature | None:
    """Return what a definition takes and gives, ``None`` where that is not told."""
    kind = type(definition)
    told = CALLABLES[kind].signature if CALLABLES.knows(kind) else None
    return None if told is None else told(definition)
