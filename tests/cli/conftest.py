from __future__ import annotations

from pathlib import Path

import pytest

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
