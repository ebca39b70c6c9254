"""Front ends, under the names of ``tvm.relay.frontend``.

Every name of :mod:`relayish.frontend` is here, and is the same object, but for ``from_onnx``, which
gives a module of Relay's operators and its parameters.
"""

from __future__ import annotations

from typing import Any

from relayish import frontend
from relayish.frontend import (
    ScopeBuilder,
    ScopeBuilderError,
    foreach,
    from_torch,
    load_param_dict,
    save_onnx,
    save_param_dict,
    to_onnx,
    while_loop,
)
from relayish.relay.frontend.onnx import from_onnx

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


def __getattr__(name: str) -> Any:  # Any: whatever goes by the name
    return getattr(frontend, name)
