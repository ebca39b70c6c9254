"""The operators of computer vision; ``op.vision.yolo_reorg(x, stride=2)`` builds a call."""

from __future__ import annotations

from relayish.op.builders.builder import namespace
from relayish.op.vision import anchors, detection, proposals, regions, suppression

__all__ = ["anchors", "detection", "proposals", "regions", "suppression"]

__getattr__, __dir__ = namespace("vision")
