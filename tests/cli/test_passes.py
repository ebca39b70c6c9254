from __future__ import annotations

import pytest

from relayish.cli.main import main
from relayish.cli.passes import render_entry, table_of
from relayish.cli.registered.passes import describe_pass
from relayish.ir.relay.module import IRModule
from relayish.transform import ModulePass, PassContext, pass_entry, register_pass

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("declarations")


class Keep(ModulePass):
    def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
        return mod


def test_table_has_a_line_for_each_pass() -> None:
    register_pass(opt_level=0, name="Bare")(Keep)

    @register_pass(opt_level=3, required=("InferType", "FoldConstant"))
    class DemoPass(Keep):
        """Does nothing."""

    entries = [pass_entry(name) for name in ("Bare", "DemoPass", "FoldConstant")]
    shown = str(table_of(list(map(describe_pass, entries))))
    folded = entries[2].info.description
    assert shown == (
        "NAME          LEVEL  REQUIRED                DESCRIPTION\n"
        "Bare          0      -\n"
        "    from tests.cli.test_passes.Keep\n"
        "DemoPass      3      InferType,FoldConstant  Does nothing.\n"
        f"    from {entries[1].claimant}\n"
        f"FoldConstant  2      -                       {folded}\n"
    )


def test_table_of_nothing_is_its_heading() -> None:
    assert str(table_of([])) == "NAME  LEVEL  REQUIRED  DESCRIPTION\n"


def test_details_show_every_option() -> None:
    @register_pass(opt_level=3, required=("InferType", "FoldConstant"))
    class DemoPass(Keep):
        """Does nothing."""

        must: bool
        value: int = 1
        names: tuple[str, ...] = ("a",)

    lines = render_entry(describe_pass(pass_entry("DemoPass"))).splitlines()
    assert lines[0] == "relayish.pass_.DemoPass"
    assert lines[1] == "  Does nothing."
    assert lines[2] == "  level:    3"
    assert lines[3] == "  required: InferType, FoldConstant"
    assert lines[4].startswith("  from:     ")
    assert lines[5:10] == [
        "  options:",
        "    must: bool",
        "    value: int = 1",
        "    names: tuple[str, ...] = ('a',)",
        "  options of every pass:",
    ]
    assert "    trace_ir_after: bool = False: trace the program after" in lines[10:]


def test_details_of_a_pass_without_anything_say_so() -> None:
    register_pass(opt_level=0, name="Bare")(Keep)
    shown = render_entry(describe_pass(pass_entry("Bare")))
    assert "(no description)" in shown
    assert "required: -" in shown
    assert "options:  -" in shown


def test_command_lists_relayish_passes(capsys: Capture) -> None:
    assert main(["passes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("NAME")
    assert any(line.startswith("FoldConstant ") for line in lines)


def test_command_describes_one_pass(capsys: Capture) -> None:
    assert main(["passes", "FoldConstant"]) == 0
    assert capsys.readouterr().out.startswith("relayish.pass_.FoldConstant\n")


def test_details_tell_what_a_pass_preserves() -> None:
    register_pass(opt_level=0, name="Bare", preserves=("Liveness", "Escape"))(Keep)
    assert (
        "  keeps:    Liveness, Escape"
        in render_entry(describe_pass(pass_entry("Bare"))).splitlines()
    )
