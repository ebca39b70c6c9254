"""Scripts as people write them for TVM run when only their imports change."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from relayish.ir.nodes.node import declared_temporarily
from tests.support.compiled_loops import skip_without_compiler

ROOT = Path(__file__).parent.parent
IMPORT_OF_ONNX = re.compile(r"^import onnx$", re.MULTILINE)


def script(path: Path) -> Any:  # Any: a parameter
    """Return a script, marked where it needs a package that may be missing."""
    needs_onnx = IMPORT_OF_ONNX.search(path.read_text(encoding="utf-8"))
    return pytest.param(path, id=path.stem, marks=[pytest.mark.references] if needs_onnx else [])


SCRIPTS = [script(path) for path in sorted((ROOT / "cases" / "tvm_scripts").glob("*.py"))]


def ported(text: str) -> str:
    """Return a script with other imports."""
    text = re.sub(r"^import tvm$", "import relayish.tvm as tvm", text, flags=re.MULTILINE)
    return re.sub(r"^(from|import) tvm\b", r"\1 relayish.tvm", text, flags=re.MULTILINE)


@pytest.mark.slow("some compile networks")
@pytest.mark.parametrize("path", SCRIPTS)
def test_script_runs_when_its_imports_say_relayish(path, monkeypatch):
    source = path.read_text(encoding="utf-8")
    assert re.search(r"^(import|from) tvm\b", source, re.MULTILINE)
    if IMPORT_OF_ONNX.search(source):
        pytest.importorskip("onnx")
    if re.search(r"relay\.build\(|\"aot\"", source):
        skip_without_compiler()
    monkeypatch.setattr(sys, "argv", [str(path)])
    with declared_temporarily():
        exec(compile(ported(source), str(path), "exec"), {"__name__": path.stem})
