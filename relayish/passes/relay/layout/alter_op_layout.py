"""Layout alteration: what is registered for operators stands in place of their calls.

Before, with a function registered for ``nn.conv2d`` that asks for channels in parts of 16::

    %0 = nn.conv2d(%x, %weight);
    nn.relu(%0)

After::

    %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW16c");
    %1 = nn.conv2d(%0, %weight, data_layout="NCHW16c");
    %2 = nn.relu(%1);
    layout_transform(%2, src_layout="NCHW16c", dst_layout="NCHW")
"""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import attrs_of
from relayish.op.declaration.rewriting import alter_op_layout as altered
from relayish.pass_infra import register_pass
from relayish.passes.relay.layout.conversion import tensor_types
from relayish.passes.relay.layout.propagate import propagate_layouts


@register_pass("AlterOpLayout", opt_level=3, required=("InferType",), infer_types=True)
def alter_op_layout(expr: Expr) -> Expr:
    """Layout alteration: put what is registered for operators in place of their calls.

    Return ``expr``, whose types are known, with calls replaced by what is registered for operators.

    :func:`~relayish.op.register_alter_op_layout` registers a function for an operator. The call it
    returns may be one of another operator, ask for other layouts, and do more to its arguments, one
    by one. What comes before and behind follows, as in ``ConvertLayout``.

    Returns:
        ``expr`` itself where nothing is registered for any operator in it.

    Raises:
        PassError: If a function returns no call of an operator with as many arguments.

    Complexity:
        Linear in the number of distinct nodes, beside the functions registered; no recursion.

    Source:
        Relay ``AlterOpLayout``.
    """
    return propagate_layouts(expr, altered, _alter)


def _alter(call: Call, inputs: Sequence[Expr]) -> Expr | None:
    alter = altered.get(call.op)
    assert alter is not None
    return alter(attrs_of(call), list(inputs), tensor_types(call), call.checked_type)
