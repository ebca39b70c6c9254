"""Habits of people at a shell: what they type, what is told, and the exit code.

``python -m tests.support.habits`` prints them as a table, with what each tells today.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from unittest import mock

from relayish.cli.main import main

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "small_network.onnx"
FILES: Final = {
    "p.relay": """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  add(%x, add(1f, 2f))
}
""",
    "ill.relay": '#[version = "0.0.5"]\ndef @main() { add(1f, True) }\n',
    "bad.relay": "def",
    "loops": "function f (_A)\n{\n  for (i, 0, 4)\n  {\n    A[i] = 1.0f\n  }\n}\n",
    "my_pass.py": """from relayish.transform import module_pass, register_pass

@register_pass(opt_level=0)
@module_pass(opt_level=0, name="MyPass")
def my_pass(mod, ctx):
    return mod
""",
}
"""What lies in the folder, beside ``m.onnx``, an example, and ``o.onnx``, what it becomes."""


class Habit(NamedTuple):
    """A line at a shell.

    Attributes:
        line: What is typed, in the folder of :data:`FILES`.
        code: The exit code.
        out: What stands on standard output, or ``""`` where it has to be empty.
        err: What stands on standard error, likewise.
    """

    line: str
    code: int
    out: str = ""
    err: str = ""


HABITS: Final = (
    # to look around
    Habit("relayish --help", 0, "exit codes: 0 done"),
    Habit("relayish --version", 0, "relayish"),
    Habit("relayish optimise m.onnx", 2, "", "did you mean optimize?"),
    Habit("relayish opt p.relay --passses FoldConstant", 2, "", "did you mean --passes?"),
    Habit("relayish opt p.relay -p FoldConstnat", 2, "", "did you mean FoldConstant?"),
    Habit("relayish show nowhere.onnx", 2, "", "nowhere.onnx: No such file or directory"),
    # any file, any command
    Habit("relayish show m.onnx", 0, "opset ai.onnx 17"),
    Habit("relayish check m.onnx", 0, "m.onnx: well formed and well typed, 1 function"),
    Habit("relayish print m.onnx", 0, "onnx::Conv"),
    Habit("relayish analyse m.onnx -a liveness", 0, "// before: {%image}"),
    Habit("relayish opt m.onnx -o small.onnx", 0),
    Habit("relayish bisect m.onnx", 0, "", "nothing is wrong after any pass"),
    Habit("relayish check loops", 0, "loops: well formed"),
    Habit("relayish optimize p.relay", 0, "equal on 3 random inputs", "p.relay is a program"),
    Habit("relayish optimize loops", 2, "", "nothing that can be written as one; relayish opt"),
    Habit("relayish b2c m.onnx", 2, "", "relayish compile a network"),
    # pipes
    Habit("cat m.onnx | relayish show -", 0, "file       -"),
    Habit("relayish check - < m.onnx", 0, "-: well formed and well typed"),
    Habit("relayish print m.onnx | relayish check -", 0, "-: well formed"),
    Habit("cat m.onnx | relayish optimize - -o - --verify 0 -q | relayish show -", 0, "opset"),
    Habit("relayish opt p.relay -p FoldConstant | relayish print -", 0, "add(%x, 3f)"),
    Habit("cat p.relay | relayish diff p.relay -", 0),
    Habit("relayish check - - < p.relay", 2, "", "is named twice"),
    # several files
    Habit("relayish show *.onnx", 0, "\n\nfile"),
    Habit("relayish check *.relay", 2, "p.relay: well formed", "ill.relay: ill-typed, 1 error"),
    Habit("relayish check p.relay ill.relay -q", 1, "", "ill-typed"),
    Habit("relayish check p.relay bad.relay --json", 2, '"error": ', "bad.relay:1:1"),
    Habit("relayish print p.relay loops", 0, "// loops\nfunction f (_A)"),
    Habit("relayish show m.onnx p.relay --svg pictures/", 0),
    Habit("relayish show m.onnx p.relay --svg a.svg", 2, "", "write a directory, --svg a.svg/"),
    # several results of one
    Habit("relayish show m.onnx --text --svg m.svg --html m.html", 0, "#[version"),
    Habit("relayish opt p.relay -p FoldConstant --diff -o q.relay", 0, "", "+  add(%x, 3f)"),
    Habit("relayish opt p.relay -p FoldConstant --json", 0, '"operators_after": 1'),
    Habit("relayish diff m.onnx o.onnx", 1, "operators: 26 -> 11"),
    Habit("relayish diff m.onnx o.onnx -q", 1),
    Habit("relayish diff m.onnx m.onnx", 0),
    Habit("relayish diff p.relay m.onnx --json", 1, '"equal": false'),
    # somewhere else
    Habit("relayish optimize m.onnx -o nowhere/o.onnx", 2, "", "there is no directory"),
    Habit("relayish opt p.relay -p MyPass --load my_pass.py", 0, "add(%x, %0)"),
    Habit("relayish opt p.relay -p MyPass --load my_pas.py", 2, "", "there is no such file"),
)


def make_files(folder: Path) -> None:
    """Write the files that habits are about."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    shutil.copy(EXAMPLE, folder / "m.onnx")
    run("relayish optimize m.onnx -o o.onnx --verify 0 -q", folder)


