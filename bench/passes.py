"""Put every pass through deep and large programs.

    python bench/passes.py                          # depth one million, growth 10^3 to 10^6
    python bench/passes.py --only FuseOps,Inline    # some passes
    python bench/passes.py --depth 100000 --no-growth
    python bench/passes.py --write                  # and put the tables into bench/PASSES.md

Depth: seconds a pass takes on a nest of each kind around a parameter, or what went wrong. Growth:
microseconds of CPU an operation at each size; the last column: how much more an operation costs in
the largest program than in one a hundredth of its size. Every pass runs in a process of its own, at
the default recursion limit, on typed programs; the cyclic garbage collector is on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench" / "PASSES.md"
sys.path[:0] = [str(ROOT / "tests" / "passes"), str(ROOT / "tests")]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SECONDS = 600
"""After so long a process is ended."""


def main() -> int:
    """Measure, print, and write what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names of passes, with commas between")
    parser.add_argument("--depth", type=int, default=1_000_000)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--no-depth", action="store_true")
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("PASS", "WHAT", "SIZE"), help="used by itself")
    args = parser.parse_args()
    if args.one:
        measure(args.one[0], args.one[1], int(args.one[2]))
        return 0
    from relayish.transform import list_passes

    names = args.only.split(",") if args.only else list(list_passes())
    lines: list[str] = []
    for line in tables(names, args):
        print(line, flush=True)
        lines.append(line)
    if args.write:
        PAGE.write_text("# Passes on deep and large programs\n\n" + "\n".join(lines) + "\n")
    return 0


def tables(names: list[str], args: argparse.Namespace) -> Iterator[str]:
    from deep import DEEP_NESTS
    from deep_programs import LARGE

    if not args.no_depth:
        yield f"Seconds at {args.depth:,} levels."
        yield ""
        yield from heading(["pass", *DEEP_NESTS, "shared"])
        for name in names:
            cells = [told(name, kind, args.depth) for kind in (*DEEP_NESTS, "shared")]
            yield row([name, *cells])
        yield ""
    if args.no_growth:
        return
    sizes = [int(size) for size in args.sizes.split(",")]
    for what in LARGE:
        yield f"Microseconds an operation, {what}."
        yield ""
        yield from heading(["pass", *(f"{size:,}" for size in sizes), "growth"])
        for name in names:
            found = [told(name, what, size) for size in sizes]
            yield row(
                [
                    name,
                    *(each(f, s) for f, s in zip(found, sizes, strict=True)),
                    grown(found, sizes),
                ]
            )
        yield ""


def heading(cells: list[str]) -> Iterator[str]:
    yield row(cells)
    yield row(["---"] * len(cells))


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def each(told_: str, size: int) -> str:
    try:
        return f"{float(told_) / size * 1e6:.2f}"
    except ValueError:
        return told_


def grown(found: list[str], sizes: list[int]) -> str:
    with contextlib.suppress(ValueError):
        first, last = float(found[-3]) / sizes[-3], float(found[-1]) / sizes[-1]
        return f"{last / first:.1f}" if first else "-"
    return "-"


def told(name: str, what: str, size: int) -> str:
    """Return the seconds a pass took in a process of its own, or what went wrong."""
    command = [sys.executable, __file__, "--one", name, what, str(size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"over {SECONDS} s"
    if done.returncode:
        return (
            f"left with {done.returncode}: {(done.stderr.strip().splitlines() or ['?'])[-1][:80]}"
        )
    return str(json.loads(done.stdout.splitlines()[-1]))


def measure(name: str, what: str, size: int) -> None:
    """Print what :func:`told` reads."""
    from deep_programs import LARGE, nest, shared
    from standing import REFUSES, made_for

    from relayish.analysis import well_formed
    from relayish.analysis.infer_type import infer_type
    from relayish.transform import PassContext

    make = {**LARGE, "shared": shared}.get(what)
    mod = infer_type(make(size) if make else nest(what, size))
    limit = sys.getrecursionlimit()
    with PassContext(opt_level=4):
        pass_ = made_for(name, mod)[0]
        pass_(infer_type(LARGE["graph"](10)))  # what is loaded on first use
        start = time.process_time()
        try:
            out = pass_(mod)
        except REFUSES.get(name, ()):
            print(json.dumps("refused"))
            return
        seconds = time.process_time() - start
    assert sys.getrecursionlimit() == limit, "the recursion limit is another"
    assert all(well_formed(func) for func in out.functions.values()), "not well formed"
    print(json.dumps(f"{seconds:.4f}" if make else f"{seconds:.2f}"))


if __name__ == "__main__":
    sys.exit(main())
