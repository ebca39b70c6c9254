"""Passes one after the other, on the first of the random programs; the rest is a command."""

from __future__ import annotations

import pytest

from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Function
from relayish.transform import create_function_pass, list_passes, register_pass
from tests.support import pipelines
from tests.support.seeds import seeds

SEEDS = seeds(40)


@pytest.mark.parametrize("first", range(0, len(SEEDS), 10))
def test_passes_in_random_order_keep_types_form_and_value(first: int) -> None:
    names = pipelines.composable()
    for seed in SEEDS[first : first + 10]:
        pipelines.check_pipeline(seed, names)


def test_passes_left_out_are_passes() -> None:
    assert set(list_passes()) >= pipelines.LEFT_OUT | pipelines.MAY_REFUSE


def test_a_pass_that_changes_the_value_is_caught_and_named() -> None:
    def empty(func: Function, *_: object) -> Function:
        return func.with_fields(body=func.params[0]) if func.params else func

    names = ["FoldConstant", "Empty", "InferType"]
    with declared_temporarily():
        register_pass()(create_function_pass(empty, 0, "Empty"))
        seed = next(
            s
            for s in range(100)
            if "Empty" in str(pipelines.pipeline(s, pipelines.program(s)[0], names))
        )
        with pytest.raises(AssertionError, match=f"pipeline {seed} "):
            pipelines.check_pipeline(seed, names)
        found = pipelines.culprit(seed, names)
    assert found is not None
    assert found.name == "Empty"
