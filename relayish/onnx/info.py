"""Attributes of functions and modules that say what model they were read from.

None of it says what a program computes. All of it is written back where it still applies.
"""

from __future__ import annotations

from typing import Final

# of a graph: attributes of its function
NAME: Final = "onnx.name"
DOC_STRING: Final = "onnx.doc_string"
METADATA: Final = "onnx.metadata"
OUTPUTS: Final = "onnx.outputs"
"""The names of the outputs: as many as the function has results."""
OUTPUT_TYPES: Final = "onnx.output_types"
"""What the graph says of the types of its outputs."""
VALUE_INFO: Final = "onnx.value_info"
"""What it says of the types of other values, by name."""
DEFAULTS: Final = "onnx.defaults"
"""Values of inputs that a caller may leave out, by name: initializers that are inputs as well."""
SPARSE: Final = "onnx.sparse_initializers"
"""The names of values that are sparse initializers, and no nodes."""
NODES: Final = "onnx.nodes"
"""By the name of its first output: documentation and metadata of a node, and the like."""
LEFT_OUT: Final = "onnx.left_out"
"""The names of first outputs of nodes that leave out others, which ONNX wants to have names."""
REPEATED: Final = "onnx.repeated"
"""Names that several nodes have, each of them."""
VALUES: Final = "onnx.values"
"""By name: documentation and metadata of a value."""
QUANTIZATION: Final = "onnx.quantization"
"""Annotations of tensors: pairs of a name, and names of parameters by key."""

# of a function of the model: further attributes
FUNCTION: Final = "onnx.function"
"""Domain, name, overload, and the names and defaults of its attributes."""

# of a model: attributes of the module
IR_VERSION: Final = "onnx.ir_version"
OPSETS: Final = "onnx.opsets"
"""The version of each operator set, by domain; also of a function of the model."""
PRODUCER: Final = "onnx.producer"
"""Name and version of what wrote the model."""
MODEL_DOMAIN: Final = "onnx.domain"
MODEL_VERSION: Final = "onnx.model_version"
MODEL_DOC_STRING: Final = "onnx.model_doc_string"
MODEL_METADATA: Final = "onnx.model_metadata"
OTHER: Final = "onnx.other"
"""Parts of the model that are kept as the bytes they are: training, devices."""
