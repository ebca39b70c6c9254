"""Files that hold programs or models of any kind, told by their content, not by their names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from relayish.binary import is_binary
from relayish.cli.files import program_in, read_content, show_name
from relayish.cli.forms import Form
from relayish.cli.onnx.reading import ModelFile, read_model
from relayish.ir.relay.module import IRModule

_LOOKED_AT: Final = 4096
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that stand in no program; the first of a model is such a one."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """What a file holds.

    Attributes:
        name: The file as it was given.
        mod: The program; of a model, what it is as one.
        form: The form in which to print it.
        model: The model, if it is one of ONNX.
    """

    name: str
    mod: IRModule
    form: Form
    model: ModelFile | None = None


def read_any(name: str, *, allow_unknown_ops: bool = False) -> GivenFile:
    """Return what a file holds: Relay text, loops, core, a program in binary form, a model of ONNX.

    The file is read once, so that it may be a pipe.

    Args:
        name: The file; ``-`` for standard input.
        allow_unknown_ops: Whether operators are read that nobody declared.

    Raises:
        RelayishError: If it holds none of these; which, depends on what it seems to hold.
        OSError: If it cannot be read.
    """
    given = read_content(name)
    if given is not None and is_model(given):
        model = read_model(name, name=show_name(name), data=given)
        return GivenFile(name, model.to_module(), Form.RELAY, model)
    mod, form, _ = program_in(given, name, allow_unknown_ops=allow_unknown_ops)
    return GivenFile(name, mod, form)


def is_model(data: bytes) -> bool:
    """Return whether data seem to be a model of ONNX: neither text nor a program in binary form."""
    return _CONTROL.search(data, 0, _LOOKED_AT) is not None and not is_binary(data)
