"""Which type variables occur in an expression or type, and which of them are bound there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, Type, TypeVar
from relayish.ir.traversal import EVERYTHING

# Any: each function takes the node kind it stands under
_BINDERS: Final[dict[type[Node], Callable[[Any], tuple[TypeVar, ...]]]] = {
    Function: lambda function: function.type_params,
    FuncType: lambda function: function.type_params,
    TypeData: lambda data: data.type_vars,
}


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
    seen: set[Node] = set()
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, TypeVar):
            occurring.setdefault(node)
            continue
        if isinstance(node, Constructor) and node is not root:
            continue
        kind = type(node)
        if kind in _BINDERS:
            variables = dict.fromkeys(_BINDERS[kind](node))
            bound.update(variables)
            occurring.update(variables)
        if isinstance(node, Call):  # Relay looks at type arguments before arguments
            stack += node.args[::-1]
            stack += node.type_args[::-1]
            stack.append(node.op)
            continue
        push = EVERYTHING.push[kind]
        if push is not None:
            push(node, seen, stack.append)
    return occurring, bound
