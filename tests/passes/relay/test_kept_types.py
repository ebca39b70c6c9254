"""Passes that hand types on, so that none has to be inferred anew."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from relayish.analysis.carried_types import stale_types
from relayish.analysis.infer_type import infer_type
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.standing import made_for
from tests.support.typed_text import program

KEEPING = {"AnnotateTarget": 0, "FuseOps": 0, "LambdaLift": 0, "LiftBranchBody": 0} | {
    "PartitionANF": 1  # once A-normal form is reached
}
"""How often each looks at a module of one function to infer types."""

TEXT = """
    def @main(%x: Tensor[(2, 3), float32], %c: bool) -> (Tensor[(2, 3), float32], int32) {
      let %r = ref(1);
      let %f = fn (%y: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
        if (%c) { exp(add(%y, %x)) } else { %x }
      };
      let %pair = (%f(%x), ref_read(%r));
      (add(%pair.0, multiply(%x, 2f)), %pair.1)
    }
"""


@pytest.mark.parametrize("name", KEEPING)
def test_no_type_is_inferred_anew_of_a_typed_module(name, monkeypatch):
    mod = infer_type(program(TEXT))
    (pass_, *_) = made_for(name, mod)
    module = import_module("relayish.analysis.infer_type.program")
    annotated, looks = module._annotated, list[object]()

    def look(*args: Any, **options: Any) -> object:  # Any: as those of the function
        looks.append(args)
        return annotated(*args, **options)

    monkeypatch.setattr(module, "_annotated", look)
    assert pass_(mod) is not mod
    assert len(looks) == KEEPING[name]


@pytest.mark.parametrize("name", KEEPING)
def test_types_that_are_handed_on_are_those_that_would_be_inferred(name):
    for seed in seeds(4):
        mod = infer_type(random_module(seed, 40))
        for pass_ in made_for(name, mod):
            out = pass_(mod)
            assert not list(stale_types(out, infer_type(out, fresh=True)))
