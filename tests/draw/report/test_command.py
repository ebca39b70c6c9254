"""``--report`` of ``relayish opt`` and ``relayish optimize``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.errors import PassError
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.transform import PassContext, create_module_pass, register_pass

PROGRAM = '#[version = "0.0.5"]\ndef @main(%x: float32) -> float32 { add(%x, add(1f, 2f)) }\n'


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    return path


def steps_of(path: Path):
    """Return the steps that a page tells: name, what required it, outcome."""
    found = re.search(r'id="report">(.*?)</script>', path.read_text(), re.DOTALL)
    assert found is not None
    steps = json.loads(found[1])["steps"]
    return [(step["name"], step["neededBy"], step["outcome"]) for step in steps]


def test_page_tells_the_passes_of_a_driver(program, tmp_path, capsys):
    page = tmp_path / "report.html"
    words = ["-p", "EliminateCommonSubexpr,FoldConstant{fold_qnn=true}", "--report", str(page)]
    assert main(["opt", str(program), *words]) == 0
    assert "add(%x, 3f" in capsys.readouterr().out
    assert steps_of(page) == [
        ("InferType", "EliminateCommonSubexpr", "retyped"),
        ("EliminateCommonSubexpr", "", "equal"),
        ("FoldConstant", "", "changed"),
    ]
    assert "fold_qnn=True" in page.read_text()


def test_page_is_written_when_a_pass_raises(program, tmp_path, capsys, declarations):
    def fail(_mod: IRModule, _ctx: PassContext) -> IRModule:
        raise PassError("no more")

    register_pass()(create_module_pass(fail, 0, "FailOnPurpose"))
    page = tmp_path / "report.html"
    words = ["-p", "FoldConstant,FailOnPurpose", "--report", str(page)]
    assert main(["opt", str(program), *words]) == 2
    assert "no more" in capsys.readouterr().err
    assert steps_of(page)[-1] == ("FailOnPurpose", "", "failed")


def test_page_tells_the_check_that_fails(program, tmp_path, capsys, declarations):
    x, y = Var("x"), Var("y")
    broken = IRModule({"main": Function((x,), Let(x, y, x))})
    register_pass()(create_module_pass(lambda _mod, _ctx: broken, 0, "BreakOnPurpose"))
    page = tmp_path / "report.html"
    words = ["-p", "BreakOnPurpose", "--verify-each", "--report", str(page)]
    assert main(["opt", str(program), *words]) == 2
    assert steps_of(page) == [("BreakOnPurpose", "", "failed")]
    assert '["well_formed","' in page.read_text()


@pytest.mark.parametrize("name", ["report.svg", "nowhere/report.html"])
def test_command_is_refused_when_the_page_cannot_be_written(program, tmp_path, capsys, name):
    assert main(["opt", str(program), "--report", str(tmp_path / name)]) == 2
    assert "--report" in capsys.readouterr().err
