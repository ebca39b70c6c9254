"""The operators of image processing; ``op.image.resize2d(x, size=...)`` builds a call."""

from __future__ import annotations

from relayish.op.builders import namespace
from relayish.op.image import cropping, dilation, interpolation, resizing, sampling
from relayish.op.image.resizing import Resize2DAttrs, resized

__all__ = [
    "Resize2DAttrs",
    "cropping",
    "dilation",
    "interpolation",
    "resized",
    "resizing",
    "sampling",
]

__getattr__, __dir__ = namespace("image")
