"""Layers of networks: an operator together with the variables of its weights, by name.

Weights are declared without types; type inference finds these from the data and the attributes.
Keyword arguments that are not named here are attributes of the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from relayish.analysis import free_vars
from relayish.errors import FieldError
from relayish.ir.relay.expr import Expr, Function, TupleGetItem, Var
from relayish.op.builders.builder import Builder
from relayish.op.builders.call import relay_call
from relayish.testing.operators import nn

Size: TypeAlias = int | Sequence[int]
Attributes: TypeAlias = dict[str, Any]  # Any: each attribute has a type of its own

_KERNEL_LAYOUTS: Final = {
    ("NCHW", False): "OIHW",
    ("NCHW", True): "OIHW",
    ("NHWC", False): "HWIO",
    ("NHWC", True): "HWOI",
    ("NCDHW", False): "OIDHW",
    ("NDHWC", False): "DHWIO",
}


def batch_norm_infer(
    data: Expr,
    gamma: Expr | None = None,
    beta: Expr | None = None,
    moving_mean: Expr | None = None,
    moving_var: Expr | None = None,
    *,
    name: str,
    **attributes: object,
) -> Expr:
    """Return ``data`` normalised over the batch, without the new means and variances.

    Variables ``<name>_gamma``, ``_beta``, ``_moving_mean`` and ``_moving_var`` stand in for what
    is not given.

    Source:
        Relay ``testing.layers.batch_norm_infer``.
    """
    normalised = nn.batch_norm(
        data,
        Var(f"{name}_gamma") if gamma is None else gamma,
        Var(f"{name}_beta") if beta is None else beta,
        Var(f"{name}_moving_mean") if moving_mean is None else moving_mean,
        Var(f"{name}_moving_var") if moving_var is None else moving_var,
        **attributes,
    )
    return TupleGetItem(normalised, 0)


def conv1d(
    data: Expr,
    weight: Expr | None = None,
    *,
    name: str,
    padding: Size = 0,
    **attributes: object,
) -> Expr:
    """Return ``nn.conv1d`` of ``data``; without ``weight``, with the variable ``<name>_weight``."""
    return _convolution(nn.conv1d, data, weight, name, padding, attributes)


def conv2d(
    data: Expr,
    weight: Expr | None = None,
    *,
    name: str,
    padding: Size = 0,
    **attributes: object,
) -> Expr:
    """Return ``nn.conv2d`` of ``data``; without ``weight``, with the variable ``<name>_weight``.

    Example:
        >>> layer = conv2d(Var("data"), name="conv0", channels=8, kernel_size=3, padding=1)
        >>> layer.args[1].name_hint, layer.attrs.padding
        ('conv0_weight', (1, 1, 1, 1))
    """
    return _convolution(nn.conv2d, data, weight, name, padding, attributes)


def conv3d(
    data: Expr,
    weight: Expr | None = None,
    *,
    name: str,
    padding: Size = 0,
    **attributes: object,
) -> Expr:
    """Return ``nn.conv3d`` of ``data``; without ``weight``, with the variable ``<name>_weight``."""
    return _convolution(nn.conv3d, data, weight, name, padding, attributes)


def conv2d_transpose(
    data: Expr,
    weight: Expr | None = None,
    *,
    name: str,
    padding: Size = 0,
    **attributes: object,
) -> Expr:
    """Return ``nn.conv2d_transpose`` of ``data``; see :func:`conv2d`."""
    return _convolution(nn.conv2d_transpose, data, weight, name, padding, attributes)


def _convolution(
    build: Builder,
    data: Expr,
    weight: Expr | None,
    name: str,
    padding: Size,
    attributes: Attributes,
) -> Expr:
    kernel = Var(f"{name}_weight") if weight is None else weight
    return build(data, kernel, padding=padding, **attributes)


def dense_add_bias(
    data: Expr,
    weight: Expr | None = None,
    bias: Expr | None = None,
    units: int | None = None,
    *,
    name: str,
    **attributes: object,
) -> Expr:
    """Return a fully connected layer of ``units`` with its bias added.

    Args:
        data: (batch, features).
        weight: (units, features); by default the variable ``<name>_weight``.
        bias: (units,); by default the variable ``<name>_bias``.
        units: By default as many as ``weight`` says.
        name: What the variables are called after.
        attributes: Further attributes of ``nn.dense``.
    """
    kernel = Var(f"{name}_weight") if weight is None else weight
    product = nn.dense(data, kernel, units=units, **attributes)
    return nn.bias_add(product, Var(f"{name}_bias") if bias is None else bias, axis=-1)


def dropout(data: Expr, rate: float = 0.5) -> Expr:
    """Return ``data`` with a part of its elements dropped where a network is trained.

    Inference leaves all of them; the mask, which is the operator's other result, is left aside.
    """
    return TupleGetItem(relay_call("nn.dropout", data, rate=rate), 0)


def conv_kernel_layout(data_layout: str, is_depthwise: bool = False) -> str:
    """Return how kernels are laid out for data of ``data_layout``.

    Raises:
        FieldError: If there is no convention for it.

    Example:
        >>> conv_kernel_layout("NHWC"), conv_kernel_layout("NHWC", is_depthwise=True)
        ('HWIO', 'HWOI')
    """
    found = _KERNEL_LAYOUTS.get((data_layout, is_depthwise))
    if found is None:
        kind = "depthwise convolution" if is_depthwise else "convolution"
        known = ", ".join(
            layout for layout, depthwise in _KERNEL_LAYOUTS if depthwise == is_depthwise
        )
        raise FieldError(f"no layout {data_layout!r} for {kind}; expected one of {known}")
    return found


def layouts(data_layout: str) -> Attributes:
    """Return the attributes of a convolution that say how data and kernel are laid out."""
    return {"data_layout": data_layout, "kernel_layout": conv_kernel_layout(data_layout)}


def close(body: Expr) -> Function:
    """Return the function of ``body`` whose parameters are what is free in it, in order of use."""
    return Function(free_vars(body), body)
