"""Files that hold programs or models of any kind, told by their content, not by their names."""

from __future__ import annotations

import codecs
import contextlib
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from relayish.binary import is_binary
from relayish.cli.files import program_in, read_content, show_name, write_program
from relayish.cli.forms import Form
from relayish.errors import ModelError, OptionError, ParseError, RelayishError
from relayish.ir.relay.module import IRModule

LOOKED_AT: Final = 4096
"""By so many bytes it is told what a file holds."""
_BEGIN: Final = 16
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that stand in no program; a model begins with such ones."""
_MODEL_SUFFIX: Final = ".onnx"
_MODELS: Final = "relayish.cli.onnx.reading"
_EXPORTER: Final = "relayish.frontend.onnx.exporter"


@dataclass(frozen=True, slots=True)
class GivenFile:
    """What a file holds.

    Attributes:
        name: The file as it was given.
        mod: The program; of a model, what it is as one.
        form: The form in which to print it.
        source: The text in which spans count; of what is no text, nothing.
        model: The ``ModelFile``, if it is a model of ONNX. Any: its class is loaded for models.
    """

    name: str
    mod: IRModule
    form: Form
    source: str = ""
    model: Any = None


def read_any(
    name: str,
    *,
    allow_unknown_ops: bool = False,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    freeze_params: bool = False,
    given_as: str | None = None,
) -> GivenFile:
    """Return what a file holds: Relay text, loops, core, a program in binary form, a model of ONNX.

    The file is read once, so that it may be a pipe.

    Args:
        name: The file; ``-`` for standard input.
        allow_unknown_ops: Whether operators are read that nobody declared.
        shapes: Shapes that inputs of a model are to have, by name.
        freeze_params: Whether initializers of a model that are inputs as well are constants.
        given_as: What the command line calls it, if it is a copy.

    Raises:
        RelayishError: If it holds none of these; which, depends on what it seems to hold.
        OptionError: If a program is to have shapes, which says its own.
        OSError: If it cannot be read.
    """
    given = read_content(name)
    given_as = name if given_as is None else given_as
    if given is not None and is_model(given):
        # loaded for models alone: it loads all that is known of ONNX
        reading = importlib.import_module(_MODELS)
        model = reading.read_model(name, shapes, name=show_name(given_as), data=given)
        try:
            mod = model.to_module(freeze_params=freeze_params)
        except ModelError as error:
            raise ModelError(f"{model.name} is no valid model: {error}") from error
        return GivenFile(given_as, mod, Form.MODEL, model=model)
    if given == b"":
        raise ParseError(
            f"{show_name(given_as)} is empty; expected a model of ONNX, or a program as text or in "
            f"binary form"
        )
    if shapes:
        raise OptionError("--input-shape is for models of ONNX; a program says its own types")
    mod, form, source = program_in(
        given, name, shown=show_name(given_as), allow_unknown_ops=allow_unknown_ops
    )
    return GivenFile(given_as, mod, form, source)


@contextlib.contextmanager
def as_model(path: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the file of a model, and what is to be said of it.

    Of a program it is one that goes afterwards, with what the program is in ONNX.

    Args:
        path: A file that can be read again.
        name: What the command line calls it.

    Raises:
        RelayishError: If it holds a program that is no model in ONNX; a note says what takes it.
        OSError: If it cannot be read.
    """
    with Path(path).open("rb") as file:
        begin = file.read(LOOKED_AT)
    if begin and is_model(begin):
        yield path, ""
        return
    import tempfile  # noqa: PLC0415 - loaded only for programs that are to be models

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "model.onnx")
        try:
            given = read_any(path, given_as=name)
            importlib.import_module(_EXPORTER).save_onnx(given.mod, made)  # loaded as above
        except RelayishError as error:
            if begin:
                error.add_note(
                    f"{show_name(name)} holds no model of ONNX, and nothing that can be written "
                    f"as one; relayish opt runs passes over programs"
                )
            raise
        yield str(made), f"{show_name(name)} is a program; its result is compared with it in ONNX"


def is_model(data: bytes) -> bool:
    """Return whether data seem to be a model of ONNX: neither text nor a program in binary form."""
    if is_binary(data) or _CONTROL.search(data, 0, LOOKED_AT) is None:
        return False
    return _CONTROL.search(data, 0, _BEGIN) is not None or not _is_text(data[:LOOKED_AT])


def _is_text(data: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # it may end within a character
    except UnicodeDecodeError:
        return False
    return True


def write_like(given: GivenFile, mod: IRModule, name: str | None) -> None:
    """Write what became of a program: in the form of its file, or that of the name ``name``.

    A name that ends in ``.onnx`` is that of a model, one in ``.rly`` of a file in binary form; all
    else is text.

    Raises:
        ModelError: If it is to be a model, and is none.
        OSError: If the file cannot be written.
    """
    if name is None or not name.endswith(_MODEL_SUFFIX):
        write_program(mod, given.form, name)
        return
    is_beside = given.model is not None and given.model.has_external_data
    save = importlib.import_module(_EXPORTER).save_onnx  # loaded as above
    save(mod, name, external_data=is_beside or None)
