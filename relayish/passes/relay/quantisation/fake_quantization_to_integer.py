"""Integer arithmetic in place of fake quantisation.

Before::

    %0 = nn.dense(qnn.dequantize(%x, 0.5f, 0), qnn.dequantize(%w, 2f, 0), units=4);
    qnn.quantize(%0, 1f, 0, out_dtype="int8")

After::

    %0 = qnn.dense(%x, %w, 0, 0, 0.5f, 2f, units=4, out_dtype="int32");
    qnn.requantize(%0, 1f, 0, 1f, 0, axis=1, out_dtype="int8")
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.pass_infra import register_pass
from relayish.passes.relay.quantisation import integer_rules  # noqa: F401 - registers the rules
from relayish.passes.relay.quantisation.integers import Integers
from relayish.passes.relay.quantisation.regions import RegionRewriter
from relayish.passes.relay.quantisation.single_calls import SingleCallRewriter


@register_pass("FakeQuantizationToInteger", opt_level=0, required=("InferType", "DivToMul"))
def fake_quantization_to_integer(
    expr: Expr,
    *,
    hard_fail: bool = False,
    use_qat: bool = False,
    optional_qnn_ops: tuple[str, ...] | None = None,
) -> Expr:
    """Integer quantisation: compute in integers what stands between dequantising and quantising.

    Return ``expr`` with each ``qnn.quantize`` of what operators make of dequantised numbers
    replaced by operators on integers. The rule of each operator is registered with
    :func:`~relayish.op.declaration.fake_quantization.register_fake_quantization_to_integer`. What
    is computed differs from the floating point program by roundings: half a quantum wherever
    numbers are quantised again.

    Where an operator has no rule, its rule refuses, or what would be made has another type, the
    program stays in floating point. So it does where an operator computes with numbers that another
    one in the middle has rounded to the scale of the result and cut off at its range, and where a
    part of it is neither a call of an operator, nor a tuple, a projection or a constant.

    Args:
        expr: An expression whose types were inferred.
        hard_fail: Whether an operator without a rule, or whose rule refuses, is an error.
        use_qat: Whether single calls on dequantised numbers become integers as well, even if
            nothing quantises their results: these are dequantised instead.
        optional_qnn_ops: Names of operators whose integer forms cost precision, and are used only
            where this says so, as ``nn.softmax``.

    Returns:
        ``expr`` itself when nothing was replaced.

    Raises:
        PassError: With ``hard_fail``, if something cannot be made integers.
        UnknownNameError: If there is no operator of a name in ``optional_qnn_ops``.

    Complexity:
        Linear in the number of distinct nodes, where parts of programs that are quantised in
        several ways count once for each way; no recursion.

    Source:
        Relay ``FakeQuantizationToInteger``.
    """
    integers = Integers(optional_qnn_ops or ())
    found = RegionRewriter(integers, hard_fail=hard_fail).visit(expr)
    if use_qat:
        found = SingleCallRewriter(integers, hard_fail=hard_fail).visit(found)
    return found
