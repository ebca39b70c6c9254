from __future__ import annotations

import subprocess
import sys

import pytest

from relayish import transform
from relayish.errors import PassError
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.passes.relay.default_pipeline import DEFAULT_PASSES, LEVELS

LEVEL_OF = {
    "RemoveUnusedFunctions": 1,
    "ToBasicBlockNormalForm": 1,
    "SimplifyInference": 0,
    "EliminateCommonSubexpr": 3,
    "CombineParallelConv2D": 4,
    "CombineParallelDense": 4,
    "CombineParallelBatchMatmul": 4,
    "FoldConstant": 2,
    "FoldScaleAxis": 0,
    "SimplifyExpr": 0,
    "CanonicalizeCast": 3,
    "CanonicalizeOps": 3,
    "FlattenAtrousConv": 0,
    "FastMath": 4,
    "InferType": 0,
}
"""The levels at which Relay has them."""


class Names(transform.PassInstrument):
    """Notes which passes begin, and how often a context is entered."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.levels: set[int] = set()
        self.entered = 0

    def enter_pass_ctx(self) -> None:
        self.entered += 1

    def run_before_pass(self, mod, info):
        self.names.append(info.name)
        self.levels.add(transform.PassContext.current().opt_level)


def program() -> IRModule:
    x = var("x", shape=(2,))
    unused = Function((), const(1.0))
    return IRModule({"main": Function((x,), x + (const(1.0) + const(2.0))), "unused": unused})


def is_folded(mod: IRModule) -> bool:
    return isinstance(mod["main"].body.args[1], Constant)


@pytest.mark.parametrize("name", sorted(LEVEL_OF))
def test_default_passes_have_the_levels_of_relay(name: str) -> None:
    assert transform.pass_entry(name).info.opt_level == LEVEL_OF[name]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("around", [0, 2, 4])
def test_passes_of_the_level_run_in_order_whatever_the_context(level: int, around: int) -> None:
    expected = [name for name in DEFAULT_PASSES if LEVEL_OF[name] <= level]
    names = Names()
    with transform.PassContext(around, instruments=[names]):
        transform.default_pipeline(level)(program())
    begun = iter(names.names)  # with what passes require and run inside them
    assert all(name in begun for name in expected)
    assert not [name for name in names.names if LEVEL_OF.get(name, 0) > level]


def test_level_of_the_pipeline_counts_inside_it_alone() -> None:
    names = Names()
    with transform.PassContext(1, instruments=[names]) as ctx:
        transform.default_pipeline(3)(program())
        assert transform.PassContext.current() is ctx
    assert names.levels == {1, 3}  # the pipeline itself begins under the context around it
    assert names.entered == 1


def test_rest_of_the_context_counts() -> None:
    with transform.PassContext(disabled_pass=["FoldConstant", "FoldScaleAxis"]):
        assert not is_folded(transform.default_pipeline(2)(program()))
    assert is_folded(transform.default_pipeline(2)(program()))


def test_pipelines_go_by_their_levels_in_texts() -> None:
    pipeline = transform.parse_pipeline("O1,FoldConstant")
    assert [pass_.info.name for pass_ in pipeline.passes] == ["O1", "FoldConstant"]
    out = pipeline(program())
    assert is_folded(out)
    assert "unused" not in out
    assert transform.get_pass("relayish.pass_.O0").info.name == "O0"


def test_pipeline_of_texts_keeps_its_level_beside_others() -> None:
    out = transform.Sequential(["O0"])(program())
    assert "unused" in out
    assert not is_folded(out)


def test_plan_says_what_runs() -> None:
    for level in LEVELS:
        names = Names()
        with transform.PassContext(instruments=[names]) as ctx:
            transform.default_pipeline(level)(program())
            planned = [pass_.info.name for pass_ in transform.default_pipeline(level).plan(ctx)]
        begun = iter(names.names)
        assert all(name in begun for name in planned)


@pytest.mark.parametrize("level", [-1, 5, True, 2.0, "2", None])
def test_level_that_is_none_is_an_error(level: object) -> None:
    with pytest.raises(PassError, match="there is no default pipeline of level"):
        transform.default_pipeline(level)


def test_importing_the_pipelines_imports_no_pass() -> None:
    script = (
        "import sys, relayish.transform; "
        "print([name for name in sys.modules if name.startswith('relayish.passes')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['relayish.passes']"  # the table


def test_level_is_two_where_none_is_given() -> None:
    assert transform.default_pipeline().level == 2
