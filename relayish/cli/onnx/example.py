"""The model that is installed with relayish, for ``--example``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from relayish.errors import OptionError

EXAMPLE: Final = Path(__file__).parent / "small_network.onnx"
"""A small network with what exporters leave behind."""


def given_file(args: argparse.Namespace) -> str:
    """Return the file that a command was given: by its name, or the example.

    Raises:
        OptionError: If neither is given, or both are.
    """
    given: str | None = args.file
    if args.example and given is not None:
        raise OptionError(f"--example stands for a file; found {given!r} as well; leave one out")
    if args.example:
        return str(EXAMPLE)
    if given is None:
        raise OptionError(
            f"no file is given; write relayish {args.command} FILE, or --example for the model "
            f"that relayish has with it"
        )
    return given
