"""Modules that call operators of Relay, before they are written as models."""

from __future__ import annotations

from relayish.ir.relay.expr import Call, If, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.op_names import identity_of
from relayish.transform import Sequential


def raise_module(mod: IRModule) -> IRModule:
    """Return a module that calls operators of ONNX alone; ``mod`` itself if it does so already.

    What Relay's operators compute is written with those of ONNX, in the version that the module
    says it is of.

    Raises:
        PassError: If ONNX has nothing for one of them.
    """
    if not _holds_relay(mod):
        return mod
    raised = Sequential(["InferType", "SimplifyInference", "InferType", "RaiseToOnnx"])(mod)
    assert isinstance(raised, IRModule)
    return raised


def _holds_relay(mod: IRModule) -> bool:
    """Return whether a module calls Relay's operators, or branches as Relay does."""
    return any(
        type(each) is If
        or (type(each) is Call and type(each.op) is Op and identity_of(each.op) is None)
        for function in mod.functions.values()
        for each in EXPRESSIONS.post_order(function)
    )
