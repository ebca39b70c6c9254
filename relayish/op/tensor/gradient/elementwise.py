"""Gradients of operators that work element by element, with or without broadcasting."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.builders.gradient import Built, number, register_gradient

Gradients: TypeAlias = tuple[Expr, ...]


def _derivative(name: str) -> Callable[[Callable[[Expr, Expr], Expr]], None]:
    """Register an operator on one tensor by its derivative in terms of operand and result."""

    def declare(derivative: Callable[[Expr, Expr], Expr]) -> None:
        def gradient(call: Call, grad: Expr) -> Gradients:
            return (grad * derivative(call.args[0], call),)

        gradient.__doc__ = derivative.__doc__
        register_gradient(name, gradient)

    return declare


@_derivative("exp")
def _exp(_: Expr, result: Expr) -> Built:
    """Return its own value."""
    return result


@_derivative("log")
def _log(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / x


@_derivative("log2")
def _log2(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / (x * number(math.log(2), x))


@_derivative("log10")
def _log10(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / (x * number(math.log(10), x))


@_derivative("sin")
def _sin(x: Expr, _: Expr) -> Built:
    return op.cos(x)


@_derivative("cos")
def _cos(x: Expr, _: Expr) -> Built:
    return -op.sin(x)


@_derivative("tan")
def _tan(_: Expr, result: Expr) -> Built:
    return number(1, result) + result * result


@_derivative("sinh")
def _sinh(x: Expr, _: Expr) -> Built:
    return op.cosh(x)


@_derivative("cosh")
def _cosh(x: Expr, _: Expr) -> Built:
    return op.sinh(x)


@_derivative("tanh")
def _tanh(_: Expr, result: Expr) -> Built:
    return number(1, result) - result * result


@_derivative("asin")
def _asin(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / op.sqrt(number(1, x) - x * x)


@_derivative("acos")
def _acos(x: Expr, _: Expr) -> Built:
    return -(op.ones_like(x) / op.sqrt(number(1, x) - x * x))


@_derivative("atan")
def _atan(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / (number(1, x) + x * x)


@_derivative("asinh")
def _asinh(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / op.sqrt(number(1, x) + x * x)


@_derivative("acosh")
def _acosh(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / op.sqrt(x * x - number(1, x))


@_derivative("atanh")
def _atanh(x: Expr, _: Expr) -> Built:
    return op.ones_like(x) / (number(1, x) - x * x)


@_derivative("sqrt")
def _sqrt(_: Expr, result: Expr) -> Built:
    return number(0.5, result) / result


@_derivative("sigmoid")
def _sigmoid(_: Expr, result: Expr) -> Built:
    return result * (number(1, result) - result)


@_derivative("erf")
def _erf(x: Expr, _: Expr) -> Built:
    return number(2 / math.sqrt(math.pi), x) * op.exp(-(x * x))


@register_gradient("negative")
def negative_grad(call: Call, grad: Expr) -> Gradients:  # noqa: ARG001
    """Return the gradient of ``negative``."""
    return (-grad,)


@register_gradient("copy")
def copy_grad(call: Call, grad: Expr) -> Gradients:  # noqa: ARG001
    """Return the gradient of ``copy``."""
    return (grad,)


@register_gradient("abs")
def abs_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``abs``, 1 at 0."""
    (x,) = call.args
    return (op.where(op.less(x, op.zeros_like(x)), -grad, grad),)


@register_gradient("nn.relu")
def relu_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.relu``, 0 at 0."""
    (x,) = call.args
    zeros = op.zeros_like(x)
    return (op.where(op.less_equal(x, zeros), zeros, grad),)


@register_gradient("clip")
def clip_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``clip``, 1 at the bounds."""
    (x,), attrs = call.args, attrs_of(call)
    zeros = op.zeros_like(x)
    within = op.where(op.less(number(attrs.a_max, x), x), zeros, grad)
    return (op.where(op.less(x, number(attrs.a_min, x)), zeros, within),)


@register_gradient("cast")
def cast_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``cast``."""
    return (op.cast_like(grad, call.args[0]),)


@register_gradient("cast_like")
def cast_like_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``cast_like``."""
    data, like = call.args
    return op.cast_like(grad, data), op.zeros_like(like)


@register_gradient("add")
def add_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``add``."""
    x, y = call.args
    return op.collapse_sum_like(grad, x), op.collapse_sum_like(grad, y)


@register_gradient("subtract")
def subtract_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``subtract``."""
    x, y = call.args
    return op.collapse_sum_like(grad, x), op.collapse_sum_like(-grad, y)


@register_gradient("multiply")
def multiply_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``multiply``."""
    x, y = call.args
    return op.collapse_sum_like(grad * y, x), op.collapse_sum_like(grad * x, y)


@register_gradient("divide")
def divide_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``divide``."""
    x, y = call.args
    return (
        op.collapse_sum_like(grad / y, x),
        op.collapse_sum_like(-(grad * call / y), y),
    )


@register_gradient("where")
def where_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``where``; the condition has none."""
    cond, x, y = call.args
    zeros = op.zeros_like(grad)
    return (
        op.zeros_like(cond),
        op.collapse_sum_like(op.where(cond, grad, zeros), x),
        op.collapse_sum_like(op.where(cond, zeros, grad), y),
    )


def none_grad(call: Call, grad: Expr) -> Gradients:  # noqa: ARG001
    """Return zeros for every argument: the derivative is zero almost everywhere."""
    return tuple([op.zeros_like(arg) for arg in call.args])


for _name in (
    "less_equal",
    "not_equal",
    "zeros",
    "ones",
    "zeros_like",
    "ones_like",
    "dyn.zeros",
    "dyn.ones",
    "shape_of",
):
    register_gradient(_name, none_grad)
