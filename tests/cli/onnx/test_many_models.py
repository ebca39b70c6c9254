"""``relayish optimize`` of several models: names, records, bad ones among good ones, exit codes."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relayish.cli.loading import VARIABLE
from relayish.cli.main import main
from relayish.cli.optimizing import many
from relayish.cli.optimizing.record import NAME, add_to_record, read_record
from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Constant, Expr
from relayish.transform import create_function_pass, register_pass
from tests.support.json_schema import faults
from tests.support.small_models import small_model

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]
HERE = ["--executor", "threads:1"]
PASSES = ["-p", "DeadCodeElimination"]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with two models, of which one lies deeper."""
    folder = tmp_path / "models"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.onnx", "deep/b.onnx"):
        onnx.save(small_model(), folder / name)
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def run(*words: object) -> int:
    return main(["optimize", *map(str, words), *PASSES])


def told(capsys: Capture) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def alone(model: Path, place: Path) -> bytes:
    assert run(model, "-o", place, "--quiet") == 0
    return place.read_bytes()


def test_results_are_in_the_folder_below_the_paths_of_their_models(
    models, out, tmp_path, capsys: Capture
) -> None:
    assert run(models, "-o", out, *HERE) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == [
        *("model", "operators", "after", "bytes", "after", "seconds", "worker", "result")
    ]
    assert table[1].split()[:5] == ["a.onnx", "4", "3", "28", "28"]
    assert table[2].split()[:5] == ["deep/b.onnx", "4", "3", "28", "28"]
    assert table[1].endswith("equal")
    assert table[-1].startswith("2 models: 2 written; ")
    assert sorted(str(each.relative_to(out)) for each in out.rglob("*") if each.is_file()) == [
        "a.onnx",
        "deep/b.onnx",
        NAME,
    ]
    expected = alone(models / "a.onnx", tmp_path / "alone.onnx")
    assert (out / "a.onnx").read_bytes() == (out / "deep/b.onnx").read_bytes() == expected


def test_one_model_goes_into_a_folder_that_is_named_as_one(models, out) -> None:
    assert run(models / "a.onnx", "-o", f"{out}/", *HERE) == 0
    assert (out / "a.onnx").exists()


def test_json_is_a_list_in_the_order_of_models(models, out, capsys: Capture) -> None:
    assert run(models / "deep/b.onnx", models / "a.onnx", "-o", out, "--json", *HERE) == 0
    first, second = told(capsys)
    assert (first["name"], second["name"]) == ("b.onnx", "a.onnx")
    assert first["given"] == str(models / "deep/b.onnx")
    assert (first["code"], first["error"], first["tries"]) == (0, None, 1)
    assert first["report"]["operators"] == {"before": 4, "after": 3}
    assert first["report"]["input"] == str(models / "deep/b.onnx")
    assert first["was_there"] is False


