"""What commands import: those that list nothing but themselves, others what programs take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.start_up import imported_by, own

PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8, 14, 14), float32], %w: Tensor[(16, 8, 3, 3), float32]) {
  nn.relu(nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3]))
}
"""

LISTS = [
    ["--help"],
    ["--version"],
    ["opt", "--help"],
    ["completion", "bash"],
    ["completion", "zsh", "--reply", "opt", "-p", "Fold"],
    ["passes"],
    ["passes", "--json"],
    ["passes", "InferType"],
    ["passes", "--instruments"],
    ["domains"],
    ["domains", "vision", "--json"],
    ["analyse", "--list"],
]
SPARED = (
    "codegen",
    "core",
    "dataflow",
    "draw.page",
    "interpreter",
    "onnx.kernels.activations",
    "parallel.engines",
    "tir",
    "tuning",
)
"""Parts of relayish that a program of Relay takes nothing of."""


def test_lists_import_neither_numpy_nor_the_representation() -> None:
    modules = imported_by(*LISTS)
    assert not own(modules) - own(modules, "_kernel", "_support", "cli", "errors") - {"relayish"}
    assert len(own(modules)) <= 30
    assert len(modules) <= 230
    assert not modules & {"numpy", "onnx", "difflib", "hashlib", "logging", "multiprocessing"}


@pytest.mark.parametrize(
    ("words", "most"),
    [(["show"], 360), (["check"], 360), (["opt", "-p", "InferType"], 480)],
)
def test_command_imports_what_a_program_takes(words: list[str], most: int, tmp_path: Path) -> None:
    program = tmp_path / "program.relay"
    program.write_text(PROGRAM)
    modules = imported_by([words[0], str(program), *words[1:]])
    assert len(own(modules)) <= most
    assert not own(modules, *SPARED)
    assert not modules & {"onnx", "fractions", "ml_dtypes", "multiprocessing", "rich", "tempfile"}
