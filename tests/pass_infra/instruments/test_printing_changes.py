"""What printing, differences and dumps say of passes that change programs, or do not."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from relayish import transform
from relayish.analysis.infer_type import infer_type
from relayish.errors import DeclarationError, PassError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.instruments.dump import make_safe_name
from relayish.text import parse
from relayish.text.relay import printer


def program(value: float = 1.0) -> IRModule:
    x = var("x", shape=(2,))
    return IRModule({"main": Function((x,), x + const(float(value)))})


def returns(out: IRModule | None, name: str) -> transform.Pass:
    """Return a pass that returns ``out``, or what it is given."""
    return transform.create_module_pass(lambda m, _c: m if out is None else out, 0, name)


def copies(name: str) -> transform.Pass:
    """Return a pass that returns another module of the same functions."""
    return transform.create_module_pass(lambda m, _c: IRModule(m.functions), 0, name)


def fails(name: str) -> transform.Pass:
    return transform.create_module_pass(lambda _m, _c: None, 0, name)


def run(instrument: transform.PassInstrument, mod: IRModule, *passes: transform.Pass) -> IRModule:
    with transform.PassContext(instruments=[instrument]):
        return transform.Sequential(passes, name="S")(mod)


def headings(out: io.StringIO) -> list[str]:
    return [line for line in out.getvalue().splitlines() if line.startswith("// ")]


# printing


def test_only_changed_prints_where_the_text_is_another() -> None:
    out = io.StringIO()
    passes = returns(None, "A"), returns(program(2), "B"), copies("C")
    run(transform.PrintAfterAll(only_changed=True, file=out), program(), *passes)
    assert headings(out) == [
        "// after A (unchanged)",
        "// after B",
        "// after C (unchanged)",
        "// after S (as after the last pass inside)",
    ]
    assert_structural_equal(parse(out.getvalue()), program(2))


def test_only_changed_tells_types_that_appear() -> None:
    out = io.StringIO()
    typing = transform.create_module_pass(lambda m, _c: infer_type(m), 0, "T")
    with transform.PassContext(instruments=[transform.PrintAfterAll(only_changed=True, file=out)]):
        typing(typing(program()))
    assert headings(out) == ["// after T", "// after T (unchanged)"]


def test_only_changed_counts_for_named_passes_alone() -> None:
    out = io.StringIO()
    printing = transform.PassPrintingInstrument(["B"], ["A"], only_changed=True, file=out)
    run(printing, program(), returns(None, "A"), returns(program(2), "B"))
    assert headings(out) == ["// after A (unchanged)", "// before B"]


def test_sequential_that_runs_nothing_is_unchanged() -> None:
    out = io.StringIO()
    run(transform.PrintAfterAll(only_changed=True, file=out), program())
    assert headings(out) == ["// after S (unchanged)"]


def test_program_is_written_once_however_often_it_is_shown(monkeypatch) -> None:
    written = []
    astext = printer.astext
    monkeypatch.setattr(printer, "astext", lambda mod: written.append(mod) or astext(mod))
    first, second = program(), program(2)
    passes = returns(None, "A"), returns(second, "B"), returns(None, "C")
    run(transform.PrintAfterAll(file=io.StringIO()), first, *passes)
    assert written == [first, second]


# differences


def shown(mod: IRModule, *passes: transform.Pass, **given: object) -> list[str]:
    out = io.StringIO()
    run(transform.DiffInstrument(file=out, **given), mod, *passes)
    return out.getvalue().splitlines()


def test_difference_shows_the_lines_that_a_pass_changes() -> None:
    lines = shown(program(), returns(None, "A"), returns(program(2), "B"), copies("C"))
    assert lines[:2] == ["--- before B", "+++ after B"]
    assert [line for line in lines[2:] if line[0] in "+-"] == ["-  add(%x, 1f)", "+  add(%x, 2f)"]


def test_difference_is_not_repeated_for_the_passes_around() -> None:
    lines = shown(program(), transform.Sequential([returns(program(2), "B")], name="Inner"))
    assert [line for line in lines if line.startswith("+++")] == ["+++ after B"]


def test_work_of_a_pass_that_calls_another_is_shown() -> None:
    """It changes the program first: what the pass inside did is not all."""
    typing = transform.create_module_pass(lambda m, _c: infer_type(m), 0, "T")
    outer = transform.create_module_pass(lambda _m, _c: typing(program(2)), 0, "Outer")
    lines = shown(program(), outer, types=True)
    assert [line for line in lines if line.startswith("+++")] == ["+++ after T", "+++ after Outer"]


def test_nothing_is_shown_when_nothing_changes() -> None:
    assert shown(program(), returns(None, "A"), copies("C")) == []


def test_difference_is_shown_for_named_passes_alone() -> None:
    passes = returns(program(2), "A"), returns(program(3), "B")
    lines = shown(program(), *passes, names=["relayish.pass_.B"])
    assert [line for line in lines if line.startswith("+++")] == ["+++ after B"]


def test_lines_around_a_change_are_as_many_as_asked() -> None:
    assert len(shown(program(), returns(program(2), "B"), context=0)) == 5
    with pytest.raises(DeclarationError, match="context is a number of lines from 0; found -1"):
        transform.DiffInstrument(context=-1)


def test_colours_are_those_of_added_and_removed_lines_and_end_with_them() -> None:
    lines = shown(program(), returns(program(2), "B"), colour=True)
    assert "\x1b[31m-  add(%x, \x1b[7m1f\x1b[27m)\x1b[0m" in lines
    assert "\x1b[32m+  add(%x, \x1b[7m2f\x1b[27m)\x1b[0m" in lines
    assert not any("\x1b" in line for line in shown(program(), returns(program(2), "B")))


def test_types_are_no_difference_unless_they_are_asked_for() -> None:
    typing = transform.create_module_pass(lambda m, _c: infer_type(m), 0, "T")
    assert shown(program(), typing) == []
    assert shown(program(), typing, returns(infer_type(program(2)), "B"))[:2] == [
        "--- before B",
        "+++ after B",
    ]
    lines = shown(program(), typing, types=True)
    assert "+def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {" in lines


def test_large_constant_is_shown_by_type_and_digest() -> None:
    x = var("x", shape=(100,))
    mods = [IRModule({"main": Function((x,), x + const([float(value)] * 100))}) for value in (1, 2)]
    gone, new = shown(mods[0], returns(mods[1], "B"))[4:6]
    assert re.fullmatch(r"-  add\(%x, float32\[100\]#[0-9a-f]{6}\)", gone)
    assert gone[1:] != new[1:]


def test_temporaries_that_are_renumbered_are_no_difference() -> None:
    text = "def @main(%x: float32) {{ {}%1 = exp(%x); %2 = tanh(%1); add(%2, %1) }}"
    mods = [
        parse(f'#[version = "0.0.5"]\n{text.format(more)}')
        for more in ("%0 = sin(%x); let %y = %0; ", "")
    ]
    lines = shown(mods[0], returns(mods[1], "B"), context=0)
    assert lines[3:] == ["-  let %y = sin(%x);"]


def test_pass_that_fails_has_no_difference() -> None:
    out = io.StringIO()
    with pytest.raises(PassError):
        run(transform.DiffInstrument(file=out), program(), fails("Bad"))
    assert out.getvalue() == ""


def test_difference_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    run(transform.DiffInstrument(), program(), returns(program(2), "B"))
    assert "+  add(%x, 2f)" in capsys.readouterr().out


# dumps


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_dump_has_the_program_before_the_first_and_after_every_pass(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "dump"
    dump = transform.DumpInstrument(directory)
    run(dump, program(), returns(None, "A"), returns(program(2), "B"))
    assert names(directory) == ["0_init.relay", "1_A.relay", "2_B.relay"]
    assert [path.name for path in dump.written] == names(directory)
    assert_structural_equal(parse((directory / "1_A.relay").read_text()), program())
    assert_structural_equal(parse((directory / "2_B.relay").read_text()), program(2))


def test_numbers_of_a_dump_go_on_and_a_new_program_is_written(tmp_path: Path) -> None:
    dump = transform.DumpInstrument(str(tmp_path))
    with transform.PassContext(instruments=[dump]):
        mod = returns(None, "A")(returns(program(2), "B")(program()))
        returns(None, "C")(mod)
        returns(None, "D")(program(3))
    run(dump, program(4), returns(None, "E"))
    assert [path.name for path in dump.written] == [
        *("0_init.relay", "1_B.relay", "2_A.relay", "3_C.relay", "4_init.relay", "5_D.relay"),
        *("6_init.relay", "7_E.relay"),
    ]


@pytest.mark.parametrize("name", ["../../escape", "a b/c:d", "x" * 300, "Ünïcode", "..", "con\0"])
def test_odd_names_of_passes_stay_in_the_directory(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "dump"
    run(transform.DumpInstrument(directory), program(), returns(None, name))
    assert names(tmp_path) == ["dump"]
    assert names(directory) == ["0_init.relay", f"1_{make_safe_name(name)}.relay"]


def test_directory_with_other_files_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "other").mkdir()
    with pytest.raises(PassError, match=r"holds 'mine\.txt' and 1 more, which this instrument did"):
        run(transform.DumpInstrument(tmp_path), program())
    assert names(tmp_path) == ["mine.txt", "other"]
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_directory_of_another_dump_is_refused(tmp_path: Path) -> None:
    run(transform.DumpInstrument(tmp_path), program(), returns(None, "A"))
    with pytest.raises(PassError, match=r"holds '0_init\.relay' and 1 more"):
        run(transform.DumpInstrument(tmp_path), program(), returns(None, "A"))


def test_file_in_place_of_the_directory_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(FileExistsError):
        run(transform.DumpInstrument(tmp_path / "taken"), program())


def test_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch) -> None:
    dump = transform.DumpInstrument(tmp_path)

    def refuse(self: Path, target: Path) -> Path:
        assert target.name == "1_A.relay"
        assert self.read_text().startswith("#[version")
        raise OSError("disk full")

    with transform.PassContext(instruments=[dump]):
        mod = returns(None, "Z")(program())
        (tmp_path / "1_Z.relay").rename(tmp_path / "moved")
        monkeypatch.setattr(
            Path, "replace", lambda self, _t: (_ for _ in ()).throw(OSError("full"))
        )
        with pytest.raises(OSError, match="full"):
            returns(program(2), "A")(mod)
    assert names(tmp_path) == ["0_init.relay", "moved"]


def test_failing_pass_is_told_where_its_program_is(tmp_path: Path) -> None:
    with pytest.raises(PassError) as info:
        run(transform.DumpInstrument(tmp_path), program(), returns(program(2), "A"), fails("Bad"))
    note = f"the program before pass Bad is in {tmp_path / '1_A.relay'}"
    assert [line for line in info.value.__notes__ if "before pass" in line] == [note]


def test_dump_reads_back_constants_that_stand_in_metadata(tmp_path: Path) -> None:
    mod = IRModule({"main": Function((), const([1.5, -0.0, float("nan")]))})
    run(transform.DumpInstrument(tmp_path), mod, returns(None, "A"))
    assert_structural_equal(parse((tmp_path / "1_A.relay").read_text()), mod)
