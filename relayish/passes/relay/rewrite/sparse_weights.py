"""Layers whose weights come in blocks of a sparse matrix, as parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from relayish.analysis.sparse_weights import SUFFIXES
from relayish.errors import PassError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Expr, Function, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.passes.relay.rewrite.weight_parameters import check_weight_names, replace_parameters

Parts = tuple[Var, Var, Var]
"""The data, the indices and the row pointers of a sparse matrix."""


class SparseLayers(ExprRewriter, ABC):
    """Puts sparse layers in the place of others whose weights are parameters with given names.

    Args:
        func: The function.
        weight_name: Names of parameters.
        weight_shape: For each, the sizes of its data, of its indices and of its row pointers.

    Raises:
        PassError: If there are more or fewer shapes than names, of another rank, or with sizes that
            do not go together.
    """

    op: Op
    """The layers that are rewritten."""

    ranks: tuple[int, ...]
    """How many sizes a weight may have."""

    def __init__(
        self, func: Function, weight_name: Sequence[str], weight_shape: Sequence[Sequence[int]]
    ) -> None:
        if len(weight_name) != len(weight_shape):
            raise PassError(
                f"there are {len(weight_name)} names of weights, and {len(weight_shape)} shapes; "
                f"give one shape for each name, as process_params returns them"
            )
        shapes = dict(zip(weight_name, map(tuple, weight_shape), strict=True))
        for name, sizes in shapes.items():
            if len(sizes) not in self.ranks:
                raise PassError(
                    f"the weight {name!r} has the sizes {sizes}; expected "
                    f"{' or '.join(map(str, self.ranks))}: those of its data, of its indices and "
                    f"of its row pointers"
                )
            blocks, indices, pointers = sizes[0], sizes[-2], sizes[-1]
            if min(sizes) < 0 or blocks != indices or pointers < 1:
                raise PassError(
                    f"the weight {name!r} has the sizes {sizes}: {blocks} blocks, {indices} "
                    f"indices and {pointers} row pointers; expected an index for each block, and "
                    f"one row pointer more than there are rows"
                )
        self._func = func
        self._names = tuple(weight_name)
        self._sizes = {var: shapes[var.name_hint] for var in func.params if var.name_hint in shapes}
        self._parts: dict[Var, Parts] = {}

    def run(self, mod: IRModule | None) -> Function:
        """Return the function, of ``mod``, with these layers; itself if there are none.

        Raises:
            PassError: If a weight is no parameter, or a function of ``mod`` calls this one.
        """
        check_weight_names(self._names, self._func, mod)
        body = post_order_rewrite(self._func.body, self)
        if body is self._func.body:
            return self._func
        return replace_parameters(self._func, body, self._parts, mod)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if pre.op is not self.op:
            return post
        weight = pre.args[1]
        if type(weight) is not Var or weight not in self._sizes or not self.fits(pre):
            return post
        if weight not in self._parts:
            self._parts[weight] = _make_parts(weight, self._sizes[weight])
        return self.make(post, post.args[0], self._parts[weight])

    @abstractmethod
    def fits(self, call: Call) -> bool:
        """Return whether a sparse layer computes what ``call`` does."""

    @abstractmethod
    def make(self, call: Call, data: Expr, parts: Parts) -> Expr:
        """Return the sparse layer for ``call``."""


def _make_parts(weight: Var, sizes: Sequence[int]) -> Parts:
    ty = weight.type_annotation
    dtype = ty.dtype if isinstance(ty, TensorType) else "float32"
    types = (
        TensorType(tuple(sizes[:-2]), dtype),
        TensorType((sizes[-2],), "int32"),
        TensorType((sizes[-1],), "int32"),
    )
    data, indices, indptr = [
        Var(f"{weight.name_hint}.{suffix}", ty, span=weight.span)
        for suffix, ty in zip(SUFFIXES, types, strict=True)
    ]
    return data, indices, indptr
