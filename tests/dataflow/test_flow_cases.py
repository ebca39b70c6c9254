"""Flow analyses of small programs: what they say before and after each line.

The cases are in ``tests/cases/dataflow``: an analysis, with the names of what is live at the end,
and the program with what is known as comments, which are skipped where it is read.
"""

from __future__ import annotations

from relayish import tir
from relayish.dataflow import analyse
from relayish.dataflow.analyses import Liveness
from relayish.dataflow.annotated import annotated_text
from relayish.text import parse_expr
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

LOOPS, RELAY = [read_cases(CASES / "dataflow" / f"{name}.txt") for name in ("loops", "relay")]


@each("name", LOOPS)
def test_analysis_of_loops_says(name: str) -> None:
    head, text = LOOPS[name]
    analysis, *names = head.split()
    program = tir.parse(text)
    live = tir.collect_ir_nodes(program, lambda n: isinstance(n, tir.Var) and n.name in names)
    made = Liveness.with_live_out(live) if names else analysis
    assert annotated_text(analyse(program, made)) == text


@each("name", RELAY)
def test_analysis_of_relay_says(name: str) -> None:
    analysis, text = RELAY[name]
    assert annotated_text(analyse(parse_expr(text), analysis)) == text
