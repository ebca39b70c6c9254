"""Put every pass through deep and large programs.

    python bench/passes.py                          # depth one million, growth 10^3 to 10^6
    python bench/passes.py --only FuseOps,Inline    # some passes
    python bench/passes.py --on call_chain,graph    # some programs
    python bench/passes.py --depth 100000 --no-growth
    python bench/passes.py --keep cells.jsonl       # what stands there is not measured again
    python bench/passes.py --write                  # and put the tables into bench/PASSES.md

Depth: seconds a pass takes on a nest of each kind around a parameter, or what went wrong. Growth:
microseconds of CPU an operation at each size; the last column: how much more an operation costs in
the largest program than in one a hundredth of its size. Each program is made and typed once; every
pass runs on it in a process forked there, one at a time, within limits of CPU time and of memory,
at the default recursion limit, the cyclic garbage collector on. Passes over ONNX are measured by
the node, on models of up to 10^5 nodes, which are not typed. Progress is told on stderr.

Last come the reasons: of each pass that needs more than ``SECONDS`` at that depth, or more than
``MICROSECONDS`` an operation in the largest program, what ``bench/reasons.py`` finds out on a
program of the same kind with ten thousand operations or levels.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import io
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench" / "PASSES.md"
sys.path.insert(0, str(ROOT))

from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.transform import Pass  # noqa: E402

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SECONDS = 5.0
MICROSECONDS = 10.0
EXPLAINED = 10_000
WHY = "why "
"""Stands before the name of a pass where reasons are asked for."""
GIBIBYTES = 14
"""A process that wants more memory is told there is none."""


def main() -> int:
    """Measure, print, and write what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names of passes, with commas between")
    parser.add_argument("--on", default="", help="names of programs, with commas between")
    parser.add_argument("--depth", type=int, default=1_000_000)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--seconds", type=int, default=120, help="CPU time a pass may take")
    parser.add_argument("--no-depth", action="store_true")
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--keep", type=Path, help="a file of results, read and added to")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("WHAT", "SIZE"), help="used by itself")
    args = parser.parse_args()
    from relayish.passes import PASSES
    from tests.support.large_onnx import ROOMS

    elsewhere = ("loops.", "core.", *ROOMS)
    over_relay = [name for name, module in PASSES.items() if not module.startswith(elsewhere)]
    over_onnx = [name for name, module in PASSES.items() if module.startswith(ROOMS)]
    if args.one:
        measure(args.only.split(","), args.one[0], int(args.one[1]), args.seconds)
        return 0
    only = args.only.split(",") if args.only else [*over_relay, *over_onnx]
    kept = Kept(args.keep, args.seconds)
    lines: list[str] = []
    for line in chain(
        tables(sorted({*only} & {*over_relay}), args, kept),
        onnx_tables(sorted({*only} & {*over_onnx}), args, kept),
        reasons(kept),
    ):
        print(line, flush=True)
        lines.append(line)
    if args.write:
        PAGE.write_text("\n".join([*heading(), *lines]))
    return 0


def heading() -> Iterator[str]:
    """Yield the head of the page."""
    today = dt.datetime.now(dt.UTC).date()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield "# Passes on deep and large programs"
    yield ""
    from relayish._kernel import MODE

    yield f"{today:%Y-%m-%d}, {python}, {MODE}, {os.cpu_count()} cores ({platform.machine()})"
    yield "shared with others: figures vary by a third. Written by `bench/passes.py --write`, which"
    yield "says what they mean. The cyclic garbage collector walks a large program again and again:"
    yield "that is why an operation costs more than in a small one, where there is little to do"
    yield "beside it up to five times as much."
    yield "Passes over loops are not here, but in `tests/tir/test_large_programs.py`. Those over"
    yield "models of ONNX come last, by the node, on the models of `tests/support/large_onnx.py`."
    yield ""


def tables(names: list[str], args: argparse.Namespace, kept: Kept) -> Iterator[str]:
    """Yield the tables, line by line, measuring what is not kept."""
    from tests.support.deep import DEEP_NESTS
    from tests.support.deep_programs import LARGE

    if not names:
        return
    wanted = args.on.split(",") if args.on else [*DEEP_NESTS, "shared", *LARGE]
    kinds = [kind for kind in (*DEEP_NESTS, "shared") if kind in wanted]
    if kinds and not args.no_depth:
        yield f"Seconds at {args.depth:,} levels."
        yield ""
        columns = [kept.told(names, kind, args.depth) for kind in kinds]
        yield from table(names, ["pass", *kinds], columns)
    sizes = [int(size) for size in args.sizes.split(",")]
    for what in [] if args.no_growth else [what for what in LARGE if what in wanted]:
        yield from growth_table(names, what, "an operation", sizes, kept)


