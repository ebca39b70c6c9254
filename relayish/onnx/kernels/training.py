"""Steps of training: how parameters move along their gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import narrow
from relayish.onnx.kernels.registry import Array, kernel

_DOMAIN: Final = "ai.onnx.preview.training"


@kernel("Adagrad", since=(1,), domain=_DOMAIN)
def adagrad(
    rate: Array,
    step: Array,
    *inputs: Array,
    decay_factor: float = 0.0,
    epsilon: float = 1e-6,
    norm_coefficient: float = 0.0,
) -> tuple[Array, ...]:
    """Return parameters after a step, then sums of squares of their gradients.

    Inputs are all parameters, then their gradients, then the sums before.
    """
    reduced = float(rate.item()) / (1 + int(step.item()) * decay_factor)
    moved, sums = [], []
    for x, gradient, before in _parts(inputs, 3):
        slope = norm_coefficient * x + gradient
        total = before + slope * slope
        moved.append(narrow(x - reduced * slope / (np.sqrt(total) + epsilon), x))
        sums.append(narrow(total, before))
    return (*moved, *sums)


@kernel("Adam", since=(1,), domain=_DOMAIN)
def adam(
    rate: Array,
    step: Array,
    *inputs: Array,
    alpha: float = 0.9,
    beta: float = 0.999,
    epsilon: float = 1e-6,
    norm_coefficient: float = 0.0,
    norm_coefficient_post: float = 0.0,
) -> tuple[Array, ...]:
    """Return parameters after a step, then running means of gradients, then of their squares.

    Inputs are all parameters, then their gradients, then both means before.
    """
    count = int(step.item())
    adjusted = float(rate.item())
    if count > 0:
        adjusted *= float(np.sqrt(1 - beta**count)) / (1 - alpha**count)
    moved, means, squares = [], [], []
    for x, gradient, mean, square in _parts(inputs, 4):
        slope = norm_coefficient * x + gradient
        new_mean = alpha * mean + (1 - alpha) * slope
        new_square = beta * square + (1 - beta) * (slope * slope)
        y = x - adjusted * new_mean / (np.sqrt(new_square) + epsilon)
        moved.append(narrow((1 - norm_coefficient_post) * y, x))
        means.append(narrow(new_mean, mean))
        squares.append(narrow(new_square, square))
    return (*moved, *means, *squares)


@kernel("Momentum", since=(1,), domain=_DOMAIN)
def momentum(
    rate: Array,
    step: Array,
    *inputs: Array,
    alpha: float,
    beta: float,
    mode: str,
    norm_coefficient: float,
) -> tuple[Array, ...]:
    """Return parameters after a step, then their velocities.

    Inputs are all parameters, then their gradients, then the velocities before.
    """
    if mode not in ("standard", "nesterov"):
        raise EvaluationError(f"mode is {mode!r}; expected standard or nesterov")
    adjusted = beta if int(step.item()) > 0 else 1.0
    moved, velocities = [], []
    for x, gradient, before in _parts(inputs, 3):
        slope = norm_coefficient * x + gradient
        velocity = alpha * before + adjusted * slope
        way = velocity if mode == "standard" else slope + alpha * velocity
        moved.append(narrow(x - float(rate.item()) * way, x))
        velocities.append(narrow(velocity, before))
    return (*moved, *velocities)


def _parts(inputs: tuple[Array, ...], count: int) -> Iterator[tuple[Array, ...]]:
    """Yield what belongs to each parameter.

    Raises:
        EvaluationError: If the inputs are not ``count`` for each parameter.
    """
    if len(inputs) % count:
        raise EvaluationError(
            f"{len(inputs)} inputs follow rate and step; expected {count} for each parameter"
        )
    parameters = len(inputs) // count
    for at in range(parameters):
        yield inputs[at::parameters]
