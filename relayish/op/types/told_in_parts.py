"""Operators that are told of in parts, after they were registered, as TVM's are.

``register_op`` tells all of an operator at once, and checks that it fits together; scripts of TVM
register a name, and then say how many inputs it has, how these are called, and of which types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish._support import hooks
from relayish.errors import DeclarationError, suggest
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import Type
from relayish.op.declaration import properties
from relayish.op.declaration.names import checked_arguments
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import get_op
from relayish.op.declaration.support_levels import get_support_level, set_support_level
from relayish.op.types.type_rules import broadcast, broadcast_comparison, identity
from relayish.op.values.evaluation import Parameters

TypeFunction = Callable[[Sequence[Type], Any], Type]  # Any: the attributes of the one operator
"""``type_of(args, attrs)``: the type of a call."""

_RELATIONS: Final[dict[str, Callable[..., Type]]] = {
    "Broadcast": broadcast,
    "BroadcastComp": broadcast_comparison,
    "Identity": identity,
}
"""Rules by the names of relations that TVM registers for any operator."""

_named: Final[OpTable[int]] = OpTable("named_arguments")
"""How many arguments were named one by one."""


def get_num_inputs(op: Op) -> int:
    """Return how many arguments a call has; -1 where there may be any number."""
    found = properties.num_inputs.get(get_op(op))
    return -1 if found is None else found


def set_num_inputs(op: Op, count: int) -> None:
    """Say how many arguments a call has; those that have no name are called after their place."""
    known = properties.arguments.get(get_op(op), ())[: _named.get(op, 0)]
    given: object = count
    if not isinstance(given, int) or count < len(known):
        raise DeclarationError(
            f"operator {op.full_name!r} is to have {count!r} inputs; expected a number, "
            f"{len(known)} or more, as that many were added"
        )
    _declare(op, (*known, *[f"data_{place}" for place in range(len(known), count)]))


def add_argument(op: Op, name: str, type: str = "", description: str = "") -> None:  # noqa: A002
    """Name the next argument; ``type`` and ``description`` are taken as TVM takes them."""
    del type, description
    place = _named.get(op, 0)
    names = properties.arguments.get(get_op(op), ())
    _declare(op, (*names[:place], name, *names[place + 1 :]))
    _named.declare(op, place + 1)


def add_type_rel(op: Op, rel_name: str, type_rel_func: TypeFunction | None = None) -> None:
    """Say of which type a call is.

    Args:
        op: A registered operator.
        rel_name: ``Identity``, ``Broadcast``, ``BroadcastComp``, or the name of what is given.
        type_rel_func: Returns the type of a call, of those of its arguments and its attributes.

    Raises:
        DeclarationError: If there is no relation of that name, and none is given.
    """
    found = _RELATIONS.get(rel_name)
    if type_rel_func is not None:
        given = type_rel_func

        def rule(attrs: Parameters, *args: Type) -> Type:
            return given(args, attrs)

        properties.rule.set(get_op(op), rule, replace=True, by=given)
        return
    if found is None:
        raise DeclarationError(
            f"there is no type relation {rel_name!r}{suggest(rel_name, _RELATIONS)}; expected one "
            f"of {', '.join(_RELATIONS)}, or a function: add_type_rel(name, f)"
        )
    properties.rule.set(get_op(op), found, replace=True)


def _declare(op: Op, names: Sequence[str]) -> None:
    checked, _ = checked_arguments(op.name, names)
    properties.arguments.declare(op, checked)
    properties.num_inputs.declare(op, len(checked))


_METHODS: Final[dict[str, Callable[..., Any]]] = {  # Any: what each returns
    "add_argument": add_argument,
    "add_type_rel": add_type_rel,
    "get_num_inputs": get_num_inputs,
    "get_support_level": get_support_level,
    "set_num_inputs": set_num_inputs,
    "set_support_level": set_support_level,
}
hooks.functions.update(_METHODS)
