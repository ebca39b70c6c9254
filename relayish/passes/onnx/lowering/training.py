"""Steps of training: how parameters move, statistics of batches, elements that are dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Expr
from relayish.onnx.calls import count_outputs
from relayish.onnx.kernels.batch_normalization import dropout as drop
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_TRAINING: Final = "ai.onnx.preview.training"

Step = Callable[[Numbers, Expr, Expr, Sequence[Expr]], tuple[Expr, ...]]
"""``step(op, rate, factor, parts)``: what becomes of a parameter, its gradient, and its state."""


def _stepped(node: OnnxNode, count: int, rate: Expr, factor: Expr, step: Step) -> list[Expr]:
    """Return all parameters after a step, then what is kept of each, kind by kind.

    Args:
        node: The node; from the third on, its inputs are all parameters, all gradients, and states.
        count: How many inputs there are of each parameter.
        rate: How far parameters move, a number of float64.
        factor: Another number, likewise.
        step: What is done to each parameter.
    """
    parameters, rest = divmod(len(node.inputs) - 2, count)
    if rest:
        raise Unlowered(f"its inputs are not {count} for each parameter")
    found = []
    for at in range(parameters):
        places = range(2 + at, len(node.inputs), parameters)
        dtypes = [node.dtype(place) for place in places]
        op = Numbers(work_type(dtypes[0]))
        given = [build("cast", node.input(place), op.dtype) for place in places]
        numbers = [build("cast", each, op.dtype) for each in (rate, factor)]
        made = step(op, numbers[0], numbers[1], given)
        kept = [dtypes[0], *dtypes[2:]]
        found.append([build("cast", x, to) for x, to in zip(made, kept, strict=True)])
    return [each for kind in zip(*found, strict=True) for each in kind]


def _number(node: OnnxNode, place: int) -> Expr:
    """Return an input of one element as a number of float64."""
    return build("cast", build("reshape", node.input(place), ()), "float64")


@lowers("Adagrad", domain=_TRAINING)
def adagrad(node: OnnxNode) -> list[Expr]:
    """Parameters after a step, and sums of squares of their gradients."""
    wide = Numbers("float64")
    slower = wide("add", wide("multiply", _number(node, 1), node.attr("decay_factor", 0.0)), 1)
    norm, epsilon = node.attr("norm_coefficient", 0.0), node.attr("epsilon", 1e-6)

    def step(op: Numbers, rate: Expr, _: Expr, parts: Sequence[Expr]) -> tuple[Expr, ...]:
        x, gradient, before = parts
        slope = op("add", op("multiply", norm, x), gradient)
        total = op("add", before, op("multiply", slope, slope))
        moved = op("divide", op("multiply", rate, slope), op("add", op("sqrt", total), epsilon))
        return op("subtract", x, moved), total

    rate = wide("divide", _number(node, 0), slower)
    return _stepped(node, 3, rate, rate, step)


@lowers("Adam", domain=_TRAINING)
def adam(node: OnnxNode) -> list[Expr]:
    """Parameters after a step, and running means of gradients and of their squares."""
    wide = Numbers("float64")
    alpha, beta = float(node.attr("alpha", 0.9)), float(node.attr("beta", 0.999))
    norm, epsilon = node.attr("norm_coefficient", 0.0), node.attr("epsilon", 1e-6)
    after = node.attr("norm_coefficient_post", 0.0)
    rate, count = _number(node, 0), _number(node, 1)
    grown = wide("sqrt", wide("subtract", 1, wide("power", beta, count)))
    adjusted = wide("divide", grown, wide("subtract", 1, wide("power", alpha, count)))
    is_first = build("greater", count, const(0, "float64"))
    rate = build("where", is_first, wide("multiply", rate, adjusted), rate)

    def step(op: Numbers, rate: Expr, _: Expr, parts: Sequence[Expr]) -> tuple[Expr, ...]:
        x, gradient, mean, square = parts
        slope = op("add", op("multiply", norm, x), gradient)
        mean = op("add", op("multiply", alpha, mean), op("multiply", 1 - alpha, slope))
        squared = op("multiply", 1 - beta, op("multiply", slope, slope))
        square = op("add", op("multiply", beta, square), squared)
        moved = op("divide", op("multiply", rate, mean), op("add", op("sqrt", square), epsilon))
        return op("multiply", 1 - after, op("subtract", x, moved)), mean, square

    return _stepped(node, 4, rate, rate, step)


@lowers("Momentum", domain=_TRAINING)
def momentum(node: OnnxNode) -> list[Expr]:
    """Parameters after a step, and their velocities."""
    alpha, norm = float(node.attr("alpha")), node.attr("norm_coefficient")
    mode = node.attr("mode")
    is_first = build("greater", _number(node, 1), const(0, "float64"))
    factor = build("where", is_first, const(node.attr("beta"), "float64"), const(1, "float64"))

    def step(op: Numbers, rate: Expr, factor: Expr, parts: Sequence[Expr]) -> tuple[Expr, ...]:
        x, gradient, before = parts
        slope = op("add", op("multiply", norm, x), gradient)
        velocity = op("add", op("multiply", alpha, before), op("multiply", factor, slope))
        way = velocity
        if mode == "nesterov":
            way = op("add", slope, op("multiply", alpha, velocity))
        return op("subtract", x, op("multiply", rate, way)), velocity

    return _stepped(node, 3, _number(node, 0), factor, step)


def trained_normalization(node: OnnxNode) -> list[Expr]:
    """Return what ``BatchNormalization`` gives in training: by the statistics of the batch."""
    if node.version < 9 and not node.attr("spatial", 1):
        raise Unlowered("every element of an instance has statistics of its own")
    outputs, rank = count_outputs(node.call.attrs), node.rank()
    op, kept = Numbers(work_type(node.dtype())), Numbers(work_type(node.dtype(3)))
    axes = (0, *range(2, rank))
    x = build("cast", node.input(0), op.dtype)
    mean = build("mean", x, axis=axes, keepdims=True)
    centred = op("subtract", x, mean)
    variance = build("mean", op("multiply", centred, centred), axis=axes, keepdims=True)

    def spread(place: int) -> Expr:
        whole = build("cast", node.input(place), op.dtype)
        return build("reshape", whole, (-1, *[1] * (rank - 2)))

    root = op("sqrt", op("add", variance, node.attr("epsilon", 1e-5)))
    found = op("add", op("multiply", op("divide", centred, root), spread(1)), spread(2))
    results, told = [build("cast", found, node.dtype())], []
    by = float(node.attr("momentum", 0.9))
    for place, statistic in ((3, mean), (4, variance)):
        new = build("cast", build("squeeze", statistic, axis=axes), kept.dtype)
        old = build("cast", node.input(place), kept.dtype)
        moved = kept("add", kept("multiply", old, by), kept("multiply", new, 1 - by))
        results.append(build("cast", moved, node.dtype(place)))
        told.append(build("cast", new, node.dtype(place)))
    return [*results, *told][:outputs]


def trained_dropout(node: OnnxNode) -> list[Expr]:
    """Return what ``Dropout`` gives in training, where it is known which elements it drops."""
    ratio = float(node.constant(1, "ratio").reshape(())) if node.has(1) else 0.5
    seed = node.attr("seed")
    x = node.input(0)
    if ratio and seed is None:
        raise Unlowered("it draws random numbers")
    ones, rate = np.broadcast_to(np.float64(1), node.sizes()), np.array(ratio)
    try:
        _, mask = drop(ones, rate, np.array(True), seed=seed)
    except EvaluationError as error:
        raise Unlowered(str(error)) from error
    if not ratio:
        return [x, const(mask, "bool")]
    op = Numbers(work_type(node.dtype()))
    kept = op("multiply", build("cast", x, op.dtype), const(mask, op.dtype))
    return [build("cast", op("divide", kept, 1 - ratio), node.dtype()), const(mask, "bool")]
