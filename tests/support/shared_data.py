"""Where the recorded facts about Relay are, which not every checkout has beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


def shared_path(name: str) -> Path:
    """Return the path of a recorded file or directory; skip the test where there is none."""
    given = os.environ.get("RELAYISH_SHARED")
    root = Path(given) if given else _REPOSITORY.parent / "shared"
    path = root / name
    if not path.exists():
        pytest.skip(f"no recorded data at {path}; set RELAYISH_SHARED to where they are")
    return path
