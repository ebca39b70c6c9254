"""Models of ONNX as modules: ``from_onnx``."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from relayish._support.collector import collect_rarely
from relayish.frontend.calls import explain_calls
from relayish.frontend.onnx.loading import load_proto
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import GlobalVar
from relayish.ir.relay.module import Definition, IRModule
from relayish.onnx import info
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.reading.graph_reader import GraphReader
from relayish.onnx.reading.model_reader import ModelReader, read_opsets
from relayish.passes.onnx.prepared import bind_defaults
from relayish.transform import get_pass


@explain_calls(
    "write relayish.tvm.frontend.from_onnx(model, shape), which is TVM's and gives a pair, or "
    "relayish.transform.InferShapesOnnx(input_shapes=shape)(relayish.frontend.from_onnx(model))"
)
def from_onnx(
    model: Any,  # Any: a ModelProto, which onnx does not type
    *,
    freeze_params: bool = False,
    lower: bool = False,
    folder: str | PathLike[str] | None = None,
) -> IRModule:
    """Return a model of ONNX as a module.

    The graph is ``main``. Each node is a call of an operator of the domain ``onnx``
    (:mod:`relayish.onnx.calls`), bound to a variable that is called as its output, in the order of
    the nodes; initializers are constants, bound before them. Graphs in attributes are closed
    functions, and functions of the model definitions beside ``main``.
    :func:`~relayish.frontend.to_onnx` writes the same model again.

    Args:
        model: A ``ModelProto``, the bytes of one, or the path of a file. Only of a path it is known
            where tensors lie that are stored beside the model; they are mapped into memory.
        freeze_params: Whether initializers that are inputs as well become constants. By default
            they are parameters, whose values stand in the attribute ``onnx.defaults``.
        lower: Whether operators of ONNX become Relay's, as far as ``LowerOnnx`` can express them.
        folder: Where tensors lie that are stored beside a model which is not given by its path.

    Raises:
        ModelError: If it is no model, or none that can be run: a value is used before it is given,
            given twice, or part of a cycle; a tensor has another size than it says; a file beside
            the model is missing or lies elsewhere. Or if it is called as TVM's ``from_onnx``, whose
            second argument is the shapes of inputs, and which gives a pair.
        PackageError: If the package ``onnx`` is not installed.

    Complexity:
        Linear in the nodes; tensors are not copied where they are stored as numpy stores them.
    """
    proto, path = load_proto(model)
    files = None if path is None else DataFiles.beside(path)
    if folder is not None:
        files = DataFiles(Path(folder))
    mod = module_of_proto(proto, files, freeze_params)
    if not lower:
        return mod
    lowered = get_pass("LowerOnnx")(mod)
    assert isinstance(lowered, IRModule)
    return lowered


def module_of_proto(
    proto: Any, files: DataFiles | None, freeze_params: bool
) -> IRModule:  # Any: a ModelProto
    """Return a model that :func:`load_proto` loaded as a module; see :func:`from_onnx`."""
    with collect_rarely():
        return _read(proto, files, freeze_params=freeze_params)


def _read(
    proto: Any, files: DataFiles | None, *, freeze_params: bool
) -> IRModule:  # Any: a ModelProto
    reader = ModelReader(proto, files)
    main = GraphReader(reader).read(proto.graph)
    if freeze_params:
        main = bind_defaults(main)
    named: dict[GlobalVar | str, Definition] = {"main": main}
    for key, function in reader.functions.items():
        opsets = read_opsets(function.opset_import, f"function {function.name!r} of the model")
        named[reader.globals[key]] = GraphReader(reader, opsets or None).read_function(function)
    return IRModule(named, attrs=_model_attrs(proto))


def _model_attrs(proto: Any) -> DictAttrs:  # Any: a ModelProto
    """Return what a model says of itself."""
    attrs: dict[str, object] = {
        info.IR_VERSION: proto.ir_version,
        info.OPSETS: DictAttrs({each.domain: each.version for each in proto.opset_import}),
    }
    if proto.producer_name or proto.producer_version:
        attrs[info.PRODUCER] = (proto.producer_name, proto.producer_version)
    if proto.domain:
        attrs[info.MODEL_DOMAIN] = proto.domain
    if proto.HasField("model_version"):
        attrs[info.MODEL_VERSION] = proto.model_version
    if proto.doc_string:
        attrs[info.MODEL_DOC_STRING] = proto.doc_string
    if proto.metadata_props:
        attrs[info.MODEL_METADATA] = DictAttrs({p.key: p.value for p in proto.metadata_props})
    other = load_onnx().ModelProto()
    other.training_info.extend(proto.training_info)
    if hasattr(proto, "configuration"):  # newer versions of onnx have it
        other.configuration.extend(proto.configuration)
    if other.ByteSize():
        attrs[info.OTHER] = other.SerializeToString().hex()
    return DictAttrs(attrs)
