"""The page that tells how ONNX models fare: tables of what tools made of them."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import statistics
import subprocess
from collections.abc import Iterator

from onnx_rows import Result, Row

NAMES = {"onnxruntime": "onnxruntime basic"}


def line(row: Row, tools: list[str]) -> str:
    told = [f"{tool} {cell(row.results[tool])}" for tool in tools]
    return f"{row.name}: {sum(row.operators.values())} -> {', '.join(told)}"


def cell(result: Result) -> str:
    if result.failure:
        return "failed"
    return f"{result.total}" if result.is_valid else f"{result.total} invalid"


def page(rows: list[Row], args: argparse.Namespace) -> Iterator[str]:
    tools = args.tools.split(",")
    yield "# ONNX models beside other tools"
    yield ""
    yield f"{dt.datetime.now(dt.UTC).date()}, CPython {platform.python_version()},"
    yield f"{os.cpu_count()} cores ({platform.machine()}) shared with others, so times vary;"
    yield f"{', '.join(versions(args))}."
    yield "Written by `python bench/onnx_models.py --write`, which says what the figures mean."
    yield "relayish runs with `--freeze-params --verify 0`: the others take initializers that are"
    yield "inputs for constants too, and verify nothing unless asked."
    yield ""
    yield "Operators, `Constant` left out, of the model and of each result. *Fewest* is the valid"
    yield "result of the other tools that has the fewest."
    yield ""
    yield from table(
        ["model", "before", *[NAMES.get(tool, tool) for tool in tools], "fewest"],
        [
            [
                row.name,
                str(sum(row.operators.values())),
                *[cell(row.results[tool]) for tool in tools],
                "-" if row.others is None else str(row.others),
            ]
            for row in rows
        ],
    )
    yield ""
    yield "Seconds from reading to written file; in brackets those of the whole process."
    yield ""
    yield from table(
        ["model", *[NAMES.get(tool, tool) for tool in tools]],
        [[row.name, *[seconds(row.results[tool]) for tool in tools]] for row in rows],
    )
    yield ""
    yield "Milliseconds of one run in onnxruntime with all that its own optimiser does, on one"
    yield "thread, the least of all runs in turn; in brackets the nodes of its fused operators that"
    yield "its extended level reaches. Last, the geometric mean of the model's time by that of the"
    yield "result: of models of which all these tools made a valid result, and of all the one made."
    yield ""
    yield from table(
        ["model", "before", *[NAMES.get(tool, tool) for tool in tools]],
        [
            [row.name, run_time(row.speed), *[run_time(row.results[tool]) for tool in tools]]
            for row in rows
        ]
        + [["geometric mean", "1.00", *[faster(rows, tool, tools) for tool in tools]]],
    )
    yield ""
    yield "Kilobytes of the file."
    yield ""
    yield from table(
        ["model", "before", *[NAMES.get(tool, tool) for tool in tools]],
        [
            [
                row.name,
                f"{row.size / 1000:,.0f}",
                *[
                    f"{each.size / 1000:,.0f}" if not each.failure else "-"
                    for each in map(row.results.get, tools)
                    if each is not None
                ],
            ]
            for row in rows
        ],
    )
    yield ""
    yield "What did not work:"
    yield ""
    for row in rows:
        for tool in tools:
            result = row.results[tool]
            if not result.is_valid:
                yield f"* {row.name}, {NAMES.get(tool, tool)}: {result.failure or result.why}"
    yield ""
    yield "What equality rests on: sizes given to dimensions without one, what numbers were drawn"
    yield "from, inputs that changed no output when they alone changed, and by how much outputs"
    yield "differ from input to input, in parts of their magnitude. Where an output never differs,"
    yield "equality proves nothing."
    yield ""
    yield from table(
        ["model", "sizes", "drawn from", "no effect", "outputs differ", "largest error"],
        [basis(row) for row in rows],
    )


def seconds(result: Result) -> str:
    return "-" if result.failure else f"{result.seconds:.2f} ({result.process:.2f})"


def run_time(result: Result) -> str:
    if not result.milliseconds:
        return "-"
    return f"{result.milliseconds:.3g} ({sum(result.fused.values())})"


def faster(rows: list[Row], tool: str, tools: list[str]) -> str:
    """Return the mean of how many times as fast as the model a tool's result is."""
    ran = [row for row in rows if row.results[tool].milliseconds]
    shared = [row for row in ran if all(row.results[each].milliseconds for each in tools)]
    means = [
        statistics.geometric_mean(
            row.speed.milliseconds / row.results[tool].milliseconds for row in some
        )
        for some in (shared, ran)
        if some
    ]
    return " / ".join(f"{each:.2f}" for each in means) or "-"


def basis(row: Row) -> list[str]:
    known = row.known
    if "failure" in known:
        return [row.name, "-", "-", "-", "-", known["failure"]]
    kind, scale = known["spread"]
    idle = [name for name, changes in known["inputs"].items() if not changes]
    worst = max([each.worst for each in row.results.values() if each.is_valid], default=0.0)
    return [
        row.name,
        " ".join(f"{name}={each}" for name, each in known["sizes"].items()) or "-",
        f"{kind} x {scale:g}",
        " ".join(idle) or "-",
        f"{known['shown']:.2g}" if known["shown"] else "never",
        f"{worst:.1g}",
    ]


def table(head: list[str], body: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for cells in body:
        yield f"| {' | '.join(cells)} |"


def versions(args: argparse.Namespace) -> Iterator[str]:
    """Yield the tools with their versions, of the environment in which they run."""
    names = [tool for tool in args.tools.split(",") if not tool.startswith("relayish")]
    script = "import importlib.metadata as m, sys\nfor n in sys.argv[1:]: print(n, m.version(n))"
    command = [args.python, "-c", script, "onnx", *names]
    yield from subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[:-1]
