"""Types of calls of ONNX operators, by the shape inference of their schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.ir.relay.type import TupleType, Type
from relayish.onnx.calls import count_outputs
from relayish.onnx.identity import Identity
from relayish.onnx.types import UnknownType


def make_rule(_identity: Identity, _schema: Any | None) -> Callable[..., Type]:  # Any: of onnx
    """Return the type rule of an operator: ``rule(attrs, *types)``."""

    def rule(attrs: Any, *_types: Type) -> Type:  # Any: attributes of the operator
        wanted = count_outputs(attrs)
        return UnknownType() if wanted == 1 else TupleType([UnknownType()] * wanted)

    return rule
