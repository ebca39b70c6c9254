"""Modules that call operators of Relay, before they are written as models."""

from __future__ import annotations

from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx import info
from relayish.onnx.op_names import identity_of
from relayish.transform import Sequential

_USUAL_OPSET = 17


def raise_module(mod: IRModule) -> IRModule:
    """Return a module that calls operators of ONNX alone; ``mod`` itself if it does so already.

    What Relay's operators compute is written with those of ONNX, in the version that the module
    says it is of.

    Raises:
        PassError: If ONNX has nothing for one of them.
    """
    if not _calls_relay(mod):
        return mod
    told = None if mod.attrs is None else mod.attrs.get(info.OPSETS)
    opset = told.get("", _USUAL_OPSET) if isinstance(told, DictAttrs) else _USUAL_OPSET
    passes = ["InferType", "SimplifyInference", "InferType", f"RaiseToOnnx{{opset={opset}}}"]
    raised = Sequential(passes)(mod)
    assert isinstance(raised, IRModule)
    return raised


def _calls_relay(mod: IRModule) -> bool:
    for function in mod.functions.values():
        for each in EXPRESSIONS.post_order(function):
            if type(each) is Call and type(each.op) is Op and identity_of(each.op) is None:
                return True
    return False
