"""Operators that mark a place in a program; ``op.annotation.checkpoint(x)`` builds a call."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType
from relayish.op.builders import namespace
from relayish.op.evaluation import Array, Parameters
from relayish.op.registry import register_op
from relayish.op.type_rules import unchanged

__getattr__, __dir__ = namespace("annotation")


@attrs("relay.attrs.CompilerAttrs")
class CompilerAttrs(Attrs):
    """Attributes of ``annotation.compiler_begin``, ``annotation.compiler_end``."""

    compiler: str


@attrs("relay.attrs.CastHintAttrs")
class CastHintAttrs(Attrs):
    """Attributes of ``annotation.cast_hint``."""

    dtype: DType


def _unmarked(_: Parameters, data: Array) -> Array:
    return data


register_op("annotation.checkpoint", arguments_=("data",), types=unchanged, evaluates=_unmarked)
register_op("annotation.stop_fusion", arguments_=("data",), types=unchanged, evaluates=_unmarked)
register_op(
    "annotation.cast_hint",
    arguments_=("data",),
    attrs=CastHintAttrs,
    types=unchanged,
    in_metadata=True,
)
register_op(
    "annotation.compiler_begin",
    arguments_=("data",),
    attrs=CompilerAttrs,
    types=unchanged,
    in_metadata=True,
)
register_op(
    "annotation.compiler_end",
    arguments_=("data",),
    attrs=CompilerAttrs,
    types=unchanged,
    in_metadata=True,
)
register_op("annotation.bitpack_start", arguments_=("data",), types=unchanged)
register_op("annotation.bitpack_end", arguments_=("data",), types=unchanged)
register_op("annotation.with_funcid", arguments_=("func",), types=unchanged)
