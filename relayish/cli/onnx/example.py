"""The model that is installed with relayish, for ``--example``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
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
    return _given(args, [] if args.file is None else [args.file])[0]


def given_files(args: argparse.Namespace) -> Sequence[str]:
    """Return the files that a command was given, as :func:`given_file` does one.

    Raises:
        OptionError: As there.
    """
    return _given(args, args.files)


def _given(args: argparse.Namespace, given: Sequence[str]) -> Sequence[str]:
    if args.example and given:
        raise OptionError(f"--example stands for a file; found {given[0]!r} as well; leave one out")
    if args.example:
        return [str(EXAMPLE)]
    if not given:
        raise OptionError(
            f"no file is given; write relayish {args.command} FILE, or --example for the model "
            f"that relayish has with it"
        )
    return given
