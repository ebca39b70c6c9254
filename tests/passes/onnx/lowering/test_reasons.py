"""What stays of a model is refused where loops are to be made: the operator, its place, and why."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx")

from relayish.codegen.c.network import lower_network
from relayish.errors import UnlowerableError
from tests.passes.onnx.graphs import read
from tests.support.each import each

pytestmark = pytest.mark.references

REFUSED = (
    ("(float[4] x) => (y) { y = NonZero(x) }", "NonZero_13", "follows from its data"),
    ("(float[4] x) => (y) { [drawn] y = RandomUniformLike(x) }", "at drawn:1:1", "random numbers"),
    (
        "(float[4] x, float r) => (y) { t = Constant<value = bool {1}>() y = Dropout(x, r, t) }",
        "Dropout_13", "its ratio is known only when it runs",
    ),
    (
        "(float[4] x, bool[4] c) => (y) { y = Compress(x, c) }",
        "Compress_11", "how much is left follows from its data",
    ),
    ("(float[4] x) => (y) { y = Bernoulli(x) }", "Bernoulli_15", "it draws random numbers"),
)  # fmt: skip
"""Graphs, what of an operator an error shows, and the reason that it gives."""


@each(("graph", "shown", "reason"), REFUSED)
def test_operator_that_stays_is_refused_by_its_reason(graph: str, shown: str, reason: str) -> None:
    with pytest.raises(UnlowerableError) as caught:
        lower_network(read(f"g {graph}", 18))
    told = str(caught.value)
    assert shown in told, told
    assert reason in told, told
