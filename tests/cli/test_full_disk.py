"""On a full disk errors name the file, and neither a part of it nor anything beside it is left."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.pass_infra.base.trace import TraceFiles
from tests.support.each import each
from tests.support.small_models import small_model

resource = pytest.importorskip("resource")

Capture = pytest.CaptureFixture[str]
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no full device")


@contextlib.contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Let writing of files fail from a size on, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@each(
    ("line", "named"),
    [
        ("print {program} -o {out}", "{out}"),
        ("print {program} -o {out}.rly", "{out}.rly"),
        ("opt {program} -p FoldConstant -o {out}", "{out}"),
        ("opt {program} -p FoldConstant --dump-ir {out}.d", "{out}.d/0_init.relay"),
        ("opt {program} -p FoldConstant --trace --trace-file {out}.t", "{out}.t"),
        ("bisect {program} -p FoldConstant --command false", "program.relay"),
        ("compile {program} --verify 0 -o {out}", "{out}/net.h"),
    ],
)
def test_file_that_does_not_fit_is_named(
    line: str, named: str, tmp_path_factory: pytest.TempPathFactory, capsys: Capture
) -> None:
    folder = tmp_path_factory.mktemp("full")
    names = {"program": str(folder / "given.relay"), "out": str(folder / "out")}
    lines = "".join([f"  let %v{n} = add(%x, {n});\n" for n in range(1000)])
    Path(names["program"]).write_text(
        f'#[version = "0.0.5"]\ndef @main(%x: int32) {{\n{lines}  %v0\n}}\n'
    )
    with no_file_larger_than(1000):
        assert main([word.format(**names) for word in line.split()]) == 2
    told = capsys.readouterr().err
    assert named.format(**names) in told
    assert ": File too large" in told
    left = {path.name for path in folder.iterdir()}
    assert left <= {"given.relay", "out.d", "out.t"}  # traces go to their file at once
    if "--dump-ir" in line:
        assert list((folder / "out.d").iterdir()) == []


@each("name", ["out", "out.rly"])
def test_file_that_stood_there_stays(name: str, program: Path, capsys: Capture) -> None:
    out = program.with_name(name)
    out.write_bytes(b"before")
    with no_file_larger_than(10):
        assert main(["print", str(program), "-o", str(out)]) == 2
    assert out.read_bytes() == b"before"
    assert str(out) in capsys.readouterr().err


@pytest.mark.references
def test_model_that_does_not_fit_is_named(tmp_path: Path, capsys: Capture) -> None:
    onnx = pytest.importorskip("onnx")
    path, out = tmp_path / "model.onnx", tmp_path / "out.onnx"
    onnx.save(small_model(), path)
    with no_file_larger_than(10):
        assert main(["optimize", str(path), "-o", str(out), "--verify", "0"]) == 2
        assert main(["show", str(path), "--svg", str(out)]) == 2
    assert capsys.readouterr().err.count(str(out)) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]


@needs_full
@each("name", ["print", "opt"])
def test_device_that_is_full_is_named(name: str, program: Path, capsys: Capture) -> None:
    passes = ["-p", "FoldConstant"] if name == "opt" else []
    assert main([name, str(program), *passes, "-o", str(FULL)]) == 2
    assert "/dev/full: No space left on device" in capsys.readouterr().err


@needs_full
def test_trace_file_that_is_full_is_named() -> None:
    files = TraceFiles(standard=FULL)
    stream = files.stream()
    stream.write("x")
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        stream.flush()
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        files.close()
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        files.stream().write("x" * 100_000)
    with contextlib.suppress(OSError):
        files.close()


@needs_full
@pytest.mark.parametrize("words", [["print", "{}"], ["--help"], ["diff", "--json-schema"]])
def test_output_that_is_full_is_named(words: list[str], program: Path) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "relayish", *[word.format(program) for word in words]],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"},
        )
    assert done.stderr == "relayish: error: standard output: No space left on device\n"
    assert done.returncode == 2
