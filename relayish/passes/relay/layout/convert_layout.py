"""Layout conversion: let operators compute in the layouts asked for.

Before, with ``{"nn.conv2d": ["NHWC", "default"]}``::

    %0 = nn.conv2d(%x, %weight);
    nn.relu(%0)

After::

    %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
    %1 = layout_transform(%weight, src_layout="OIHW", dst_layout="HWIO");
    %2 = nn.conv2d(%0, %1, data_layout="NHWC", kernel_layout="HWIO");
    %3 = nn.relu(%2);
    layout_transform(%3, src_layout="NHWC", dst_layout="NCHW")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.ir.relay.expr import Call, Expr
from relayish.op.declaration.registry import get_op
from relayish.pass_infra import register_pass
from relayish.passes.relay.layout.conversion import check_layouts, convert_call
from relayish.passes.relay.layout.propagate import propagate_layouts


@register_pass(
    "ConvertLayout", opt_level=3, required=("InferType", "CanonicalizeOps"), infer_types=True
)
def convert_layout(expr: Expr, *, desired_layouts: Mapping[str, tuple[str, ...]]) -> Expr:
    """Layout conversion: let operators compute in the layouts asked for.

    Return ``expr``, whose types are known, with calls of some operators computing in other layouts.

    What comes before and behind follows, as far as the layout rules of operators tell how: tensors
    are rearranged only where one has to come in a layout that it has not come to yet, each once for
    each layout, never there and back.

    Args:
        expr: A well-formed expression.
        desired_layouts: By operator the layouts wanted: of the data, and of the weight if it has
            one, where ``default`` is the one that goes with that of the data.

    Returns:
        ``expr`` itself where all compute so already. Calls of which the sizes are not divided by
        the parts asked for stay.

    Raises:
        UnknownNameError: If there is no such operator.
        OperatorError: If an operator has no layouts that could be asked for, or other ones.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``ConvertLayout``. There, tensors that lets bind come back to the layout they had,
        a change of layout in the program stays, and sizes that are not divided make an error.
    """
    wanted: dict[Expr, tuple[str, ...]] = {}
    for name, layouts in desired_layouts.items():
        op = get_op(name)
        check_layouts(op, layouts)
        wanted[op] = tuple(layouts)

    def convert(call: Call, inputs: Sequence[Expr]) -> Expr | None:
        return convert_call(call, inputs, wanted[call.op])

    return propagate_layouts(expr, wanted, convert)
