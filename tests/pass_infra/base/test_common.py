"""Options that every pass has: what they hold, and what passes do with them wherever they run."""

from __future__ import annotations

import copy
from pickle import dumps, loads

import pytest

import relayish.binary
from relayish import transform
from relayish.errors import DeclarationError, OptionError, ParseError, PassError, PipelineError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.common import LARGEST, NOTHING_ASKED
from relayish.pass_infra.base.program_file import BINARY_SUFFIX
from relayish.text import parse

SEVEN = Function((), Constant(7))
Seven = transform.create_function_pass(lambda _func, _mod, _ctx: SEVEN, 0, "Seven")


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ({}, [0, 1, 2, 3, 4, 5]),
        ({"skip_before": 2}, [2, 3, 4, 5]),
        ({"skip_after": 3}, [0, 1, 2, 3]),
        ({"skip_equal": 0}, [1, 2, 3, 4, 5]),
        ({"skip_before": 1, "skip_after": 4, "skip_equal": 2}, [1, 3, 4]),
        ({"skip_before": 4, "skip_after": 1}, []),
        ({"skip_after": 0}, [0]),
        ({"skip_before": -1, "skip_after": -1, "skip_equal": -1}, [0, 1, 2, 3, 4, 5]),
        ({"skip_before": LARGEST}, []),
    ],
)
def test_numbers_before_after_and_equal_are_skipped(asked, left):
    config = transform.CommonConfig(**asked)
    assert [number for number in range(6) if not config.is_skipped(number)] == left


@pytest.mark.parametrize(
    ("mask", "flag", "is_on"),
    [(0, 1, False), (0b101, 1, True), (0b101, 2, False), (0b101, 6, True), (2**63, 2**63, True)],
)
def test_a_flag_is_traced_if_the_mask_has_one_of_its_bits(mask, flag, is_on):
    assert transform.CommonConfig(trace_detail=mask).is_trace(flag) is is_on


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"trace_detail": -1}, "mask of 64 bits; found -1"),
        ({"trace_detail": 2**64}, "mask of 64 bits; found 18446744073709551616"),
        ({"skip_before": -2}, "skip_before is a number from -1"),
        ({"skip_after": 2**63}, "skip_after is a number"),
        ({"skip_equal": 2**63}, "skip_equal is a number"),
    ],
)
def test_numbers_out_of_range_are_refused(asked, message):
    with pytest.raises(OptionError, match=message):
        transform.CommonConfig(**asked)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"skip_after": "3"},
            r"option 'skip_after', which every pass has: expected int; found '3'",
        ),
        ({"enable": 1}, "option 'enable', .* expected bool; found 1"),
        ({"write_ir": None}, "option 'write_ir', .* expected str; found None"),
        ({"skip_aftr": 3}, "no option 'skip_aftr' .*; did you mean skip_after.; there are enable,"),
    ],
)
def test_values_and_names_that_do_not_fit_are_refused_in_python(asked, message):
    with pytest.raises(OptionError, match=message):
        Seven.with_common(**asked)


def test_silenced_options_keep_what_the_result_depends_on():
    loud = transform.CommonConfig(
        skip_after=3, enable=False, rt_dump=True, show=True, trace_detail=7, write_ir="a", dump=True
    )
    assert loud.silenced() == transform.CommonConfig(skip_after=3, enable=False, rt_dump=True)


def test_the_widest_mask_is_taken():
    assert transform.CommonConfig(trace_detail=2**64 - 1).is_trace(2**40)


def test_nothing_is_asked_of_a_pass_unless_somebody_asks(one_function):
    assert Seven.info.common is NOTHING_ASKED
    assert transform.PassInfo("P", 0).common is NOTHING_ASKED


def test_common_options_of_an_info_are_checked():
    with pytest.raises(DeclarationError, match="common of pass P must be a CommonConfig; found 7"):
        transform.PassInfo("P", 0, common=7)


def test_a_pass_that_is_not_enabled_returns_what_it_is_given(one_function, capsys):
    assert Seven.with_common(enable=False)(one_function) is one_function
    assert capsys.readouterr().out == "// Seven is not run\n"


def test_a_pass_that_is_not_enabled_does_not_run_though_it_is_required(one_function):
    with transform.PassContext(required_pass=["Seven"]):
        assert Seven.with_common(enable=False)(one_function) is one_function


def test_other_passes_are_as_before_where_one_is_given_options(one_function):
    Seven.with_common(enable=False)
    assert Seven(one_function)["main"] is SEVEN


@pytest.mark.parametrize(
    ("asked", "changed"),
    [
        ({"skip_after": 0}, []),
        ({"skip_after": 1}, ["a"]),
        ({"skip_before": 2}, ["b", "main"]),
        ({"skip_equal": 2}, ["a", "main"]),
        ({}, ["a", "b", "main"]),
    ],
)
def test_a_function_pass_leaves_functions_of_skipped_numbers(mod, asked, changed):
    out = Seven.with_common(**asked)(mod)
    assert [name for name in ("a", "b", "main") if out[name] is SEVEN] == changed


def test_a_function_pass_that_skips_all_functions_returns_the_same_module(mod):
    assert Seven.with_common(skip_after=0)(mod) is mod


# -- in pipelines ------------------------------------------------------------------------------


