"""Let fully connected layers take weights that are sparse.

Before::

    fn (%x: Tensor[(1, 4), float32], %w: Tensor[(4, 4), float32]) { nn.dense(%x, %w) }

After, with the weight ``w`` of which two blocks of 2 by 2 are stored::

    fn (%x: Tensor[(1, 4), float32], %w.data: Tensor[(2, 2, 2), float32],
        %w.indices: Tensor[(2), int32], %w.indptr: Tensor[(3), int32]) {
      nn.sparse_dense(%x, %w.data, %w.indices, %w.indptr)
    }
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from relayish.analysis import sparse_dense
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.product import DenseAttrs
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.sparse_weights import Parts, SparseLayers


@register_pass("DenseToSparse", opt_level=4)
def dense_to_sparse(
    func: Function,
    mod: IRModule | None = None,
    *,
    weight_name: tuple[str, ...] = (),
    weight_shape: tuple[tuple[int, ...], ...] = (),
) -> Function:
    """Sparse weights: let fully connected layers take weights that are stored in blocks.

    Return ``func`` with three parameters in the place of each weight named: ``w.data``,
    ``w.indices`` and ``w.indptr`` for ``w``, which stays beside them where it is used otherwise.

    :func:`relayish.analysis.sparse_dense.process_params` finds the weights that are worth it, and
    stores their values so.

    Args:
        func: A well-formed function.
        mod: The module it belongs to, if to one.
        weight_name: The names of parameters.
        weight_shape: For each the sizes of its parts: three of the data, blocks, their rows and
            columns, one of the indices, one of the row pointers.

    Returns:
        ``func`` itself where it multiplies by none of them.

    Raises:
        PassError: If a name is that of no parameter, a shape is missing, or has not five sizes,
            or another function of ``mod`` refers to ``func``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``DenseToSparse``; there parameters come in the order of their use.
    """
    return _DenseLayers(func, weight_name, weight_shape).run(mod)


def convert_dense(
    func: Function,
    params: MutableMapping[str, Any],  # Any: whatever numpy makes an array of
    blocksize: tuple[int, int],
    sparsity_threshold: float,
) -> tuple[Function, MutableMapping[str, Any]]:
    """Return ``func`` with all weights sparse that are mostly zero, and ``params`` changed so.

    Source:
        Relay ``data_dep_optimization.bsr_dense.convert``.
    """
    found = sparse_dense.process_params(func, params, blocksize, sparsity_threshold)
    shapes = tuple(map(tuple, found.weight_shape))
    return dense_to_sparse(func, weight_name=tuple(found.weight_name), weight_shape=shapes), params


class _DenseLayers(SparseLayers):
    op = relay_op("nn.dense")
    ranks = (5,)

    def fits(self, call: Call) -> bool:
        if isinstance(call.attrs, DenseAttrs) and call.attrs.out_dtype is not None:
            return False
        data = call.args[0].checked_type
        return not isinstance(data, TensorType) or len(data.shape) == 2

    def make(self, call: Call, data: Expr, parts: Parts) -> Expr:
        return relay_call("nn.sparse_dense", data, *parts, span=call.span)
