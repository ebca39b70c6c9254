"""Deprecation: names that go are found under those that took their place, with a warning.

``docs/stability.md`` tells users how long that is.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any, Final, NamedTuple

_ROOT: Final = __name__.partition(".")[0]


class Retired(NamedTuple):
    """What became of a name.

    Attributes:
        now: What took its place, without ``relayish.``: ``analysis.free_vars``.
        goes: The first release without the old name: ``0.5.0``.
    """

    now: str
    goes: str


RETIRED: Final[dict[str, Retired]] = {
    "testing.check_op": Retired("testing.opcheck", "0.5.0"),
}
"""By the name that goes, without ``relayish.``; that of a pass stands in ``transform``."""


def find_retired(module: str, name: str) -> Any | None:  # Any: whatever goes by the name
    """Return what took the place of a name that ``module`` lacks; ``None`` if nothing did.

    Warns:
        DeprecationWarning: If something did.
    """
    now = name_now(f"{module}.{name}".removeprefix(f"{_ROOT}."))
    if now is None:
        return None
    home, _, newer = f"{_ROOT}.{now}".rpartition(".")
    return getattr(import_module(home), newer)


def name_now(old: str) -> str | None:
    """Return the name that took the place of ``old``; ``None`` if none did.

    Warns:
        DeprecationWarning: If one did; where the library was called.
    """
    retired = RETIRED.get(old)
    if retired is None:
        return None
    warnings.warn(
        f"{_ROOT}.{old} goes in {_ROOT} {retired.goes}; write {_ROOT}.{retired.now}",
        DeprecationWarning,
        stacklevel=_frames_within(),
    )
    return retired.now


def _frames_within() -> int:
    """Return how many frames above the caller the library was called, as ``warn`` counts them."""
    count, frame = 1, sys._getframe(1).f_back  # noqa: SLF001 - there is no other way to tell
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == _ROOT:
            count += 1
        elif not module.startswith("importlib._bootstrap"):  # which warn passes over
            return count + 1
        frame = frame.f_back
    return count
