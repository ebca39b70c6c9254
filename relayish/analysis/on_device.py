"""Device annotations: looking through ``on_device``, which only says where a value is to be."""

from __future__ import annotations

from typing import Final, TypeGuard

from relayish.ir.nodes.node import SYMBOLS, Node
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.virtual_device import VirtualDevice, is_unconstrained
from relayish.op.declaration.registry import relay_op
from relayish.op.runtime.device import OnDeviceAttrs

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


def fixed_device(expr: Node) -> VirtualDevice | None:
    """Return the device of an annotation that counts for both sides of it; ``None`` for others."""
    if not is_on_device(expr):
        return None
    attrs = expr.attrs
    assert isinstance(attrs, OnDeviceAttrs)
    is_fixed = attrs.constrain_body and attrs.constrain_result
    return attrs.virtual_device if is_fixed else None


def with_fixed_device(expr: Expr, device: VirtualDevice, before: Expr | None = None) -> Expr:
    """Return ``expr`` annotated as kept on ``device``, which counts for what is around as well.

    Names and functions are not annotated: they are where they are defined.

    Args:
        expr: What is on the device.
        device: The device; where it leaves everything open, ``expr`` stays as it is.
        before: An annotation that is used again if it says the same of ``expr``.

    Source:
        Relay ``MaybeOnDeviceFixed``.
    """
    if type(expr) in SYMBOLS or type(expr) is Function or is_unconstrained(device):
        return expr
    if before is not None and fixed_device(before) == device:
        assert isinstance(before, Call)
        if before.args[0] is expr:
            return before
    attrs = OnDeviceAttrs(device, constrain_result=True, constrain_body=True)
    return Call(ON_DEVICE, (expr,), attrs, span=expr.span)


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
