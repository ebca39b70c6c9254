"""When garbage is collected, and what is forgotten."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from relayish.ir.declarations import declared_temporarily

MUCH = 200_000
"""So many more objects made than freed that a test is cleaned up after at once."""


def pytest_collection_finish() -> None:
    """Let what there is before the first test be old, which collections between tests pass over."""
    gc.collect()


@pytest.fixture(autouse=True)
def _collect_between_tests() -> Iterator[None]:
    """Deep programs are millions of live objects; looking through them again and again is slow."""
    gc.disable()
    yield
    gc.enable()
    if gc.get_count()[0] > MUCH:
        gc.collect(1)


@pytest.fixture
def declarations() -> Iterator[None]:
    """Whatever a test declares or registers is forgotten after it."""
    with declared_temporarily():
        yield
