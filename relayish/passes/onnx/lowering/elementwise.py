"""Operators that compute each element by itself."""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.lowering.arithmetic import Numbers
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_SAME: Final = {
    "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh",
    "Atan": "atan", "Atanh": "atanh", "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh", "Erf": "erf",
    "Exp": "exp", "Floor": "floor", "Identity": "copy", "Log": "log", "Neg": "negative",
    "Not": "logical_not", "Relu": "nn.relu", "Sigmoid": "sigmoid", "Sign": "sign",
    "Sin": "sin", "Sinh": "sinh", "Sqrt": "sqrt", "Tan": "tan", "Tanh": "tanh", "IsNaN": "isnan",
    "BitwiseNot": "bitwise_not",
}  # fmt: skip
_BINARY: Final = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "And": "logical_and", "Or": "logical_or",
    "Xor": "logical_xor", "Equal": "equal", "Greater": "greater", "Less": "less",
    "GreaterOrEqual": "greater_equal", "LessOrEqual": "less_equal", "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
}  # fmt: skip
_OLD: Final = 7
"""The version from which operators broadcast as numpy does."""
_VARIADIC: Final = {"Max": "maximum", "Min": "minimum", "Sum": "add"}


@lowers(*_SAME)
def unary(node: OnnxNode) -> Expr:
    """An operator that Relay has under another name."""
    if node.identity.name == "Identity":
        return node.input(0)
    return build(_SAME[node.identity.name], node.input(0))


@lowers("Round")
def round_(node: OnnxNode) -> Expr:
    """The nearest whole number, the even one of two."""
    return round_to_even(node.input(0), node.dtype())


def round_to_even(x: Expr, dtype: str) -> Expr:
    """Return the nearest whole numbers, where Relay's ``round`` goes away from zero between two."""
    op = Numbers(dtype)
    below = op("floor", x)
    above, rest = op("add", below, 1), op("subtract", x, below)
    is_even = op("equal", op("trunc_mod", below, 2), 0)
    takes_below = build(
        "logical_or",
        op("less", rest, 0.5),
        build("logical_and", op("equal", rest, 0.5), is_even),
    )
    moved = build("where", takes_below, below, above)
    return build("where", op("isfinite", x), moved, x)


@lowers(*_BINARY)
def binary(node: OnnxNode) -> Expr:
    """An operator of two operands, which Relay broadcasts alike."""
    left, right = operands(node)
    return build(_BINARY[node.identity.name], left, right)


def operands(node: OnnxNode) -> tuple[Expr, Expr]:
    """Return two operands; before version 7 the second stands at an axis that is said."""
    left, right = node.input(0), node.input(1)
    if node.version < _OLD and node.attr("broadcast", 0) and node.rank(1):
        axis = node.attr("axis")
        behind = 0 if axis is None else node.rank(0) - node.axis() - node.rank(1)
        if behind:
            right = build("expand_dims", right, axis=node.rank(1), num_newaxis=behind)
    return left, right


@lowers("Div")
def divide(node: OnnxNode) -> Expr:
    """Division, which rounds integers towards zero."""
    left, right = operands(node)
    is_integer = "int" in node.dtype()
    return build("trunc_divide" if is_integer else "divide", left, right)


@lowers("Mod")
def modulo(node: OnnxNode) -> Expr:
    """The remainder, with the sign of the divisor, or of the dividend for ``fmod``."""
    left, right = node.input(0), node.input(1)
    is_integer = "int" in node.dtype()
    if is_integer:
        return build("trunc_mod" if node.attr("fmod", 0) else "floor_mod", left, right)
    # Relay computes by a quotient, which there is none of where the divisor is infinite
    kept = build("logical_and", build("isinf", right), build("isfinite", left))
    rest = build("where", kept, left, build("trunc_mod", left, right))
    if node.attr("fmod", 0):
        return rest
    zero = const(0, node.dtype())
    differs = build("logical_xor", build("less", rest, zero), build("less", right, zero))
    moves = build("logical_and", build("not_equal", rest, zero), differs)
    return build("where", moves, build("add", rest, right), rest)


@lowers("Pow")
def power(node: OnnxNode) -> Expr:
    """Powers; the exponent takes the element type of the base."""
    base, exponent = operands(node)
    dtype = node.dtype(0)
    if node.dtype(1) != dtype:
        if "int" in dtype:
            raise Unlowered("its exponent is of another element type than the integers it raises")
        exponent = build("cast", exponent, dtype)
    return build("power", base, exponent)


@lowers(*_VARIADIC)
def variadic(node: OnnxNode) -> Expr:
    """One operator over all inputs."""
    op = _VARIADIC[node.identity.name]
    return reduce(
        lambda one, other: build(op, one, other), map(node.input, range(len(node.inputs)))
    )


@lowers("Mean")
def mean(node: OnnxNode) -> Expr:
    """The sum of all inputs over their number."""
    count = len(node.inputs)
    total = reduce(lambda one, other: build("add", one, other), map(node.input, range(count)))
    return build("divide", total, const(count, node.dtype()))


@lowers("Reciprocal")
def reciprocal(node: OnnxNode) -> Expr:
    """One over each element."""
    return build("divide", const(1, node.dtype()), node.input(0))


@lowers("Where")
def where(node: OnnxNode) -> Expr:
    """Elements of one of two tensors."""
    return build("where", node.input(0), node.input(1), node.input(2))


