"""Type relations: what an operator makes of the types of its arguments.

Most operators have a *rule*, a function of their attributes and of the types of their arguments
that returns the type of the result; it is asked once all of these are known. Where an argument may
be inferred from others (the weight of a convolution from its data), an operator has a *relation*,
which may be asked earlier, several times, and may say what it found out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import IncompleteType, TensorType, Type


class TypeReporter(Protocol):
    """What a relation tells of what it found out."""

    def assign(self, unknown: Type, found: Type) -> None:
        """Make two types equal; whatever is unknown in one of them takes its value from the other.

        Raises:
            TypeInferenceError: If they cannot be equal.
        """


class _NullReporter:
    """Hears what a relation finds out about arguments that are known, or nobody asks for."""

    def assign(self, unknown: Type, found: Type) -> None:
        """Leave both types as they are; type inference sees whether they differ."""


NULL_REPORTER: Final[TypeReporter] = _NullReporter()
"""For those who ask for the type of a result alone."""


Rule: TypeAlias = Callable[..., Type]
"""``rule(attrs, *types)``: the type of the result, from the attributes and the argument types.

Every type is known, but may have unknown (``Any``) dimensions; an argument that is a tuple has a
``TupleType``. A rule depends on nothing else. It checks what it is given, for a type may be of any
kind, and raises :class:`~relayish.errors.TypeInferenceError` saying what was found and what was
expected; who asks adds the operator and the place in the program.
"""

Relation: TypeAlias = Callable[[Any, tuple[Type, ...], TypeReporter], Type | None]
"""``relation(attrs, types, reporter)``: the type of the result, or ``None`` for "not yet".

``types`` are those of the arguments; parts that are not known are ``IncompleteType``. It is asked
again whenever one of them becomes known. Any: the attributes of the operator.
"""


def is_known(ty: Type) -> bool:
    """Return whether no part of ``ty`` is still to be inferred.

    Complexity:
        Linear in the distinct types in ``ty``; no recursion.
    """
    if type(ty) is TensorType:  # the commonest by far; no type is in it
        return True
    return not any(type(part) is IncompleteType for part in TYPES.pre_order(ty))
