"""Optimise many models by one worker, by two, and by two of Dask of which one is killed; compare.

    python -m bench.many_models                        # 200 small networks
    python -m bench.many_models --models FOLDER        # of which some are every *.onnx below that
    python -m bench.many_models --count 50 --write

Models are those of the folder and, up to ``--count``, networks of two to five convolutions, with
weights of their own, as an exporter writes them: each with its normalisation and activation.
Each way is one call of `relayish optimize MODELS -o FOLDER/`, verification included, timed from
outside; Dask's scheduler and workers run already. It is an error, and the exit status 1, if results
are not the same as the first way has them, byte for byte, or if other models have none. Models that
have none in any way are listed with the reason: they are no fault of who worked on them.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper

from tests.support.dask_cluster import cluster

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench" / "MANY.md"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=Path, help="a folder of models")
    parser.add_argument("--rounds", type=int, default=3, help="each way is timed that often")
    parser.add_argument("--memory", type=int, default=4, help="GiB of address space a process")
    parser.add_argument("--count", type=int, default=200, help="of models, random ones included")
    parser.add_argument("--write", action="store_true", help="put the table into bench/MANY.md")
    args = parser.parse_args()
    # what takes all memory takes that of everybody on the machine
    resource.setrlimit(resource.RLIMIT_AS, (args.memory << 30, args.memory << 30))
    with tempfile.TemporaryDirectory() as work:
        models = make_models(args, Path(work) / "models")
        rows = list(measure(models, Path(work), args.rounds))
    page = render(rows, args.count, args.rounds)
    print(page, end="")
    if args.write:
        PAGE.write_text(page, encoding="utf-8")
    return int(any(row.differ or row.bad.keys() != rows[0].bad.keys() for row in rows))


def make_models(args: argparse.Namespace, folder: Path) -> Path:
    folder.mkdir()
    for path in sorted(args.models.rglob("*.onnx")) if args.models else ():
        shutil.copy(path, folder / path.name)
    for seed in range(args.count - len(list(folder.iterdir()))):
        onnx.save(network(seed), folder / f"network_{seed:03}.onnx")
    return folder


def network(seed: int) -> onnx.ModelProto:
    """Return a small network; what it is depends on the seed alone."""
    rng = np.random.default_rng(seed)
    nodes, weights, value, channels = [], [], "x", 3

    def weight(name: str, array: Any) -> str:
        weights.append(onnx.numpy_helper.from_array(np.asarray(array, "float32"), name))
        return name

    for layer in range(2 + seed % 4):
        wide = 4 * (1 + layer)
        kernel = weight(f"w{layer}", rng.normal(0, 0.3, (wide, channels, 3, 3)))
        conv, norm, out = f"conv{layer}", f"norm{layer}", f"relu{layer}"
        nodes.append(helper.make_node("Conv", [value, kernel], [conv], pads=[1, 1, 1, 1]))
        of_norm = [weight(f"n{layer}{i}", rng.uniform(0.5, 1.5, wide)) for i in range(4)]
        nodes.append(helper.make_node("BatchNormalization", [conv, *of_norm], [norm]))
        nodes.append(helper.make_node("Relu", [norm], [out]))
        value, channels = out, wide
    last = weight("last", rng.normal(0, 0.3, (channels, 10)))
    nodes.append(helper.make_node("GlobalAveragePool", [value], ["pooled"]))
    nodes.append(helper.make_node("Flatten", ["pooled"], ["flat"]))
    nodes.append(helper.make_node("MatMul", ["flat", last], ["y"]))
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, 16, 16])
    told = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 10])
    graph = helper.make_graph(nodes, f"network_{seed}", [given], [told], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Row:
    """One way of doing it."""

    def __init__(self, seconds: float, told: list[dict[str, Any]], folder: Path) -> None:
        self.name = ""
        self.seconds = seconds
        self.load = os.getloadavg()[0]  # of the last minute, that of this included
        self.digests = {
            str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest()
            for each in folder.rglob("*.onnx")
        }
        self.share = Counter(each["worker"].split(":")[1] for each in told if each["worker"])
        self.note = ""
        self.differ = 0
        self.bad = {each["given"]: reason_of(each) for each in told if each["code"]}

    def differences(self, other: Row) -> int:
        names = self.digests.keys() | other.digests.keys()
        return sum(self.digests.get(each) != other.digests.get(each) for each in names)


def measure(models: Path, work: Path, rounds: int):
    """Yield a row for each way: the fastest of its rounds, which alternate with those of others."""
    ways = {
        "-j 1": lambda out: run(models, out, ["-j", "1"]),
        "-j 2": lambda out: run(models, out, ["-j", "2"]),
        "two workers of Dask": lambda out: run_by_dask(models, out, kills=False),
    }
    found = {name: [] for name in ways}
    for number in range(rounds):
        for name, way in ways.items():
            found[name].append(way(work / f"{name} {number}"))
    found["two workers of Dask, one killed"] = [run_by_dask(models, work / "killed", kills=True)]
    found["-j 2, all there before"] = [run(models, work / "-j 2 0", ["-j", "2"])]
    first = found["-j 1"][0]
    for name, rows in found.items():
        best = min(rows, key=lambda each: each.seconds)
        best.name = name
        best.differ = sum(first.differences(row) for row in rows)
        yield best


def reason_of(told: dict[str, Any]) -> str:
    if told["report"] is None:
        return str(told["error"]).splitlines()[0]
    return f"not equal: {told['report']['verification']['fault']}"


def run_by_dask(models: Path, out: Path, *, kills: bool) -> Row:
    folder = out.with_name(f"{out.name}.dask")
    folder.mkdir()
    with cluster(folder) as made:
        with made.wait(2):
            pass
        options = ["--executor", f"dask:{made.address}"]
        if not kills:
            return run(models, out, options)
        victim = made.workers[0]
        row = run(models, out, options, victim.kill)
    count = row.share.pop(str(victim.pid), 0)
    (other,) = row.share.values()
    row.share = Counter({"killed": count, "other": other})
    row.note = f"killed after {count} of its models; the other did {other}"
    return row


def run(models: Path, out: Path, options: list[str], kill: Callable[[], None] | None = None) -> Row:
    command = [sys.executable, "-m", "relayish", "optimize", str(models), "-o", f"{out}/"]
    watching = threading.Thread(target=kill_at_third, args=(models, out, kill), daemon=True)
    if kill is not None:
        watching.start()
    begin = time.perf_counter()
    done = subprocess.run(
        [*command, *options, "--json"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    seconds = time.perf_counter() - begin
    if kill is not None:
        watching.join(timeout=1)
        assert not watching.is_alive(), "nothing was killed"
    return Row(seconds, json.loads(done.stdout), out)


def kill_at_third(models: Path, out: Path, kill: Callable[[], None]) -> None:
    """Kill when a third of the models is done."""
    wanted = len(list(models.iterdir())) // 3
    record = out / "relayish.jsonl"
    while not record.exists() or record.read_bytes().count(b"\n") < wanted:
        time.sleep(0.05)
    kill()


def render(rows: list[Row], count: int, rounds: int) -> str:
    today = dt.datetime.now(tz=dt.UTC).date()
    machine = f"{os.cpu_count()} cores ({platform.machine()}) shared with others, so times vary"
    lines = [
        "# Many models by workers",
        "",
        f"{today}, CPython {platform.python_version()}, {machine}; onnx {onnx.__version__}.",
        "Written by `python -m bench.many_models --write`, which says what was done.",
        "",
        f"{count} models by `relayish optimize`, each verified in onnxruntime. Seconds are the",
        f"least of {rounds} rounds in which ways alternate. The load is that of the machine at the",
        "end of that round: above 2, others had the cores, and seconds tell little of what two",
        "workers gain. The columns behind do not depend on it; results that differ are counted in",
        "all rounds.",
        "",
        "| workers | seconds | against one | load | models by worker | differ | without result |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        share = " + ".join(str(each) for each in row.share.values())
        share = f"{share}: {row.note}" if row.note else share
        times = f"{rows[0].seconds / row.seconds:.2f} times as fast"
        cells = [row.name, f"{row.seconds:.1f}", times, f"{row.load:.1f}", share]
        cells += [str(row.differ), str(len(row.bad))]
        lines.append(f"| {' | '.join(cells)} |")
    if rows[0].bad:
        lines += ["", "Models without a result, by the first way:", ""]
        lines += [f"* {Path(name).name}: {why}" for name, why in rows[0].bad.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
