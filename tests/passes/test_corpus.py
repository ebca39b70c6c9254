"""Folding as recorded from Relay itself."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from relayish.functor import ExprMutator
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import get_pass
from tests.support.shared_data import shared_path

RECORDED = 7


class _WithoutTypes(ExprMutator):
    """Drops what type inference put in: return types and type arguments."""

    def visit_function(self, func: Function) -> Expr:
        return func.with_fields(ret_type=None, body=self.visit(func.body))

    def visit_call(self, call: Call) -> Expr:
        return call.with_fields(
            op=self.visit(call.op), args=self.mutate_all(call.args), type_args=()
        )


def _without_types(mod: IRModule) -> IRModule:
    return mod.with_functions({k: _WithoutTypes().visit(v) for k, v in mod.functions.items()})


def _recorded() -> list[dict[str, Any]]:
    with gzip.open(shared_path("corpus/pairs.jsonl.gz"), "rt") as lines:
        return [pair for pair in map(json.loads, lines) if pair["name"] == "FoldConstant"]


@pytest.mark.parametrize("index", range(RECORDED))
def test_folding_gives_what_relay_gives(index: int) -> None:
    pairs = _recorded()
    assert len(pairs) == RECORDED
    pair = pairs[index]
    after = get_pass("FoldConstant", **pair["kwargs"])(parse(pair["before"]))
    assert_structural_equal(_without_types(after), _without_types(parse(pair["after"])))
