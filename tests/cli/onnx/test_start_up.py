"""What optimising a model imports."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx")

from tests.support.start_up import imported_by, own

pytestmark = pytest.mark.references


@pytest.mark.slow("a process that imports onnx, and optimises")
def test_optimising_a_model_imports_no_other_language_and_no_workers() -> None:
    modules = imported_by(["optimize", "--example", "--verify", "0"])
    assert len(own(modules)) <= 710
    assert not own(modules, "codegen", "core", "dataflow", "parallel.engines", "tir", "tuning")
    assert not modules & {"multiprocessing", "onnxruntime", "rich"}
