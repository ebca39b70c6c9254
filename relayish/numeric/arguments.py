"""Arguments of tensors that are to be one number."""

from __future__ import annotations

import math
from typing import Any

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array


def get_scalar(value: Array, what: str) -> Any:  # Any: a number of Python of any kind
    """Return the one number that ``value``, the argument called ``what``, holds.

    Raises:
        EvaluationError: If it holds none, or several.
    """
    if value.size != 1:
        raise EvaluationError(f"{what} must be one number; found the shape {value.shape}")
    return value.item()


def get_count(value: Array, what: str) -> int:
    """Return the one number that ``value`` holds as a whole one, rounded towards 0.

    Raises:
        EvaluationError: If it holds none, or several, or what is no number.
    """
    found = get_scalar(value, what)
    if not math.isfinite(found):
        raise EvaluationError(f"{what} must be a number; found {found}")
    return int(found)
