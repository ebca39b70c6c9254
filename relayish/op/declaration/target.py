"""Target support: which operators another compiler takes over.

A target is a name, such as ``"dnnl"``. For each target there is a table of the operators it can
compute, with a predicate that says whether it takes a particular call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from relayish._support.arity import check_arity
from relayish.errors import FieldError
from relayish.ir.registration.declarations import watch_table
from relayish.ir.relay.expr import Call, Op
from relayish.op.declaration.names import check_name
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import get_op

Predicate: TypeAlias = Callable[[Call], bool]
"""Says of a typed call of the operator whether the target takes it."""

DEFAULT: Final = "default"
"""The target of what no other compiler takes."""

PREFIX: Final = "target."
"""With what the keys begin under which TVM keeps this."""

_SUPPORT: Final[dict[str, OpTable[Predicate]]] = {}
watch_table(_SUPPORT)


def register_target_support(
    op_name: str | Op, target: str, predicate: Predicate | None = None, *, replace: bool = False
) -> None:
    """Say that ``target`` can compute the operator ``op_name``.

    Args:
        op_name: A declared operator, or its name.
        target: The name of a compiler; any but ``"default"``.
        predicate: Whether it takes a particular call; it takes all, if not given.
        replace: Whether what was said before no longer holds.

    Raises:
        UnknownNameError: If there is no such operator.
        DuplicateNameError: If somebody else said it before and ``replace`` is false.
        FieldError: If the target is empty or the default.

    Source:
        Relay's attributes ``target.<name>`` of operators.

    Example:
        >>> register_target_support("nn.softmax", "docs", lambda call: call.attrs.axis == -1)
        >>> from relayish import nn, var
        >>> x = var("x", shape=(2, 3))
        >>> is_supported(nn.softmax(x), "docs"), is_supported(nn.softmax(x, axis=0), "docs")
        (True, False)
    """
    if predicate is not None:
        check_arity(predicate, ("call",), f"what {target!r} takes of operator {op_name!s}")
    table = target_table(target)
    table.set(get_op(op_name), predicate or _always, replace=replace, by=predicate)


def target_table(target: str) -> OpTable[Predicate]:
    """Return what ``target`` takes, by operator; an empty table if nobody has said anything yet.

    Raises:
        FieldError: If the target is empty or the default.
    """
    check_name(target)
    if not target or target == DEFAULT:
        raise FieldError(f"{target!r} is no name of another compiler; choose one for the target")
    table = _SUPPORT.get(target)
    if table is None:
        table = _SUPPORT[target] = OpTable(f"{PREFIX}{target}", takes=("call",))
    return table


def target_names() -> tuple[str, ...]:
    """Return the targets for which something was registered, sorted."""
    return tuple(sorted([name for name, table in _SUPPORT.items() if len(table)]))


def is_supported(call: Call, target: str) -> bool:
    """Return whether ``target`` takes ``call``, the call of an operator."""
    table = _SUPPORT.get(target)
    if table is None or type(call.op) is not Op:
        return False
    predicate = table.get(call.op)
    return predicate is not None and bool(predicate(call))


def _always(_: Call) -> bool:
    return True