def onnx_tables(names: list[str], args: argparse.Namespace, kept: Kept) -> Iterator[str]:
    """Yield the tables of passes over models of ONNX."""
    if not names or args.no_growth:
        return
    from tests.support.large_onnx import LARGE_ONNX

    wanted = args.on.split(",") if args.on else [*LARGE_ONNX]
    sizes = [size for size in map(int, args.sizes.split(",")) if size <= 100_000]
    for what in [what for what in LARGE_ONNX if what in wanted]:
        yield from growth_table(names, what, "a node", sizes, kept)


def reasons(kept: Kept) -> Iterator[str]:
    """Yield a row for each pass on each program that needs more than the limits allow."""
    from bench.reasons import HEAD

    over = [cell for cell in kept.asked if limit_exceeded(kept, *cell)]
    if not over:
        return
    yield f"Over {SECONDS:g} s at that depth, or over {MICROSECONDS:g} microseconds in the largest"
    yield f"program, and why, as found on {EXPLAINED:,} operations or levels. Nodes of expressions"
    yield "given and made, and calls of functions, are those an operation. Each node made is"
    yield "built, typed, and walked by the collector for as long as it stays."
    yield ""
    yield row(["pass", "program", "seconds or microseconds", *HEAD])
    yield row(["---"] * (3 + len(HEAD)))
    for name, what, size in sorted(over):
        told = kept.cells[what, size, name]
        figure = f"{told} s" if is_nest(what) else f"{each(told, size)} us"
        cells = kept.told([WHY + name], what, EXPLAINED)[WHY + name]
        yield row([name, what, figure, *cells.split("|")])
    yield ""


def limit_exceeded(kept: Kept, name: str, what: str, size: int) -> bool:
    """Return whether what a pass needed is more than the limits allow; failures are not."""
    largest = max(other for _, program, other in kept.asked if program == what)
    try:
        seconds = float(kept.cells[what, size, name])
    except ValueError:
        return False
    if is_nest(what):
        return seconds > SECONDS
    return size == largest and seconds / size * 1e6 > MICROSECONDS


def is_nest(what: str) -> bool:
    """Return whether a program is measured by its depth."""
    from tests.support.deep import DEEP_NESTS

    return what in (*DEEP_NESTS, "shared")


def growth_table(
    names: list[str], what: str, unit: str, sizes: list[int], kept: Kept
) -> Iterator[str]:
    """Yield what passes cost on one program of each size."""
    yield f"Microseconds {unit}, {what}."
    yield ""
    columns = [kept.told(names, what, size) for size in sizes]
    found = [
        {name: each(column[name], size) for name in names}
        for column, size in zip(columns, sizes, strict=True)
    ]
    growth = {name: grown([column[name] for column in found]) for name in names}
    head = ["pass", *(f"{size:,}" for size in sizes), "growth"]
    yield from table(names, head, [*found, growth])


def table(names: list[str], head: list[str], columns: list[dict[str, str]]) -> Iterator[str]:
    yield row(head)
    yield row(["---"] * len(head))
    for name in names:
        yield row([name, *(column[name] for column in columns)])
    yield ""


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def each(seconds: str, size: int) -> str:
    try:
        return f"{float(seconds) / size * 1e6:.2f}"
    except ValueError:
        return seconds


def grown(found: list[str]) -> str:
    with contextlib.suppress(ValueError, IndexError):
        first, last = float(found[-3]), float(found[-1])
        return f"{last / first:.1f}" if first > 0.01 else "-"
    return "-"


