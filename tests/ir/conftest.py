"""Deep programs are many objects without cycles, which collecting would only walk over and over."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def _collect_nothing():
    gc.disable()
    yield
    gc.enable()
