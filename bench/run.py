"""Measure relayish beside the tight hand-written loop, and beside its peers when asked.

    python bench/run.py                                # the table, at 10^3 to 10^6 operations
    python bench/run.py --sizes 1000,10000 --only "fold;build" # part of it
    python bench/run.py --peers DIR --envs DIR         # peers as well, each in its environment
    python bench/run.py --peers bench/peers --envs DIR --only "loops: build"  # those of the loop IR
    python bench/run.py --write                        # and put the table into bench/RESULTS.md
    python bench/run.py --collector rare,frozen        # as in the relayish command
    python bench/run.py --modes compiled               # with the compiled core alone

A figure is CPU time of the process in microseconds an operation, the median of several runs on
fresh programs. The cyclic garbage collector is on, and as Python sets it unless ``--collector``
says otherwise: ``rare`` collects rarely, ``frozen`` spares what is there before the work begins.
Each cell runs in a process of its own: loop and relayish in turn, so that noise falls on both. It
has a figure of relayish in pure Python and one with the compiled core, which is in use if it was
built; the ratio to the loop is that of the last.
"""

from __future__ import annotations

import argparse
import gc
import json
import operator
import os
import pickle
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

BOUNDS = {
    "build": 0.9,
    "visit": 0.5,
    "identity": 0.9,
    "fold": 2.5,
    "rewrite": 2.0,
    "dead code": 1.5,
    "common subexpressions": 2.5,
    "print + parse": 8.0,
    "infer types": 6.0,
}
"""Microseconds an operation that relayish set itself as a limit, on a machine where the tight loop
needs what ``REFERENCE`` says; elsewhere the ratio to the loop is what counts."""

REFERENCE = {
    "build": 0.46,
    "visit": 0.14,
    "identity": 0.42,
    "fold": 1.05,
    "rewrite": 0.90,
    "common subexpressions": 1.55,
    "print + parse": 2.7,
}

PEER_WORK = {
    "build": "W7",
    "visit": "W1",
    "identity": "W2",
    "fold": "W3",
    "rewrite": "W4",
    "dead code": "W5dce",
    "common subexpressions": "W5cse",
    "print + parse": "W6",
    **{f"loops: {work}": work for work in ("build", "visit", "identity", "simplify")},
    "loops: print + parse": "print + parse",
    "analyses: liveness": "liveness",
    "analyses: sccp": "sccp",
}
"""What the scripts of peers call the work; in ``bench/peers`` are those of loops and analyses."""


