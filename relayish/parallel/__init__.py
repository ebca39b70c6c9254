"""Work on many items by many workers: threads, processes, Dask, Ray, or any other executor.

It knows nothing of programs: items, functions and bytes that items share. Every name is loaded from
the module it lives in when it is first asked for.
"""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import load_name, set_face
from relayish._support.missing import find_missing
from relayish.errors import suggest

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.parallel.engines": ("Workers",),
    "relayish.parallel.map_over": ("map_over",),
    "relayish.parallel.outcome": ("Outcome",),
    "relayish.parallel.processes": ("ProcessExecutor",),
    "relayish.parallel.sharing": ("Packed", "Share", "Transport"),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)  # noqa: PLE0605 - a tuple of names


def __getattr__(name: str) -> object:
    """Load a name."""
    found = load_name(__name__, name)
    if found is None:
        near = suggest(name, __all__)
        return find_missing(__name__, name, f"module {__name__!r} has no attribute {name!r}{near}")
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
