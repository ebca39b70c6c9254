"""Scripts as people write them for TVM run when only their imports change."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from relayish.ir.nodes.node import declared_temporarily
from tests.support.compiled_loops import skip_without_compiler

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "cases" / "tvm_scripts").glob("*.py"))


def ported(text: str) -> str:
    """Return a script with other imports."""
    text = re.sub(r"^import tvm$", "import relayish.tvm as tvm", text, flags=re.MULTILINE)
    return re.sub(r"^(from|import) tvm\b", r"\1 relayish.tvm", text, flags=re.MULTILINE)


@pytest.mark.slow("some compile networks")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script_runs_when_its_imports_say_relayish(path, monkeypatch):
    source = path.read_text(encoding="utf-8")
    assert re.search(r"^(import|from) tvm\b", source, re.MULTILINE)
    if re.search(r"relay\.build\(|\"aot\"", source):
        skip_without_compiler()
    monkeypatch.setattr(sys, "argv", [str(path)])
    with declared_temporarily():
        exec(compile(ported(source), str(path), "exec"), {"__name__": path.stem})