class Done(NamedTuple):
    """What a line told.

    Attributes:
        code: The exit code of the last command.
        out: What that wrote to standard output.
        err: What all commands wrote to standard error.
    """

    code: int
    out: bytes
    err: str


def run(line: str, folder: Path) -> Done:
    """Run a line in this process: ``relayish`` and ``cat``, patterns, ``|`` and ``< FILE``."""
    given, err, code = b"", "", 0
    with contextlib.chdir(folder):
        for command in line.split(" | "):
            words, _, source = command.partition(" < ")
            if source:
                given = Path(source).read_bytes()
            name, *args = [word for each in shlex.split(words) for word in _expand(each)]
            if name == "cat":
                given = b"".join(Path(each).read_bytes() for each in args)
                continue
            assert name == "relayish"
            with _streams(given) as (out, errors):
                code = main(args)
            given, err = out.getvalue(), err + errors.getvalue().decode()
    return Done(code, given, err)


def _expand(word: str) -> Sequence[str]:
    return sorted(each.name for each in Path().glob(word)) if "*" in word else [word]


@contextlib.contextmanager
def _streams(given: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Let streams of the process be those of a pipe."""
    kept = io.BytesIO(), io.BytesIO()
    made = [io.TextIOWrapper(each, "utf-8", write_through=True) for each in kept]
    source = io.TextIOWrapper(io.BytesIO(given), "utf-8")
    with mock.patch.multiple(sys, stdin=source, stdout=made[0], stderr=made[1]):
        yield kept
    for each in made:
        each.detach()


def render(folder: Path) -> Iterator[str]:
    """Yield the habits as lines of a table: what is typed, the exit code, what is told first."""
    yield "| line | exit | standard output | standard error |"
    yield "| --- | --- | --- | --- |"
    for habit in HABITS:
        done = run(habit.line, folder)
        out = done.out.decode("utf-8", "replace")
        typed = habit.line.replace("|", "\\|")
        yield f"| `{typed}` | {done.code} | {_first(out)} | {_first(done.err)} |"


def _first(text: str) -> str:
    """Return how much is told, and the first line of it that tells something."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return ""
    telling = next((line for line in lines if "error:" in line), lines[0])
    shown = re.sub(r"\s+", " ", telling)
    more = f" (+{len(lines) - 1} lines)" if len(lines) > 1 else ""
    return f"`{shown[:70].replace('|', '/')}`{more}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        os.environ["NO_COLOR"] = "1"
        make_files(Path(made))
        sys.stdout.write("".join(f"{line}\n" for line in render(Path(made))))
