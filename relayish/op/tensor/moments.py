"""Builders of means, variances and their kin, which take several calls each."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.expr import Call, Expr, Tuple
from relayish.op.builders.builder import builder, custom_builder
from relayish.op.builders.call import relay_call


def _axes(axis: int | Sequence[int] | None) -> tuple[int, ...] | None:
    return (axis,) if isinstance(axis, int) else None if axis is None else tuple(axis)


@custom_builder("variance")
def variance(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Call:
    """Return the variance of ``data`` along ``axis``, about its mean."""
    axes = _axes(axis)
    mean = with_mean
    if mean is None:
        mean = relay_call("mean", data, axis=axes, keepdims=True, exclude=exclude)
    return relay_call(
        "variance",
        data,
        mean,
        axis=axes,
        keepdims=keepdims,
        exclude=exclude,
        unbiased=unbiased,
    )


@custom_builder(
    "std",
    """
    Take the standard deviation along axes.
    data (...); axis the axes, all of them if None -> (...), without the axes
    """,
)
def std(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Call:
    """Return the standard deviation of ``data`` along ``axis``."""
    return relay_call("sqrt", variance(data, axis, keepdims, exclude, unbiased, with_mean))


@custom_builder(
    "mean_variance",
    """
    Take the mean and the variance along axes.
    data (...); axis the axes, all of them if None -> a tuple of two (...), without the axes
    """,
)
def mean_variance(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Tuple:
    """Return the mean and the variance of ``data`` along ``axis``."""
    mean = relay_call("mean", data, axis=_axes(axis), keepdims=keepdims, exclude=exclude)
    return Tuple((mean, variance(data, axis, keepdims, exclude, unbiased)))


@custom_builder(
    "mean_std",
    """
    Take the mean and the standard deviation along axes.
    data (...); axis the axes, all of them if None -> a tuple of two (...), without the axes
    """,
)
def mean_std(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
) -> Tuple:
    """Return the mean and the standard deviation of ``data`` along ``axis``."""
    mean = relay_call("mean", data, axis=_axes(axis), keepdims=keepdims, exclude=exclude)
    return Tuple((mean, std(data, axis, keepdims, exclude)))


@custom_builder(
    "logsumexp",
    """
    Take the logarithm of the sum of exponentials along axes, without overflow.
    data (...); axis the axes, all of them if None -> (...), without the axes
    """,
)
def logsumexp(data: Expr, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Call:
    """Return the logarithm of the sum of exponentials along ``axis``, without overflow."""
    axes = _axes(axis)
    top = relay_call("max", data, axis=axes, keepdims=True)
    powers = relay_call("exp", builder("subtract")(data, top))
    total = relay_call("log", relay_call("sum", powers, axis=axes, keepdims=True))
    result = relay_call("add", total, top)
    return result if keepdims else relay_call("squeeze", result, axis=axes)
