"""Front ends: where programs, and values of their parameters, come from, other than text."""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.binary.param_dict": ("load_param_dict", "save_param_dict"),
    "relayish.frontend.loops": ("foreach", "while_loop"),
    "relayish.frontend.onnx.exporter": ("save_onnx", "to_onnx"),
    "relayish.frontend.onnx.importer": ("from_onnx",),
    "relayish.frontend.scope_builder": ("ScopeBuilder", "ScopeBuilderError"),
    "relayish.frontend.torch_program": ("from_torch",),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)  # noqa: PLE0605 - a tuple of names
