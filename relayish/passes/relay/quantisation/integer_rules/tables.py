"""Rules for functions of single numbers, each of which ``qnn`` has a table for, and the softmax."""

from __future__ import annotations

from collections.abc import Callable

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import attrs_of, relay_call
from relayish.op.declaration.fake_quantization import (
    register_fake_quantization_to_integer,
    register_optional_fake_quantization_to_integer,
)
from relayish.op.qnn.activations import TABULATED
from relayish.op.types.affine_type import AffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import with_dtype


def _tabulate(name: str) -> Callable[[Call, AffineTypes], tuple[Expr, AffineType]]:
    """Return the rule for an operator that ``qnn`` has with the same attributes."""

    def rule(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
        (data,) = call.args
        given = types.tensor(data)
        wanted = with_dtype(types.tensor(call), given.dtype)
        parameters = (given.scale, given.zero_point, wanted.scale, wanted.zero_point)
        attrs = attrs_of(call)
        said = {} if attrs is None else dict(attrs.items())
        return relay_call(name, data, *parameters, **said), wanted

    return rule


for _name in TABULATED:
    register_fake_quantization_to_integer(_name, _tabulate(f"qnn.{_name}"))
register_optional_fake_quantization_to_integer("nn.softmax", _tabulate("qnn.softmax"))
