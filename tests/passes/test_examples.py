"""Every pass has an example, and does what its examples show.

The first is a file in ``tests/cases/passes``, called after its pass (``FoldConstant.relay``,
further ones ``FoldConstant.what.relay``), which the documentation shows; more stand in
``tests/cases/rewrites``, many in a file. ``tests/support/goldens.py`` tells how they are written.
A pass whose result is no program of its own, or that takes Python objects, has its example in the
docstring of its class.
"""

from __future__ import annotations

import pytest

from tests.support.goldens import CASES, Golden, check_golden, read_goldens

EXAMPLES = [
    pytest.param(
        case,
        id=f"{path.stem}: {case.shows}",
        marks=[pytest.mark.references] if "onnx::" in case.before + case.after else [],
    )
    for folder in ("passes", "rewrites")
    for path in sorted((CASES / folder).glob("*.relay"))
    for case in read_goldens(path).values()
]


@pytest.mark.parametrize("case", EXAMPLES)
def test_pass_does_what_its_example_shows(case: Golden) -> None:
    if "onnx::" in case.before + case.after:
        pytest.importorskip("onnx")
    check_golden(case)
