"""Operators on tensors: the families that Relay has without a prefix."""

from __future__ import annotations

from relayish.op.builders.builder import namespace
from relayish.op.tensor import (
    broadcast,
    broadcasting,
    casting,
    comparison,
    composite,
    creation,
    elementwise,
    fixed_point,
    gradient,
    indexing,
    joining,
    layout_conversion,
    masking,
    moments,
    rearrangement,
    reduction,
    scatter,
    shape,
    signal,
    slicing,
    sorting,
    sparse,
)

__all__ = [
    "broadcast",
    "broadcasting",
    "casting",
    "comparison",
    "composite",
    "creation",
    "elementwise",
    "fixed_point",
    "gradient",
    "indexing",
    "joining",
    "layout_conversion",
    "masking",
    "moments",
    "rearrangement",
    "reduction",
    "scatter",
    "shape",
    "signal",
    "slicing",
    "sorting",
    "sparse",
]

__getattr__, __dir__ = namespace("")
