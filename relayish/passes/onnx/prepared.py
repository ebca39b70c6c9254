"""Programs made ready for code: models of ONNX become Relay's operators, and all passes ran."""

from __future__ import annotations

from typing import Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant, Function, Let
from relayish.ir.relay.module import IRModule
from relayish.onnx import info
from relayish.pass_infra import get_pass
from relayish.passes.onnx.default_pipeline import LEVELS, onnx_pipeline
from relayish.passes.relay.default_pipeline import default_pipeline

MAIN: Final = "main"


def prepared(mod: IRModule, level: int) -> IRModule:
    """Return a program behind the passes of a level, which code is made of.

    A model of ONNX is made smaller and lowered first; values of inputs that a caller may leave out
    take the place of these, since code has no such inputs.

    Args:
        mod: A module of Relay, or a model as :func:`relayish.frontend.from_onnx` reads it.
        level: From 0 to 4.

    Raises:
        PassError: If there is no such level.
    """
    pipeline = default_pipeline(level)
    if mod.attrs is not None and info.OPSETS in mod.attrs and MAIN in mod:
        main = mod[MAIN]
        assert isinstance(main, Function)  # as models have it
        mod = onnx_pipeline(min(level, LEVELS[-1]))(mod.with_function(MAIN, bind_defaults(main)))
        mod = get_pass("LowerOnnx")(mod)
    return pipeline(mod)


def bind_defaults(main: Function) -> Function:
    """Return ``main`` with the values of inputs that may be left out in place of these."""
    held = main.attrs.get(info.DEFAULTS) if isinstance(main.attrs, DictAttrs) else None
    if not isinstance(held, DictAttrs) or not isinstance(main.attrs, DictAttrs):
        return main
    body = main.body
    for param in reversed(main.params):
        value = held.get(param.name_hint)
        if isinstance(value, Constant):
            body = Let(param, value, body)
    attrs = {key: value for key, value in main.attrs.items() if key != info.DEFAULTS}
    names = set(held.keys())
    params = [param for param in main.params if param.name_hint not in names]
    return main.with_fields(params=params, body=body, attrs=DictAttrs(attrs))
