"""Nothing that a file, its name or the command line holds reaches a terminal as it is."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.dom import minidom

import pytest

from relayish.cli.main import main
from relayish.text import astext
from tests.support.each import each
from tests.support.hostile import HOSTILE, NO_ARGUMENT, SENDABLE, unprintable, with_hostile_names
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.small_models import small_model

Capture = pytest.CaptureFixture[str]

WORD = NO_ARGUMENT.sub("", HOSTILE)
"""What a shell can hand over."""
FILE_NAME = WORD.replace("/", "")
COLOURS = re.compile("\x1b\\[(?:0|7|27|31|32|36)m")
"""What differences are marked by."""


def run(words: list[str], capsys: Capture) -> tuple[int, str]:
    """Run a command; return its exit code and all that it says, which is safe."""
    code = main(words)
    told = capsys.readouterr()
    said = told.out + told.err
    assert unprintable(said) == [], words
    return code, said


@each(
    "words",
    [
        ["check", "{}"],
        ["print", "missing", "{}"],
        ["{}"],
        ["check", "FILE", "--{}"],
        ["opt", "FILE", "-p", "{}"],
        ["opt", "FILE", "-p", "FoldConstant{{{}=1}}"],
        ["opt", "FILE", "-p", "FoldConstant{{fold_qnn={}}}"],
        ["opt", "FILE", "--config", "{}=1"],
        ["opt", "FILE", "--disable-pass", "{}"],
        ["opt", "FILE", "--required-pass", "{}"],
        ["opt", "FILE", "--print-ir-after", "{}"],
        ["opt", "FILE", "--verify", "{}"],
        ["opt", "FILE", "-O", "{}"],
        ["opt", "FILE", "-o", "FILE/{}"],
        ["opt", "FILE", "--dump-ir", "FILE/{}"],
        ["opt", "FILE", "-{}"],
        ["opt", "FILE", "--pass-options", "FoldConstant{{{}=1}}"],
        ["opt", "FILE", "-skip_after={}"],
        ["drive", "FILE", "-FoldConstant:{}"],
        ["drive", "FILE", "-skip_after={}"],
        ["opt", "FILE", "--instrument", "{}"],
        ["opt", "FILE", "--instrument", "Dump{{{}=1}}"],
        ["--load", "{}", "check", "FILE"],
        ["--load", "{}.py", "check", "FILE"],
        ["check", "FILE", "--load={}/"],
        ["drive", "FILE", "--load", "{}.py"],
        ["completion", "{}"],
        ["completion", "bash", "{}"],
        ["passes", "--instruments", "{}"],
        ["passes", "{}"],
        ["domains", "{}"],
        ["analyse", "FILE", "-a", "{}"],
        ["analyse", "FILE", "-a", "liveness", "--function", "{}"],
        ["bisect", "FILE", "-p", "FoldConstant", "--check", "{}"],
        ["bisect", "FILE", "-p", "FoldConstant", "--command", "'{}"],
        ["bisect", "FILE", "-p", "FoldConstant", "--value", "--entry", "{}"],
        ["diff", "FILE", "{}"],
        ["diff", "FILE", "{}.onnx"],
        *([["show", "{}"], ["optimize", "{}.onnx"]] if find_spec("onnx") else []),
    ],
)
def test_words_of_the_command_line_are_shown_escaped(
    words: list[str], program: Path, capsys: Capture
) -> None:
    given = [word.format(WORD).replace("FILE", str(program)) for word in words]
    code, said = run(given, capsys)
    assert code == 2, said
    assert "\\x1b]0;t" in said


def test_what_a_loaded_file_raises_and_warns_of_is_shown_escaped(
    program: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("RELAYISH_LOADED", "")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    raising, warning = tmp_path / "raises.py", tmp_path / "warns.py"
    raising.write_text(f"raise ValueError({HOSTILE!r})")
    warning.write_text(f"import warnings\nwarnings.warn({HOSTILE!r})")
    code, said = run(["check", str(program), "--load", str(raising)], capsys)
    assert (code, "\\x1b]0;t" in said) == (2, True)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, said = run(["check", str(program), "--load", str(warning)], capsys)
        assert (code, "UserWarning: " in said, "\\x1b]0;t" in said) == (0, True, True)


@each("command", ["passes", "domains", "diff", "opt"])
def test_colour_is_left_out_of_pipes(command: str, program: Path, capsys: Capture) -> None:
    words = {"domains": ["vm"], "diff": [str(program)] * 2, "opt": [str(program), "--diff"]}
    run([command, *words.get(command, [])], capsys)


def test_headings_are_shown_escaped(program: Path, capsys: Capture) -> None:
    for heading in ("\x1b[31m", "\u202e", "\x9b", "a\nb\rc"):
        code, said = run(["opt", str(program), "-p", f'PrintIR{{header="{heading}"}}'], capsys)
        assert code == 0, heading
        assert "\n// " in said


def test_nested_times_are_indented_by_tabs(program: Path, capsys: Capture) -> None:
    _, said = run(["opt", str(program), "-O", "2", "--timing"], capsys)
    assert "\n\tFoldConstant" in said


PLACES = {
    "file": "",
    "word": "def @main(%x: int32) {{ %x {0} }}",
    "string": 'def @main(%x: int32) {{ %x "{0} }}',
    "global": 'def @main(%x: int32) {{ @"{0}"(%x) }}',
    "operator": 'def @main(%x: int32) {{ #"{0}"(%x) }}',
    "variable": 'def @main(%x: int32) {{ %"{0}" }}',
    "twice": 'def @"{0}"() {{ 1 }}\ndef @"{0}"() {{ 1 }}',
    "attribute": 'def @main(%x: int32) {{ nn.relu(%x, #"{0}"=1) }}',
    "value": 'def @main(%x: int32) {{ nn.softmax(%x, axis="{0}") }}',
    "type": 'def @main(%x: #"{0}") {{ %x }}',
    "constructor": 'type T {{ #"{0}", }}\ndef @main(%x: int32) {{ #"{0}"(%x) }}',
    "comment": "def @main(%x: int32) {{ /* {0} */ add(%x, 1f) }}",
    "line": "def @main(%x: int32) {{\t/* {0} */ add(%x, 1f) /* {0} */ }}",
    "metadata": 'def @main() {{ 1 }}\n#[metadata]\n{{"{0}": 1}}',
    "loops": "function {0} (_A)\n{{\n}}\n",
    "loop tensor": 'function f (_#"{0}")\n{{\n  A[0] = #"{0}"[()]\n}}\n',
}


@each("place", PLACES)
@pytest.mark.parametrize("command", ["check", "print", "opt"])
def test_names_in_a_program_are_shown_escaped(
    place: str, command: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / (FILE_NAME if place == "file" else "program")
    said = PLACES[place].format(SENDABLE)
    path.write_text(f'#[version = "0.0.5"]\n{said}' if "function" not in said else said)
    run([command, str(path)], capsys)


@pytest.mark.parametrize("seed", seeds(2))
def test_programs_with_hostile_names_are_told_escaped(
    seed: int, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "program"
    for _, mod in with_hostile_names(random_module(seed, 30)):
        path.write_text(astext(mod))
        for words in (["check"], ["print"], ["print", "--as", "python"]):
            run([*words, str(path)], capsys)
        run(["opt", "-p", "FoldConstant", "--diff", "--color", "never", str(path)], capsys)
        run(["opt", "-p", "FoldConstant", "--print-ir-after-all", "--trace", str(path)], capsys)
        run(["opt", "-v", "-p", "FoldConstant", "--instrument", "Diff,Timing", str(path)], capsys)
        run(["analyse", "-a", "liveness", str(path)], capsys)


def _texts(message: Any) -> Iterator[tuple[Any, Any, int | None, str]]:  # Any: of protobuf
    """Yield each text that a message holds: the message, the field, the place in it, the text."""
    for field, held in message.ListFields():
        many = not isinstance(held, (str, bytes)) and hasattr(held, "__len__")
        for place, value in enumerate(held if many else [held]):
            if isinstance(value, str):
                yield message, field.name, place if many else None, value
            elif hasattr(value, "ListFields"):
                yield from _texts(value)


def named_model() -> Any:
    """Return a model that has a text wherever a model may have one."""
    onnx = pytest.importorskip("onnx")
    model = small_model()
    model.producer_name = model.producer_version = "producer"
    model.doc_string, model.graph.doc_string, model.graph.node[0].doc_string = "a", "b", "c"
    model.metadata_props.add(key="key", value="value")
    model.graph.node[0].attribute.append(onnx.helper.make_attribute("odd", "text"))
    return model


def make_hostile(model: Any, names: Collection[str]) -> None:
    """Let texts of a model be hostile wherever they stand."""
    for message, name, place, text in list(_texts(model)):
        if text not in names:
            continue
        if place is None:
            setattr(message, name, text + SENDABLE)
        else:
            getattr(message, name)[place] = text + SENDABLE


@pytest.mark.references
def test_names_in_a_model_are_shown_escaped(tmp_path: Path, capsys: Capture) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "hostile.onnx"
    texts = {text for *_, text in _texts(named_model())}
    for text in sorted(texts):
        model = named_model()
        make_hostile(model, {text})
        onnx.save(model, path)
        run(["show", str(path)], capsys)
    everything = named_model()
    operators = {node.op_type for node in everything.graph.node}
    del everything.graph.node[0].attribute[:]
    make_hostile(everything, texts - operators - {""})
    onnx.save(everything, path)
    plain, out, picture = (tmp_path / name for name in ("plain.onnx", "out.onnx", "picture"))
    onnx.save(small_model(), plain)
    assert run(["show", str(path), "--text"], capsys)[0] == 0
    assert run(["diff", str(plain), str(path)], capsys)[0] == 1
    assert run(["optimize", str(path), "-o", str(out), "--verify", "1"], capsys)[0] == 0
    assert run(["show", str(path), "--tree"], capsys)[0] == 0
    assert run(["show", str(path), str(plain), "--text", "--metadata"], capsys)[0] == 0
    for words in (["check"], ["print"], ["opt", "-p", "InferType", "--diff"], ["opt", "--json"]):
        assert run([*words, str(path), "--allow-unknown-ops"], capsys)[0] < 2, words
    for words in (["--values", "--metadata", "--types"], ["--json"], ["--color", "always"]):
        assert main(["diff", str(plain), str(path), *words]) == 1
        told = COLOURS.sub("", capsys.readouterr().out)
        assert unprintable(told) == [], words
    for more in ("--html", "--dot", "--svg"):
        assert run(["show", str(path), more, str(picture)], capsys)[0] == 0
        assert unprintable(picture.read_text(encoding="utf-8")) == []
    minidom.parse(str(picture))


@pytest.mark.references
def test_models_with_hostile_names_of_files(tmp_path: Path, capsys: Capture) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / f"{FILE_NAME}.onnx"
    onnx.save(small_model(), path)
    out = str(tmp_path / f"{FILE_NAME}out.onnx")
    for words in (
        ["show", str(path)],
        ["show", str(path), "--html", str(tmp_path / "page")],
        ["optimize", str(path), "-o", out, "--verify", "0"],
        ["diff", str(path), out],
    ):
        code, _ = run(words, capsys)
        assert code < 2, words
    assert unprintable((tmp_path / "page").read_text(encoding="utf-8")) == []


@pytest.mark.references
def test_json_says_what_names_are(tmp_path: Path, capsys: Capture) -> None:
    onnx = pytest.importorskip("onnx")
    model = small_model()
    model.graph.name = SENDABLE
    path = tmp_path / "hostile.onnx"
    onnx.save(model, path)
    _, said = run(["show", str(path), "--json"], capsys)
    assert json.loads(said)["graph"] == SENDABLE
