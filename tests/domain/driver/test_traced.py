"""Contexts: driver, configuration, and the three ways to trace, guarded by a mask."""

from __future__ import annotations

import copy
import subprocess
import sys
from enum import IntFlag

import pytest

from relayish.domain import AnalyzeCtx, DefaultHandler, TransformCtx, Visitor
from relayish.domain.driver import Driver, DriverCtx, GlobalConfig, Traced
from relayish.errors import OptionError
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    CommonConfig,
    TraceFiles,
    create_function_pass,
    create_module_pass,
    register_pass,
    run_check,
)
from tests.support.each import each

CONTEXTS = (Traced, AnalyzeCtx, TransformCtx)


class Detail(IntFlag):
    VISITS = 1
    TYPES = 2
    TIMES = 1 << 63


@pytest.fixture
def mod() -> IRModule:
    return IRModule({"main": Function((), Constant(1))})


@pytest.fixture(params=CONTEXTS)
def kind(request) -> type[Traced]:
    return request.param


def on(kind: type[Traced], mask: int) -> Traced:
    return kind(config=CommonConfig(trace_detail=mask))


# -- tracing -------------------------------------------------------------------------------------


def test_what_is_traced_is_written_as_print_does(kind, capsys):
    on(kind, 1).trace(1, "node", 7, None)
    assert capsys.readouterr().out == "node 7 None\n"


@each(
    ("mask", "flag", "is_written"),
    [
        (0, 1, False), (1, 1, True), (1, 2, False), (3, 2, True), (2, 3, True), (1, 0, False),
        (2**64 - 1, 2**63, True), (2**63, Detail.TIMES, True), (Detail.VISITS, Detail.TYPES, False),
    ],
)  # fmt: skip
def test_a_trace_is_written_if_the_mask_has_a_bit_of_its_flag(kind, capsys, mask, flag, is_written):
    context = on(kind, mask)
    context.trace(flag, "told")
    assert (capsys.readouterr().out == "told\n") is is_written
    assert context.is_trace(flag) is is_written


def test_a_command_is_given_the_stream_and_its_arguments(kind, capsys):
    def write(stream, first, *, second):
        print(first, second, file=stream)

    on(kind, 4).trace_cmd(4, write, "a", second="b")
    assert capsys.readouterr().out == "a b\n"


def test_a_command_is_not_called_when_off(kind):
    def fail(*_args):
        raise AssertionError("called")

    on(kind, 3).trace_cmd(4, fail, "a")


def test_an_object_is_written_as_text(kind, capsys, mod):
    on(kind, 1).trace_obj(1, mod)
    assert capsys.readouterr().out == f"{mod}\n"


def test_an_object_is_not_asked_for_its_text_when_off(kind, capsys):
    class Silent:
        def __str__(self):
            raise AssertionError("asked")

    context = on(kind, 1)
    context.trace_obj(2, Silent())
    context.trace(2, Silent())
    assert capsys.readouterr().out == ""


def test_nothing_is_opened_when_off(kind, tmp_path):
    with DriverCtx(trace=str(tmp_path / "run.t")):
        kind(config=CommonConfig()).trace(1, "told")
    assert list(tmp_path.iterdir()) == []


def test_traces_go_to_the_file_of_the_driver(kind, tmp_path):
    with DriverCtx(trace=str(tmp_path / "run.t")):
        on(kind, 1).trace(1, "told")
    assert (tmp_path / "run.t").read_text() == "told\n"


def test_traces_go_to_the_named_file_of_the_context(tmp_path, capsys):
    class Named(AnalyzeCtx):
        trace_name = "visits"

    with DriverCtx() as driver:
        driver.trace_file("visits", tmp_path / "visits.t")
        on(Named, 1).trace(1, "told")
    assert (tmp_path / "visits.t").read_text() == "told\n"
    assert capsys.readouterr().out == ""


# -- driver and configuration --------------------------------------------------------------------


def test_the_driver_is_the_default_one_outside_of_all(kind):
    assert kind().driver is DriverCtx.current()
    assert kind().driver.config == GlobalConfig()


def test_the_driver_is_the_current_one(kind):
    with DriverCtx() as driver:
        assert kind().driver is driver


def test_the_default_driver_traces_to_the_files_in_force(kind, tmp_path):
    with TraceFiles(standard=tmp_path / "run.t"):
        on(kind, 1).trace(1, "told")
    assert (tmp_path / "run.t").read_text() == "told\n"


