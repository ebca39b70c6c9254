"""``relayish tune``: what is tuned, how trials are divided, what is told, Ctrl-C, records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import relayish as relay
from relayish import tir
from relayish.cli import tune
from relayish.cli.main import main
from relayish.tir.schedule.records import read_records
from relayish.tir.tune import TuneOptions
from relayish.tuning import evolution
from relayish.tuning.measuring import Verdict
from relayish.tuning.search import search
from tests.support.json_schema import faults
from tests.support.tuning import Interrupting, by_program, scaled, tiles

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "POPULATION", 6)
    monkeypatch.setattr(evolution, "ROUNDS", 1)
    measured_by(monkeypatch, by_program)


def measured_by(monkeypatch: pytest.MonkeyPatch, measurer: Any) -> None:
    """Let the command measure by a function, in a space of tiles of one loop."""

    def by(func: Any, options: TuneOptions, **named: Any) -> Any:
        return search(func, options._replace(space=tiles), measurer=measurer, **named)

    monkeypatch.setattr(tune, "search", by)


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    """A file with two functions of loops, of which one is there under two names."""
    small, large = scaled(64), scaled(1024)
    named = [small.with_fields(name="small"), large, large.with_fields(name="same")]
    path = tmp_path / "loops.txt"
    path.write_text(tir.astext(tir.Module("m", functions=tuple(named))))
    return path


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A network whose two layers are the same."""
    x = relay.var("x", shape=(64,))
    result = relay.exp(relay.annotation.stop_fusion(relay.exp(x)))
    path = tmp_path / "network.relay"
    path.write_text(relay.astext(relay.IRModule.from_expr(relay.Function([x], result))))
    return path


def run(*words: object) -> int:
    return main(["tune", *map(str, words), "--executor", "threads:1"])


def told(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_each_distinct_function_of_a_file_is_tuned(loops: Path, capsys: Capture) -> None:
    assert run(loops, "--json", "--trials", 20) == 0
    large, small = told(capsys)["functions"]
    assert (small["names"], small["calls"]) == (["small"], 1)
    assert (large["names"], large["calls"]) == (["same", "scaled"], 2)
    assert sum(small["verdicts"].values()) + sum(large["verdicts"].values()) in (19, 20, 21)
    assert large["seconds"] <= large["baseline"]


def test_what_takes_most_of_the_time_has_most_trials(
    loops: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_size(trial: Any) -> Any:
        size = trial.func.args[0].shape[0].value
        return by_program(trial)._replace(seconds=1e-3 if size == 1024 else 1e-9)

    measured_by(monkeypatch, by_size)
    assert run(loops, "--json", "--trials", 8) == 0
    large, small = told(capsys)["functions"]
    assert small["verdicts"] == {"right": 1}
    assert large["verdicts"] == {"right": 8}


def test_a_function_by_name_is_tuned_alone(loops: Path, capsys: Capture) -> None:
    assert run(loops, "--json", "--trials", 3, "--function", "same") == 0
    (only,) = told(capsys)["functions"]
    assert only["names"] == ["same", "scaled"]
    assert run(loops, "--function", "smal") == 2
    assert "did you mean small" in capsys.readouterr().err


def test_functions_of_a_network_are_counted_by_their_calls(network: Path, capsys: Capture) -> None:
    assert run(network, "--json", "--trials", 1) == 0
    (layer,) = told(capsys)["functions"]
    assert layer["calls"] == 2
    assert len(layer["names"]) >= 1


def test_json_is_what_the_schema_says(loops: Path, capsys: Capture) -> None:
    assert main(["tune", "--json-schema"]) == 0
    schema = told(capsys)
    assert run(loops, "--json", "--trials", 4) == 0
    assert list(faults(told(capsys), schema)) == []


def test_the_table_has_a_line_for_each_function_and_the_sum(loops: Path, capsys: Capture) -> None:
    assert run(loops, "--trials", 10) == 0
    heading, large, small, _, rest = capsys.readouterr().out.splitlines()
    assert heading.split() == [
        *("function", "calls", "milliseconds", "tuned", "times", "as", "fast", "trials")
    ]
    assert small.startswith("small")
    assert large.startswith("same and 1 more")
    assert rest.startswith("all calls: ")
    assert "; not recorded; " in rest


def test_records_are_added_to_and_what_they_know_is_not_measured_again(
    loops: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.jsonl"
    words = loops, "--records", path, "--trials", 12, "--json"
    assert run(*words) == 0
    first = told(capsys)
    assert first["records"] == str(path)
    count = len(read_records(path))
    measured_by(monkeypatch, Interrupting(0))  # nothing calls it
    assert run(*words) == 0
    assert told(capsys)["functions"] == first["functions"]
    assert len(read_records(path)) == count


def test_ctrl_c_tells_what_was_found_and_leaves_with_its_code(
    loops: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.jsonl"
    measured_by(monkeypatch, Interrupting(5))
    assert run(loops, "--records", path, "--trials", 12) == 130
    shown = capsys.readouterr()
    assert "interrupted; the same command goes on from there" in shown.err
    assert shown.out.startswith("function")
    assert len(read_records(path)) == 5


def test_a_function_that_cannot_be_measured_keeps_no_other(
    loops: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_name(trial: Any) -> Any:
        found = by_program(trial)
        is_small = trial.func.name == "small"
        return found._replace(verdict=Verdict.TIMEOUT) if is_small else found

    measured_by(monkeypatch, by_name)
    assert run(loops, "--trials", 4, "--json") == 0
    large, small = told(capsys)["functions"]
    assert "'small' cannot be measured" in small["error"]
    assert large["verdicts"] == {"right": 4}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-j", "2"], "write one"),
        (["--executor", "proceses"], "did you mean processes"),
        (["--input-shape", "x:1"], "--input-shape is for models of ONNX"),
    ],
)
def test_words_that_make_no_sense_are_refused(
    loops: Path, capsys: Capture, words: list[str], expected: str
) -> None:
    assert main(["tune", str(loops), "--executor", "threads:1", *words]) == 2
    assert expected in capsys.readouterr().err
