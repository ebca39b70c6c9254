"""Operators that mark a place in a program; ``op.annotation.checkpoint(x)`` builds a call."""

from __future__ import annotations

from typing import Unpack

from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.values.dtype import DType
from relayish.op.builders.builder import namespace
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.types.type_rules import keep_type
from relayish.op.values.evaluation import Array, Parameters

__getattr__, __dir__ = namespace("annotation")


@attrs("relay.attrs.CompilerAttrs")
class CompilerAttrs(Attrs):
    """Attributes of ``annotation.compiler_begin``, ``annotation.compiler_end``."""

    compiler: str


@attrs("relay.attrs.CastHintAttrs")
class CastHintAttrs(Attrs):
    """Attributes of ``annotation.cast_hint``."""

    dtype: DType


def _pass_through(_: Parameters, data: Array) -> Array:
    return data


def _declare(name: str, summary: str, shapes: str, **told: Unpack[Record]) -> None:
    """Declare a mark, through which a value passes."""
    record: Record = {
        "description": f"{summary}\n{shapes}",
        "rule": keep_type,
        "evaluate": _pass_through,
        "mark": True,
        **told,
    }
    register_op(f"annotation.{name}", arguments=("data",), **record)


_declare(
    "bitpack_end",
    "Mark where packing of bits starts, or ends; the value passes through.",
    "data (...) -> (...)",
)
_declare(
    "bitpack_start",
    "Mark where packing of bits starts, or ends; the value passes through.",
    "data (...) -> (...)",
)
_declare(
    "cast_hint",
    "Say which element type a value should be cast to; the value passes through.",
    "data (...) -> (...)",
    attrs_type=CastHintAttrs,
    attrs_in_metadata=True,
)
_declare(
    "checkpoint",
    "Mark a value that gradients compute again instead of keeping it.",
    "data anything -> the same",
)
_declare(
    "compiler_begin",
    "Mark where a region for an external compiler begins, or ends.",
    "data anything -> the same",
    attrs_type=CompilerAttrs,
    attrs_in_metadata=True,
)
_declare(
    "compiler_end",
    "Mark where a region for an external compiler begins, or ends.",
    "data anything -> the same",
    attrs_type=CompilerAttrs,
    attrs_in_metadata=True,
)
_declare(
    "stop_fusion",
    "Keep what stands before from fusing with what comes after.",
    "data (...) -> (...)",
    fusion_barrier=True,
)

register_op(
    "annotation.with_funcid",
    arguments=("func",),
    description="""
    Give a function an identity.
    func a function -> the same
    """,
    rule=keep_type,
    mark=True,
)
