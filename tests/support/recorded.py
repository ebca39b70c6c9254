"""What Apache TVM's passes made of programs, and how our results are compared with it."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

from relayish.analysis.call_graph import count_global_references
from relayish.analysis.infer_type import infer_type
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.op.declaration.target import register_target_support
from relayish.transform import Pass, PassContext, Sequential, pass_entry
from tests.support.shared_data import shared_path
from tests.support.typed_text import parsed, typed

ELSEWHERE = frozenset(
    {
        "FakeQuantizationToInteger",
    }
)
"""Passes that were recorded and are none of relayish's."""

FILES = ("pairs", "pairs_layout_quantisation")

for _name in ("add", "nn.conv2d"):  # of what TVM offers to this compiler
    register_target_support(_name, "dnnl", replace=True)
register_target_support("nn.softmax", "example", replace=True)


@cache
def pairs() -> dict[str, dict[str, Any]]:
    """Return every recorded run of one of relayish's passes, by the name of its case."""
    found: dict[str, dict[str, Any]] = {}
    for name in FILES:
        with gzip.open(shared_path(f"corpus/{name}.jsonl.gz"), "rt") as lines:
            found |= {pair["test"]: pair for pair in map(json.loads, lines)}
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
    before = typed(pair["before"])
    with PassContext(opt_level=pair["opt_level"]):
        return recorded_pass(pair)(before)


def assert_same_program(ours: IRModule, theirs: str) -> None:
    """Compare structures: as they are, or with both typed afresh where only types differ."""
    expected = with_names_in_order(parsed(theirs))
    inferred = typed(theirs) if expected is parsed(theirs) else infer_type(expected)
    assert_structural_equal(infer_type(with_names_in_order(ours)), inferred, map_free_vars=True)


MADE_UP = ("lifted_name", "deduplicated_")
"""What the names begin with that passes make of hashes."""


def with_names_in_order(mod: IRModule, made_up: tuple[str, ...] = MADE_UP) -> IRModule:
    """Return ``mod`` with the functions whose names a pass made up numbered by first reference.

    References are followed from the functions whose names somebody chose, in order of name.
    """
    chosen = [name for name in mod if not name.name_hint.startswith(made_up)]
    names = {name: name for name in chosen}
    pending = chosen[::-1]
    while pending:
        reached = []
        for referred in count_global_references(mod[pending.pop()]):
            if referred in mod and (name := mod.get_global_var(referred)) not in names:
                stem = next(filter(referred.startswith, made_up))
                names[name] = GlobalVar(f"{stem}{len(names) - len(chosen) + 1}")
                reached.append(name)
        pending += reversed(reached)
    assert len(names) == len(mod), "nobody refers to a function that a pass made up"
    if len(names) == len(chosen):
        return mod
    renamer = _Renamer({name.name_hint: image for name, image in names.items()})
    functions = {names[n]: post_order_rewrite(func, renamer) for n, func in mod.functions.items()}
    return IRModule(functions, mod.type_definitions, mod.attrs)


class _Renamer(ExprRewriter):
    def __init__(self, names: dict[str, GlobalVar]) -> None:
        self._names = names

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        return self._names.get(pre.name_hint, post)