@pytest.mark.parametrize("several", [False, True])
def test_json_is_what_the_schema_says(models, out, capsys: Capture, several) -> None:
    assert main(["optimize", "--json-schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    (models / "bad.onnx").write_bytes(b"nonsense")
    words = [models, "-o", out, *HERE] if several else [models / "a.onnx"]
    assert run(*words, "--json") == (2 if several else 0)
    assert list(faults(json.loads(capsys.readouterr().out), schema)) == []


def test_what_is_there_and_right_is_not_done_again(
    models, out, capsys: Capture, monkeypatch
) -> None:
    assert run(models, "-o", out, *HERE) == 0
    before = (out / "a.onnx").stat().st_mtime_ns
    monkeypatch.setattr(many, "optimise_model", None)  # nothing calls it
    capsys.readouterr()
    assert run(models, "-o", out, *HERE) == 0
    shown = capsys.readouterr().out
    assert shown.count("equal; was there") == 2
    assert "2 models: 2 there before; " in shown
    assert (out / "a.onnx").stat().st_mtime_ns == before


def test_what_is_there_is_told_by_the_names_it_has_now(models, out, capsys: Capture) -> None:
    assert run(models / "a.onnx", "-o", out, *HERE, "--quiet") == 0
    moved = out.rename(out.with_name("moved"))
    given = models.rename(models.with_name("others")) / "a.onnx"
    assert run(given, given, "-o", moved, *HERE, "--json") == 0  # twice is once
    (found,) = told(capsys)
    assert found["was_there"] is True
    named = found["report"]["input"], found["report"]["output"]
    assert named == (str(given), str(moved / "a.onnx"))


def test_other_data_to_compare_on_make_results_again(models, out, capsys: Capture) -> None:
    data = models.parent / "data.npz"
    shape = [
        each.dim_value or 2 for each in small_model().graph.input[0].type.tensor_type.shape.dim
    ]
    for value, was_there in ((1, False), (1, True), (2, False)):
        np.savez(data, **{small_model().graph.input[0].name: np.full(shape, value, "float32")})
        words = [models / "a.onnx", "-o", out, *HERE, "--json", "--input-data", data]
        assert run(*words) == 0
        assert told(capsys)[0]["was_there"] is was_there


def cut(out: Path, _models: Path) -> None:
    (out / "a.onnx").write_bytes((out / "a.onnx").read_bytes()[:-1])


def remove(out: Path, _models: Path) -> None:
    (out / "a.onnx").unlink()


def change_model(_out: Path, models: Path) -> None:
    model = small_model()
    model.producer_name = "another"
    onnx.save(model, models / "a.onnx")


def forget(out: Path, _models: Path) -> None:
    lines = (out / NAME).read_text().splitlines(keepends=True)
    (out / NAME).write_text("".join(each for each in lines if '"a.onnx"' not in each))


def cut_record(out: Path, _models: Path) -> None:
    """Leave half a line of the first, as a machine does that loses power."""
    lines = (out / NAME).read_text().splitlines(keepends=True)
    of_a, of_b = sorted(lines, key=lambda each: '"deep/b.onnx"' in each)
    (out / NAME).write_text(of_b + of_a[:40])


def falsify_record(out: Path, _models: Path) -> None:
    file = out / NAME
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    changed = [each.replace('"report"', '"rapport"') for each in lines if '"a.onnx"' in each]
    others = [each for each in lines if '"a.onnx"' not in each]
    file.write_text("\n".join([*changed, *others, "[" * 100_000]), encoding="utf-8")


@pytest.mark.parametrize("change", [cut, remove, change_model, forget, cut_record, falsify_record])
def test_what_is_not_right_any_more_is_done_again_alone(
    models, out, capsys: Capture, change
) -> None:
    assert run(models, "-o", out, *HERE, "--quiet") == 0
    right = (out / "a.onnx").read_bytes()
    change(out, models)
    assert run(models, "-o", out, *HERE, "--json") == 0
    first, second = told(capsys)
    assert (first["was_there"], second["was_there"]) == (False, True)
    assert change is change_model or (out / "a.onnx").read_bytes() == right
    assert set(read_record(out)) == {"a.onnx", "deep/b.onnx"}
    assert run(models, "-o", out, *HERE, "--json") == 0
    assert [each["was_there"] for each in told(capsys)] == [True, True]


@pytest.mark.parametrize(
    ("words", "was_there"),
    [
        (["--seed", "1"], False),
        (["--verify", "1"], False),
        (["--disable-pass", "InferType"], False),
        (["--json"], True),
        (["--verbose"], True),
    ],
)
def test_other_options_make_results_again_if_these_depend_on_them(
    models, out, capsys: Capture, words, was_there
) -> None:
    assert run(models / "a.onnx", "-o", out, *HERE, "--quiet") == 0
    capsys.readouterr()
    assert run(models / "a.onnx", "-o", out, *HERE, "--json", *words) == 0
    assert told(capsys)[0]["was_there"] is was_there


def test_tensors_beside_a_model_belong_to_it(models, out, capsys: Capture) -> None:
    model = small_model()
    place = models / "a.onnx"
    onnx.save(model, place, save_as_external_data=True, location="weights", size_threshold=0)
    assert run(place, "-o", out, *HERE, "--quiet") == 0
    assert set(read_record(out)["a.onnx"]["inputs"]) == {"a.onnx", "weights"}
    assert set(read_record(out)["a.onnx"]["outputs"]) == {"a.onnx", "a.onnx.data"}
    data = bytearray((models / "weights").read_bytes())
    data[0] ^= 1
    (models / "weights").write_bytes(data)
    assert run(place, "-o", out, *HERE, "--json") == 0
    assert told(capsys)[0]["was_there"] is False
    (out / "a.onnx.data").write_bytes(b"another")
    assert run(place, "-o", out, *HERE, "--json") == 0
    assert told(capsys)[0]["was_there"] is False


class _Doubler(ExprMutator):
    def visit_constant(self, constant: Constant) -> Expr:
        return constant if constant.data.ndim else Constant(constant.data * 1.5)


def test_a_bad_model_does_not_keep_the_others_and_the_worst_code_is_returned(
    models, out, capsys: Capture
) -> None:
    (models / "bad.onnx").write_bytes(b"nonsense")
    assert run(models, models / "none.onnx", "-o", out, *HERE) == 2
    shown = capsys.readouterr()
    assert shown.out.count("equal\n") == 2
    assert "4 models: 2 written, 2 with errors; " in shown.out
    assert shown.err.count("relayish: error: ") == 2
    assert f"{models / 'bad.onnx'}" in shown.err
    assert "Traceback" not in shown.err
    assert not (out / "bad.onnx").exists()
    assert set(read_record(out)) == {"a.onnx", "deep/b.onnx"}


def test_what_is_not_equal_is_not_written_and_tried_again(
    models, out, capsys: Capture, declarations: None
) -> None:
    made = create_function_pass(lambda func, _m, _c: _Doubler().visit(func), 0, "ChangeScalars")
    register_pass()(made)
    words = ["optimize", str(models), "-o", str(out), *HERE, "-p", "ChangeScalars"]
    for _ in range(2):
        assert main(words) == 1
        shown = capsys.readouterr()
        assert shown.out.count("NOT equal: output 'y' of input 1 differs") == 2
        assert "2 models: 2 not equal; " in shown.out
    assert [each.name for each in out.iterdir() if each.is_file()] == []


def test_without_a_folder_nothing_is_written(models, capsys: Capture) -> None:
    before = sorted(models.rglob("*"))
    assert run(models, *HERE) == 0
    assert "2 models: none written; " in capsys.readouterr().out
    assert sorted(models.rglob("*")) == before


def test_results_and_hidden_files_in_the_folder_of_models_are_no_models(
    models, capsys: Capture
) -> None:
    (models / ".relayish-killed").mkdir()
    (models / ".relayish-killed/a.onnx").write_bytes(b"half")
    for was_there in (False, True):
        assert run(models, "-o", models / "out", *HERE, "--json") == 0
        assert [each["was_there"] for each in told(capsys)] == [was_there] * 2


def test_models_in_a_folder_of_the_folder_of_results_are_models(models, capsys: Capture) -> None:
    assert run(models / "deep", "-o", models, *HERE, "--json") == 0
    assert [each["name"] for each in told(capsys)] == ["b.onnx"]
    assert (models / "b.onnx").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["{}/a.onnx", "{}/../other/a.onnx", "-o", "out"], "are both called a.onnx"),
        (["{}", "-o", "{}"], "would replace it"),
        (["{}", "-o", "{}/a.onnx"], "of several models the results go into a folder"),
        (["{}", "-o", "-"], "- stands for one model"),
        (["-", "{}", "-o", "out"], "- stands for one model"),
        (["{}", "-o", "out", "--report", "r.html"], "--report tells of one model"),
        (["{}", "-o", "out", "-j", "2", "--executor", "threads:2"], "write one"),
        (["{}", "-o", "out", "--executor", "thread:2"], "did you mean threads?"),
        (["{}/deep/none", "{}/empty", "-o", "out"], "is no *.onnx"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_done(
    models, capsys: Capture, monkeypatch, words, complaint
) -> None:
    monkeypatch.chdir(models.parent)
    (models / "empty").mkdir()
    (models / "deep/none").mkdir()
    assert run(*[each.format(models) for each in words]) == 2
    told = capsys.readouterr().err
    assert complaint in told
    assert told.startswith("relayish: error: ")  # and not how many were done
    assert not Path("out").exists()


def test_nothing_half_written_stays_and_what_is_done_does(
    models, out, capsys: Capture, monkeypatch
) -> None:
    done: list[str] = []

    def record(folder: Path, entry: Any) -> None:
        if done:
            raise KeyboardInterrupt
        add_to_record(folder, entry)
        done.append(entry["result"])

    monkeypatch.setattr(many, "add_to_record", record)
    assert run(models, "-o", out, *HERE) == 130
    assert "1 of 2 models were done; what is done is kept" in capsys.readouterr().err
    assert list(out.glob(".relayish-*")) == []
    assert set(read_record(out)) == set(done)
    monkeypatch.undo()


@pytest.mark.usefixtures("usual_signals")
@pytest.mark.slow("starts a process that imports relayish")
def test_an_interrupt_ends_all_processes_and_keeps_what_they_made(
    models, out, tmp_path, capsys: Capture, monkeypatch, declarations: None
) -> None:
    monkeypatch.setenv(VARIABLE, "[]")
    monkeypatch.setattr(sys, "path", list(sys.path))
    script, place = tmp_path / "slow_pass.py", tmp_path / "process"
    script.write_text(SLOW)
    words = ["optimize", str(models), "-o", str(out), "-j", "1", "--load", str(script)]
    me = threading.main_thread().ident
    assert me is not None

    def interrupt() -> None:
        while not (place.exists() and place.read_text()):
            time.sleep(0.02)
        signal.pthread_kill(me, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    assert main([*words, "-p", "DeadCodeElimination,Slow", "--verify", "0"]) == 130
    thread.join()
    assert "1 of 2 models were done; what is done is kept" in capsys.readouterr().err
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)
    assert list(out.glob(".relayish-*")) == []
    assert set(read_record(out)) == {"a.onnx"}
    assert (out / "a.onnx").read_bytes() == alone(models / "a.onnx", tmp_path / "alone.onnx")


SLOW = """
import os, time
from pathlib import Path
from relayish.transform import register_pass
from relayish.ir.relay.module import IRModule

seen = []

@register_pass("Slow", opt_level=0)
def slow(mod: IRModule) -> IRModule:
    '''Wait at the second module.'''
    seen.append(mod)
    if len(seen) == 2:
        Path(__file__).with_name("process").write_text(str(os.getpid()))
        time.sleep(60)
    return mod
"""
