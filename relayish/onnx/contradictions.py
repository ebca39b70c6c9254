"""Errors of nodes whose inputs contradict each other, or their operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.identity import Identity
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnrankedTensorType,
)
from relayish.op.types.dimension import show_type

_MARK: Final = re.compile(r"^\[[A-Za-z]*\]\s*|\(op_type:[^)]*\):?\s*|\.$")


def describe_contradiction(
    identity: Identity,
    schema: Any,  # Any: a schema of onnx
    types: Sequence[Type | None],
    told: str,
) -> TypeInferenceError:
    """Return the error that says what is wrong with the inputs of a node.

    Args:
        identity: Which operator it is.
        schema: Its schema.
        types: Those of the inputs; ``None`` for one that is missing.
        told: What onnx says of it.
    """
    count, least, most = len(types), schema.min_input, schema.max_input
    if not least <= count <= most:
        expected = str(least) if least == most else f"{least} to {most}"
        return TypeInferenceError(f"{identity} has {count} inputs; expected {expected}")
    found = ", ".join(["()" if ty is None else show(ty) for ty in types])
    wrong = _find_wrong_element(schema, types)
    if wrong is not None:
        return TypeInferenceError(f"{identity} of ({found}): {wrong}")
    reason = _MARK.sub("", told.strip().splitlines()[0]).strip()
    reason = reason[:1].lower() + reason[1:]
    return TypeInferenceError(f"{identity} of ({found}): {reason}")


def show(ty: Type) -> str:
    """Return a type as errors write it: ``Tensor[(2, 3), float32]``, ``seq(...)``."""
    match ty:
        case UnrankedTensorType():
            return f"Tensor[..., {ty.dtype}]"
        case SequenceType():
            return f"seq({show(ty.element)})"
        case OptionalType():
            return f"optional({show(ty.element)})"
        case SparseTensorType():
            return f"sparse({show(ty.dense)})"
        case MapType():
            return f"map({ty.key_dtype}, {show(ty.value)})"
    return show_type(ty)


def _find_wrong_element(schema: Any, types: Sequence[Type | None]) -> str | None:
    """Return what is wrong with the element type of an input. Any: a schema of onnx."""
    formals = list(schema.inputs)
    allowed = {
        each.type_param_str: list(each.allowed_type_strs) for each in schema.type_constraints
    }
    seen: dict[str, tuple[str, str]] = {}
    for index, ty in enumerate(types):
        formal = formals[min(index, len(formals) - 1)]
        name = _type_string(ty)
        if name is None:
            continue
        known = allowed.get(formal.type_str, [formal.type_str])
        if name not in known:
            return f"{formal.name} has type {name}; expected one of {', '.join(known)}"
        first = seen.setdefault(formal.type_str, (name, formal.name))
        if first[0] != name and formal.is_homogeneous:
            return f"{first[1]} has type {first[0]}, {formal.name} {name}; expected the same"
    return None


def _type_string(ty: Type | None) -> str | None:
    """Return a type as schemas write it, without its shape; ``None`` if it is not known."""
    match ty:
        case TensorType() | UnrankedTensorType():
            return f"tensor({_ELEMENTS.get(ty.dtype, ty.dtype)})"
        case SequenceType() | OptionalType():
            inner = _type_string(ty.element)
            kind = "seq" if isinstance(ty, SequenceType) else "optional"
            return inner and f"{kind}({inner})"
        case MapType():
            inner = _type_string(ty.value)
            key = _ELEMENTS.get(ty.key_dtype, ty.key_dtype)
            return inner and f"map({key}, {inner})"
    return None


_ELEMENTS: Final = {
    "float32": "float",
    "float64": "double",
    "float8_e4m3fn": "float8e4m3fn",
    "float8_e4m3fnuz": "float8e4m3fnuz",
    "float8_e5m2": "float8e5m2",
    "float8_e5m2fnuz": "float8e5m2fnuz",
    "float8_e8m0fnu": "float8e8m0",
    "float4_e2m1fn": "float4e2m1",
    "float6_e2m3fn": "float6e2m3",
    "float6_e3m2fn": "float6e3m2",
}
"""What schemas call element types that are called otherwise here."""
