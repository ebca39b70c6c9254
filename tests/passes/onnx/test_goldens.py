"""Passes make of graphs of ONNX what the cases in ``tests/cases/onnx`` say."""

from __future__ import annotations

from pathlib import Path

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.goldens import check_golden, read_goldens  # noqa: E402
from tests.support.each import each  # noqa: E402
from tests.support.goldens import CASES  # noqa: E402

pytestmark = pytest.mark.references


@pytest.mark.parametrize("path", sorted((CASES / "onnx").glob("*.txt")), ids=lambda path: path.stem)
def test_passes_make_of_graphs_what_cases_say(path: Path) -> None:
    each("case", read_goldens(path))(check_golden)()


@pytest.mark.parametrize(
    "text",
    ["// opst: 13\nm () => () {}\n==> Relu", "m () => () {}", "m () => () {}\n==> Relu\nm () {}"],
)
def test_case_that_would_be_left_out_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "Pass.txt"
    path.write_text(f"// run: Pass\n// It shows.\n{text}\n")
    with pytest.raises(AssertionError, match=r"Pass\.txt"):
        list(read_goldens(path))
