"""Activations that recurrent layers name, with their parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from relayish.errors import EvaluationError, suggest
from relayish.numeric.elementary import elu, scale_negative, sigmoid, softplus
from relayish.onnx.kernels.registry import Array

Activation: TypeAlias = Callable[[Array], Array]


def find_activations(
    names: tuple[str, ...] | None,
    alphas: tuple[float, ...] | None,
    betas: tuple[float, ...] | None,
    defaults: tuple[str, ...],
    directions: int,
) -> list[tuple[Activation, ...]]:
    """Return the activations of each direction.

    Args:
        names: Those of the first direction, then those of the second; case does not matter.
        alphas: A parameter for each activation that has one, in the same order.
        betas: Likewise the second parameter.
        defaults: The names that stand where none are given, for one direction.
        directions: 1 or 2.

    Raises:
        EvaluationError: If a name is unknown, or there are too few names.
    """
    given = names or defaults * directions
    count = len(defaults)
    if len(given) < count * directions:
        raise EvaluationError(
            f"activations are {', '.join(given)}; expected {count * directions} names, {count} for "
            "each direction"
        )
    first, second = iter(alphas or ()), iter(betas or ())
    found = []
    for name in given[: count * directions]:
        kind = _KINDS.get(name.lower())
        if kind is None:
            raise EvaluationError(
                f"{name!r} is no activation of recurrent layers; expected one of "
                f"{', '.join(_NAMES)}{suggest(name, _NAMES)}"
            )
        alpha = kind.alpha if kind.alpha is None else next(first, kind.alpha)
        beta = kind.beta if kind.beta is None else next(second, kind.beta)
        found.append(_bind(kind, alpha or 0.0, beta or 0.0))
    return [tuple(found[n * count : (n + 1) * count]) for n in range(directions)]


class _Kind(NamedTuple):
    """An activation; a parameter that it has not is ``None``."""

    function: Callable[[Array, float, float], Array]
    alpha: float | None = None
    beta: float | None = None


def _bind(kind: _Kind, alpha: float, beta: float) -> Activation:
    def activate(x: Array) -> Array:
        return kind.function(x, alpha, beta)

    return activate


_KINDS: Final = {
    "relu": _Kind(lambda x, _alpha, _beta: np.maximum(x, 0)),
    "tanh": _Kind(lambda x, _alpha, _beta: np.tanh(x)),
    "sigmoid": _Kind(lambda x, _alpha, _beta: sigmoid(x)),
    "affine": _Kind(lambda x, alpha, beta: alpha * x + beta, 1.0, 0.0),
    "leakyrelu": _Kind(lambda x, alpha, _beta: scale_negative(x, x.dtype.type(alpha)), 0.01),
    "thresholdedrelu": _Kind(lambda x, alpha, _beta: np.where(x > alpha, x, 0), 1.0),
    "scaledtanh": _Kind(lambda x, alpha, beta: alpha * np.tanh(beta * x), 1.0, 1.0),
    "hardsigmoid": _Kind(lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1), 0.2, 0.5),
    "elu": _Kind(lambda x, alpha, _beta: elu(x, alpha), 1.0),
    "softsign": _Kind(lambda x, _alpha, _beta: x / (1 + np.abs(x))),
    "softplus": _Kind(lambda x, _alpha, _beta: softplus(x)),
}
_NAMES: Final = (
    "Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
    "HardSigmoid", "Elu", "Softsign", "Softplus",
)  # fmt: skip
