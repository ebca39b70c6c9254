"""``relayish compile``: a network as C, compared with what it is of before anything is written."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from relayish._support.collector import freeze_heap
from relayish._support.files import name_in_errors, put_in_place
from relayish.analysis.mac_count import get_total_mac_number
from relayish.cli.compiling.report import CompileReport, render
from relayish.cli.compiling.sources import NetworkFile, loops_of, read_network, running
from relayish.cli.compiling.targets import TARGETS, ship_loops
from relayish.cli.compiling.timing import time_runs
from relayish.cli.files import STANDARD, write_result
from relayish.cli.json_form import render_json
from relayish.cli.onnx.equality import TOLERANCE, Comparison, Tolerance, compare_results
from relayish.cli.onnx.inputs import Input
from relayish.cli.onnx.reading import as_regular_file, parse_shapes
from relayish.cli.onnx.references import Reference, Wanted, find_reference, run_once
from relayish.cli.onnx.report import verification_of
from relayish.cli.report import Verbosity, tell, tell_error, verbosity
from relayish.codegen.c.toolchain import Toolchain, find_toolchain, flags_for
from relayish.errors import (
    DispatchError,
    EvaluationError,
    OperatorError,
    OptionError,
    RelayishError,
    UnlowerableError,
)
from relayish.ir.modules.module import AnyModule
from relayish.ir.relay.module import IRModule
from relayish.passes.onnx.prepared import prepared
from relayish.tir.text import write_program

EXIT_NOT_EQUAL: Final = 1
"""The exit code when the code does not compute what the network does."""


RESULT: Final = CompileReport
"""What ``--json`` prints."""


def run(args: argparse.Namespace) -> int:
    """Run the command; files are put in place when the code was found equal."""
    _check_options(args)
    with as_regular_file(args.file) as path:
        return _compile(args, path)


def _compile(args: argparse.Namespace, path: str) -> int:
    begin = time.perf_counter()
    report = CompileReport(args.file)
    target = TARGETS[args.target]
    loops = loops_of(path, args) if args.target != "c" else None
    if loops is not None:
        return _write_loops(args, loops, report, begin)
    source = read_network(
        path,
        shapes=args.input_shape,
        is_run=bool(args.verify),
        allow_unknown_ops=args.allow_unknown_ops,
        given_as=args.file,
    )
    try:
        with freeze_heap():
            mod = prepared(source.mod, args.opt_level)
            network, params = target.lower(args, mod)
    except (UnlowerableError, DispatchError) as error:
        if source.is_model:
            _advise_sizes(error, source.inputs)
        raise
    if args.emit == "loops":
        write_result(write_program(network.module.functions), args.output)
        return 0
    outputs = source.outputs if source.is_model else ()
    files, code = target.ship(args, network, outputs)
    report.functions = len(network.module.functions)
    report.source_bytes = len(code.text)
    report.weight_bytes, report.arena_bytes = code.weight_bytes, code.arena
    report.multiply_adds = _multiply_adds(mod)
    reference = comparison = None
    if args.verify or args.time:
        built = target.build(args, network, params)
        report.code_bytes = built.library.stat().st_size
        reference = _reference(args, source)
        compute = running(built, [each.name for each in source.inputs])
        comparison = _compare(args, source, reference, compute)
        if args.time:
            report.seconds_a_run = time_runs(source, compute, reference.inputs[0])
    is_equal = comparison is None or comparison.fault is None
    if args.output is not None and is_equal:
        if args.emit == "so":
            toolchain = find_toolchain(flags_for(exact=args.exact))
            files = _as_shared_object(args.name, files, toolchain)
        if args.output == STANDARD:
            tell("".join([held.decode() for held in files.values()]))
        else:
            report.written = _write(files, Path(args.output))
    report.seconds = time.perf_counter() - begin
    say = tell_error if args.output == STANDARD else tell
    if args.json:
        report.verification = verification_of(reference, comparison)
        say(render_json(report))
    elif verbosity() is not Verbosity.QUIET or not is_equal:
        say(render(report, reference, comparison))
    return 0 if is_equal else EXIT_NOT_EQUAL


def _write_loops(
    args: argparse.Namespace, loops: AnyModule, report: CompileReport, begin: float
) -> int:
    """Write functions of loops, which are bound already, for a device."""
    files = ship_loops(loops, args.name)
    report.functions = len(loops.functions)
    report.source_bytes = len(files[f"{args.name}.cu"])
    if args.output is not None:
        report.written = _write(files, Path(args.output))
    report.seconds = time.perf_counter() - begin
    if args.json:
        tell(render_json(report))
    elif verbosity() is not Verbosity.QUIET:
        tell(render(report, None, None))
    return 0


def _check_options(args: argparse.Namespace) -> None:
    """Find what is wrong with the options before anything is done."""
    args.most = _most_of(args.most)
    TARGETS[args.target].check(args)
    if args.emit == "loops":
        return
    if args.output is not None and Path(args.output).exists() and not Path(args.output).is_dir():
        raise OptionError(f"-o {args.output} is a file; expected a directory, new or not")
    if args.output == STANDARD and not args.single_file:
        raise OptionError(
            "-o - is one file, and the network is several; write --single-file, or -o DIR"
        )
    if args.emit == "so" and args.single_file:
        raise OptionError("--single-file is for sources, and --emit so asks for a shared object")


def _advise_sizes(error: RelayishError, inputs: Sequence[Input]) -> None:
    """Add to an error that more is known where all sizes of inputs are."""
    for each in inputs:
        for dim, axis in each.free_dims():
            known = [str(size) if isinstance(size, int) else "1" for size in each.dims or ()]
            error.add_note(
                f"axis {axis} of input {each.name!r} is {dim!r}, of no known size, and more can be "
                f"written where it has one, as by --input-shape {each.name}:{','.join(known)}"
            )
            return


def _multiply_adds(mod: IRModule) -> int | None:
    try:
        return get_total_mac_number(mod)
    except OperatorError:  # of a size that is not known
        return None


def _most_of(words: Sequence[str]) -> dict[str, int] | None:
    """Return the largest sizes that words like ``n:64`` give, by name.

    Raises:
        OptionError: If a word is none of these.
    """
    found = parse_shapes(words, "--most")
    for name, sizes in found.items():
        if len(sizes) != 1 or not sizes[0]:
            raise OptionError(f"expected NAME:SIZE after --most, as in {name}:64")
    return {name: sizes[0] for name, sizes in found.items()} or None


def _reference(args: argparse.Namespace, source: NetworkFile) -> Reference:
    """Return what the network gives; where inputs tell sizes, for several of each."""

    def find(wanted: Wanted, runs: int) -> Reference:
        return find_reference(
            source.engines,
            source.name,
            source.inputs,
            source.outputs,
            runs=runs,
            seed=args.seed,
            wanted=wanted,
        )

    found = find(Wanted(lengths=None), max(args.verify, 1))
    sizes = found.plan.sizes.items()
    others = [{name: 2 * size for name, size in sizes}, {name: size + 3 for name, size in sizes}]
    for known in others if sizes else ():
        try:
            further = find(Wanted(known, lengths=None), 1)
        except EvaluationError:
            continue  # the network does not take all sizes
        found = found.with_further(further)
    return found


def _compare(
    args: argparse.Namespace, source: NetworkFile, reference: Reference, compute: Any
) -> Comparison:  # Any: a Run
    """Return how the code differs from what it is of."""
    tolerance = Tolerance(TOLERANCE if args.tolerance is None else args.tolerance, source.widths)
    try:
        results = tuple([run_once(compute, each) for each in reference.inputs])
    except EvaluationError as error:
        return Comparison(fault=f"the code does not run: {error}", tolerance=tolerance.usual)
    return compare_results(reference, results, tolerance)


def _as_shared_object(
    name: str, files: Mapping[str, bytes], toolchain: Toolchain
) -> dict[str, bytes]:
    """Return the files with a shared object in place of the sources."""
    kept = {key: held for key, held in files.items() if not key.endswith(".c")}
    with tempfile.TemporaryDirectory() as folder:
        for key, held in files.items():
            Path(folder, key).write_bytes(held)
        made = Path(folder, f"{name}.so")
        toolchain.compile(Path(folder, f"{name}.c"), made)
        return {**kept, made.name: made.read_bytes()}


def _write(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """Write files to a folder, which is made if need be: all beside it first, then in place.

    Raises:
        OSError: If one cannot be written; then none is, and a folder that was made is gone.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".writing-") as inside:
            for name, held in files.items():
                with name_in_errors(folder / name):
                    Path(inside, name).write_bytes(held)
            for name in files:
                put_in_place(Path(inside, name), folder / name)
    except OSError:
        if is_new:
            folder.rmdir()
        raise
    return [str(folder / name) for name in files]
