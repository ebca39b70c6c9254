"""Front ends: where programs, and values of their parameters, come from, other than text."""

from __future__ import annotations

from relayish._support.missing import set_finder
from relayish.binary.param_dict import load_param_dict, save_param_dict
from relayish.frontend.loops import foreach, while_loop
from relayish.frontend.onnx import from_onnx, save_onnx, to_onnx
from relayish.frontend.scope_builder import ScopeBuilder, ScopeBuilderError
from relayish.frontend.torch_program import from_torch

__all__ = [
    "ScopeBuilder",
    "ScopeBuilderError",
    "foreach",
    "from_onnx",
    "from_torch",
    "load_param_dict",
    "save_onnx",
    "save_param_dict",
    "to_onnx",
    "while_loop",
]

set_finder(__name__)
