"""Every pass has an example, and does what its examples show.

The first is a file in ``tests/cases/passes``, called after its pass (``FoldConstant.relay``,
further ones ``FoldConstant.what.relay``), which the documentation shows; more stand in
``tests/cases/rewrites``, many in a file. ``tests/support/goldens.py`` tells how they are written.
A pass whose result is no program of its own, or that takes Python objects, has its example in the
docstring of its class.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.goldens import CASES, check_golden, read_goldens

EXAMPLES = [
    pytest.param(
        path,
        id=f"{folder}/{path.stem}",
        marks=[pytest.mark.references] if "onnx::" in path.read_text() else [],
    )
    for folder in ("passes", "rewrites")
    for path in sorted((CASES / folder).glob("*.relay"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_pass_does_what_its_examples_show(path: Path) -> None:
    if "onnx::" in path.read_text():
        pytest.importorskip("onnx")
    for case in read_goldens(path).values():
        try:
            check_golden(case)
        except BaseException as error:
            error.add_note(f"{path.name}: {case.shows}")
            raise
