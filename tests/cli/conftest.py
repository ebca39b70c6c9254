from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.ir.declarations import declared_temporarily

PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  add(%x, add(1f, 2f))
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def registry() -> Iterator[None]:
    """Whatever a test registers is forgotten after it."""
    with declared_temporarily():
        yield
