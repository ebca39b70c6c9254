"""Optimise ONNX models with relayish and with other tools, and compare: operators, validity, time.

    python bench/onnx_models.py MODELS                       # every *.onnx below that folder
    python bench/onnx_models.py MODELS --light --torch       # inside onnx, from torch
    python bench/onnx_models.py MODELS --tools relayish,onnxsim --models unet,ultraface
    python bench/onnx_models.py MODELS --python VENV/bin/python   # where the tools are installed
    python bench/onnx_models.py MODELS --write               # and put the tables into bench/ONNX.md

The tools are those of bench/requirements-onnx-peers.txt, each asked for what it does by default.
Each runs in a process of its own within limits of time and memory. Operators are nodes, those of
sub-graphs and of functions among them, `Constant` left out for every tool alike: some write a
constant as a node, others as an initializer. A result is valid if `onnx.checker` takes it and it
computes in onnxruntime, whose optimiser is off, what the model computes: see
`bench/peers/p_onnx_equal.py`. Seconds are wall time, the least of some runs.

Valid results run in onnxruntime as well, with all that its own optimiser does, in turn with the
model: see `bench/peers/p_onnx_speed.py`. It is an error, and the exit status 1, if relayish's
result is slower than the model by more than 5 %, twice measured, also without the one thing by
which the runtime makes models slower; or if it finds fewer normalisations, linear units or other
patterns to fuse in it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any  # models, and what processes tell

from onnx_page import line, page
from onnx_rows import Result, Row

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench" / "ONNX.md"
PEERS = ROOT / "bench" / "peers"
TOOLS = ("relayish", "onnxsim", "onnxslim", "onnxoptimizer", "onnxscript", "onnxruntime")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="a folder of models")
    parser.add_argument("--light", action="store_true", help="the light models inside onnx")
    parser.add_argument("--torch", action="store_true", help="networks that torch exports now")
    parser.add_argument("--tools", default=",".join(TOOLS), help="names, with commas between")
    parser.add_argument("--models", default="", help="parts of names, with commas between")
    parser.add_argument("--python", default=sys.executable, help="where the tools are installed")
    parser.add_argument("--exporter", default=sys.executable, help="where torch is installed")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each run")
    parser.add_argument("--memory", type=int, default=12, help="GiB of address space for each run")
    parser.add_argument("--runs", type=int, default=3, help="each is timed that often")
    parser.add_argument("--keep", type=Path, help="a folder for the results")
    parser.add_argument("--json", type=Path, help="write what was found to this file as well")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        work = args.keep or Path(made)
        work.mkdir(parents=True, exist_ok=True)
        rows = []
        for group, path in models(args, Path(made)):
            if any(part in path.name for part in args.models.split(",")):
                rows.append(measure(group, path, args, work))
                print(line(rows[-1], args.tools.split(",")), file=sys.stderr, flush=True)
    text = "\n".join(page(rows, args))
    print(text)
    if args.json:
        args.json.write_text(json.dumps([as_json(row) for row in rows], indent=1))
    if args.write:
        PAGE.write_text(text + "\n")
    complaints = [f"{row.name}: {row.complaint}" for row in rows if row.complaint]
    print(*complaints, sep="\n", file=sys.stderr)
    return bool(complaints)


def models(args: argparse.Namespace, made: Path) -> Iterator[tuple[str, Path]]:
    """Yield the models, each with the name of its group."""
    if args.folder is not None:
        for path in sorted(args.folder.glob("**/*.onnx")):
            yield "", path
    if args.light:
        import onnx

        for path in sorted(Path(onnx.__file__).parent.glob("backend/test/data/light/*.onnx")):
            yield "light", path
    if args.torch:
        exporter = PEERS / "torch_networks.py"
        command = [args.exporter, str(exporter), str(made / "torch")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for path in sorted((made / "torch").glob("*.onnx")):
            yield "torch", path


def measure(group: str, path: Path, args: argparse.Namespace, work: Path) -> Row:
    name = f"{group}/{path.stem}" if group else path.stem
    row = Row(name, count(path), path.stat().st_size)
    outs = {}
    for tool in args.tools.split(","):
        out = work / f"{path.stem}.{tool}.onnx"
        out.unlink(missing_ok=True)
        result = row.results[tool] = optimise(tool, path, out, args)
        if not result.failure:
            result.operators, result.size = count(out), size(out)
            outs[tool] = out
    known, *verdicts = tell("p_onnx_equal.py", path, list(outs.values()), args)
    row.known = known
    for tool, told in zip(outs, verdicts, strict=False):
        row.results[tool].why = "" if told["valid"] else told["why"]
        row.results[tool].worst = told.get("worst", 0.0)
    for tool in list(outs)[len(verdicts) :]:
        row.results[tool].why = known.get("failure", "the comparison was ended")
    for _ in range(2):
        time_runs(path, row, outs, args)
        if not row.complaint:
            break
    return row


def time_runs(path: Path, row: Row, outs: dict[str, Path], args: argparse.Namespace) -> None:
    """Note how long the model and its valid results run, and what is fused in them."""
    valid = [tool for tool in outs if row.results[tool].is_valid]
    timed = [row.speed, *[row.results[tool] for tool in valid]]
    told = tell("p_onnx_speed.py", path, [outs[tool] for tool in valid], args)
    for result, found in zip(timed, told, strict=False):
        result.milliseconds = found.get("milliseconds", 0.0)
        result.unskipped = found.get("unskipped", 0.0)
        result.fused = found.get("fused", {})


def optimise(tool: str, path: Path, out: Path, args: argparse.Namespace) -> Result:
    """Return what a tool made of a model, timed as often as asked for."""
    best: Result | None = None
    for _ in range(args.runs):
        command = [args.python, str(PEERS / "p_onnx.py"), tool, str(path), str(out)]
        code, told, said, wall = run(command, args)
        if code or not out.exists():
            return Result(failure=reason(code, said))
        found = json.loads(told.splitlines()[-1])
        again = Result(seconds=found["seconds"], cpu=found["cpu"], process=wall)
        if best is None or again.seconds < best.seconds:
            best = again
    assert best is not None
    return best


def tell(
    script: str, path: Path, outs: list[Path], args: argparse.Namespace
) -> list[dict[str, Any]]:
    """Return what a script tells of a model and results of it."""
    command = [args.python, str(PEERS / script), str(path), *map(str, outs)]
    code, told, said, _ = run(command, args)
    found = [json.loads(each) for each in told.splitlines() if each.startswith("{")]
    return found or [{"failure": reason(code, said)}]


def run(command: list[str], args: argparse.Namespace) -> tuple[int, str, str, float]:
    """Return the exit code of a process within limits, what it wrote, and how long it took."""
    limit = args.memory << 30

    def within() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    start = os.times().elapsed
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=args.timeout,
            env=env,
            preexec_fn=within,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, "", f"took more than {args.timeout} s", float(args.timeout)
    return done.returncode, done.stdout, done.stderr, os.times().elapsed - start


def reason(code: int, said: str) -> str:
    """Return why a process failed: the last words of an error that begin a line."""
    if code < -1:
        return f"ended by signal {-code}"
    lines = [each for each in said.splitlines() if each and not each.startswith((" ", "==>"))]
    errors = [each for each in lines if "Error" in each or "error" in each]
    return (errors or lines or [f"exit status {code}"])[-1][:160]


def count(path: Path) -> Counter[str]:
    """Return how many nodes of each operator a model has, sub-graphs and functions included."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    found: Counter[str] = Counter()
    todo = [model.graph.node, *[each.node for each in model.functions]]
    while todo:
        for node in todo.pop():
            found[node.op_type] += 1
            for attribute in node.attribute:
                todo += [each.node for each in (attribute.g, *attribute.graphs)]
    del found["Constant"]
    return found


def size(path: Path) -> int:
    """Return the bytes of a model, data in files of its own included."""
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))


def as_json(row: Row) -> dict[str, Any]:
    return {
        "model": row.name,
        "before": row.operators,
        "known": row.known,
        "speed": vars(row.speed),
        "results": {tool: vars(each) for tool, each in row.results.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
