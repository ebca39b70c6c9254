from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def _collect_afterwards():
    """Deep programs are millions of live objects; looking through them again and again is slow."""
    gc.disable()
    yield
    gc.enable()
