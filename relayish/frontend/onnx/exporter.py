"""Modules as models of ONNX: ``to_onnx`` and ``save_onnx``."""

from __future__ import annotations

import os
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any, Final

from relayish._support.collector import collect_rarely
from relayish._support.files import check_writable, put_in_place
from relayish.errors import ModelError
from relayish.frontend.onnx.external import Store, move_tensors
from relayish.frontend.onnx.graph_writer import GraphWriter
from relayish.frontend.onnx.model_writer import ModelWriter, iterate_tensors
from relayish.frontend.onnx.raising import raise_module
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.onnx import info
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.tensors import fill_tensor
from relayish.onnx.reading.notes import write_properties
from relayish.transform import get_pass

_LARGEST: Final = (1 << 31) - 1
"""Bytes that one message of protobuf has at most."""


def to_onnx(mod: IRModule) -> Any:  # Any: a ModelProto, which onnx does not type
    """Return a module as a model of ONNX.

    What was read by :func:`~relayish.frontend.from_onnx` is written as it was: the same nodes in
    the same order, with their names, and what the model said of itself. Variables are called as
    their names say, and otherwise where two of them would be called alike.

    Args:
        mod: The module. Its calls are of operators of the domain ``onnx``, or of its definitions;
            types of results that neither annotations nor an earlier model tell are inferred.

    Raises:
        ModelError: If the module calls what ONNX has not, or holds more than 2 GB;
            :func:`save_onnx` writes what is larger.
        TypeInferenceError: If types have to be inferred, and contradict each other.
        PackageError: If the package ``onnx`` is not installed.

    Complexity:
        Linear in the nodes and the bytes of constants, which are copied.
    """
    size = _constant_bytes(mod)
    if size > _LARGEST:
        raise _too_large(size)
    return _build(mod, fill_tensor)


def save_onnx(
    mod: IRModule,
    path: str | PathLike[str],
    *,
    external_data: bool | None = None,
    size_threshold: int = 1024,
) -> None:
    """Write a module into a file, as a model of ONNX; whole, or not at all.

    Args:
        mod: The module.
        path: Where to; a file that is there is replaced.
        external_data: Whether tensors go into a file beside the model, which is called as the
            model is, with ``.data`` behind. By default they do where the model would not fit into
            one file, of 2 GB.
        size_threshold: Bytes from which a tensor goes there.

    Raises:
        ModelError: As :func:`to_onnx`, but for the size; or if the file cannot be written.

    Complexity:
        Linear in the nodes and the bytes of constants. These are not held in memory where they go
        into a file beside the model.
    """
    write_model(mod, Path(path), external_data=external_data, size_threshold=size_threshold)


def write_model(
    mod: IRModule,
    target: Path,
    *,
    external_data: bool | None,
    size_threshold: int = 1024,
    shown: str | None = None,
) -> Any:  # Any: a ModelProto
    """Write a module as :func:`save_onnx` does, and return what stands in the file.

    Errors call the file ``shown``, where it is to be another one in the end.
    """
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise ModelError(f"{target} is a device or a pipe; expected a file")
    target = Path(os.path.realpath(target))  # of a link, what it leads to
    target_data = target.with_name(f"{target.name}.data")
    if external_data is None:
        external_data = _constant_bytes(mod) > _LARGEST - (1 << 24)
    try:
        for place in (target, target_data) if external_data else (target,):
            check_writable(place)
        return _write(mod, target, target_data if external_data else None, size_threshold)
    except OSError as error:
        raise ModelError(f"{shown or target} cannot be written: {error.strerror}") from error


def _write(mod: IRModule, target: Path, data: Path | None, threshold: int) -> Any:  # Any: as above
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        whole, beside, before = [Path(folder) / name for name in ("model", "data", "before")]
        if data is None:
            proto = _build(mod, fill_tensor)
            whole.write_bytes(proto.SerializeToString())
            put_in_place(whole, target)
            return proto
        with beside.open("wb") as file:
            proto = _build(mod, move_tensors(file, data.name, threshold))
        whole.write_bytes(proto.SerializeToString())
        had_data = data.exists()
        if had_data:
            data.replace(before)
        try:
            put_in_place(beside, data, like=before)
            put_in_place(whole, target)
        except OSError:
            if had_data:
                before.replace(data)
            else:
                data.unlink(missing_ok=True)
            raise
        return proto


def _constant_bytes(mod: IRModule) -> int:
    return sum([array.nbytes for array in iterate_tensors(mod)])


def _too_large(size: int) -> ModelError:
    return ModelError(
        f"the model has {size:,} bytes, and one message of protobuf at most {_LARGEST:,}; write it "
        f"with its tensors beside it: save_onnx(mod, path, external_data=True)"
    )


def _build(mod: IRModule, store: Store) -> Any:  # Any: a ModelProto
    mod = _with_types(raise_module(mod))
    proto = load_onnx().ModelProto()
    writer = ModelWriter(mod, store)
    attrs = mod.attrs if mod.attrs is not None else DictAttrs()
    _fill_model(proto, attrs)
    with collect_rarely():
        GraphWriter(writer).fill(proto.graph, writer.main)
        for name, function in writer.functions.items():
            GraphWriter(writer).fill_function(proto.functions.add(), name, function)
    for domain, opset in writer.opsets.items():
        proto.opset_import.add(domain=domain, version=opset)
    proto.ir_version = _find_ir_version(proto, attrs.get(info.IR_VERSION))
    if proto.ByteSize() > _LARGEST:
        raise _too_large(proto.ByteSize())
    return proto


def _with_types(mod: IRModule) -> IRModule:
    """Return ``mod`` with inferred types, if nothing says what the results of ``main`` are."""
    main = mod["main"] if "main" in mod else None  # noqa: SIM401 - modules have no get
    if type(main) is not Function or main.ret_type is not None:
        return mod
    is_told = main.attrs is not None and main.attrs.get(info.OUTPUT_TYPES) is not None
    if is_told or main.body.checked_type is not None:
        return mod
    typed = get_pass("InferType")(mod)
    assert isinstance(typed, IRModule)
    return typed


def _find_ir_version(proto: Any, told: object) -> int:  # Any: a ModelProto
    """Return the version of the format: that which was told, unless the model needs a later one."""
    inputs = {each.name for each in proto.graph.input}
    needed = 3
    if any(each.name not in inputs for each in proto.graph.initializer):
        needed = 4
    if proto.functions:
        needed = 10 if any(each.overload for each in proto.functions) else 8
    if isinstance(told, int):
        return max(told, needed)
    least: int = load_onnx("onnx.helper").find_min_ir_version_for(proto.opset_import, True)
    return max(least, needed)


def _fill_model(proto: Any, attrs: DictAttrs) -> None:  # Any: a ModelProto
    producer: Any = attrs.get(info.PRODUCER, ("", ""))  # Any: attributes are of any class
    if producer[0]:
        proto.producer_name = producer[0]
    if producer[1]:
        proto.producer_version = producer[1]
    for key, name in _PLAIN.items():
        value: Any = attrs.get(key)  # Any: as above
        if value is not None:
            setattr(proto, name, value)
    write_properties(proto, attrs.get(info.MODEL_METADATA))
    other: Any = attrs.get(info.OTHER)  # Any: as above
    if other:
        proto.MergeFromString(bytes.fromhex(other))


_PLAIN: Final = {
    info.MODEL_DOMAIN: "domain",
    info.MODEL_VERSION: "model_version",
    info.MODEL_DOC_STRING: "doc_string",
}
"""By attribute: the field of a model that it is."""
