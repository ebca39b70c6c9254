"""Operators whose shapes and bounds are values."""

from __future__ import annotations

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx_raising.rule import RelayCall, Unraised, raises


@raises("dyn.broadcast_to")
def broadcast_to(call: RelayCall) -> Expr:
    """One tensor along further axes."""
    return call.node("Expand", call.args[0], call.places(1))


@raises("dyn.full")
def full(call: RelayCall) -> Expr:
    """One number everywhere."""
    fill = call.cast_from(call.args[0], call.type(0).dtype, call.type().dtype)
    return call.node("Expand", fill, call.places(1))


@raises("dyn.zeros", "dyn.ones")
def filled(call: RelayCall) -> Expr:
    """Zeros, or ones."""
    value = np.full(1, int(call.name == "dyn.ones")).astype(call.type().dtype)
    return call.node("ConstantOfShape", call.places(0), value=value)


@raises("dyn.tile")
def tile(call: RelayCall) -> Expr:
    """A tensor several times along each axis."""
    if call.type(1).shape != (call.rank(),):
        raise Unraised("it says not how often along each axis")
    return call.node("Tile", call.args[0], call.places(1))
