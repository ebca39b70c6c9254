"""Operators that mark a place in a program; ``op.annotation.checkpoint(x)`` builds a call."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType
from relayish.op.builders.builder import namespace
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


_MARKS: dict[str, type[Attrs] | None] = {
    "bitpack_end": None,
    "bitpack_start": None,
    "cast_hint": CastHintAttrs,
    "checkpoint": None,
    "compiler_begin": CompilerAttrs,
    "compiler_end": CompilerAttrs,
    "stop_fusion": None,
}

for _name, _attrs in _MARKS.items():
    register_op(
        f"annotation.{_name}",
        arguments=("data",),
        attrs_type=_attrs,
        rule=keep_type,
        evaluate=_pass_through,
        attrs_in_metadata=_attrs is not None,
    )

register_op("annotation.with_funcid", arguments=("func",), rule=keep_type)
