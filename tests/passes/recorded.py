"""What Apache TVM's passes made of programs, and how our results are compared with it."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

from shared_data import shared_path

from relayish.analysis.infer_type import infer_type
from relayish.ir.module import IRModule
from relayish.ir.structural_equal import assert_structural_equal
from relayish.text import parse
from relayish.transform import Pass, PassContext, Sequential, pass_entry

ELSEWHERE = frozenset({"AlterOpLayout", "ConvertLayout", "Legalize"})
"""Passes that were recorded and are none of relayish's."""


@cache
def pairs() -> dict[str, dict[str, Any]]:
    """Return every recorded run of one of relayish's passes, by the name of its case."""
    with gzip.open(shared_path("corpus/pairs.jsonl.gz"), "rt") as lines:
        found = {pair["test"]: pair for pair in map(json.loads, lines)}
    return {case: pair for case, pair in found.items() if not _names(pair) & ELSEWHERE}


def _names(pair: dict[str, Any]) -> set[str]:
    if pair["name"] != "Sequential":
        return {pair["name"]}
    return {name for name, _, _ in pair["args"]}


def recorded_pass(pair: dict[str, Any]) -> Pass:
    """Return the pass that was run, made anew."""
    if pair["name"] != "Sequential":
        return pass_entry(pair["name"]).factory(*pair["args"], **pair["kwargs"])
    steps = [pass_entry(name).factory(*args, **kwargs) for name, args, kwargs in pair["args"]]
    return Sequential(steps)


def run_recorded(pair: dict[str, Any]) -> IRModule:
    """Return what our pass makes of the recorded program, which is typed first as TVM's was."""
    before = infer_type(parse(pair["before"]))
    with PassContext(opt_level=pair["opt_level"]):
        return recorded_pass(pair)(before)


def assert_same_program(ours: IRModule, theirs: str) -> None:
    """Compare structures: as they are, or with both typed afresh where only types differ."""
    expected = parse(theirs)
    assert_structural_equal(infer_type(ours), infer_type(expected), map_free_vars=True)
