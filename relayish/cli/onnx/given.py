"""Inputs of a model that files hold: ``.npz``, or a folder of ``TensorProto`` as onnx has them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from relayish.cli.onnx.inputs import Input, Values, find_input, sizes_of
from relayish.errors import ModelError, OptionError
from relayish.onnx.element_types import element_type_number, find_numpy_dtype
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.protos.tensors import array_of_proto

_SET: Final = "test_data_set_*"
_INPUT: Final = "input_"


@dataclass(frozen=True, slots=True)
class DataSet:
    """Values of all inputs of a model.

    Attributes:
        source: The file or folder that holds them.
        values: The values by name.
        sizes: The size of each dimension without one, by name.
    """

    source: str
    values: Values
    sizes: Mapping[str, int]


def read_data(paths: Sequence[str], inputs: Sequence[Input]) -> list[DataSet]:
    """Return the values that files and folders hold: several, of a folder of ``test_data_set_N``.

    Args:
        paths: Files ``.npz``, and folders of files ``.pb``.
        inputs: What a caller has to give the model.

    Raises:
        OptionError: If one cannot be read, or does not hold values as the model takes them.
    """
    return [
        DataSet(source, values, _check(values, inputs, f"--input-data {source}"))
        for path in paths
        for source, values in _read(path, inputs)
    ]


def _read(path: str, inputs: Sequence[Input]) -> Iterator[tuple[str, Values]]:
    where = f"--input-data {path}"
    folder = Path(path)
    if not folder.is_dir():
        yield path, _read_npz(path, inputs, where)
        return
    sets = sorted(folder.glob(_SET), key=lambda each: (len(each.name), each.name))
    for each in sets or [folder]:
        files = sorted(each.glob("*.pb"))
        if not any(file.name.startswith(_INPUT) for file in files):
            raise OptionError(
                f"--input-data {each}: there is no input_0.pb in this folder; expected files .pb "
                f"that hold a TensorProto each, or folders test_data_set_0, ... of such"
            )
        yield str(each), _read_folder(files, inputs)


def _read_npz(path: str, inputs: Sequence[Input], where: str) -> Values:
    try:
        with Path(path).open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            is_one = isinstance(archive, np.ndarray)
            held = {} if is_one else {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        reason = "it holds no plain arrays" if "pickle" in str(error) else str(error)
        raise OptionError(
            f"{where} cannot be read: {reason}; expected an .npz with an array for each input"
        ) from error
    if is_one:
        raise OptionError(f"{where} holds one array without a name; expected an .npz")
    found = {name: find_input(name, inputs, where) for name in held}
    return {name: _as_stored(held[name], found[name]) for name in held}


def _as_stored(array: Any, each: Input) -> Any:  # Any: arrays
    """Return an array as the model takes it: numpy stores types that it has not as bytes."""
    if each.element == "string":
        return array.astype(object) if array.dtype.kind == "U" else array
    dtype = np.dtype(find_numpy_dtype(element_type_number(each.element)))
    is_plain = array.dtype.kind == "V" and array.dtype.names is None
    if is_plain and array.dtype.itemsize == dtype.itemsize:
        return array.view(dtype)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _read_folder(files: Sequence[Path], inputs: Sequence[Input]) -> Values:
    """Return what files ``input_N.pb`` hold: of the input that they name, or of the Nth."""
    onnx, numpy_helper = load_onnx(), load_onnx("onnx.numpy_helper")
    decode_error = load_onnx("google.protobuf.message").DecodeError
    names = [each.name for each in inputs]
    values: Values = {}
    for file in files:
        number = file.stem.removeprefix(_INPUT)
        if file.stem == number or not number.isdecimal():
            continue  # an output
        where = f"--input-data {file}"
        nth = inputs[int(number)] if int(number) < len(inputs) else None
        is_sequence = nth is not None and nth.is_sequence
        proto = onnx.SequenceProto() if is_sequence else onnx.TensorProto()
        try:
            proto.ParseFromString(file.read_bytes())
        except (OSError, decode_error) as error:
            raise OptionError(f"{where} holds no {type(proto).__name__}: {error}") from error
        name = proto.name if proto.name in names or nth is None else nth.name
        find_input(name or file.stem, inputs, where)
        if name in values:
            raise OptionError(f"{where} holds input {name!r}, which another file holds as well")
        try:
            values[name] = (
                numpy_helper.to_list(proto)
                if is_sequence
                else array_of_proto(proto, DataFiles(file.parent), f"the tensor in {file}")
            )
        except ModelError as error:
            raise OptionError(f"--input-data: {error}") from error
    return values


def _check(values: Values, inputs: Sequence[Input], where: str) -> dict[str, int]:
    """Return the size that values give each dimension without one, by name.

    Raises:
        OptionError: If an input is missing, or its value is of another type or shape.
    """
    missing = [each.name for each in inputs if each.name not in values]
    if missing:
        raise OptionError(
            f"{where} holds no value of input {missing[0]!r}; the model takes "
            f"{', '.join(each.name for each in inputs)}"
        )
    for each in inputs:
        value = values[each.name]
        if isinstance(value, list) != each.is_sequence:
            raise OptionError(f"{where}: input {each.name!r} is {each}; found another value")
        for array in value if each.is_sequence else [value]:
            if _element_of(array) != each.element:
                found = Input(each.name, _element_of(array), array.shape)
                raise OptionError(f"{where}: input {each.name!r} is {each}; found {found}")
    shapes = {name: value.shape for name, value in values.items() if not isinstance(value, list)}
    return sizes_of(inputs, shapes, where)


def _element_of(array: Any) -> str:  # Any: an array
    return "string" if array.dtype.kind == "O" else str(array.dtype.name)
