"""Hooks for the text of programs: printers stand high above what they print.

The printer of Relay text puts itself here when it is imported. The faces of packages, through which
users come, put something here that imports it when first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

printer: Callable[[object], str] = repr
"""What ``str`` shows of a program."""

writer: Callable[[Any], str] = repr  # Any: a module
"""The text of a module with its metadata, which parses back to the same."""


def text(thing: object) -> str:
    """Return ``thing`` as ``str`` is to show it."""
    return printer(thing)
