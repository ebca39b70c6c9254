"""Multiply the same data once with all matrices.

Before::

    (nn.dense(%x, %w1), nn.dense(%x, %w2))

After, if they go into a batch::

    %0 = nn.batch_matmul(stack((%x, %x)), stack((%w1, %w2)), transpose_b=True);
    %1 = split(%0, indices_or_sections=2);
    (squeeze(%1.0, axis=[0]), squeeze(%1.1, axis=[0]))

and if they do not::

    %0 = nn.dense(%x, concatenate((%w1, %w2)), units=24);
    (strided_slice(%0, begin=[0, 0], end=[-1, 16], slice_mode="size"),
     strided_slice(%0, begin=[0, 16], end=[-1, 8], slice_mode="size"))
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.product import DenseAttrs
from relayish.pass_infra import register_pass
from relayish.passes.relay.combine_parallel.combine import combine_parallel
from relayish.passes.relay.combine_parallel.combiner import (
    Image,
    dtype_of,
    get_static_shape,
    shape_of,
)
from relayish.passes.relay.combine_parallel.sections import SectionCombiner
from relayish.passes.relay.combine_parallel.stack import StackCombiner


@register_pass(
    "CombineParallelDense", opt_level=4, required=("InferType",), infer_types=True, idempotent=True
)
def combine_parallel_dense(expr: Expr, *, min_num_branches: int = 3, to_batch: bool = True) -> Expr:
    """Combining of parallel dense layers: multiply the same data once with all matrices.

    Return ``expr`` with calls of ``nn.dense`` on the same data combined, and what follows them.

    In a batch, matrices have the same size, and so have the other arguments of the elementwise
    operators that follow. Else matrices may have different numbers of rows, and the other arguments
    are one number for each row, or one for all, and may have more axes than the product.

    Args:
        expr: An expression whose types were inferred; nothing is combined where they were not.
        min_num_branches: How many calls it takes; never less than 2.
        to_batch: Whether they become one ``nn.batch_matmul``, or one larger ``nn.dense``.

    Returns:
        ``expr`` itself when nothing was combined.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.

    Source:
        Relay ``CombineParallelDense``.
    """
    return combine_parallel(expr, _Batch() if to_batch else _Flat(), min_num_branches)


class _Batch(StackCombiner):
    """Stacks data and matrices."""

    op = relay_op("nn.dense")

    def key(self, call: Call) -> Hashable | None:
        data, weight = get_static_shape(call.args[0]), get_static_shape(call.args[1])
        if data is None or len(data) != 2 or weight is None or get_static_shape(call) is None:
            return None
        return (_attrs(call).out_dtype, weight, dtype_of(call.args[1]), dtype_of(call))

    def combine_roots(self, calls: Sequence[Call], image: Image) -> Expr:
        span = calls[0].span
        data = relay_call("stack", [image(call.args[0]) for call in calls], span=span, axis=0)
        weight = relay_call("stack", [image(call.args[1]) for call in calls], span=span, axis=0)
        out_dtype = _attrs(calls[0]).out_dtype
        attrs = {"out_dtype": out_dtype, "transpose_a": False, "transpose_b": True}
        return relay_call("nn.batch_matmul", data, weight, span=span, **attrs)


class _Flat(SectionCombiner):
    """Concatenates the rows of the matrices."""

    op = relay_op("nn.dense")
    gains_axes = True

    def key(self, call: Call) -> Hashable | None:
        weight, result = get_static_shape(call.args[1]), shape_of(call)
        if weight is None or result is None:
            return None
        return (_attrs(call).out_dtype, weight[1], dtype_of(call.args[1]), len(result))

    def axis(self, root: Call) -> int:
        return len(shape_of(root) or ()) - 1

    def weight_axis(self, root: Call) -> int:  # noqa: ARG002
        return 0

    def fit(self, arg: Expr, axis: int, units: int, image: Expr) -> Expr | None:
        """Repeat what is there once."""
        shape = get_static_shape(arg)
        if shape is None or axis != len(shape) - 1:
            return None
        if not shape:
            image = relay_call("expand_dims", image, span=arg.span, axis=-1)
        elif shape[-1] == units:
            return image
        elif shape[-1] != 1:
            return None
        return relay_call("repeat", image, span=arg.span, repeats=units, axis=max(axis, 0))

    def combine_roots(self, calls: Sequence[Call], image: Image) -> Expr:
        attrs = _attrs(calls[0]).with_values(units=sum(map(self.units, calls)))
        return calls[0].with_fields(args=self.join_args(calls, image), attrs=attrs)


def _attrs(call: Call) -> DenseAttrs:
    assert isinstance(call.attrs, DenseAttrs)
    return call.attrs