def test_common_options_stand_in_braces_beside_those_of_the_pass():
    made = transform.get_pass("FoldConstant{fold_qnn=true, skip_after=3, tia=true, td=0xff}")
    assert made.fold_qnn is True
    assert made.info.common == transform.CommonConfig(
        skip_after=3, trace_ir_after=True, trace_detail=255
    )


def test_common_options_are_given_by_name_in_python():
    assert transform.get_pass("FoldConstant", enable=False).info.common == transform.CommonConfig(
        enable=False
    )


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda p: loads(dumps(p))])
def test_common_options_are_copied_and_pickled_with_the_pass(copied):
    made = copied(transform.get_pass("FoldConstant{fold_qnn=true, skip_after=3}"))
    assert (made.fold_qnn, made.info.common) == (True, transform.CommonConfig(skip_after=3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FoldConstant{tracer=1}", "no option 'tracer'.* every pass has enable, show"),
        ("FoldConstant{tia=true, trace_ir_after=true}", "given twice, here as 'trace_ir_after'"),
        ("FoldConstant{skip_after=x20}", "expected int; found 'x20'"),
        ("FoldConstant{skip_after=20000000000000000000000}", "expected int of 64 bits"),
        ("FoldConstant{size_limit=20000000000000000000000}", "expected int of 64 bits"),
        ("FoldConstant{skip_after=-7}", "skip_after is a number from -1"),
        ("FoldConstant{trace_detail=0x10000000000000000}", "expected int of 64 bits"),
    ],
)
def test_what_common_options_do_not_take_is_refused(text, message):
    with pytest.raises(PipelineError, match=message):
        transform.get_pass(text)


def long_name(*, verify: int = 0) -> transform.ModulePass:
    raise NotImplementedError


def abbreviation(*, tia: int = 0) -> transform.ModulePass:
    raise NotImplementedError


@pytest.mark.parametrize(
    ("build", "found"), [(long_name, "'verify' .* as 'verify'"), (abbreviation, "'tia' .* as 'tr")]
)
def test_an_option_called_as_one_that_every_pass_has_is_refused(build, found):
    with pytest.raises(DeclarationError, match=rf"option {found}.* rename it"):
        transform.register_pass("Clash", opt_level=0, registry=transform.PassRegistry())(build)


# -- reading and writing -------------------------------------------------------------------------


def test_the_program_is_written_after_the_pass(one_function, tmp_path):
    path = tmp_path / "after.relay"
    out = Seven.with_common(write_ir=str(path))(one_function)
    assert structural_equal(parse(path.read_text()), out)
    assert path.read_text().endswith("\n// phase: Seven\n")


def test_the_suffix_of_the_binary_form_is_that_of_its_package():
    assert BINARY_SUFFIX == relayish.binary.SUFFIX


@pytest.mark.parametrize("suffix", [".relay", ".rly"])
def test_the_program_is_read_before_the_pass(one_function, tmp_path, suffix):
    path = tmp_path / f"seven{suffix}"
    Seven.with_common(write_ir=str(path))(one_function)
    seen = []
    look = transform.create_module_pass(lambda mod, _ctx: seen.append(mod) or mod, 0, "Look")
    look.with_common(read_ir=str(path))(IRModule())
    assert structural_equal(seen[0], IRModule({"main": SEVEN}))


def test_a_file_that_is_not_there_is_an_error(one_function, tmp_path):
    with pytest.raises(FileNotFoundError):
        Seven.with_common(read_ir=str(tmp_path / "none.relay"))(one_function)


def test_a_file_that_holds_no_program_is_an_error(one_function, tmp_path):
    path = tmp_path / "odd.relay"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ParseError, match="holds no text of a program"):
        Seven.with_common(read_ir=str(path))(one_function)


def test_a_file_that_holds_no_module_is_an_error(one_function, tmp_path):
    path = tmp_path / "node.rly"
    relayish.binary.write_binary(SEVEN, path)
    with pytest.raises(PassError, match=r"expected a module in .*node.rly; found a Function"):
        Seven.with_common(read_ir=str(path))(one_function)


def test_nothing_is_left_of_a_file_that_cannot_be_written(one_function, tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        Seven.with_common(write_ir=str(tmp_path / "taken"))(one_function)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_dump_begins_with_the_stem_of_the_input(one_function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with transform.TraceFiles("elsewhere/model.relay"):
        Seven.with_common(dump=True)(one_function)
    assert [path.name for path in tmp_path.iterdir()] == ["model.relay.dump.seven.rly"]


# -- the pass that runs --------------------------------------------------------------------------


def test_the_running_pass_is_the_innermost(one_function):
    seen = []

    def look(mod, _ctx):
        seen.append(transform.running_pass())
        return mod

    inner = transform.create_module_pass(look, 0, "Inner")
    outer = transform.create_module_pass(lambda mod, ctx: look(inner(mod), ctx), 0, "Outer")
    outer(one_function)
    assert seen == [inner, outer]
    assert transform.running_pass() is None


def test_no_pass_runs_after_one_that_raised(one_function):
    def fail(_mod, _ctx):
        raise PassError("no")

    with pytest.raises(PassError):
        transform.create_module_pass(fail, 0, "Fail")(one_function)
    assert transform.running_pass() is None
