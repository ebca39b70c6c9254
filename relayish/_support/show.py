"""What ``str`` shows of a program: its text, by a printer that stands high above what it prints.

The printer of Relay text puts itself here when it is imported. The face of the package, through
which users come, puts something here that imports it when first needed.
"""

from __future__ import annotations

from collections.abc import Callable

printer: Callable[[object], str] = repr


def text(thing: object) -> str:
    """Return ``thing`` as ``str`` is to show it."""
    return printer(thing)
