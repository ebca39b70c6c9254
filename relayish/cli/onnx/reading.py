"""Reading models: what the commands over models find wrong before they begin."""

from __future__ import annotations

import contextlib
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from relayish.cli.onnx.inputs import Input, Shapes, inputs_of
from relayish.errors import ModelError, OptionError
from relayish.frontend.onnx.importer import module_of_proto
from relayish.frontend.onnx.loading import load_proto
from relayish.ir.relay.module import IRModule
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.files import DataFiles

_LARGEST_SIZE: Final = (1 << 63) - 1
_DIGITS: Final = 4000
"""So many digits ``int`` reads; of a size most of them are zeros."""


@dataclass(slots=True)
class ModelFile:
    """A model and the file it was read from.

    Attributes:
        path: The file.
        proto: A ``ModelProto``; dimensions to which the command line gives a size have it.
            Any: onnx does not type its classes.
        inputs: What a caller has to give it.
        outputs: The names of its outputs.
        has_external_data: Whether tensors lie in files beside it.
    """

    path: str
    proto: Any
    inputs: list[Input]
    outputs: tuple[str, ...]
    has_external_data: bool

    def to_module(self, *, freeze_params: bool = False) -> IRModule:
        """Return the model as a module."""
        return module_of_proto(self.proto, DataFiles.beside(Path(self.path)), freeze_params)


@contextlib.contextmanager
def as_regular_file(path: str) -> Iterator[str]:
    """Yield the name of a file that can be read again: of a pipe, a copy that goes afterwards."""
    try:
        is_regular = stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:  # whoever reads it says so
        is_regular = True
    if is_regular or Path(path).is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, Path(path).name)
        with Path(path).open("rb") as source, copy.open("wb") as file:
            shutil.copyfileobj(source, file)
        yield str(copy)


def read_model(path: str, shapes: Shapes | None = None) -> ModelFile:
    """Return the model in a file.

    Args:
        path: The file.
        shapes: Shapes that inputs are to have, by name.

    Raises:
        ModelError: If the file cannot be read or holds no model.
        OptionError: If the shapes contradict it.
    """
    proto, _ = load_proto(path)
    inputs = inputs_of(proto.graph)
    if shapes:
        inputs_of(proto.graph, shapes)
        set_sizes(proto.graph, shapes)
        inputs = inputs_of(proto.graph)
    outputs = tuple([each.name for each in proto.graph.output])
    return ModelFile(path, proto, inputs, outputs, _has_external_data(proto))


def check_model(path: str, proto: Any) -> None:  # Any: a ModelProto
    """Check a model by the rules of ONNX: names, types, versions, shapes.

    Raises:
        ModelError: If it breaks one; in one line, as ``onnx.checker`` says it.
    """
    onnx = load_onnx()
    checker, shapes = load_onnx("onnx.checker"), load_onnx("onnx.shape_inference")
    is_whole = proto is not None and not _has_external_data(proto)
    try:
        checker.check_model(proto.SerializeToString() if is_whole else path, full_check=True)
    except (checker.ValidationError, shapes.InferenceError) as error:
        raise ModelError(f"{path} is no valid model: {one_line(str(error))}") from None
    except (ValueError, RuntimeError) as error:
        raise ModelError(
            f"onnx {onnx.__version__} cannot check {path}: {one_line(str(error))}"
        ) from None


def one_line(text: str) -> str:
    """Return what a text says first, without line breaks: the checker explains itself at length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("==>", "Bad node"))] or lines
    return " ".join(said)[:400].rstrip(".") if said else "nothing is said of why"


def parse_shapes(words: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the shapes that words like ``x:1,3,224,224`` give, by name of the input.

    Raises:
        OptionError: If a word is none of these, or names an input again.

    Example:
        >>> parse_shapes(["x:1,3", "n:"])
        {'x': (1, 3), 'n': ()}
    """
    shapes: dict[str, tuple[int, ...]] = {}
    for word in words:
        name, colon, sizes = word.rpartition(":")
        parts = [part.strip() for part in sizes.split(",")] if sizes.strip() else []
        if not colon or not name or not all(part.isdecimal() for part in parts):
            raise OptionError(
                f"expected NAME:SIZE,SIZE,... after --input-shape, as in x:1,3,224,224; found "
                f"{word!r}"
            )
        if name in shapes:
            raise OptionError(f"--input-shape is given twice for input {name!r}")
        if any(len(part) > _DIGITS or int(part) > _LARGEST_SIZE for part in parts):
            raise OptionError(f"--input-shape {word[:80]}: sizes are at most {_LARGEST_SIZE}")
        shapes[name] = tuple([int(part) for part in parts])
    return shapes


def set_sizes(graph: Any, shapes: Shapes) -> None:  # Any: a GraphProto
    """Give inputs the shapes asked for, and all that has dimensions of the same names theirs."""
    sizes: dict[str, int] = {}
    for each in graph.input:
        shape = shapes.get(each.name)
        if shape is None:
            continue
        tensor = each.type.tensor_type
        if not tensor.HasField("shape"):
            tensor.shape.SetInParent()
            for size in shape:
                tensor.shape.dim.add().dim_value = size
        for size, dim in zip(shape, tensor.shape.dim, strict=True):
            if dim.dim_param:
                sizes[dim.dim_param] = size
            dim.dim_value = size
    if sizes:
        _replace_names(graph, sizes)


def _replace_names(graph: Any, sizes: Mapping[str, int]) -> None:  # Any: as above
    todo = [graph]
    while todo:
        graph = todo.pop()
        for each in (*graph.input, *graph.output, *graph.value_info):
            for dim in each.type.tensor_type.shape.dim if each.type.HasField("tensor_type") else ():
                if dim.dim_param in sizes:
                    dim.dim_value = sizes[dim.dim_param]
        for node in graph.node:
            for attribute in node.attribute:
                todo += [attribute.g] if attribute.HasField("g") else attribute.graphs


def _has_external_data(proto: Any) -> bool:  # Any: a ModelProto
    external = load_onnx().TensorProto.EXTERNAL
    nodes: list[Any] = [node for function in proto.functions for node in function.node]
    graphs = [proto.graph]
    while graphs or nodes:
        if graphs:
            graph = graphs.pop()
            if any(each.data_location == external for each in graph.initializer):
                return True
            nodes += graph.node
            continue
        for attribute in nodes.pop().attribute:
            held = [attribute.t] if attribute.HasField("t") else attribute.tensors
            if any(each.data_location == external for each in held):
                return True
            graphs += [attribute.g] if attribute.HasField("g") else attribute.graphs
    return False
