"""ONNX, the language of models that other frameworks write.

A node of a model is a call of an operator of the domain ``onnx``, a graph a function whose body is
a chain of lets in the order of its nodes. Models are read and written by
:func:`relayish.frontend.from_onnx` and :func:`relayish.frontend.to_onnx`.
"""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.onnx.calls import (
    attributes_of,
    captures_of,
    graphs_of,
    inputs_of,
    is_absent,
    make_call,
)
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import find_schema, identify
from relayish.onnx.operators import declare_all, find_operator, identity_of
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnknownType,
    UnrankedTensorType,
)

__all__ = _imported_names(__name__)

_set_finder(__name__)