def works() -> dict[str, tuple[Callable[[int], Any], Callable[[Any], Any] | None, ...]]:
    """Return, for each piece of work, (build, tight loop, build, relayish)."""
    sys.path.insert(0, str(HERE))
    import analyses
    import handlers
    import loops
    import programs
    import tight

    from relayish.analysis import free_vars
    from relayish.analysis.infer_type import infer_type
    from relayish.functor import ExprMutator, ExprRewriter, ExprVisitor, post_order_rewrite
    from relayish.ir.equality.structural_equal import structural_equal
    from relayish.ir.equality.structural_hash import structural_hash
    from relayish.ir.relay.expr import Call, Constant, Expr, Function
    from relayish.ir.relay.module import IRModule
    from relayish.passes.relay.cleanup.dead_code_elimination import eliminate_dead_code
    from relayish.passes.relay.cleanup.eliminate_common_subexpr import eliminate_common_subexpr
    from relayish.passes.relay.fold.fold_constant import fold_constant
    from relayish.rewriting import rewrite_rules
    from relayish.text import astext, parse

    class Calls(ExprVisitor):
        calls = 0

        def visit_call(self, call: Call) -> None:
            self.calls += 1
            for arg in call.args:
                self.visit(arg)

    class Everything(ExprVisitor):
        nodes = 0

        def visit(self, expr: Expr) -> None:
            self.nodes += 1
            super().visit(expr)

    class Natural(ExprMutator):
        def visit_call(self, call: Call) -> Expr:
            return call.with_fields(args=self.mutate_all(call.args))

    class Unit(ExprRewriter):
        def rewrite_call(self, pre: Call, post: Call) -> Expr:
            right = post.args[1]
            if type(right) is Constant:
                if post.op is programs.ADD and right.data == 0:
                    return post.args[0]
                if post.op is programs.MULTIPLY and right.data == 1:
                    return post.args[0]
            return post

    rules = programs.twenty_rules()
    arithmetic = {"add": operator.add, "mul": operator.mul}

    def tight_fold(root: Any) -> Any:
        return tight.fold(root, arithmetic)

    def module(build: Callable[[int], Expr]) -> Callable[[int], IRModule]:
        def make(size: int) -> IRModule:
            body = build(size)
            return IRModule.from_expr(Function(free_vars(body), body))

        return make

    def twice(size: int) -> tuple[Expr, Expr]:
        return programs.dag(size), programs.dag(size)

    def same(pair: tuple[Expr, Expr]) -> bool:
        return structural_equal(*pair, map_free_vars=True)

    def apart(build: Callable[[int], Any], levels: int) -> Callable[[int], list[Any]]:
        """Return what builds as many operations in programs that are ``levels`` deep."""
        return lambda size: [build(levels) for _ in range(max(1, size // levels))]

    def each(work: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
        return lambda roots: [work(root) for root in roots]

    def natural(levels: int) -> dict[str, tuple[Callable[[int], Any], Callable[[Any], Any], ...]]:
        """Return rows of handlers that recurse by hand, over programs ``levels`` deep."""
        loops, ours = apart(tight.dag, levels), apart(programs.dag, levels)
        visitor = each(lambda expr: Calls().visit(expr))
        mutator = each(lambda expr: Natural().visit(expr))
        return {
            f"visit, own visit_call, {levels} levels": (loops, each(tight.count), ours, visitor),
            f"identity, own visit_call, {levels} levels": (
                loops,
                each(tight.identity),
                ours,
                mutator,
            ),
        }

    def apply(expr: Expr) -> Expr:
        return rewrite_rules(rules, expr)

    one = programs.dag
    return {
        "build": (tight.dag, None, one, None),
        "visit": (tight.dag, tight.count, one, lambda e: ExprVisitor().visit(e)),
        "visit, own visit_call": (tight.dag, tight.count, one, lambda e: Calls().visit(e)),
        "visit, own visit": (tight.dag, tight.count, one, lambda e: Everything().visit(e)),
        "identity": (tight.dag, tight.identity, one, lambda e: ExprMutator().visit(e)),
        "identity, own visit_call": (tight.dag, tight.identity, one, lambda e: Natural().visit(e)),
        **natural(40),
        **natural(100),
        **natural(200),
        "fold": (tight.foldable, tight_fold, programs.foldable, fold_constant),
        "fold a tenth": (tight.tenth_foldable, tight_fold, programs.tenth_foldable, fold_constant),
        "rewrite": (
            tight.rewritable,
            tight.rewrite,
            programs.rewritable,
            lambda e: post_order_rewrite(e, Unit()),
        ),
        "rules": (tight.dag, tight.identity, one, apply),
        "rules applied": (
            tight.rewritable,
            tight.rewrite,
            programs.rewritable,
            apply,
        ),
        "dead code": (tight.half_dead, tight.dead_code, programs.half_dead, eliminate_dead_code),
        "common subexpressions": (
            tight.duplicated,
            tight.common_subexpr,
            programs.duplicated,
            eliminate_common_subexpr,
        ),
        "print + parse": (
            tight.dag,
            tight.print_and_parse,
            module(one),
            lambda mod: parse(astext(mod)),
        ),
        "print": (tight.dag, tight.to_text, module(one), astext),
        "structural hash": (tight.dag, tight.structural_hash, one, structural_hash),
        "structural equal": (tight.dag, tight.structural_hash, twice, same),
        "infer types": (tight.dag, tight.infer, programs.typed_dag, infer_type),
        "infer types again": (
            tight.dag,
            tight.infer,
            lambda size: infer_type(programs.typed_dag(size)),
            lambda func: infer_type(func, fresh=True),
        ),
        "infer types, known last": (tight.dag, tight.infer, programs.late_dag, infer_type),
        "infer types, polymorphic": (tight.dag, tight.infer, programs.polymorphic, infer_type),
        "infer types, recursive": (tight.dag, tight.infer, programs.recursive, infer_type),
        "pickle + unpickle": (
            tight.dag,
            tight.identity,
            one,
            lambda e: pickle.loads(pickle.dumps(e)),
        ),
        **loops.works(),
        **analyses.works(),
        **handlers.works(),
    }


def measure(work: str, size: int, collector: list[str]) -> tuple[float, float]:
    """Return microseconds an operation of the tight loop and of relayish."""
    build_loop, loop, build_ours, ours = works()[work]
    rounds = 7 if size <= 10_000 else 5 if size <= 100_000 else 3
    loops, relays = [], []
    for _ in range(rounds):
        loops.append(_once(build_loop, loop, size, collector))
        relays.append(_once(build_ours, ours, size, collector))
    return statistics.median(loops), statistics.median(relays)


def _once(
    build: Callable[[int], Any],
    work: Callable[[Any], Any] | None,
    size: int,
    collector: list[str],
) -> float:
    from relayish._support.collector import collect_rarely, freeze_heap

    manners = {"rare": collect_rarely, "frozen": freeze_heap}
    program = size if work is None else build(size)
    gc.collect()
    with ExitStack() as stack:
        for name in collector:
            stack.enter_context(manners[name]())
        start = time.process_time()
        result = (work or build)(program)
        elapsed = time.process_time() - start
    del program, result
    return elapsed / size * 1e6


def measure_apart(work: str, size: int, collector: str, modes: list[str]) -> str:
    """Measure in processes of their own; return the cell."""
    command = [sys.executable, __file__, "--cell", work, str(size), "--collector", collector]
    loops, ours = [], []
    for mode in modes:
        environment = {**os.environ, "RELAYISH_PURE": str(int(mode == "pure"))}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        loop, found, compiled = json.loads(done.stdout.splitlines()[-1])
        if compiled is not (mode == "compiled"):
            raise SystemExit("the compiled core was not built; choose --modes pure, or build it")
        loops.append(loop)
        ours.append(found)
    shown = [f"{figure:.2f}" for figure in (min(loops), *ours)]
    return f"{' / '.join(shown)} / {ours[-1] / loops[-1]:.1f}"


def measure_peer(script: Path, python: Path, work: str, size: int) -> str:
    """Return what a peer needs for the same work, or a dash where it has no such work."""
    command = [str(python), str(script), PEER_WORK[work], str(size), "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    words = done.stdout.split()
    if done.returncode != 0 or "ns/node" not in words:
        return "-"
    return f"{float(words[words.index('ns/node') - 1]) / 1000:.2f}"


def table(
    names: list[str],
    sizes: list[int],
    peers: dict[str, tuple[Path, Path]],
    collector: str,
    modes: list[str],
) -> str:
    """Return the table as Markdown."""
    heads = ["work", *[f"{size:,}: loop / {' / '.join(modes)} / ratio" for size in sizes]]
    heads += ["bound", "bound as ratio", *peers]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for name in names:
        cells = [name, *[measure_apart(name, size, collector, modes) for size in sizes]]
        bound, reference = BOUNDS.get(name), REFERENCE.get(name)
        cells.append(f"{bound}" if bound else "")
        cells.append(f"{bound / reference:.1f}" if bound and reference else "")
        for script, python in peers.values():
            known = name in PEER_WORK
            cells.append(measure_peer(script, python, name, 100_000) if known else "")
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def find_peers(scripts: Path | None, environments: Path | None) -> dict[str, tuple[Path, Path]]:
    """Return the peers whose script and environment (a directory of their name) both exist."""
    if scripts is None or environments is None:
        return {}
    found = {}
    for script in sorted(scripts.glob("p_*.py")):
        python = environments / script.stem.removeprefix("p_") / "bin" / "python"
        if python.exists():
            found[script.stem.removeprefix("p_")] = (script, python)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--only", help="names of work, separated by semicolons")
    parser.add_argument("--peers", type=Path, help="directory of p_<peer>.py scripts")
    parser.add_argument("--envs", type=Path, help="directory of virtual environments <peer>/")
    parser.add_argument(
        "--write",
        nargs="?",
        const=HERE / "RESULTS.md",
        type=Path,
        help="write the table into a file, bench/RESULTS.md if none is given",
    )
    parser.add_argument("--collector", default="", help="rare, frozen, or both: rare,frozen")
    parser.add_argument("--modes", default="pure,compiled", help="pure, compiled, or both")
    parser.add_argument("--cell", nargs=2, metavar=("WORK", "SIZE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        collector = [name for name in options.collector.split(",") if name]
        from relayish import compiled

        figures = measure(options.cell[0], int(options.cell[1]), collector)
        print(json.dumps((*figures, compiled)), flush=True)
        os._exit(0)  # leave deep programs to the operating system
    names = options.only.split(";") if options.only else list(works())
    sizes = [int(size) for size in options.sizes.split(",")]
    peers, modes = find_peers(options.peers, options.envs), options.modes.split(",")
    text = table(names, sizes, peers, options.collector, modes)
    where = f"CPython {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    text = (
        f"# Results\n\nMicroseconds of CPU an operation, {where}. Made by `python bench/run.py "
        f"--write`; what each column means stands there.\n\n{text}\n"
    )
    print(text)
    if options.write is not None:
        options.write.write_text(text)


if __name__ == "__main__":
    main()
