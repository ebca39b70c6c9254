"""Weight transposition: multiply by weights that come transposed already.

Before::

    fn (%x: Tensor[(1, 3), float32], %w: Tensor[(3, 4), float32]) {
      nn.dense(%x, transpose(%w, axes=[1, 0]))
    }

After, with the weight ``w``::

    fn (%x: Tensor[(1, 3), float32], %w.T: Tensor[(4, 3), float32]) { nn.dense(%x, %w.T) }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relayish.analysis.transposed_weights import search_fc_transpose, transposed_weight
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.weight_parameters import check_weight_names, replace_parameters


@register_pass("SimplifyFCTranspose", opt_level=4)
def simplify_fc_transpose(
    func: Function, mod: IRModule | None = None, *, target_weight_name: tuple[str, ...] = ()
) -> Function:
    """Weight transposition: let fully connected layers take weights that are transposed already.

    Return ``func`` with weights it transposes as parameters that come transposed.

    A weight ``w`` that is transposed only to be multiplied by gives way to a parameter ``w.T``, in
    its place; it stays beside that where it is used otherwise as well.

    Args:
        func: A well-formed function.
        mod: The module it belongs to, if to one.
        target_weight_name: The names of the parameters; see
            :func:`~relayish.analysis.search_fc_transpose`.

    Returns:
        ``func`` itself where it transposes none of them.

    Raises:
        PassError: If a name is that of no parameter, or another function of ``mod`` refers to
            ``func``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``SimplifyFCTranspose``; there parameters come in the order of their use, and a
        weight that is transposed and is none of those named is an error.
    """
    check_weight_names(target_weight_name, func, mod)
    targets = [param for param in func.params if param.name_hint in target_weight_name]
    rewriter = _Transposer(targets)
    body = post_order_rewrite(func.body, rewriter)
    if body is func.body:
        return func
    images = {weight: (turned,) for weight, turned in rewriter.transposed.items()}
    return replace_parameters(func, body, images, mod)


class _Transposer(ExprRewriter):
    """Multiplies by a variable of its own for each weight."""

    def __init__(self, targets: Sequence[Var]) -> None:
        self._targets = set(targets)
        self.transposed: dict[Var, Var] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        weight = transposed_weight(pre)
        if weight is None or weight not in self._targets:
            return post
        if weight not in self.transposed:
            ty = weight.type_annotation
            assert isinstance(ty, TensorType)
            turned = TensorType(ty.shape[::-1], ty.dtype)
            self.transposed[weight] = Var(f"{weight.name_hint}.T", turned, span=weight.span)
        return post.with_fields(args=(post.args[0], self.transposed[weight]))


def transpose_weights(
    func: Function,
    params: Mapping[str, Any],  # Any: whatever numpy makes an array of
) -> tuple[Function, dict[str, Any]]:
    """Return ``func`` with all weights it transposes transposed beforehand, and their values.

    Args:
        func: A well-formed function.
        params: Values of parameters by name; only weights among them are transposed.

    Returns:
        The function, and ``params`` with a value for each new parameter; that of a parameter that
        the function has no longer is left out.

    Source:
        Relay ``data_dep_optimization.simplify_fc_transpose.convert``.
    """
    weights = [name for name in search_fc_transpose(func) if name in params]
    image = simplify_fc_transpose(func, target_weight_name=tuple(weights))
    names = {param.name_hint for param in image.params}
    values = {n: value for n, value in params.items() if n in names or n not in weights}
    turned = {f"{n}.T": np.ascontiguousarray(np.transpose(np.asarray(params[n]))) for n in weights}
    return image, values | {n: value for n, value in turned.items() if n in names}
