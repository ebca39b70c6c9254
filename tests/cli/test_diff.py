"""``relayish diff`` of programs: what is compared, what is told of constants, colours, JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import relayish as relay
from relayish.binary import write_binary
from relayish.cli.differences import are_same, largest_difference
from relayish.cli.main import main
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
HEAD = '#[version = "0.0.5"]\n'
LOOPS = "function f (_A)\n{\n  for (i, 0, 4)\n  {\n    A[i] = %sf\n  }\n}\n"


def told(tmp_path: Path, capsys: Capture, before: str, after: str, *more: str) -> str:
    paths = []
    for name, text in (("a", before), ("b", after)):
        path = tmp_path / name
        path.write_text(text)
        paths.append(str(path))
    code = main(["diff", *paths, *more])
    out = capsys.readouterr().out
    assert code == (out != "")
    return out


def changed(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r"[-+](?![-+]{2} )", line)]


def test_numbers_of_temporaries_are_no_difference_unless_asked(
    tmp_path: Path, capsys: Capture
) -> None:
    texts = [
        f"{HEAD}def @main(%x: float32) {{ %0 = {first}; %1 = exp(%x); let %y = %{use}; (%y, %1) }}"
        for first, use in (("sin(%x)", 0), ("sin(%x)", 0))
    ]
    swapped = texts[1].replace("%0 = sin(%x); %1 = exp(%x)", "%1 = exp(%x); %0 = sin(%x)")
    assert told(tmp_path, capsys, texts[0], swapped) == ""
    shifted = f"{HEAD}def @main(%x: float32) {{ let %y = sin(%x); %3 = exp(%x); add(%3, %3) }}"
    before = shifted.replace("let %y = sin(%x);", "%0 = sin(%x); let %y = (%0, %0);")
    shown = told(tmp_path, capsys, before, shifted)
    assert changed(shown) == ["-  %0 = sin(%x);", "-  let %y = (%0, %0);", "+  let %y = sin(%x);"]
    shown = told(tmp_path, capsys, before, shifted, "--names")
    assert "+  %0 = exp(%x);" in shown


def test_types_are_compared_when_asked(tmp_path: Path, capsys: Capture) -> None:
    plain = f"{HEAD}def @main(%x: float32) {{ exp(%x) }}"
    typed = relay.transform.InferType()(relay.parse(plain)).astext()
    assert told(tmp_path, capsys, plain, typed) == ""
    assert "-> float32" in told(tmp_path, capsys, plain, typed, "--types")


def constants(tmp_path: Path, values: list[list[float]]) -> list[str]:
    paths = []
    for number, value in enumerate(values):
        x = relay.var("x", shape=(len(value),))
        path = tmp_path / str(number)
        write_binary(relay.Function([x], x + relay.const(value)), path)
        paths.append(str(path))
    return paths


def test_constants_are_told_by_digest_and_largest_difference(
    tmp_path: Path, capsys: Capture
) -> None:
    ones, other = [1.0] * 100, [1.0] * 99 + [1.5]
    paths = constants(tmp_path, [ones, other])
    assert main(["diff", *paths]) == 1
    shown = capsys.readouterr().out
    assert len(shown) < 600
    last = shown.splitlines()[-1]
    name = r"float32\[100\]#[0-9a-f]{6}"
    assert re.fullmatch(rf"constant {name} -> {name}: largest difference 0.5", last)
    assert main(["diff", paths[0], paths[0]]) == 0
    assert main(["diff", *paths, "--values"]) == 1
    assert len(capsys.readouterr().out) > 600


@each(
    ("before", "after", "wanted"),
    [
        ([1.0, 2.0], [1.0, 4.0], 2.0),
        ([1, 200], [1, 100], 100.0),
        ([True], [False], 1.0),
        ([np.nan, 1.0], [np.nan, 1.0], 0.0),
        ([np.nan], [1.0], None),
        ([1.0], [1.0, 2.0], None),
        ([1.0], [1], None),
        ([], [], None),
        (["a"], ["b"], None),
    ],
)
def test_largest_difference_is_that_of_numbers_alike(
    before: list[object], after: list[object], wanted: float | None
) -> None:
    arrays = [np.array(each) for each in (before, after)]
    assert largest_difference(*arrays) == wanted
    assert largest_difference(None, arrays[0]) is None


@each(
    ("before", "after", "same"),
    [
        (np.zeros(2), np.zeros(2), True),
        (np.zeros(2), np.zeros(2, "float32"), False),
        (np.zeros(2), np.zeros((2, 1)), False),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array(["a"], object), np.array(["a"], object), True),
        (np.array(["a"], object), np.array(["b"], object), False),
    ],
)
def test_arrays_are_the_same_by_their_bits(before: object, after: object, same: bool) -> None:
    assert are_same(before, after) is same


def test_loops_are_compared_as_they_are_written(tmp_path: Path, capsys: Capture) -> None:
    shown = told(tmp_path, capsys, LOOPS % "1.0", LOOPS % "2.0")
    assert changed(shown) == ["-    A[i] = 1.00000000f", "+    A[i] = 2.00000000f"]


def test_words_that_differ_are_marked_in_colour(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{HEAD}def @main(%x: float32) {{ add(%x, {n}f) }}" for n in (1, 2)]
    shown = told(tmp_path, capsys, *texts, "--color", "always")
    assert "\x1b[32m+  add(%x, \x1b[7m2f\x1b[27m)\x1b[0m\n" in shown
    assert "\x1b" not in told(tmp_path, capsys, *texts)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" in told(tmp_path, capsys, *texts)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in told(tmp_path, capsys, *texts)


def test_difference_of_programs_as_json(tmp_path: Path, capsys: Capture) -> None:
    texts = [f"{HEAD}def @main(%x: float32) {{ {name}(%x) }}" for name in ("exp", "sin")]
    found = json.loads(told(tmp_path, capsys, *texts, "--json"))
    assert found["equal"] is False
    assert found["operators"] == {"exp": [1, 0], "sin": [0, 1]}
    assert found["lines"][-3:] == ["-  exp(%x)", "+  sin(%x)", " }"]
    assert main(["diff", str(tmp_path / "a"), str(tmp_path / "a"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lines"] == []
