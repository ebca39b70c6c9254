"""What passes say they preserve, they preserve: found again on random programs and examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from relayish import tir, transform
from relayish.dataflow import analyse, register_analysis
from relayish.dataflow.analyses import Liveness
from relayish.errors import PassError, UnknownNameError
from relayish.ir.modules.module import AnyModule
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Function, If, Let
from relayish.ir.relay.module import IRModule
from relayish.op.declaration.registry import get_op
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.relay.preservation import check_preserved
from relayish.pass_infra.relay.preserved import PreservedAnalysesInstrument
from relayish.text import parse
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import random_func

SEEDS = seeds(15)
CASES = Path(__file__).parent.parent / "cases" / "passes"
HEADER = '#[version = "0.0.5"]\n'


def own_passes() -> list[str]:
    entries = [transform.pass_entry(name) for name in transform.list_passes()]
    return [e.name for e in entries if e.claimant.startswith("relayish.") and e.info.preserves]


PASSES = own_passes()


def loops(seed: int) -> AnyModule:
    draw = random_func if seed % 2 else random_counters
    return tir.to_ir_module(tir.Module("random", functions=(draw(seed),)))


def random_programs(name: str, seeds: Sequence[int]) -> list[AnyModule]:
    if transform.pass_entry(name).claimant.startswith("relayish.passes.loop"):
        return [loops(seed) for seed in seeds]
    drawn = [random_module(seed, 40) for seed in seeds]
    typed = transform.get_pass("InferType")
    return [typed(mod) if seed % 2 else mod for seed, mod in zip(seeds, drawn, strict=True)]


def test_some_passes_preserve_analyses():
    assert {"FastMath", "DivToMul", "CastSimplify"} <= set(PASSES)


@pytest.mark.parametrize("name", PASSES)
def test_pass_preserves_what_it_says_on_random_programs(name):
    made = transform.get_pass(name)
    changed = 0
    for mod in random_programs(name, SEEDS):
        out = made(mod)
        check_preserved(mod, out, made.info)
        changed += out is not mod
    assert changed


@pytest.mark.parametrize("name", PASSES)
def test_pass_preserves_what_it_says_on_its_example(name):
    paths = [*CASES.glob(f"{name}.relay"), *CASES.glob(f"{name}.*.relay")]
    assert paths
    for path in paths:
        before, _, _ = path.read_text().partition("\n==>\n")
        pipeline = re.match(r"// run: (.*)\n", before)
        assert pipeline is not None
        with transform.PassContext(opt_level=4, instruments=[PreservedAnalysesInstrument()]):
            transform.parse_pipeline(pipeline[1])(parse(HEADER + before))


@pytest.mark.parametrize("name", PASSES)
def test_results_carried_over_a_pass_are_those_found_again(name):
    made = transform.get_pass(name)
    for mod in random_programs(name, SEEDS[:10]):
        for analysis in made.info.preserves:
            analyse(mod, analysis)
        out = made(mod)
        for analysis in made.info.preserves:
            carried = analyse(out, analysis)
            assert carried.first_difference(analyse(_same(out), analysis)) is None


def _same(mod):
    """Return another module of the same functions, of which nothing is known."""
    return type(mod)(mod.functions, mod.type_definitions)


# A pass that lies is caught


def program(body, *params) -> IRModule:
    return IRModule({"main": Function(params, body)})


C, X, Y = var("c", "bool"), var("x", "int32"), var("y", "int32")


def lie(other: IRModule, *preserves: str):
    return transform.create_module_pass(lambda mod, ctx: other, 0, "Lie", preserves=preserves)


def test_other_states_are_an_error_that_names_pass_analysis_and_first_point():
    before = program(If(C, X, Y), C, X, Y)
    after = program(If(C, X, X), C, X, Y)
    with (
        transform.PassContext(instruments=[PreservedAnalysesInstrument()]),
        pytest.raises(PassError, match="pass Lie does not preserve Liveness") as info,
    ):
        lie(after, "liveness")(before)
    assert "in @main it is {%c, %x} after entry fn (%c, %x, %y) {...} (point 0), and was" in str(
        info.value
    )


def test_other_points_are_an_error_that_names_the_first():
    negative = get_op("negative")
    before, after = program(Call(negative, (X,)), X), program(If(const(True), X, X), X)
    with pytest.raises(PassError, match=r"in @main point 1 is enter if .*, and was evaluate"):
        check_preserved(before, after, PassInfo("Lie", 0, preserves=("Liveness",)))


def test_more_points_are_an_error():
    negative = get_op("negative")
    one = Call(negative, (X,))
    before, after = program(one, X), program(Call(negative, (one,)), X)
    with pytest.raises(PassError, match="does not preserve Liveness: in @main point 2 is evaluate"):
        check_preserved(before, after, PassInfo("Lie", 0, preserves=("Liveness",)))


def test_a_lie_about_one_of_several_functions_names_it():
    right = Function((X,), X)
    before = IRModule({"f": right, "g": Function((X, Y), X)})
    after = IRModule({"f": right, "g": Function((X, Y), Y)})
    with pytest.raises(PassError, match="does not preserve Liveness: in @g it is"):
        check_preserved(before, after, PassInfo("Lie", 0, preserves=("Liveness",)))


def test_a_function_more_is_a_lie_about_the_module():
    before = IRModule({"f": Function((X,), X)})
    after = before.with_function("g", Function((Y,), Y))
    with pytest.raises(PassError, match="does not preserve Liveness: there are"):
        check_preserved(before, after, PassInfo("Lie", 0, preserves=("Liveness",)))


def test_a_truth_is_no_error():
    mod = program(Let(Y, X, Y), X)
    copy = transform.create_function_pass(
        lambda func, m, c: func.with_fields(body=func.body.with_fields(value=X, body=Y)),
        0,
        "Copy",
        preserves=("Liveness", "ReachingDefinitions"),
    )
    with transform.PassContext(instruments=[PreservedAnalysesInstrument()]):
        assert copy(mod) is not None


def test_a_pass_that_returns_what_it_is_given_is_not_looked_at():
    mod = program(X, X)
    with transform.PassContext(instruments=[PreservedAnalysesInstrument()]):
        assert lie(mod, "NoSuchAnalysis")(mod) is mod


def test_an_unknown_analysis_is_an_error_that_names_the_pass():
    with pytest.raises(UnknownNameError, match="did you mean Liveness") as info:
        check_preserved(program(X, X), program(Y, X, Y), PassInfo("Lie", 0, preserves=("Livness",)))
    assert "preserved by pass Lie" in info.value.__notes__


@pytest.mark.usefixtures("declarations")
def test_a_broken_analysis_of_another_package_is_caught_as_well():
    @register_analysis("Fickle")
    class Fickle(Liveness):
        """Live variables of the first program it sees."""

    @transform.register_pass("Liar", opt_level=0, preserves=("Fickle",))
    def liar(func: Function) -> Function:
        return func.with_fields(body=Y)

    with (
        transform.PassContext(instruments=[PreservedAnalysesInstrument()]),
        pytest.raises(PassError, match="pass Liar does not preserve Fickle"),
    ):
        transform.get_pass("Liar")(program(X, X, Y))
