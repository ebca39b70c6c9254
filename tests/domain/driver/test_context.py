"""Driver contexts: options from a command line, trace files, nesting."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from pathlib import Path

import pytest

from relayish.domain.driver import Driver, DriverCtx, GlobalConfig
from relayish.domain.driver.command_line import ValueForm
from relayish.errors import DuplicateNameError, OptionError, PassError
from relayish.registry.option import PassOption
from relayish.transform import FunctionPass, create_function_pass, get_pass, register_pass


@dataclasses.dataclass
class Analyses:
    alias: str = dataclasses.field(default="off", metadata={"abbreviation": "a"})
    analysis_enable: bool = dataclasses.field(default=False, metadata={"abbreviation": "ae"})


@pytest.fixture
def ctx() -> DriverCtx:
    return DriverCtx()


# -- options of the run -----------------------------------------------------------------------


def test_options_have_defaults(ctx):
    assert ctx.config == GlobalConfig()
    assert (ctx.config.opt_level, ctx.config.keep, ctx.config.skip_after) == (None, False, -1)


def test_options_of_the_run_are_read_from_words(ctx):
    files = ctx.parse_options(
        ["m.relay", "-O3", "-trace", "--dump=A,B", "-skip_after=7", "-o", "x", "b.relay"]
    )
    assert files == ("m.relay", "b.relay")
    assert ctx.config == GlobalConfig(
        opt_level=3, trace=True, dump=("A", "B"), skip_after=7, output="x"
    )
    assert (ctx.input, ctx.files.stem) == ("m.relay", "m.relay")


@pytest.mark.parametrize("words", ["-O 3", "-O3", "-O1 --opt-level=3", "-opt_level=3"])
def test_the_level_is_written_in_several_ways(ctx, words):
    ctx.parse_options(words.split(" "))
    assert ctx.config.opt_level == 3


@pytest.mark.parametrize("word", ["-O5", "-O-1", "-Ofast", "-skip_after=-2"])
def test_a_level_or_number_out_of_range_is_refused(ctx, word):
    with pytest.raises(OptionError):
        ctx.parse_options([word])
    assert ctx.config == GlobalConfig()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"opt_level": "3"}, r"'opt_level', which a driver has: expected int \| None; found '3'"),
        ({"dump": "VEC"}, r"'dump', .* expected tuple\[str, ...\]; found 'VEC'"),
        ({"keep": 1}, "'keep', .* expected bool; found 1"),
        ({"opt_level": 5}, "opt_level is a number from 0 to 4; found 5"),
    ],
)
def test_values_that_do_not_fit_are_refused_in_python(asked, message):
    with pytest.raises(OptionError, match=message):
        GlobalConfig(**asked)


def test_words_read_later_count_in_place_of_earlier_ones(ctx):
    ctx.parse_options(["-O2", "-show", "-FoldConstant:show:skip_after=2"])
    ctx.parse_options(["-O1", "-FoldConstant:skip_after=4"])
    assert (ctx.config.opt_level, ctx.config.show) == (1, True)
    assert ctx.options == {"FoldConstant": {"show": True, "skip_after": 4}}


# -- options of passes and groups -------------------------------------------------------------


def test_options_of_a_pass_are_read_by_what_it_declares(ctx):
    ctx.parse_options(["-FoldConstant:fold_qnn:size_limit=0x10:tia"])
    assert ctx.options == {
        "FoldConstant": {"fold_qnn": True, "size_limit": 16, "trace_ir_after": True}
    }


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("-FoldConstan:show", "no pass or group 'FoldConstan'; did you mean FoldConstant?"),
        ("-FoldConstant:fold_qn", "did you mean fold_qnn?; it has fold_qnn, size_limit, enable"),
        ("-FoldConstant:size_limit=many", "expected int; found 'many'"),
    ],
)
def test_what_a_pass_does_not_take_is_refused(ctx, word, message):
    with pytest.raises(OptionError) as caught:
        ctx.parse_options([word])
    assert message in str(caught.value)


def test_a_level_of_a_pass_and_a_trace_stand_in_one_word(ctx, declarations):
    @register_pass("VEC", opt_level=0)
    class Vec(FunctionPass):
        level: int = 1

        def transform_function(self, func, mod, ctx):
            return func

    ctx.parse_options(["-O2", "-VEC:level=3:trace_ir_after"])
    made = ctx.configure(get_pass("VEC"))
    assert isinstance(made, Vec)
    assert (made.level, made.info.common.trace_ir_after) == (3, True)
    written = get_pass("VEC{level=3, trace_ir_after=true}")
    assert (written.level, written.info.common) == (made.level, made.info.common)


def test_a_pass_of_which_nothing_is_asked_is_itself(ctx):
    pass_ = get_pass("FoldConstant")
    assert ctx.configure(pass_) is pass_


def test_a_pass_that_does_not_tell_its_options_is_not_made_anew(ctx, declarations):
    @register_pass("Made", opt_level=0)
    def make(*, often: int = 1):
        return create_function_pass(lambda func, _mod, _ctx: func, 0)

    ctx.parse_options(["-Made:often=3"])
    with pytest.raises(OptionError, match=r"does not tell its options, so often cannot .*Made\{"):
        ctx.configure(get_pass("Made"))


def test_options_of_a_group_become_an_object(ctx):
    ctx.register_group("NN2A", Analyses)
    assert ctx.group_config("NN2A", Analyses) == Analyses()
    ctx.parse_options(["-NN2A:ae:a=on"])
    assert ctx.group_config("NN2A", Analyses) == Analyses("on", True)


def test_a_group_is_no_pass_that_does_not_run(ctx):
    ctx.register_group("NN2A", Analyses)
    ctx.parse_options(["-NN2A:ae"])
    Driver([], ctx).init()


@pytest.mark.parametrize("name", ["FoldConstant", "NN2A"])
def test_a_group_called_as_a_pass_or_group_is_refused(ctx, name):
    ctx.register_group("NN2A", Analyses)
    with pytest.raises(DuplicateNameError, match=f"'{name}' already"):
        ctx.register_group(name, Analyses)


def test_options_of_the_top_level_may_be_added(ctx):
    ctx.register_options([PassOption("I", str, ".")], {"I": ValueForm.NONE_SPACE})
    assert ctx.values == {"I": "."}
    ctx.parse_options(["-I/usr/include"])
    assert ctx.values == {"I": "/usr/include"}


@pytest.mark.parametrize("taken", ["show", "O", "tm"])
def test_options_called_as_those_of_the_run_are_refused(ctx, taken):
    with pytest.raises(DuplicateNameError, match=f"'{taken}'.* is taken by option"):
        ctx.register_options([PassOption(taken, bool, False)])


def test_contexts_share_no_options(ctx):
    ctx.register_options([PassOption("mine", bool, False)])
    DriverCtx().register_options([PassOption("mine", bool, False)])


# -- being the current one --------------------------------------------------------------------


def test_contexts_nest():
    outside = DriverCtx.current()
    with DriverCtx() as outer:
        with DriverCtx() as inner:
            assert DriverCtx.current() is inner
        assert DriverCtx.current() is outer
    assert DriverCtx.current() is outside


def test_a_context_may_be_entered_again(ctx):
    with ctx, ctx:
        assert DriverCtx.current() is ctx
    assert DriverCtx.current() is not ctx


def test_a_context_that_is_not_the_current_one_is_not_left(ctx):
    with ctx, DriverCtx(), pytest.raises(PassError, match="not the current one"):
        ctx.__exit__(None, None, None)


def test_a_context_is_left_after_an_error(ctx):
    with pytest.raises(ValueError, match="mine"), ctx:
        raise ValueError("mine")
    assert DriverCtx.current() is not ctx


def test_threads_do_not_see_each_others_context(ctx):
    seen = []
    with ctx:
        thread = threading.Thread(target=lambda: seen.append(DriverCtx.current() is ctx))
        thread.start()
        thread.join()
    assert seen == [False]


def test_tasks_do_not_see_each_others_context():
    async def look() -> bool:
        with DriverCtx() as own:
            await asyncio.sleep(0)
            return DriverCtx.current() is own

    async def both() -> list[bool]:
        return await asyncio.gather(look(), look())

    assert asyncio.run(both()) == [True, True]


# -- trace files ------------------------------------------------------------------------------


def test_a_trace_file_registered_twice_is_the_first(ctx, tmp_path):
    first = ctx.trace_file("visits", tmp_path / "a.t")
    assert ctx.trace_file("visits") == first


def test_a_trace_file_is_named_after_the_input(ctx):
    ctx.parse_options(["model.relay"])
    assert ctx.trace_file("visits") == Path("model.relay.visits.t")


def test_timing_marks_go_to_the_trace_file(tmp_path):
    with DriverCtx(trace=str(tmp_path / "run.t")) as ctx:
        ctx.timing.start()
        ctx.timing.taken("parsed")
    assert "parsed" in (tmp_path / "run.t").read_text()


@pytest.mark.parametrize("words", ["-O2", ["model.relay", 3]])
def test_words_that_are_no_list_of_strings_are_refused(words: object) -> None:
    with pytest.raises(OptionError, match="words of a command line are a list of strings"):
        DriverCtx().parse_options(words)  # type: ignore[arg-type]
