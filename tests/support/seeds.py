"""Which random programs a test tries: few and always the same, or, in the soak, many new ones.

``SOAK=20261128`` before ``pytest`` turns any test into a long one, which draws from that seed on;
``TIMES=100`` makes it longer still. ``make soak`` takes a seed for each day; these lie further
apart than any test draws, so that each day draws others.
"""

from __future__ import annotations

import os
from typing import Final

import pytest

SOAK: Final = int(os.environ.get("SOAK") or 0)
"""The first seed of the soak; 0 where an answer is wanted in minutes."""

TIMES: Final = int(os.environ.get("TIMES") or 10)
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
    """Return what lets a test of hypothesis take little time, but in the soak, from its seed on."""
    hypothesis = pytest.importorskip("hypothesis")
    checks = hypothesis.HealthCheck
    settings = hypothesis.settings(
        max_examples=many(examples),
        deadline=None,
        derandomize=not SOAK,
        suppress_health_check=[checks.filter_too_much, checks.too_slow],
    )
    return (lambda test: settings(hypothesis.seed(SOAK)(test))) if SOAK else settings