class Kept:
    """Results by program, size and pass; those of earlier runs are read from a file."""

    def __init__(self, path: Path | None, seconds: int) -> None:
        self.path, self.seconds = path, seconds
        self.cells: dict[tuple[str, int, str], str] = {}
        self.asked: list[tuple[str, str, int]] = []
        """Passes, programs and sizes in the tables, in order."""
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                what, size, name, result = json.loads(line)
                self.cells[what, size, name] = result

    def told(self, names: list[str], what: str, size: int) -> dict[str, str]:
        """Return the seconds each pass took on one program, or what went wrong."""
        missing = [name for name in names if (what, size, name) not in self.cells]
        if missing:
            self._measure(missing, what, size)
        self.asked += [(name, what, size) for name in names if not name.startswith(WHY)]
        return {name: self.cells[what, size, name] for name in names}

    def _measure(self, names: list[str], what: str, size: int) -> None:
        command = [sys.executable, __file__, "--only", ",".join(names), "--one", what, str(size)]
        command += ["--seconds", str(self.seconds)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                name, result = json.loads(line)
                self._keep(what, size, name, result)
        for name in names:  # the program could not be made
            if (what, size, name) not in self.cells:
                self._keep(what, size, name, f"left with {process.returncode}")

    def _keep(self, what: str, size: int, name: str, result: str) -> None:
        print(f"{what} {size:,} {name}: {result}", file=sys.stderr, flush=True)
        self.cells[what, size, name] = result
        if self.path is not None:
            with self.path.open("a") as stream:
                stream.write(json.dumps([what, size, name, result]) + "\n")


def measure(names: list[str], what: str, size: int, seconds: int) -> None:
    """Print what :class:`Kept` reads: a line for each pass."""
    from relayish.analysis.infer_type import infer_type
    from relayish.transform import PassContext
    from tests.support.deep_programs import LARGE, NOT_FOR, nest, shared
    from tests.support.large_onnx import LARGE_ONNX

    if what in LARGE_ONNX:
        mod, warm = LARGE_ONNX[what](size), LARGE_ONNX[what](50)  # as models are read: not typed
    else:
        make = {**LARGE, "shared": shared}.get(what)
        mod = infer_type(make(size) if make else nest(what, size))
        warm = infer_type(LARGE["graph"](10))
    with PassContext(opt_level=4):
        for asked in names:
            name = asked.removeprefix(WHY)
            if what in NOT_FOR.get(name, {}):
                print(json.dumps([asked, "not for it"]), flush=True)
                continue
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                passes_of(name, warm)[0](warm)  # loads what is loaded on first use
            work = seconds_of if asked == name else reasons_of
            told = forked(lambda name=name, work=work: work(name, mod, size), seconds)
            print(json.dumps([asked, told]), flush=True)


def passes_of(name: str, mod: IRModule) -> tuple[Pass, ...]:
    from relayish.transform import parse_pipeline
    from tests.support.large_onnx import WITH_OPTIONS
    from tests.support.standing import made_for

    if name in WITH_OPTIONS:
        return parse_pipeline(WITH_OPTIONS[name]).passes
    return made_for(name, mod)


def reasons_of(name: str, mod: IRModule, size: int) -> str:
    from bench.reasons import reason

    return "|".join(reason(passes_of(name, mod)[0], mod, size))


def seconds_of(name: str, mod: IRModule, _: int) -> str:
    from relayish.analysis import well_formed
    from tests.support.standing import REFUSES

    limit = sys.getrecursionlimit()
    pass_ = passes_of(name, mod)[0]
    start = time.process_time()
    try:
        out = pass_(mod)
    except REFUSES.get(name, ()):
        return "refused"
    seconds = time.process_time() - start
    if sys.getrecursionlimit() != limit:
        return "the recursion limit is another"
    if not well_formed(out):  # as a whole: functions share types
        return "not well formed"
    return f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def forked(work: Callable[[], str], seconds: int) -> str:
    """Return what ``work`` returns, done in a process of its own, within its limits."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, sys.stdout.fileno())  # PrintIR prints
        os.write(writer, limited(work, seconds).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        told = stream.read().decode()
    _, status = os.waitpid(child, 0)
    if told:
        return told
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else status
    late = ended in (signal.SIGXCPU, signal.SIGALRM)
    return f"over {seconds} s" if late else f"ended by {ended}"


def limited(work: Callable[[], str], seconds: int) -> str:
    """Return what ``work`` returns or raises; the process ends if it takes too long."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES << 30, GIBIBYTES << 30))
    signal.alarm(20 * seconds)  # of the clock on the wall, for one that waits for ever
    try:
        return work()
    except BaseException as error:  # noqa: BLE001 - it is the result
        return f"{type(error).__name__}: {' '.join(str(error).split())[:60]}"


if __name__ == "__main__":
    sys.exit(main())
