"""The page of measurements shows every pass over Relay on programs that grow.

Passes over loops, the core and models of ONNX have no work there.
"""

from __future__ import annotations

import re

from relayish.passes import PASSES
from tests.test_architecture import ROOT


def test_every_pass_over_relay_has_been_put_through_large_programs():
    page = (ROOT / "bench" / "PASSES.md").read_text(encoding="utf-8")
    table = page.partition("Microseconds an operation, graph.\n")[2].partition("\nMicro")[0]
    measured = set(re.findall(r"^\| (\w+) \|", table, re.MULTILINE)) - {"pass"}
    others = ("loop_", "core_", "onnx_")
    over_relay = {name for name, module in PASSES.items() if not module.startswith(others)}
    assert measured == over_relay
