"""Let convolutions take weights that are sparse.

Before::

    fn (%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
      nn.conv2d(%x, %w, channels=4, kernel_size=[1, 1])
    }

After, with the weight ``w`` of which two blocks of 2 by 2 are stored, and the layout ``NCHW``::

    fn (%x: Tensor[(1, 4, 8, 8), float32], %w.data: Tensor[(2, 2, 2), float32],
        %w.indices: Tensor[(2), int32], %w.indptr: Tensor[(3), int32]) {
      nn.sparse_conv2d(%x, %w.data, %w.indices, %w.indptr, layout="NCHW")
    }
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from relayish.analysis import sparse_conv2d
from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.convolution_attrs import Conv2DAttrs
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.sparse_weights import Parts, SparseLayers


@register_pass("Conv2dToSparse", opt_level=4)
def conv2d_to_sparse(
    func: Function,
    mod: IRModule | None = None,
    *,
    weight_name: tuple[str, ...] = (),
    weight_shape: tuple[tuple[int, ...], ...] = (),
    layout: str = "NHWC",
    kernel_size: int = 1,
) -> Function:
    """Sparse weights: let convolutions take weights that are stored in blocks.

    Return ``func`` with three parameters in the place of each weight named: ``w.data``,
    ``w.indices`` and ``w.indptr`` for ``w``, which stays beside them where it is used otherwise.

    :func:`relayish.analysis.sparse_conv2d.process_params` finds the weights that are worth it, and
    stores their values so. A convolution stays if a sparse one computes something else: if it
    takes steps, is dilated, has groups, or gives images of another size.

    Args:
        func: A well-formed function.
        mod: The module it belongs to, if to one.
        weight_name: The names of parameters.
        weight_shape: For each the sizes of its parts: two or three of the data, one of the indices,
            one of the row pointers.
        layout: ``NHWC`` or ``NCHW``.
        kernel_size: The rows and columns of kernels.

    Returns:
        ``func`` itself where it convolves with none of them.

    Raises:
        PassError: If a name is that of no parameter, a shape is missing, or has not four or five
            sizes, or the layout is another, or another function of ``mod`` refers to ``func``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``Conv2dToSparse``; there parameters come in the order of their use, and nobody looks
        at what else a convolution does.
    """
    check_layout(layout)
    return _Convolutions(func, weight_name, weight_shape, layout, kernel_size).run(mod)


def convert_conv2d(
    func: Function,
    params: MutableMapping[str, Any],  # Any: whatever numpy makes an array of
    blocksize: tuple[int, int],
    sparsity_threshold: float,
    layout: str = "NHWC",
    kernel_size: int = 1,
) -> tuple[Function, MutableMapping[str, Any]]:
    """Return ``func`` with all weights sparse that are mostly zero, and ``params`` changed so.

    Source:
        Relay ``data_dep_optimization.bsr_conv2d.convert``.
    """
    found = sparse_conv2d.process_params(
        func, params, blocksize, sparsity_threshold, layout, kernel_size
    )
    made = conv2d_to_sparse(
        func,
        weight_name=tuple(found.weight_name),
        weight_shape=tuple(map(tuple, found.weight_shape)),
        layout=layout,
        kernel_size=kernel_size,
    )
    return made, params


def check_layout(layout: str) -> None:
    """Raise if a sparse convolution has no such layout.

    Raises:
        PassError: If it is none of ``NHWC`` and ``NCHW``.
    """
    if layout not in _KERNEL_LAYOUTS:
        raise PassError(f"sparse convolutions are in layout NHWC or NCHW; found {layout!r}")


def is_sparse_convolution(call: Call, layout: str, kernel_size: int) -> bool:
    """Return whether ``nn.sparse_conv2d`` computes what ``call``, an ``nn.conv2d``, does."""
    attrs = call.attrs
    if not isinstance(attrs, Conv2DAttrs) or attrs.groups != 1 or attrs.out_dtype is not None:
        return False
    if attrs.data_layout != layout or attrs.kernel_layout != _KERNEL_LAYOUTS[layout]:
        return False
    around = tuple(attrs.padding)
    return (
        attrs.out_layout in ("", layout)
        and (*attrs.strides, *attrs.dilation) == (1, 1, 1, 1)
        and attrs.kernel_size == (kernel_size, kernel_size)
        and around == ((kernel_size - 1) // 2,) * len(around)
        and kernel_size % 2 == 1
    )


_KERNEL_LAYOUTS = {"NCHW": "OIHW", "NHWC": "HWIO"}


class _Convolutions(SparseLayers):
    op = relay_op("nn.conv2d")
    ranks = (4, 5)

    def __init__(
        self,
        func: Function,
        weight_name: Sequence[str],
        weight_shape: Sequence[Sequence[int]],
        layout: str,
        kernel_size: int,
    ) -> None:
        super().__init__(func, weight_name, weight_shape)
        self._layout = layout
        self._kernel_size = kernel_size

    def fits(self, call: Call) -> bool:
        return is_sparse_convolution(call, self._layout, self._kernel_size)

    def make(self, call: Call, data: Expr, parts: Parts) -> Expr:
        return make_sparse_convolution(call, data, parts, self._layout, self._kernel_size)


def make_sparse_convolution(
    call: Call, data: Expr, parts: Sequence[Expr], layout: str, kernel_size: int
) -> Call:
    """Return the sparse convolution that computes what ``call`` does."""
    attrs = {"layout": layout, "kernel_size": (kernel_size, kernel_size)}
    return relay_call("nn.sparse_conv2d", data, *parts, span=call.span, **attrs)
