"""Reports of pipelines: what ran, why, what it did, and what it had to say."""

from __future__ import annotations

import warnings

import pytest

import relayish as relay
from relayish.dataflow_pattern import rule
from relayish.draw.report.steps import Outcome
from relayish.errors import CheckError, DrawingError, PassError, RelayishWarning
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.instruments.verify import VerifyInstrument
from relayish.rewriting import Unchanged, rewrite_rules
from relayish.transform import (
    FoldConstant,
    PassContext,
    Sequential,
    create_module_pass,
)
from tests.support.each import each

MOD = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %y = add(1f, 2f);
  add(%x, %y)
}""")


def module_pass(work, name="Own", **facts):
    return create_module_pass(lambda mod, ctx: work(mod), 0, name, **facts)


def test_passes_that_were_not_asked_for_name_the_pass_that_needs_them():
    done = relay.report(MOD, "EliminateCommonSubexpr,FoldConstant", opt_level=3)
    told = [(step.name, step.needed_by, step.outcome) for step in done.steps]
    assert told == [
        ("InferType", "EliminateCommonSubexpr", Outcome.RETYPED),
        ("EliminateCommonSubexpr", "", Outcome.EQUAL),
        ("FoldConstant", "", Outcome.CHANGED),
    ]


def test_step_has_options_sizes_and_texts_of_its_pass():
    (step,) = relay.report(MOD, [FoldConstant(fold_qnn=True)]).steps
    assert (str(step), step.opt_level) == ("FoldConstant{fold_qnn=True}", 2)
    assert (step.size_before.operators, step.size_after.operators) == (2, 1)
    assert "add(1f, 2f)" in step.text_before
    assert "add(%x, 3f)" in step.text_after
    assert step.seconds > 0


def test_result_is_what_the_pipeline_returns():
    pipeline = Sequential(["InferType", "FoldConstant"])
    assert relay.structural_equal(relay.report(MOD, pipeline).result, pipeline(MOD))


def test_passes_of_a_pipeline_inside_stand_in_it():
    inner = Sequential(["InferType", "FoldConstant"], name="Inner")
    group, first, second = relay.report(MOD, [inner]).steps
    assert (group.name, group.is_group, group.inside) == ("Inner", True, ())
    assert (first.inside, second.inside) == ((group,), (group,))


def test_pass_that_is_not_run_is_told_with_the_reason():
    done = relay.report(
        MOD, ["FoldConstant", "InferType"], opt_level=1, disabled_pass=["InferType"]
    )
    assert [tuple(each) for each in done.left_out] == [
        ("FoldConstant", "its level is 2, above 1"),
        ("InferType", "it is disabled"),
    ]


def test_report_ends_with_the_pass_that_raised():
    def fail(mod):
        raise PassError("no more")

    done = relay.report(MOD, [FoldConstant(), module_pass(fail, "Fail"), "InferType"])
    assert [step.name for step in done.steps] == ["FoldConstant", "Fail"]
    assert done.steps[1].outcome is Outcome.FAILED
    assert "PassError: no more\nin pass Fail" in done.steps[1].error
    with pytest.raises(PassError, match="no more"):
        _ = done.result


def test_check_that_a_pass_breaks_is_told_with_its_result():
    x, y = Var("x"), Var("y")
    wrong = IRModule({"main": Function((x,), Let(x, y, x))})
    broken = module_pass(lambda mod: wrong, "Break")
    done = relay.report(MOD, ["InferType", broken], instruments=[VerifyInstrument()])
    good, bad = done.steps
    assert [(each.name, each.held) for each in good.checks] == [
        ("well_formed", True), ("well_typed", True),
    ]  # fmt: skip
    assert [(each.name, each.held) for each in bad.checks] == [("well_formed", False)]
    assert bad.outcome is Outcome.FAILED
    assert bad.after is wrong
    assert isinstance(done.error, CheckError)


def test_warnings_of_a_pass_are_noted_and_given_again():
    def warn(mod):
        warnings.warn("mind the gap", RelayishWarning, stacklevel=1)
        return mod

    with pytest.warns(RelayishWarning, match="mind the gap"):
        done = relay.report(MOD, ["InferType", module_pass(warn)])
    assert [step.notes for step in done.steps] == [[], ["RelayishWarning: mind the gap"]]


def test_reasons_of_rules_are_noted():
    @rule("add")
    def keep(call, facts):
        return Unchanged("nobody asked")

    def rewrite(mod):
        rewrite_rules([keep], mod["main"])
        return mod

    (step,) = relay.report(MOD, [module_pass(rewrite)]).steps
    assert "rule keep leaves add(1f, 2f) as it is: nobody asked" in step.notes


def test_reasons_of_lowering_are_noted():
    names = ("boxes", "counts", "places")
    params = [
        relay.var(name, shape=shape, dtype=dtype)
        for name, shape, dtype in zip(
            names, ((1, 4, 6), (1,), (1, 4)), ("float32", "int32", "int32"), strict=True
        )
    ]
    body = relay.vision.non_max_suppression(*params).tuple_value
    mod = relay.IRModule.from_expr(relay.Function(params, body))
    done = relay.report(mod, ["InferType", "Lower"])
    assert "'non_max_suppression' of domain 'vision' stays: which boxes" in done.steps[-1].notes[0]


def test_context_that_is_current_holds_when_nothing_is_said():
    with PassContext(opt_level=0):
        assert [step.name for step in relay.report(MOD, ["FoldConstant"]).steps] == []
        assert [step.name for step in relay.report(MOD, ["FoldConstant"], opt_level=2).steps]


def test_table_has_a_row_for_each_step():
    lines = str(relay.report(MOD, "InferType,FoldConstant")).splitlines()
    assert [line.split()[0] for line in lines] == ["pass", "InferType", "FoldConstant"]
    assert lines[1].endswith("retyped")


@each("name", ["x.svg", "x"])
def test_report_is_not_written_when_its_form_is_unknown(tmp_path, name):
    with pytest.raises(DrawingError, match=r"ends in \.html or \.txt"):
        relay.report(MOD, "InferType").save(tmp_path / name)