@lowers("Clip")
def clip(node: OnnxNode) -> Expr:
    """Elements within bounds, which newer versions take as inputs."""
    found = node.input(0)
    dtype = node.dtype()
    for place, name, op in ((1, "min", "maximum"), (2, "max", "minimum")):
        if node.has(place):
            found = build(op, found, node.input(place))
        elif name in node.attributes:
            found = build(op, found, const(node.attr(name), dtype))
    return found


@lowers("LeakyRelu")
def leaky_relu(node: OnnxNode) -> Expr:
    """A slope for what is negative."""
    return build("nn.leaky_relu", node.input(0), alpha=float(node.attr("alpha", 0.01)))


@lowers("PRelu")
def prelu(node: OnnxNode) -> Expr:
    """Slopes for what is negative, which broadcast."""
    x, zero = node.input(0), const(0, node.dtype())
    return build("where", build("less", x, zero), build("multiply", x, node.input(1)), x)


@lowers("Elu", "Selu", "Celu", "ThresholdedRelu", "Softplus", "Softsign", "Mish", "Swish",
        "HardSigmoid", "HardSwish", "Gelu", "Shrink")  # fmt: skip
def activation(node: OnnxNode) -> Expr:
    """Activations that are written with others."""
    written: Expr = _ACTIVATIONS[node.identity.name](node, node.input(0), Numbers(node.dtype()))
    return written


def _elu(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    alpha = node.attr("alpha", 1.0)
    grown = op("multiply", alpha, op("subtract", op("exp", x), 1))
    return op("where", op("less", x, 0), grown, x)


def _selu(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    alpha, gamma = node.attr("alpha", 1.6732632423543772), node.attr("gamma", 1.0507009873554805)
    alpha, gamma = float(np.float32(alpha)), float(np.float32(gamma))
    grown = op("subtract", op("multiply", alpha, op("exp", x)), alpha)
    return op("multiply", gamma, op("where", op("greater", x, 0), x, grown))


def _celu(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    # alpha magnifies what is lost where 1 is subtracted from an exponential near 1
    wide = Numbers("float32" if node.dtype() in ("float16", "bfloat16") else node.dtype())
    alpha, near = node.attr("alpha", 1.0), build("cast", x, wide.dtype)
    grown = wide("subtract", wide("exp", wide("divide", near, alpha)), 1)
    least = build("cast", wide("minimum", wide("multiply", alpha, grown), 0), node.dtype())
    return op("add", op("maximum", x, 0), least)


def _thresholded(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    return op("where", op("greater", x, node.attr("alpha", 1.0)), x, 0)


def _softplus(_: OnnxNode, x: Expr, op: Numbers) -> Expr:
    # max(x, 0) + log(1 + exp(-|x|)): the sum of exponentials never overflows
    small = op("log", op("add", op("exp", op("negative", op("abs", x))), 1))
    return op("add", op("maximum", x, 0), small)


def _softsign(_: OnnxNode, x: Expr, op: Numbers) -> Expr:
    return op("divide", x, op("add", op("abs", x), 1))


def _mish(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    return op("multiply", x, op("tanh", _softplus(node, x, op)))


def _swish(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    return op("multiply", x, op("sigmoid", op("multiply", node.attr("alpha", 1.0), x)))


def _hard_sigmoid(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    alpha, beta = node.attr("alpha", 0.2), node.attr("beta", 0.5)
    return op("minimum", op("maximum", op("add", op("multiply", x, alpha), beta), 0), 1)


def _hard_swish(_: OnnxNode, x: Expr, op: Numbers) -> Expr:
    inner = op("minimum", op("maximum", op("add", op("multiply", x, 1 / 6), 0.5), 0), 1)
    return op("multiply", x, inner)


def _gelu(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    half = op("multiply", x, 0.5)
    if node.attr("approximate", "none") == "tanh":
        cube = op("multiply", op("multiply", x, x), x)
        inner = op("add", x, op("multiply", cube, 0.044715))
        rounded = op("tanh", op("multiply", inner, float(np.sqrt(2 / np.pi))))
    else:
        rounded = op("erf", op("multiply", x, float(np.sqrt(0.5))))
    return op("multiply", half, op("add", rounded, 1))


def _shrink(node: OnnxNode, x: Expr, op: Numbers) -> Expr:
    bias, edge = node.attr("bias", 0.0), node.attr("lambd", 0.5)
    above = op("where", op("greater", x, edge), op("subtract", x, bias), 0)
    return op("where", op("less", x, -edge), op("add", x, bias), above)


_ACTIVATIONS: Final[dict[str, Any]] = {  # Any: functions of (node, x, numbers)
    "Elu": _elu, "Selu": _selu, "Celu": _celu, "ThresholdedRelu": _thresholded,
    "Softplus": _softplus, "Softsign": _softsign, "Mish": _mish, "Swish": _swish,
    "HardSigmoid": _hard_sigmoid, "HardSwish": _hard_swish, "Gelu": _gelu, "Shrink": _shrink,
}  # fmt: skip


@lowers("IsInf")
def is_infinite(node: OnnxNode) -> Expr:
    """Where elements are infinite, of either sign or of one."""
    x, op = node.input(0), Numbers(node.dtype())
    found = op("isinf", x)
    if not node.attr("detect_negative", 1):
        found = build("logical_and", found, op("greater", x, 0))
    if not node.attr("detect_positive", 1):
        found = build("logical_and", found, op("less", x, 0))
    return found


@lowers("BitShift")
def shift(node: OnnxNode) -> Expr:
    """Bits moved to the left or to the right."""
    op = "left_shift" if node.attr("direction") == "LEFT" else "right_shift"
    return build(op, node.input(0), node.input(1))
