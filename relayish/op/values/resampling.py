"""Resampling in the words of Relay: methods, and how ``nn.upsampling`` finds neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.errors import EvaluationError, suggest
from relayish.numeric.resizing import Resampling

METHODS: Final[Mapping[str, str]] = {
    "nearest_neighbor": "nearest",
    **{f"{prefix}{name}": name for name in ("linear", "cubic") for prefix in ("", "bi", "tri")},
}
"""What :mod:`relayish.numeric.resizing` calls the methods of Relay."""

SLACK: Final = 1e-5
"""What rounding errors may take from a coordinate that should be whole."""
SLOPE: Final = -0.5
"""That of cubic curves, where no attribute says another."""


def get_method(name: str) -> str:
    """Return what numerics call a method to resize.

    Raises:
        EvaluationError: If there is none.
    """
    if name not in METHODS:
        raise EvaluationError(
            f"method {name!r} is not one of {', '.join(METHODS)}{suggest(name, METHODS)}"
        )
    return METHODS[name]


def usual_rounding(coordinates: str) -> str:
    """Return how Relay rounds to what is nearest where no attribute says so."""
    return "round" if coordinates == "align_corners" else "floor"


def upsampling(method: str, coordinates: str) -> Resampling:
    """Return how ``nn.upsampling`` and its like make new elements.

    Args:
        method: One of :data:`METHODS`.
        coordinates: A ``coordinate_transformation_mode``.

    Raises:
        EvaluationError: If there is no such method.
    """
    return Resampling(get_method(method), coordinates, usual_rounding(coordinates), SLACK, SLOPE)
