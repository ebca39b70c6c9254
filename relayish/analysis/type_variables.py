"""Free and bound type variables of expressions and types."""

from __future__ import annotations

from typing import Final

from relayish.ir.fields.field import Field
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING, Traversal
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Type, TypeVar
from relayish.ir.scopes.scoping import TYPES_BOUND


def free_type_vars(
    root: Expr | Type,
    mod: IRModule | None = None,  # noqa: ARG001 - Relay's signature
) -> tuple[TypeVar, ...]:
    """Return the type variables of ``root`` that nothing in it binds, by first occurrence.

    Relay's ``mod`` is taken and plays no part, here and below: types that are mentioned by name
    are closed. The types in annotations, type arguments and function types count; those in the
    definition of a constructor that is merely used do not, as they are bound there.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> a, b = TypeVar("a"), TypeVar("b")
        >>> free_type_vars(FuncType((a,), b, (a,))) == (b,)
        True
    """
    occurring, bound = _collect(root)
    return tuple([var for var in occurring if var not in bound])


def bound_type_vars(
    root: Expr | Type,
    mod: IRModule | None = None,  # noqa: ARG001 - Relay's signature
) -> tuple[TypeVar, ...]:
    """Return the type variables that functions and function types in ``root`` bind.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return tuple(_collect(root)[1])


def all_type_vars(
    root: Expr | Type,
    mod: IRModule | None = None,  # noqa: ARG001 - Relay's signature
) -> tuple[TypeVar, ...]:
    """Return the type variables used or bound in ``root``, in order of first occurrence.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return tuple(_collect(root)[0])


def _collect(root: Expr | Type) -> tuple[dict[TypeVar, None], dict[TypeVar, None]]:
    """Return the distinct type variables, and those with a binder; dictionaries keep order."""
    occurring: dict[TypeVar, None] = {}
    bound: dict[TypeVar, None] = {}
    traversal = EVERYTHING if isinstance(root, Constructor) else _TYPES_OF_PROGRAMS
    table = TYPES_BOUND
    for node in traversal.pre_order(root):
        if type(node) is TypeVar:
            occurring[node] = None
            continue
        made = table[type(node)]
        if made is not None:
            for variable in made(node):
                bound[variable] = occurring[variable] = None
    return occurring, bound


class _TypesOfPrograms(Traversal):
    """Follows every field but those of constructors, whose types are bound where they are defined.

    As in Relay, type arguments are looked at before arguments.
    """

    def fields(self, kind: type[Node]) -> list[Field]:
        if kind is Constructor:
            return []
        found = super().fields(kind)
        if kind is Call:
            found.sort(key=lambda declared: ("op", "type_args", "args").index(declared.name))
        return found


_TYPES_OF_PROGRAMS: Final = _TypesOfPrograms(Node)
