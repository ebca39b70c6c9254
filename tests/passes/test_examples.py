"""Every pass has an example, and does what its example shows.

An example is a file in ``tests/cases/passes``, called after its pass (``FoldConstant.relay``,
further ones ``FoldConstant.what.relay``)::

    // run: FoldConstant{fold_qnn=true}
    // What the example shows, in one sentence.
    def @main(...) { ... }
    ==>
    def @main(...) { ... }

``// run:`` is the pipeline. A pass whose result is no program of its own, or that takes Python
objects, has its example in the docstring of its class.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relayish.text import parse
from relayish.transform import PassContext, parse_pipeline
from tests.support.recorded import assert_same_program

HEADER = '#[version = "0.0.5"]\n'
DIRECTORY = Path(__file__).parent.parent / "cases" / "passes"
OF_ONNX, OTHERS = [], []
for path in sorted(DIRECTORY.glob("*.relay")):
    name = path.name.removesuffix(".relay")
    (OF_ONNX if "onnx::" in path.read_text() else OTHERS).append(name)


@pytest.mark.parametrize("case", OTHERS)
def test_pass_does_what_its_example_shows(case: str) -> None:
    check_example(case)


@pytest.mark.references
@pytest.mark.parametrize("case", OF_ONNX)
def test_pass_does_what_its_example_of_a_model_shows(case: str) -> None:
    pytest.importorskip("onnx")
    check_example(case)


def check_example(case: str) -> None:
    text = (DIRECTORY / f"{case}.relay").read_text()
    before, arrow, after = text.partition("\n==>\n")
    assert arrow, "an example has ==> between before and after"
    found = re.match(r"// run: (?P<pipeline>.*)\n// (?P<sentence>.*)\n", before)
    assert found is not None, "an example begins with its pipeline and a sentence"
    with PassContext(opt_level=4):
        ours = parse_pipeline(found["pipeline"])(parse(HEADER + before))
    assert_same_program(ours, HEADER + after)
