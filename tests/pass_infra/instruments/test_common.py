"""What is done around passes of which something is asked by their common options."""

from __future__ import annotations

import gc
import re
import tracemalloc
import weakref

import pytest

import relayish as relay
from relayish import transform
from relayish.domain import DefaultHandler, register_handler
from relayish.errors import CheckError, PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.text import parse

SEVEN = Function((), Constant(7))
Seven = transform.create_function_pass(lambda _func, _mod, _ctx: SEVEN, 0, "Seven")
X, Y = Var("x"), Var("y")
ILL = IRModule({"main": Function((X,), Let(X, Y, X))})
Break = transform.create_module_pass(lambda _mod, _ctx: ILL, 0, "Break")


def traced(capsys, mod, **asked: object) -> str:
    Seven.with_common(**asked)(mod)
    return capsys.readouterr().out


def test_nothing_is_written_unless_it_is_asked_for(one_function, capsys):
    assert traced(capsys, one_function) == ""
    assert traced(capsys, one_function, trace_detail=7) == ""


def test_the_program_is_traced(one_function, capsys):
    for when, main in ("before", one_function["main"]), ("after", SEVEN):
        shown = traced(capsys, one_function, **{f"trace_ir_{when}": True})
        assert shown.startswith(f"// {when} Seven\n")
        assert structural_equal(parse(shown)["main"], main)


def test_symbols_are_traced_before_and_after(mod, capsys):
    shown = traced(capsys, mod, trace_st_before=True, trace_st_after=True)
    before, after = shown.split("// symbols after Seven\n")
    assert before == (
        "// symbols before Seven\n"
        "//   functions a: Function fn (%x) {...}\n"
        "//   functions b: Function fn (%x) {...}\n"
        "//   functions main: Function fn (%x) {...}\n"
    )
    assert after.count("Function fn () {...}") == 3


def test_time_and_sizes_are_traced(mod, capsys):
    shown = traced(capsys, mod, trace_stat=True)
    found = re.fullmatch(r"// statistics of Seven: \d+us, (\d+) nodes before, (\d+) after\n", shown)
    assert found is not None
    assert int(found[1]) > int(found[2])


def test_memory_is_traced_and_tracing_ends_with_the_pass(one_function, capsys):
    shown = traced(capsys, one_function, trace_mp=True)
    assert re.fullmatch(r"// memory of Seven: -?\d+ KiB more, \d+ KiB at the most\n", shown)
    assert not tracemalloc.is_tracing()
    failing = transform.create_module_pass(lambda _mod, _ctx: None, 0, "Fail").with_common(
        trace_mp=True
    )
    with pytest.raises(PassError):
        failing(one_function)
    assert not tracemalloc.is_tracing()


def test_that_a_pass_runs_is_told_on_standard_error(one_function, capsys):
    Seven.with_common(show=True)(one_function)
    assert capsys.readouterr() == ("", "relayish: Seven\n")


def test_the_program_is_verified_before_and_after(one_function):
    with pytest.raises(CheckError, match="pass Break broke the check well_formed"):
        Break.with_common(verify=True)(one_function)
    with pytest.raises(CheckError, match="fails the check well_formed already before pass Seven"):
        Seven.with_common(verify=True)(ILL)
    assert Break(one_function) is ILL


def test_a_program_is_verified_by_the_handlers_of_its_domains(one_function, declarations):
    @register_handler("verify")
    class NoRelu(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor, call):
            visitor.context.report(call, "nobody wants relu")

    x = Var("x", TensorType((2,), "float32"))
    unwanted = IRModule({"main": Function((x,), relay.nn.relu(x))})
    with pytest.raises(CheckError, match=r"check verified already before pass Seven.*wants relu"):
        Seven.with_common(verify=True)(unwanted)
    bring = transform.create_module_pass(lambda _mod, _ctx: unwanted, 0, "Bring")
    with pytest.raises(CheckError, match="pass Bring broke the check verified: nobody wants relu"):
        bring.with_common(verify=True)(one_function)


def test_a_program_is_verified_once_between_two_passes(one_function, declarations):
    checked = []

    @transform.register_check("well_formed", replace=True)
    def check(mod):
        checked.append(mod)

    verified = Seven.with_common(verify=True)
    out = verified(verified(one_function))
    assert checked == [one_function, out]


def test_verification_keeps_no_program_alive():
    mod = IRModule({"main": Function((), Constant(1))})
    Seven.with_common(verify=True)(mod)
    seen = weakref.ref(mod)
    del mod
    gc.collect()
    assert seen() is None


def test_what_is_done_before_has_an_order(one_function, capsys):
    shown = traced(
        capsys, one_function,
        trace_ir_before=True, trace_st_before=True, trace_ir_after=True, trace_st_after=True,
        trace_stat=True,
    )  # fmt: skip
    told = re.findall(
        r"^// (symbols before|before|statistics|symbols after|after)", shown, re.MULTILINE
    )
    assert told == ["symbols before", "before", "statistics", "symbols after", "after"]


def test_traces_go_to_the_file_in_force(one_function, tmp_path, capsys):
    with transform.TraceFiles(standard=tmp_path / "run.t"):
        Seven.with_common(trace_ir_after=True)(one_function)
    assert (tmp_path / "run.t").read_text().startswith("// after Seven\n")
    assert capsys.readouterr().out == ""


def test_instruments_of_the_context_are_called_as_well_and_passes_asked_one_by_one(
    one_function, capsys
):
    with transform.PassContext(instruments=[transform.PrintAfterAll()]):
        Seven(Seven.with_common(trace_ir_after=True)(one_function))
    assert capsys.readouterr().out.count("// after Seven\n") == 3
