"""Golden graphs: what passes make of graphs of ONNX, as text, in files of tests/cases/onnx.

A file holds groups of cases, one below the other; a group shows one thing::

    // run: FuseGelu{...}
    // What the cases show, in one sentence.
    m (float[2, 3] x) => (float[2, 3] y) { a = Relu(x) b = Relu(a) y = Neg(b) }
    ==> Relu Neg
    m (float[2, 3] x) => (float[2, 3] y) { y = Exp(x) }
    ==> the same // why

What comes out are the operators in their order, graphs behind their node and constants left out;
``the same`` is the very module. Before and after, the graph computes the same of random inputs:
exactly, or with ``// values: close`` as far as rounding lets it. Further lines of a head may be
``// opset: 13`` (17 otherwise), ``// of: float16``, ``// sizes: n=5`` for named sizes of inputs (3
otherwise), and ``// numbers: float A = {1}`` for initializers that stand for ``<numbers>``. The
operators of the domain ``my`` are functions that stand behind the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx

from relayish.frontend.onnx import from_onnx, to_onnx
from tests.passes.onnx.graphs import make_half, operators, parse, random_feeds, run
from tests.support.goldens import run_pipeline

OPTIONS = frozenset({"opset", "of", "sizes", "numbers", "values"})


class Golden(NamedTuple):
    """A case: what is run, what that shows, a graph, and what comes out."""

    pipeline: str
    shows: str
    options: dict[str, str]
    graph: str
    answer: str


def read_goldens(path: Path) -> Iterator[Golden]:
    """Yield the cases of a file."""
    for group in re.split(r"\n+(?=// run: )", path.read_text().strip()):
        head, body = re.split(r"\n(?!//)", group, maxsplit=1)
        run, shows, *more = head.replace("\n//   ", " ").removeprefix("// ").split("\n// ")
        options = dict(line.split(": ", 1) for line in more)
        body = body.replace("<numbers", f"<{options.get('numbers')}")
        form = re.compile(r"((?:^(?!==>).*\n)+)==>(?: ([^/\n]*?))?(?: // .*)?$", re.MULTILINE)
        cases = form.findall(body)
        assert cases, f"{path.name}: {shows} has no case"
        assert not form.sub("", body).strip(), f"{path.name}: {shows} has other lines"
        assert options.keys() <= OPTIONS, f"{path.name}: {shows} has other options"
        for graph, answer in cases:
            yield Golden(run.removeprefix("run: "), shows, options, graph, answer)


def check_golden(case: Golden) -> None:
    """Check that a pipeline does what a case says, and nothing more where it is run again."""
    model = parse(case.graph, int(case.options.get("opset", "17")))
    if "of" in case.options:
        make_half(model)
    mod = from_onnx(model)
    image = run_pipeline(case.pipeline, mod)
    if case.answer == "the same":
        assert image is mod, operators(image)
        return
    assert operators(image) == case.answer.split()
    assert run_pipeline(case.pipeline, image) is image, "it is idempotent"
    onnx.checker.check_model(to_onnx(image), full_check=True)
    sizes = [size.split("=") for size in case.options.get("sizes", "").split()]
    for seed in range(2):
        feeds = random_feeds(mod, seed, **{name: int(size) for name, size in sizes})
        assert_same_values(run(mod, feeds), run(image, feeds), close="values" in case.options)


def assert_same_values(before: list[Any], after: list[Any], *, close: bool) -> None:
    """Check that two lists of arrays are equal, or as near as their element types let them be."""
    for one, other in zip(before, after, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        accuracy = (2e-2 if one.dtype == np.float16 else 1e-4) if close else 0
        np.testing.assert_allclose(
            one.astype(np.float64), other.astype(np.float64), rtol=accuracy, atol=accuracy
        )
