from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from relayish.cli.completion import Candidate, complete
from relayish.cli.main import main
from relayish.cli.parser import build_parser
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]


def words_for(line: str) -> list[str]:
    """Return what completes the last word of a line."""
    return [found.word for found in complete(build_parser(), line.split(" "))]


@each(
    ("line", "expected"),
    [
        ("op", ["optimize", "opt"]),
        ("-q op", ["optimize", "opt"]),
        ("--load a.py op", ["optimize", "opt"]),
        ("--load=a.py op", ["optimize", "opt"]),
        ("--load", ["--load"]),
        ("--load ", ["files"]),
        ("nothing op", ["optimize", "opt"]),
        ("opt --print-ch", ["--print-changed"]),
        ("opt --load", ["--load"]),
        ("opt ", ["files"]),
        ("opt -", words_for("opt -")),
        ("opt a.relay ", []),
        ("opt -p DeadStoreElimination", ["DeadStoreElimination", "DeadStoreEliminationCore"]),
        ("opt -p A,InferT", ["A,InferType"]),
        ("opt --passes=A,infert", ["--passes=A,InferType"]),
        ("opt --dump-ir=", ["files"]),
        ("opt -p InferType ", ["files"]),
        ("opt --trace ", ["files"]),
        ("opt --nothing=", []),
        ("opt --color n", ["never"]),
        ("opt --color=n", ["--color=never"]),
        ("opt -O ", []),
        ("opt --verify well_t", ["well_typed"]),
        ("opt --instrument print", ["PrintAfter", "PrintBefore"]),
        ("opt --required-pass InferT", ["InferType"]),
        ("passes InferT", ["InferType"]),
        ("domains vis", ["vision"]),
        ("analyse -a liveness,live", ["liveness,Liveness"]),
        ("show - --graph d", ["dominators"]),
        ("completion z", ["zsh"]),
    ],
)
def test_word_is_completed(line: str, expected: list[str]) -> None:
    assert words_for(line) == expected


def test_options_and_commands_are_described() -> None:
    assert list(complete(build_parser(), ["opt", "--print-ch"])) == [
        Candidate("--print-changed", "print the program only after passes that change it")
    ]
    assert next(complete(build_parser(), ["dif"])).what.startswith("tell how two models")


def test_what_is_kept_from_help_is_kept_from_shells() -> None:
    assert "--reply" not in words_for("completion bash -")


@each(
    ("words", "shown"),
    [
        (["bash", "--reply", "opt", "--color", "=", "n"], "never\n"),
        (["bash", "--reply", "opt", "--color", "="], "auto\nalways\nnever\n"),
        (["bash", "--reply", "dif"], "diff\n"),
        (["zsh", "--reply", "opt", "--color=n"], "--color=never\n"),
        (["fish", "--reply", "pas"], "passes\tlist the passes there are, or describe one\n"),
        (["fish", "--reply"], None),
        (["fish", "--reply", "--nothing", "x"], ""),
    ],
)
def test_reply_is_as_the_shell_takes_words(
    words: list[str], shown: str | None, capsys: Capture
) -> None:
    assert main(["completion", *words]) == 0
    told = capsys.readouterr().out
    assert told == shown if shown is not None else "optimize\t" in told


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment with the command, in which a shell has no start-up files."""
    command = tmp_path / "bin" / "relayish"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m relayish "$@"\n')
    command.chmod(0o755)
    (tmp_path / "some_file.relay").touch()
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(tmp_path), "TERM": "dumb", "PS1": "> "}


def typed(shell: Sequence[str], lines: Sequence[str], keys: str, wanted: str, **given: str) -> str:
    """Return what an interactive shell shows after keys, once it shows what is wanted."""
    pty = pytest.importorskip("pty")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(given["HOME"])
        os.execve(shutil.which(shell[0]), shell, given)
    try:
        os.write(terminal, "".join(f"{line}\n" for line in [*lines, "echo ready''now"]).encode())
        _read_until(terminal, "readynow")
        os.write(terminal, keys.encode())
        return _read_until(terminal, wanted)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, 9)
        os.close(terminal)
        os.waitpid(process, 0)


def _read_until(terminal: int, wanted: str) -> str:
    """Return what a terminal shows up to something that is wanted, or in twenty seconds."""
    shown = b""
    end = time.monotonic() + 20
    while wanted.encode() not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536)
    return shown.decode()


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ["source <(relayish completion bash)"]),
    "zsh": (
        ["zsh", "-f", "-i"],
        ["autoload -U compinit; compinit -u -D", "source <(relayish completion zsh)"],
    ),
}
LINES = [
    ("relayish opt -p A,FoldConstantL\t", "relayish opt -p A,FoldConstantLoops "),
    ("relayish opt --passes=FoldConstantL\t", "relayish opt --passes=FoldConstantLoops "),
    ("relayish check some_f\t", "relayish check some_file.relay "),
    ("relayish show --svg=some_f\t", "relayish show --svg=some_file.relay "),
]


@pytest.mark.slow("each line is typed into a shell of its own")
@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completes_the_line(shell: str, environment: dict[str, str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    for keys, wanted in (LINES[0], LINES[-1]):
        assert wanted in typed(*SHELLS[shell], keys, wanted, **environment)


def test_fish_completes_the_line(environment: dict[str, str]) -> None:
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    lines = "\n".join(f'complete -C "{keys.rstrip()}"' for keys, _ in LINES)
    ran = subprocess.run(
        ["fish", "-N", "-c", f"relayish completion fish | source\n{lines}"],
        env=environment,
        cwd=environment["HOME"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.splitlines() == [wanted.split()[-1] for _, wanted in LINES]
