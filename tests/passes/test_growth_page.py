"""The page of measurements shows every pass over Relay and over ONNX on programs that grow.

Passes over loops and the core have no work there.
"""

from __future__ import annotations

import re

import pytest

from relayish.passes import PASSES
from tests.support.large_onnx import LARGE_ONNX, ROOMS
from tests.test_architecture import ROOT


def measured(title: str) -> set[str]:
    """Return the passes of a table."""
    page = (ROOT / "bench" / "PASSES.md").read_text(encoding="utf-8")
    table = page.partition(f"{title}.\n\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^\| (\w+) \|", table, re.MULTILINE)) - {"pass"}


def test_every_pass_over_relay_has_been_put_through_large_programs():
    others = ("loops.", "core.", *ROOMS)
    over_relay = {name for name, module in PASSES.items() if not module.startswith(others)}
    assert measured("Microseconds an operation, graph") == over_relay


@pytest.mark.parametrize("name", LARGE_ONNX)
def test_every_pass_over_onnx_has_been_put_through_large_models(name):
    over_onnx = {name for name, module in PASSES.items() if module.startswith(ROOMS)}
    assert measured(f"Microseconds a node, {name}") == over_onnx
