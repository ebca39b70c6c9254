from __future__ import annotations

import mini
import pytest


@pytest.fixture(autouse=True)
def _mini_is_declared_here_only():
    """Other test files look at all kinds there are."""
    with mini.DECLARED:
        yield
