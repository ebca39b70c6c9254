"""Files of programs with their phase: text, or binary form by the suffix."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish.binary import is_binary, read_phase, write_binary
from relayish.errors import BinaryFormatError, PassError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Constant, Function, Tuple
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.program_file import read_program, write_program
from relayish.transform import FoldConstant
from tests.support.each import each

MOD = IRModule({"main": Function((), Tuple((Constant(1),)))})


@each("name", ["m.rly", "m.relay"])
def test_program_and_phase_come_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for phase in ("", "FoldConstant#2"):
        write_program(MOD, str(path), phase)
        mod, found = read_program(str(path))
        assert_structural_equal(mod, MOD)
        assert found == phase
        assert is_binary(path.read_bytes()) == (name == "m.rly")


def test_form_is_told_by_what_a_file_begins_with(tmp_path: Path) -> None:
    write_program(MOD, str(tmp_path / "m.rly"), "A")
    moved = (tmp_path / "m.rly").rename(tmp_path / "m.relay")
    assert read_program(str(moved))[1] == "A"


def test_what_is_no_module_is_refused(tmp_path: Path) -> None:
    write_binary(Constant(1), tmp_path / "one.rly")
    with pytest.raises(PassError, match=r"expected a module in .*one\.rly; found a Constant"):
        read_program(str(tmp_path / "one.rly"))


def test_damage_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.rly"
    write_program(MOD, str(path))
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BinaryFormatError, match=r"m\.rly: byte 100: .* cut short"):
        read_program(str(path))


def test_a_pass_writes_its_result_in_binary_form(tmp_path: Path) -> None:
    path = tmp_path / "after.rly"
    after = FoldConstant().with_common(write_ir=str(path))(MOD)
    assert read_phase(path) == "FoldConstant"
    assert_structural_equal(read_program(str(path))[0], after)
