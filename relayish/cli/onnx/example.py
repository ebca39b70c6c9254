"""The model that is installed with relayish, for ``--example``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from relayish.errors import OptionError

EXAMPLE: Final = Path(__file__).parent / "small_network.onnx"
"""A small network with what exporters leave behind."""


def given_files(args: argparse.Namespace) -> Sequence[str]:
    """Return the files that a command was given: by their names, or the example.

    Raises:
        OptionError: If there is none, or both are given.
    """
    given: Sequence[str] = args.files
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
