"""Adapters of calls for steps that change something, by operator and version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.passes.onnx.opset import (
    attributes_to_inputs,
    broadcasting,
    defaults,
    networks,
    resizing,
)
from relayish.passes.onnx.opset.step import Adapter

ADAPTERS: Final[Mapping[tuple[str, int], Adapter]] = {
    **attributes_to_inputs.ADAPTERS,
    **broadcasting.ADAPTERS,
    **defaults.ADAPTERS,
    **networks.ADAPTERS,
    **resizing.ADAPTERS,
}
"""Each takes a call to the version that stands beside its operator."""
