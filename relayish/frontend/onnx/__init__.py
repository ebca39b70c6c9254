"""Models of ONNX, read and written."""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.frontend.onnx.exporter": ("save_onnx", "to_onnx"),
    "relayish.frontend.onnx.importer": ("from_onnx",),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)  # noqa: PLE0605 - a tuple of names