def test_the_driver_may_be_given(kind):
    driver = DriverCtx()
    assert kind(driver=driver).driver is driver


def test_the_configuration_has_the_defaults_outside_of_passes(kind):
    assert kind().config == CommonConfig()
    assert kind().trace_mask == 0


def test_a_configuration_that_is_set_takes_the_place(kind, capsys):
    context = kind()
    context.config = CommonConfig(trace_detail=1, skip_after=3)
    context.trace(1, "told")
    assert capsys.readouterr().out == "told\n"
    assert context.config.is_skipped(4)


def test_a_configuration_of_another_class_is_refused(kind):
    with pytest.raises(
        OptionError, match=r"is a CommonConfig; found \{\}; .* otherwise than config"
    ):
        kind(config={})
    context = kind()
    with pytest.raises(OptionError, match="found 7"):
        context.config = 7
    assert context.config == CommonConfig()


def test_the_configuration_is_that_of_the_running_pass(kind, declarations, mod):
    seen = []

    @register_pass("Lowering", opt_level=0)
    def lower(func: Function, *, level: int = 1) -> Function:
        context = kind()
        seen.append((level, context.config, context.trace_mask))
        return func

    Driver("Lowering", DriverCtx(options={"Lowering": {"level": 3, "trace_detail": 6}}))(mod)
    ((level, config, mask),) = seen
    assert (level, config.level, config.trace_detail, mask) == (3, 3, 6, 6)
    assert type(config).__name__ == "LoweringConfig"


def test_the_configuration_is_asked_for_later_and_is_still_that_of_its_pass(kind, mod):
    made = []
    keep = create_module_pass(lambda m, _c: made.append(kind()) or m, 0, "Keep")
    keep.with_common(skip_equal=7)(mod)
    assert made[0].config.skip_equal == 7


def test_passes_inside_others_have_their_own_configuration(kind, mod):
    seen = []

    def look(m, _ctx):
        seen.append(kind().trace_mask)
        return m

    inner = create_module_pass(look, 0, "Inner").with_common(trace_detail=2)
    outer = create_module_pass(lambda m, c: look(inner(m), c), 0, "Outer")
    outer.with_common(trace_detail=1)(mod)
    assert seen == [2, 1]


def test_a_context_of_a_users_needs_no_call_of_its_bases():
    class Own(AnalyzeCtx):
        def __init__(self, count: int) -> None:
            self.count = count

    with DriverCtx() as driver:
        context = Own(3)
    assert (context.count, context.driver) == (3, driver)


def test_a_context_of_a_users_may_take_what_its_bases_take():
    class Own(AnalyzeCtx):
        def __init__(self, count: int, **_given: object) -> None:
            self.count = count

    driver = DriverCtx()
    assert Own(3, driver=driver).driver is driver


def test_a_context_may_be_copied(kind):
    context = on(kind, 5)
    assert copy.copy(context).trace_mask == 5


def test_handlers_trace_by_the_context(mod, capsys):
    class Tell(DefaultHandler, domain="relay"):
        def handle_constant(self, visitor, node):
            visitor.context.trace(1, "constant", node.data)
            return node

    context = TransformCtx(config=CommonConfig(trace_detail=1))
    main = mod["main"]
    assert Visitor(context, Tell).visit(main) is main
    assert capsys.readouterr().out == "constant 1\n"


def test_a_pass_on_contexts_is_bisected_by_numbers_it_asks_for(mod):
    """What a pass counts, statements say, it leaves by the number that its context is given."""
    done = []

    def number_five(m, _ctx):
        config = AnalyzeCtx().config
        done.extend(number for number in range(1, 6) if not config.is_skipped(number))
        return m

    create_module_pass(number_five, 0, "Count").with_common(skip_after=3)(mod)
    assert done == [1, 2, 3]


def test_tracing_leaves_the_program_as_it_is(mod):
    run_check("well_formed", mod)
    traced = create_function_pass(lambda f, _m, _c: f, 0, "Same").with_common(trace_detail=1)
    assert traced(mod) is mod


def test_contexts_load_passes_when_something_of_theirs_is_asked_for():
    script = """
import sys
from relayish.domain import AnalyzeCtx

context = AnalyzeCtx()
context.trace(1, "told")
print([name for name in sys.modules if "pass_infra" in name])
print(context.config.is_skipped(3), context.driver.config.opt_level)
print("relayish.pass_infra" in sys.modules)
"""
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert shown.stdout == "[]\nFalse None\nTrue\n"
