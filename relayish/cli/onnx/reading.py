"""Reading models: what the commands over models find wrong before they begin."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from relayish._support.files import name_in_errors
from relayish.cli.files import STANDARD, show_name
from relayish.cli.onnx.inputs import Input, Shapes, inputs_of
from relayish.cli.onnx.statistics import graphs_of
from relayish.errors import ModelError, OptionError
from relayish.frontend.onnx.importer import module_of_proto
from relayish.frontend.onnx.loading import load_proto
from relayish.ir.relay.module import IRModule
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.protos.tensors import array_of_proto
from relayish.onnx.reading.model_reader import count_calls

_MOST_CALLS: Final = 100_000
"""Through so many nodes, those of functions at each call, onnx infers shapes in a second."""
_LARGEST_SIZE: Final = (1 << 63) - 1
_SHAPES: Final = frozenset({6, 7})
"""The numbers of the element types that shapes have: int32 and int64."""
_LONGEST_SHAPE: Final = 1024
"""More elements than a shape, or a list of axes, has."""
_DIGITS: Final = 4000
"""So many digits ``int`` reads; of a size most of them are zeros."""


@dataclass(slots=True)
class ModelFile:
    """A model and the file it was read from.

    Attributes:
        path: The file that it is read from.
        name: The file that it was given as.
        proto: A ``ModelProto``; dimensions to which the command line gives a size have it.
            Any: onnx does not type its classes.
        inputs: What a caller has to give it.
        outputs: The names of its outputs.
        has_external_data: Whether tensors lie in files beside it.
    """

    path: str
    name: str
    proto: Any
    inputs: list[Input]
    outputs: tuple[str, ...]
    has_external_data: bool

    def to_module(self, *, freeze_params: bool = False) -> IRModule:
        """Return the model as a module."""
        return module_of_proto(self.proto, DataFiles.beside(Path(self.path)), freeze_params)


@contextlib.contextmanager
def as_regular_file(path: str) -> Iterator[str]:
    """Yield the name of a file that every process can read again.

    Of a pipe it is a copy that goes afterwards, and of what only this process calls so; ``-`` is
    standard input.
    """
    if path == STANDARD:
        with tempfile.TemporaryDirectory() as folder:
            yield _copied(sys.stdin.buffer, Path(folder, "stdin"))
        return
    try:
        is_regular = stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:  # whoever reads it says so
        is_regular = True
    is_own = os.path.abspath(path).startswith(("/dev/", "/proc/"))  # noqa: PTH100 - no link
    if (is_regular and not is_own) or Path(path).is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        with Path(path).open("rb") as source:
            copy = _copied(source, Path(folder, Path(path).name))
        yield copy


def _copied(source: BinaryIO, copy: Path) -> str:
    with name_in_errors(copy), copy.open("wb") as file:
        shutil.copyfileobj(source, file)
    return str(copy)


def read_model(
    path: str,
    shapes: Shapes | None = None,
    *,
    name: str | None = None,
    data: bytes | None = None,
) -> ModelFile:
    """Return the model in a file.

    Args:
        path: The file.
        shapes: Shapes that inputs are to have, by name.
        name: What the file is called in errors; the path if not given.
        data: What the file holds, if that has been read.

    Raises:
        ModelError: If the file cannot be read or holds no model, or one of standard input has
            tensors in a file beside it.
        OptionError: If the shapes contradict it.
    """
    name = path if name is None else name
    proto, _ = load_proto(path if data is None else data, name)
    inputs = inputs_of(proto.graph)
    if shapes:
        inputs_of(proto.graph, shapes)
        set_sizes(proto.graph, shapes)
        inputs = inputs_of(proto.graph)
    outputs = tuple([each.name for each in proto.graph.output])
    has_external_data = _has_external_data(proto)
    if has_external_data and name == show_name(STANDARD):
        raise ModelError(
            "the model on standard input has tensors in a file beside it, and nothing is beside "
            "standard input; write the name of its file"
        )
    return ModelFile(path, name, proto, inputs, outputs, has_external_data)


def check_model(path: str, proto: Any, name: str | None = None) -> None:  # Any: a ModelProto
    """Check a model by the rules of ONNX: names, types, versions, shapes.

    Shapes are left out where that would take minutes: ``onnx`` goes through a function at each call
    of it, and so through one that functions call in functions 2^n times.

    Args:
        path: Its file, beside which its tensors lie.
        proto: The model.
        name: What it is called in errors; the path if not given.

    Raises:
        ModelError: If it breaks one; in one line, as ``onnx.checker`` says it.
    """
    name = path if name is None else name
    onnx = load_onnx()
    checker, shapes = load_onnx("onnx.checker"), load_onnx("onnx.shape_inference")
    try:
        is_full = count_calls(proto) <= _MOST_CALLS
        if not _has_external_data(proto):
            checker.check_model(proto.SerializeToString(), full_check=is_full)
            return
        checker.check_model(path)
        if not is_full:
            return
        whole = _with_shapes(proto, DataFiles.beside(Path(path)))
        shapes.infer_shapes(whole, check_type=True, strict_mode=True)
    except (checker.ValidationError, shapes.InferenceError) as error:
        raise ModelError(f"{name} is no valid model: {one_line(str(error))}") from None
    except (ValueError, RuntimeError) as error:
        raise ModelError(
            f"onnx {onnx.__version__} cannot check {name}: {one_line(str(error))}"
        ) from None


def _with_shapes(proto: Any, files: DataFiles) -> Any:  # Any: ModelProtos
    """Return a model with the tensors in it that may be shapes: inference opens no other file."""
    made = load_onnx().ModelProto()
    made.CopyFrom(proto)
    for tensor in _external_tensors(made):
        if _may_be_shape(tensor):
            array = array_of_proto(tensor, files, f"tensor {tensor.name!r}")
            tensor.raw_data = array.astype(array.dtype.newbyteorder("<")).tobytes()
            del tensor.external_data[:]
            tensor.ClearField("data_location")
    return made


def one_line(text: str) -> str:
    """Return what a text says first, without line breaks: the checker explains itself at length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("==>", "Bad node"))] or lines
    return " ".join(said)[:400].rstrip(".") if said else "nothing is said of why"


