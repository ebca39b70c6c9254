"""``relayish print | check | opt`` take files of loops alone, and write results in their form."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish.cli.main import main

FUNCTION = """\
function f (_A)
{
  serial for (i, 0, 16)
  {
    A[i] = (A[i] + 1.00000000f)
  }
}
"""
SECTION = "\n#[details]\ntensor A: float32[16]\n"


def write(tmp_path: Path, text: str, name: str = "loops.tir") -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_functions_are_printed_with_their_section(tmp_path, capsys):
    assert main(["print", write(tmp_path, FUNCTION)]) == 0
    assert capsys.readouterr().out == FUNCTION + SECTION


def test_loops_are_told_by_what_a_file_begins_with(tmp_path, capsys):
    assert main(["print", write(tmp_path, f"// a kernel\n{FUNCTION}", "kernel.txt")]) == 0
    assert capsys.readouterr().out == FUNCTION + SECTION


def test_printed_file_is_printed_as_it_is(tmp_path, capsys):
    assert main(["print", write(tmp_path, FUNCTION + SECTION)]) == 0
    assert capsys.readouterr().out == FUNCTION + SECTION


def test_several_functions_keep_their_order_and_their_names(tmp_path, capsys):
    text = FUNCTION.replace("function f", "function g") + "\n" + FUNCTION
    assert main(["print", write(tmp_path, text)]) == 0
    sections = "\n#[details]\nfunction g:\ntensor A: float32[16]\nfunction f:\n"
    assert capsys.readouterr().out == f"{text}{sections}tensor A: float32[16]\n"


def test_module_is_printed_as_a_module(tmp_path, capsys):
    text = f"Module m {{\n\n{FUNCTION}\n\n}}\n"
    assert main(["print", write(tmp_path, text)]) == 0
    assert capsys.readouterr().out == f"{text}\n#[details]\nfunction f:\ntensor A: float32[16]\n"


def test_pass_is_run_and_its_result_has_the_form_of_the_file(tmp_path, capsys):
    text = FUNCTION.replace("A[i] =", "A[(i + 0)] =")
    assert main(["opt", "-p", "Simplify", write(tmp_path, text)]) == 0
    assert capsys.readouterr().out == FUNCTION + SECTION


def test_checked_function_is_well_formed(tmp_path, capsys):
    assert main(["check", write(tmp_path, FUNCTION)]) == 0
    assert "well formed and well typed, 1 function" in capsys.readouterr().out


def test_access_out_of_range_is_found_with_its_place(tmp_path, capsys):
    text = FUNCTION.replace("A[i] =", "A[99] =") + SECTION
    assert main(["check", write(tmp_path, text)]) == 1
    assert "loops.tir:5:5" in capsys.readouterr().err


def test_error_in_a_file_tells_file_line_and_column(tmp_path, capsys):
    assert main(["print", write(tmp_path, FUNCTION.replace("serial", "serially"))]) == 2
    assert "loops.tir:3:" in capsys.readouterr().err


def test_statement_alone_is_refused(tmp_path, capsys):
    assert main(["print", write(tmp_path, "A[0] = 1.0f\n")]) == 2
    assert "put it into 'function f (...)'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["print", "check"])
def test_module_of_both_languages_is_taken(tmp_path, capsys, command):
    main_text = "def @main(%x: Tensor[(2), float32]) { %x }"
    text = f'#[version = "0.0.5"]\ndef @f = tir\n{FUNCTION}#[end];\n\n{main_text}\n'
    assert main([command, write(tmp_path, text, "both.relay")]) == 0
    out = capsys.readouterr().out
    assert ("def @f = tir\nfunction f (_A)" in out) == (command == "print")


def test_loops_without_a_pipeline_get_the_usual_passes_of_loops(tmp_path, capsys):
    poly = FUNCTION.replace("serial for (i, 0, 16)", "poly_for (i, 0, (i < 16), 1)")
    assert main(["opt", write(tmp_path, poly + SECTION)]) == 0
    assert capsys.readouterr().out == (FUNCTION + SECTION)
