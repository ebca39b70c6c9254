"""Device annotations: looking through ``on_device``, which only says where a value is to be."""

from __future__ import annotations

from typing import Final, TypeGuard

from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Expr
from relayish.op.declaration.registry import relay_op

ON_DEVICE: Final = relay_op("on_device")


def is_on_device(expr: Node) -> TypeGuard[Call]:
    """Return whether ``expr`` is an annotation around what it says the device of."""
    return type(expr) is Call and expr.op is ON_DEVICE and len(expr.args) == 1


def skip_on_device(expr: Expr) -> Expr:
    """Return what is inside all the annotations around ``expr``; itself where there is none.

    Source:
        Relay ``IgnoreOnDevice``.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> x = Var("x")
        >>> skip_on_device(Call(ON_DEVICE, (Call(ON_DEVICE, (x,)),))) is x
        True
    """
    while is_on_device(expr):
        expr = expr.args[0]
    return expr


def with_on_device_of(expr: Expr, annotated: Expr) -> Expr:
    """Return ``expr`` inside the annotations around ``annotated``.

    Source:
        Relay ``MaybeOnDeviceWithProps``.
    """
    annotations: list[Call] = []
    while is_on_device(annotated):
        annotations.append(annotated)
        annotated = annotated.args[0]
    for annotation in reversed(annotations):
        expr = annotation.with_fields(args=(expr,))
    return expr
