"""Rules for what regions begin and end with: dequantising and quantising."""

from __future__ import annotations

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import attrs_of
from relayish.op.declaration.fake_quantization import register_fake_quantization_to_integer
from relayish.op.types.affine_type import AffineType, TensorAffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import is_same, requantize


@register_fake_quantization_to_integer("qnn.dequantize")
def drop_dequantize(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Take the integers themselves."""
    return call.args[0], types[call]


@register_fake_quantization_to_integer("qnn.quantize")
def requantize_result(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Move integers to another scale and zero point, unless they have these."""
    data, scale, zero_point = call.args
    given, attrs = types.tensor(data), attrs_of(call)
    wanted = TensorAffineType(scale, zero_point, attrs.out_dtype, attrs.axis)
    return data if is_same(types, given, wanted) else requantize(data, given, wanted), wanted
