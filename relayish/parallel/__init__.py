"""Work on many items by many workers: threads, processes, Dask, Ray, or any other executor.

It knows nothing of programs: items, functions and bytes that items share. Every name is loaded from
the module it lives in when it is first asked for.
"""

from __future__ import annotations

from typing import Final

from relayish._support.lazy_face import set_face

_FACE: Final[dict[str, tuple[str, ...]]] = {
    "relayish.parallel.engines": ("Workers",),
    "relayish.parallel.map_over": ("map_over",),
    "relayish.parallel.outcome": ("Outcome",),
    "relayish.parallel.processes": ("ProcessExecutor",),
    "relayish.parallel.sharing": ("Packed", "Share", "Transport"),
}
"""By module: the names that are found here."""

__all__ = set_face(__name__, _FACE)  # noqa: PLE0605 - a tuple of names
