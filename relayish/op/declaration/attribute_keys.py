"""Operator attributes: properties of operators by the keys that TVM has for them.

``op.get_attr("TOpPattern")`` is what ``op.properties.pattern.get(op)`` is, and
``register_op_attr("nn.relu", "target.dnnl", f)`` says to the table of that target what
``register_target_support`` does. A key that nobody has told of is one of the user's own, and has a
table of its own from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from relayish._support import hooks
from relayish._support.arity import check_arity
from relayish.errors import UnknownNameError
from relayish.ir.registration.declarations import DECLARED_LEVEL, watch_table
from relayish.ir.relay.expr import Op
from relayish.op.declaration import properties, rewriting
from relayish.op.declaration.names import check_name
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.record import check_value
from relayish.op.declaration.registry import resolve_op
from relayish.op.declaration.target import PREFIX, target_table

_Value = TypeVar("_Value")

_KEYS: Final[dict[str, OpTable[Any]]] = {  # Any: each property has a type of its own
    "FInferCorrectLayout": properties.infer_layout,
    "FPrimalGradient": properties.primal_gradient,
    "FTVMAlterOpLayout": rewriting.alter_op_layout,
    "FTVMConvertOpLayout": rewriting.convert_op_layout,
    "FTVMMixedPrecisionConversionType": properties.mixed_precision,
    "TNonComputational": properties.non_computational,
    "TOpIsStateful": properties.stateful,
    "TOpPattern": properties.pattern,
    "TReshapeOp": properties.view,
}
"""Tables of relayish by what TVM calls the property."""

_COMPILED: Final = frozenset(
    {
        "FShapeFunc",
        "FTVMCompute",
        "FTVMSchedule",
        "FTVMStrategy",
        "TOpDynamicCompute",
        "TShapeDataDependent",
        "TShapeDataDependant",
    }
)
"""Keys of what TVM compiles operators by."""

_OWN: Final[dict[str, OpTable[Any]]] = {}  # Any: as above
watch_table(_OWN)


def find_table(key: str) -> OpTable[Any] | None:  # Any: as above
    """Return the table of the property that TVM calls ``key``, if there is one.

    Raises:
        UnknownNameError: If it is a property by which operators are compiled.
    """
    check_name(key)
    if key in _COMPILED:
        raise UnknownNameError(
            f"{key} says how TVM compiles an operator, and relayish compiles none; leave it out, "
            f"or say how the operator is evaluated: register_op(name, ..., evaluate=f)"
        )
    if key.startswith(PREFIX):
        return target_table(key.removeprefix(PREFIX))
    legalization = rewriting.legalizations(key)
    return legalization if legalization is not None else _KEYS.get(key, _OWN.get(key))


def known_keys() -> tuple[str, ...]:
    """Return the keys under which :func:`find_table` finds a table, but for those of targets."""
    return tuple(sorted([*_KEYS, *_OWN, *rewriting.legalization_names()]))


def register_op_attr(
    op_name: str | Op, attr_key: str, value: Any = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: the value, whatever the key wants, or a decorator of it
    """Give an operator the property that TVM calls ``attr_key``.

    Args:
        op_name: An operator or its name, declared already or not.
        attr_key: ``TOpPattern``, ``FTVMLegalize``, ``target.dnnl``, … or a key of one's own.
        value: What the property is; without, what the decorator that is returned is put above.
        level: Of two values for one operator, that of the higher level counts.

    Returns:
        ``value``, or the decorator.

    Raises:
        UnknownNameError: If it is a property by which operators are compiled.
        DeclarationError: If it is no such property, or the level is no number above 0.
        DuplicateNameError: If the operator has one of the same level.

    Source:
        TVM ``ir.register_op_attr``.

    Example:
        >>> from relayish.op.declaration.target import is_supported
        >>> from relayish import nn, var
        >>> @register_op_attr("nn.softmax", "target.mine")
        ... def takes_softmax(call):
        ...     return call.attrs.axis == -1
        >>> x = var("x", shape=(2, 3))
        >>> is_supported(nn.softmax(x), "mine"), is_supported(nn.softmax(x, axis=0), "mine")
        (True, False)
    """
    op = resolve_op(op_name)

    def declare(given: _Value) -> _Value:
        set_attr(op, attr_key, given, level)
        return given

    return declare if value is None else declare(value)


def set_attr(
    op: Op, attr_key: str, value: Any, plevel: int = DECLARED_LEVEL
) -> None:  # Any: as above
    """Give ``op`` the property that TVM calls ``attr_key``: see :func:`register_op_attr`.

    Raises:
        DeclarationError: If it is no such property, or the level is no number above 0.
    """
    table = find_table(attr_key)
    if table is None:
        table = _OWN[attr_key] = OpTable(attr_key)
    if table is properties.stateful or table is properties.non_computational:
        value = bool(value) if value in {0, 1} else value
    check_value(op.full_name, table.name, value)
    if table is properties.pattern:
        value = OpPattern(value)
    if table.takes is not None:
        check_arity(value, table.takes, f"{attr_key!r} of operator {op.full_name!r}")
    table.set_at_level(op, value, plevel)


def get_attr(op: Op, attr_key: str) -> Any:  # Any: as above
    """Return the property that TVM calls ``attr_key``; ``None`` where the operator has none.

    Source:
        TVM ``Op.get_attr``.

    Example:
        >>> get_attr(resolve_op("nn.relu"), "TOpPattern")
        <OpPattern.ELEMWISE: 0>
    """
    table = find_table(attr_key)
    return None if table is None else table.get(op)


def has_attr(op: Op, attr_key: str) -> bool:
    """Return whether ``op`` has the property that TVM calls ``attr_key``."""
    table = find_table(attr_key)
    return table is not None and op in table


def reset_attr(op: Op, attr_key: str) -> None:
    """Take the property that TVM calls ``attr_key`` away from ``op``, if it has it."""
    table = find_table(attr_key)
    if table is not None:
        table.remove(op)


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "get_attr": get_attr,
    "has_attr": has_attr,
    "set_attr": set_attr,
    "reset_attr": reset_attr,
}
hooks.functions.update(_METHODS)
