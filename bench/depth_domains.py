"""Take nests of three languages to a depth, through every predefined handler and context.

    python bench/depth_domains.py                              # one million levels
    python bench/depth_domains.py 100000                       # fewer
    python bench/depth_domains.py 100000 "core sum" "tir sum"  # these nests
    python bench/depth_domains.py --only OpStats --only Null   # handlers and contexts named so

A line is a nest, a handler and a context, with the seconds of CPU that one visit took. An overflow,
crash or wrong result ends the nest with what went wrong. Each nest runs in a process of its own, at
the default recursion limit, which is checked after each visit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


class Row(NamedTuple):
    """A visit: what is assembled for it, and whether what it returns is right."""

    handler: str
    context: str
    visit: Callable[[Any], Any]  # Any: a program of any language, and what a context returns
    is_right: Callable[[Any], bool]  # Any: as above


def rows(nest: str, levels: int, program: Any) -> Iterator[Row]:  # Any: as above
    """Yield the visits of a program, every predefined handler and context among them."""
    from relayish import domain
    from relayish.core.interpreter import EvaluateExpr, FoldCtx
    from relayish.errors import DispatchError
    from tests.support.deep_domains import LANGUAGES, by_hand

    def visit(context: Callable[[], Any], handlers: list[Any]) -> Callable[[Any], Any]:
        return lambda program: domain.Visitor(context(), *handlers).visit(program)

    def row(base: Any, context: Callable[[], Any], handlers: list[Any], *said: str) -> Row:
        name = context.__name__ if isinstance(context, type) else said[0]
        keeps = issubclass(type(context()), domain.TransformCtx)
        expected = program if keeps else None
        return Row(base, name, visit(context, handlers), lambda found: found is expected)

    def refusal(handlers: list[Any]) -> Callable[[Any], str]:
        def run(program: Any) -> str:
            try:
                domain.Visitor(domain.AnalyzeCtx(), *handlers).visit(program)
            except DispatchError as error:
                return str(error)
            return "nothing was refused"

        return run

    def value(program: Any) -> Any:
        store = program.stmts[0]
        context = FoldCtx({store.symbol: 1})
        return context.value_of(domain.Visitor(context, EvaluateExpr), store.value)

    ways = (domain.AnalyzeCtx, domain.TransformCtx, domain.InstrumentCtx)
    default = [domain.DefaultHandler(name) for name in LANGUAGES]
    for context in ways:
        yield row("DefaultHandler", context, default)
    yield row("DefaultHandler", lambda: domain.FlattenCtx(lambda _: False), default, "FlattenCtx")
    flatten = visit(lambda: domain.FlattenCtx(lambda _: True), default)
    yield Row("DefaultHandler", "FlattenCtx, all named", flatten, lambda found: found is not None)
    yield Row(
        "DefaultHandler",
        "OpStatsCtx",
        visit(domain.OpStatsCtx, default),
        lambda found: max(count.dynamic for count in found.values()) >= levels,
    )
    yield row("DefaultHandler", domain.VerifyCtx, default)
    simplify = visit(domain.SimplifyCtx, default)
    yield Row("DefaultHandler", "SimplifyCtx", simplify, lambda found: found is not None)
    for base in (domain.NullHandler, domain.BlockNullHandler):
        for context in ways:
            yield row(base.__name__, context, [base(name) for name in LANGUAGES])
    for refusing in (domain.InvalidHandler, domain.BlockInvalidHandler):
        yield Row(
            refusing.__name__,
            "AnalyzeCtx",
            refusal([refusing(name) for name in LANGUAGES]),
            lambda message: message.startswith("unexpected"),
        )
    for base in (domain.Handler, domain.NullHandler, domain.InvalidHandler):
        for context in ways:
            yield row(f"{base.__name__}, by hand", context, by_hand(base))
    yield Row("all that verify", "VerifyCtx", domain.verify, lambda found: found == ())
    yield Row(
        "all that simplify",
        "SimplifyCtx",
        lambda program: domain.assemble("simplify", domain.SimplifyCtx()).visit(program),
        lambda found: found is not None,
    )
    if nest == "core sum":
        yield Row("EvaluateExpr", "FoldCtx", value, lambda found: found == levels + 1)


def run(nest: str, levels: int, only: list[str]) -> None:
    """Do everything with one nest, or only some; print a line for each visit."""
    from tests.support.deep_domains import PROGRAMS

    limit = sys.getrecursionlimit()
    program = PROGRAMS[nest](levels)
    for made in rows(nest, levels, program):
        if only and not any(name in made.handler or name in made.context for name in only):
            continue
        start = time.process_time()
        found = made.visit(program)
        elapsed = time.process_time() - start
        is_right = made.is_right(found)
        print(
            f"{nest:15s} {made.handler:24s} {made.context:22s} {elapsed:8.2f} s"
            f"{'' if is_right else '  WRONG'}",
            flush=True,
        )
        if sys.getrecursionlimit() != limit:
            sys.exit(f"{nest}: the recursion limit was left at {sys.getrecursionlimit()}")
        if not is_right:
            sys.exit(1)
    os._exit(0)  # without taking the program apart


def main() -> None:
    """Run the nests that are asked for, each in a process of its own."""
    from tests.support.deep_domains import PROGRAMS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", type=int, nargs="?", default=1_000_000)
    parser.add_argument("nests", nargs="*", metavar="nest", help=", ".join(PROGRAMS))
    parser.add_argument("--here", action="store_true", help="run one nest in this process")
    parser.add_argument("--only", action="append", default=[], help="part of a name in a line")
    given = parser.parse_args()
    if given.here:
        run(given.nests[0], given.levels, given.only)
    failures = []
    for nest in given.nests or PROGRAMS:
        command = [sys.executable, __file__, str(given.levels), nest, "--here"]
        command += [f"--only={name}" for name in given.only]
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            failures.append(f"{nest}: exit code {done.returncode}")
    print("\n".join(failures) or f"all nests pass at {given.levels:,} levels")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