def parse_shapes(words: Sequence[str], option: str = "--input-shape") -> dict[str, tuple[int, ...]]:
    """Return the shapes that words like ``x:1,3,224,224`` give, by name of the input.

    Args:
        words: The words.
        option: What they are given to, for errors.

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
                f"expected NAME:SIZE,SIZE,... after {option}, as in x:1,3,224,224; found {word!r}"
            )
        if name in shapes:
            raise OptionError(f"{option} is given twice for input {name!r}")
        if any(len(part) > _DIGITS or int(part) > _LARGEST_SIZE for part in parts):
            raise OptionError(f"{option} {word[:80]}: sizes are at most {_LARGEST_SIZE}")
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
    return any(True for _ in _external_tensors(proto))


def external_files(proto: Any) -> set[str]:  # Any: a ModelProto
    """Return the names of the files beside a model in which tensors of it lie."""
    return {
        entry.value
        for tensor in _external_tensors(proto)
        for entry in tensor.external_data
        if entry.key == "location"
    }


def has_external_shapes(proto: Any) -> bool:  # Any: a ModelProto
    """Return whether what may be a shape lies beside a model: runtimes do not look there."""
    return any(map(_may_be_shape, _external_tensors(proto)))


def _may_be_shape(tensor: Any) -> bool:  # Any: a TensorProto
    return tensor.data_type in _SHAPES and math.prod(tensor.dims) <= _LONGEST_SHAPE


def _external_tensors(proto: Any) -> Iterator[Any]:  # Any: a ModelProto, and its TensorProtos
    """Yield the tensors that lie in files beside a model."""
    external = load_onnx().TensorProto.EXTERNAL
    for nodes, initializers in graphs_of(proto):
        attributes = [each for node in nodes for each in node.attribute]
        held = [[each.t] if each.HasField("t") else each.tensors for each in attributes]
        for tensor in itertools.chain(initializers, *held):
            if tensor.data_location == external:
                yield tensor
