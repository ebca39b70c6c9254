"""ONNX, the language of models that other frameworks write.

A node of a model is a call of an operator of the domain ``onnx``, a graph a function whose body is
a chain of lets in the order of its nodes. Models are read and written by
:func:`relayish.frontend.from_onnx` and :func:`relayish.frontend.to_onnx`.
"""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.onnx.calls": (
        "attributes_of",
        "captures_of",
        "graphs_of",
        "inputs_of",
        "is_absent",
        "make_call",
    ),
    "relayish.onnx.identity": ("Identity",),
    "relayish.onnx.operator_sets": ("find_schema", "identify"),
    "relayish.onnx.operators": ("declare_all", "find_operator", "identity_of"),
    "relayish.onnx.types": (
        "MapType",
        "OptionalType",
        "SequenceType",
        "SparseTensorType",
        "UnknownType",
        "UnrankedTensorType",
    ),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)
