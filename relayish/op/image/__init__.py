"""The operators of image processing; ``op.image.resize2d(x, size=...)`` builds a call."""

from __future__ import annotations

from relayish.op.builders.builder import namespace
from relayish.op.image import cropping, dilation, resizing, sampling
from relayish.op.image.resizing import Resize2DAttrs, resize_tensor

__all__ = [
    "Resize2DAttrs",
    "cropping",
    "dilation",
    "resize_tensor",
    "resizing",
    "sampling",
]

__getattr__, __dir__ = namespace("image")
