"""Families of operators: what a box is coloured by, in light and in dark."""

from __future__ import annotations

from typing import Final, NamedTuple


class Family(NamedTuple):
    """A family of operators.

    Attributes:
        label: What the legend says.
        light: The fill of its boxes on white.
        dark: The fill of its boxes on black.
    """

    label: str
    light: str
    dark: str


FAMILIES: Final[dict[str, Family]] = {
    "product": Family("convolution, product", "#bcd5f2", "#1f4a7a"),
    "normalization": Family("normalization", "#d3e9cf", "#2c5a2f"),
    "activation": Family("activation", "#f6c9c1", "#7c352b"),
    "elementwise": Family("elementwise", "#fae3b4", "#6b5013"),
    "reduction": Family("reduction, pooling", "#dccaf0", "#4d3474"),
    "shape": Family("shape, layout", "#d5dde5", "#3d4a57"),
    "comparison": Family("comparison, logic, choice", "#f7d6e8", "#6d2f52"),
    "quantization": Family("quantization, cast", "#c6ebe9", "#1c5a57"),
    "random": Family("random", "#e7e3a6", "#57531a"),
    "control": Family("control flow", "#ffd0a1", "#7d4a12"),
    "call": Family("call of a function", "#cfd2f7", "#383c83"),
    "memory": Family("memory, references", "#e0cdbf", "#5a4233"),
    "data": Family("tuple, data", "#e6e6e6", "#484848"),
    "other": Family("other", "#efefef", "#3a3a3a"),
}
"""By name; the legend tells those that a picture has."""
