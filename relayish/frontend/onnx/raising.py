"""Modules that call operators of Relay, before they are written as models."""

from __future__ import annotations

from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.module import IRModule
from relayish.onnx import info
from relayish.onnx.calls import iterate_called_operators
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
    return any(
        identity_of(op) is None
        for function in mod.functions.values()
        for op in iterate_called_operators(function)
    )
