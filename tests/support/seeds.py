"""Which random programs a test tries: few and always the same, or, in the soak, many new ones.

``SOAK=20261128`` before ``pytest`` turns any test into a long one, which draws from that seed on;
``TIMES=100`` makes it longer still. ``make soak`` takes the date, so that each draws others.
"""

from __future__ import annotations

import os
from typing import Final

import pytest

SOAK: Final = int(os.environ.get("SOAK", "0"))
"""The first seed of the soak; 0 where an answer is wanted in minutes."""

TIMES: Final = int(os.environ.get("TIMES", "10"))
"""So many times as much is tried in the soak."""


def many(few: int, *, soak: int | None = None) -> int:
    """Return ``few``; in the soak ``soak``, where a test says how much is long for it, or more."""
    if not SOAK:
        return few
    return few * TIMES if soak is None else soak


def seeds(few: int, *, soak: int | None = None) -> range:
    """Return the seeds of so many programs: the first ones here, new ones in the soak."""
    return range(SOAK, SOAK + many(few, soak=soak))


def quickly(examples: int = 40):
    """Return settings of hypothesis for a test that takes little time, but in the soak."""
    hypothesis = pytest.importorskip("hypothesis")
    checks = hypothesis.HealthCheck
    return hypothesis.settings(
        max_examples=many(examples),
        deadline=None,
        derandomize=not SOAK,
        suppress_health_check=[checks.filter_too_much, checks.too_slow],
    )
