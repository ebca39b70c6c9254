"""Builders of neural networks that do more than call one operator with what they are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import OperatorError
from relayish.ir.relay.expr import Call, Constant, Expr, TupleGetItem
from relayish.ir.values.value import as_value
from relayish.op.builders.attribute_shorthand import expand_shorthand
from relayish.op.builders.builder import custom_builder
from relayish.op.builders.call import call_op, relay_call
from relayish.op.builders.dynamic_shapes import is_unknown
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.pooling_attrs import AvgPool2DAttrs
from relayish.op.nn.product import DensePackAttrs


@custom_builder("nn.pad")
def pad(
    data: Expr,
    pad_width: Sequence[Sequence[int]] | Expr,
    pad_value: Expr | float = 0,
    pad_mode: str = "constant",
) -> Call:
    """Return ``data`` padded; a number for ``pad_value`` becomes a constant."""
    value = pad_value if isinstance(pad_value, Expr) else Constant(as_value(pad_value))
    if is_unknown(pad_width):
        return relay_call("dyn.nn.pad", data, pad_width, value, pad_mode=pad_mode)
    if isinstance(pad_width, Constant):
        pad_width = np.asarray(pad_width.data).tolist()
    return relay_call("nn.pad", data, value, pad_width=pad_width, pad_mode=pad_mode)


@custom_builder("nn.batch_matmul")
def batch_matmul(
    tensor_a: Expr,
    tensor_b: Expr,
    out_dtype: str | None = "",
    transpose_a: bool = False,
    transpose_b: bool = True,
) -> Call:
    """Return the products of two stacks of matrices, the second transposed by default."""
    return relay_call(
        "nn.batch_matmul",
        tensor_a,
        tensor_b,
        out_dtype=out_dtype,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


@custom_builder("nn.conv2d_backward_weight")
def conv2d_backward_weight(
    grad: Expr,
    data: Expr,
    strides: Sequence[int] | int = (1, 1),
    padding: Sequence[int] | int = (0, 0),
    dilation: Sequence[int] | int = (1, 1),
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sequence[int] | int | None = None,
    grad_layout: str = "NCHW",
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_dtype: str = "",
) -> Call:
    """Return the gradient of the weight of a convolution.

    In its attributes, those of a convolution, ``data_layout`` is the layout of the gradient,
    ``kernel_layout`` that of the data, and ``out_layout`` that of the weight.
    """
    op = relay_op("nn.conv2d_backward_weight")
    sizes = {"strides": strides, "padding": padding, "dilation": dilation}
    return call_op(
        op,
        grad,
        data,
        **expand_shorthand(op, {**sizes, "kernel_size": kernel_size}),
        groups=groups,
        channels=channels,
        data_layout=grad_layout,
        kernel_layout=data_layout,
        out_layout=kernel_layout,
        out_dtype=out_dtype,
    )


@custom_builder("nn.avg_pool2d_grad")
def avg_pool2d_grad(
    out_grad: Expr,
    data: Expr,
    pool_size: Sequence[int] | int = (1, 1),
    strides: Sequence[int] | int = (1, 1),
    padding: Sequence[int] | int = (0, 0),
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Call:
    """Return the gradient of ``nn.avg_pool2d``, whose attributes it carries."""
    op = relay_op("nn.avg_pool2d_grad")
    sizes = expand_shorthand(op, {"pool_size": pool_size, "strides": strides, "padding": padding})
    attributes = AvgPool2DAttrs(
        **sizes,
        layout=layout,
        out_layout=out_layout,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
    )
    return Call(op, (out_grad, data), attributes)


@custom_builder("nn.contrib_dense_pack")
def contrib_dense_pack(
    data: Expr,
    weight: Expr,
    weight_layout: str = "NC",
    units: int | None = None,
    out_dtype: str = "",
) -> Call:
    """Return the product of data and a packed weight.

    The call carries the attributes of ``qnn.contrib_dense_pack``, which name the layout.
    """
    attributes = DensePackAttrs(units, out_dtype, weight_layout)
    return Call(relay_op("nn.contrib_dense_pack"), (data, weight), attributes)


def _parts(sparse_mat: object) -> tuple[Expr, ...]:
    """Return data, indices and row pointers of a sparse matrix as expressions."""
    found = sparse_mat
    if not isinstance(sparse_mat, (tuple, list)) or hasattr(sparse_mat, "indptr"):
        names = ("data", "indices", "indptr")
        found = [getattr(sparse_mat, name, None) for name in names]
    parts = [_part(part) for part in found if part is not None]  # type: ignore[attr-defined]  # above
    if len(parts) != 3:
        raise OperatorError(
            f"a sparse matrix is a tuple (data, indices, indptr) or has these; found {sparse_mat!r}"
        )
    return tuple(parts)


def _part(part: object) -> Expr:
    return part if isinstance(part, Expr) else Constant(as_value(np.asarray(part)))


@custom_builder("nn.sparse_dense")
def sparse_dense(dense_mat: Expr, sparse_mat: object, sparse_lhs: bool = False) -> Call:
    """Return the product of a dense matrix and the transpose of a sparse one."""
    return relay_call("nn.sparse_dense", dense_mat, *_parts(sparse_mat), sparse_lhs=sparse_lhs)


@custom_builder("nn.sparse_add")
def sparse_add(dense_mat: Expr, sparse_mat: object) -> Call:
    """Return the sum of a dense and a sparse matrix."""
    return relay_call("nn.sparse_add", dense_mat, *_parts(sparse_mat))


@custom_builder("nn.sparse_transpose")
def sparse_transpose(x: object) -> Call:
    """Return data, indices and row pointers of the transpose of a sparse matrix."""
    return relay_call("nn.sparse_transpose", *_parts(x))


@custom_builder(
    "nn.dropout_raw",
    """
    Drop elements while training, and say which were kept.
    data (...) -> a tuple: the result (...), the mask (...)
    """,
)
def dropout_raw(data: Expr, rate: float = 0.5) -> Call:
    """Return the call of ``nn.dropout`` itself, whose results are the data and the mask."""
    return relay_call("nn.dropout", data, rate=rate)


@custom_builder("nn.dropout")
def dropout(data: Expr, rate: float = 0.5) -> TupleGetItem:
    """Return ``data`` with elements dropped: the first result of ``nn.dropout``."""
    return TupleGetItem(dropout_raw(data, rate), 0)


def _global_pool(kind: str, what: str, layout: str) -> None:
    rank = len(layout) - 2
    name = f"nn.global_{kind}_pool{rank}d"
    axes, ones = ", ".join(layout.lower()), ", ".join("1" * rank)

    def pool(data: Expr, layout: str = layout, out_layout: str = "") -> Call:
        """Return one element for each channel."""
        sizes = (1,) * rank
        adaptive = f"nn.adaptive_{kind}_pool{rank}d"
        return relay_call(adaptive, data, output_size=sizes, layout=layout, out_layout=out_layout)

    pool.__name__ = pool.__qualname__ = name.rpartition(".")[2]
    description = (
        f"Take the {what} of each channel.\ndata ({axes}), axes as layout -> (n, c, {ones})"
    )
    custom_builder(name, description)(pool)


for _layout in ("NCW", "NCDHW"):  # of images there is an operator
    _global_pool("max", "largest element", _layout)
    _global_pool("avg", "mean", _layout)
