"""One model, optimised: read, passed through the pipeline, written, proven equal, put in place."""

from __future__ import annotations

import argparse
import dataclasses
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from relayish._support.collector import freeze_heap
from relayish._support.files import put_in_place
from relayish.cli.any_file import as_model
from relayish.cli.files import STANDARD, show_name, write_bytes
from relayish.cli.onnx.counting import PassCostInstrument
from relayish.cli.onnx.engines import ONNXRUNTIME, Engine, usual_engines
from relayish.cli.onnx.equality import (
    TOLERANCE,
    Tolerance,
    compare_model,
    compare_results,
    run_again,
)
from relayish.cli.onnx.given import read_data
from relayish.cli.onnx.inputs import sizes_of, with_ranks
from relayish.cli.onnx.noise import measure_noise
from relayish.cli.onnx.precision import narrowest_floats
from relayish.cli.onnx.reading import (
    ModelFile,
    as_regular_file,
    check_model,
    has_external_shapes,
    parse_shapes,
    read_model,
)
from relayish.cli.onnx.references import TELLS, Reference, Wanted, find_reference
from relayish.cli.onnx.report import Report, describe_equality
from relayish.cli.onnx.runtime import Runtime
from relayish.cli.onnx.sizes import lengths_in
from relayish.cli.onnx.statistics import count_model
from relayish.cli.pass_report import recorded
from relayish.cli.pipeline_options import (
    DEFAULT_LEVEL,
    Around,
    context_of,
    driver_context,
    named_pipeline,
)
from relayish.cli.progress import Bar, shown_bar
from relayish.domain.driver import Driver
from relayish.errors import EvaluationError, ModelError, PassError, RelayishError
from relayish.frontend.onnx.exporter import save_onnx, write_model
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.debug.bisect import bisect
from relayish.passes.onnx.default_pipeline import onnx_pipeline
from relayish.transform import Sequential

EXIT_NOT_EQUAL: Final = 1
"""The exit code when the result does not compute what the model does."""
TEST_SHAPE: Final = "--test-input-shape"
STEPS: Final = 3
"""Beside the passes: reading, writing, verifying."""


def pipeline_of(args: argparse.Namespace) -> Sequential:
    """Return the pipeline that is named, or the usual one of the level.

    Raises:
        PipelineError, UnknownNameError: If it names what there is not.
    """
    named = named_pipeline(args)
    if named is not None:
        return named
    return onnx_pipeline(DEFAULT_LEVEL if args.opt_level is None else args.opt_level)


def optimise_model(
    args: argparse.Namespace, scratch: Path | None = None, runtime: Runtime | None = None
) -> tuple[Report, int, ModelFile]:
    """Do to one model what the options of the command ask for; the result is put in place.

    Args:
        args: Of the command, with the ``file`` of the model and the ``output``.
        scratch: Where to write before that is known to be right, on the disk of the output; beside
            the output if not given.
        runtime: What runs models, as it is started already; it forgets others.

    Returns:
        The report, the exit code, and the model as it was read.

    Raises:
        RelayishError, OSError: If that cannot be done; then nothing is written.
    """
    begin = time.perf_counter()
    pipeline = pipeline_of(args)
    driver = Driver(pipeline.passes, driver_context(args), name=pipeline.info.name)
    engines = usual_engines(is_needed=bool(args.verify), runtime=runtime)
    with (
        shown_bar(STEPS, len(driver.plan())) as bar,
        as_regular_file(args.file) as given,
        as_model(given, args.file) as (path, note),
    ):
        bar.step("reading")
        model = read_model(path, parse_shapes(args.input_shape), name=show_name(args.file))
        mod = model.to_module(freeze_params=args.freeze_params)
        wanted = _wanted(args, model, mod)
        work = _Work(args, model, mod, driver, pipeline, bar, engines, wanted, scratch)
        with tempfile.TemporaryDirectory() as folder:
            work.check(Path(folder))
            report, code = work.optimise()
    report.notes.extend([note] if note else [])
    report.seconds = time.perf_counter() - begin
    return report, code, model


def _wanted(args: argparse.Namespace, model: ModelFile, mod: IRModule) -> Wanted:
    """Return what the inputs are to be that model and result are compared on."""
    shapes = parse_shapes(args.test_input_shape, TEST_SHAPE)
    known = sizes_of(model.inputs, shapes, TEST_SHAPE)
    model.inputs = with_ranks(model.inputs, shapes)
    data = read_data(args.input_data, model.inputs)
    return Wanted(known, lambda: lengths_in(mod), data)


@dataclass(slots=True)
class _Work:
    """One model on its way."""

    args: argparse.Namespace
    model: ModelFile
    mod: IRModule
    driver: Driver
    pipeline: Sequential
    bar: Bar
    engines: Sequence[Engine]
    wanted: Wanted
    scratch: Path | None = None  # where to write first
    broken_rule: str = ""  # of ONNX, by the model, and why it is taken
    keeps_rules: bool = True  # whether the result has to

    def check(self, folder: Path) -> None:
        """Check the model by the rules of ONNX; what runs all the same is taken, with a note.

        Runtimes take what the rules forbid, as operators that a later version of an operator set
        took back. What is in order once it is written again, as nodes that stand before those they
        need, or shapes that lie in another file, is compared in that form.

        Args:
            folder: Where that may be written.

        Raises:
            ModelError: If it breaks one, and neither is the case.
        """
        try:
            check_model(self.model.path, self.model.proto, self.model.name)
        except ModelError as error:
            if self._runs_in_onnxruntime():
                self.broken_rule = f"{error}; it is taken, since onnxruntime runs it"
                self.keeps_rules = False
                return
            again = folder / "again.onnx"
            try:
                self._write(self.mod, again)
            except RelayishError:
                raise error from None
            self.broken_rule = f"{error}; it is taken, since it is valid once written again"
            self.model.path = str(again)
            return
        has_shapes = self.args.verify and has_external_shapes(self.model.proto)
        if has_shapes and not self._runs_in_onnxruntime():
            again = folder / "again.onnx"
            self._write(self.mod, again)
            self.model.path = str(again)

    def _runs_in_onnxruntime(self) -> bool:
        engines = [each for each in self.engines if each.name == ONNXRUNTIME]
        return any(_loads(each, self.model.path) for each in engines)

    def optimise(self) -> tuple[Report, int]:
        """Run the passes, write the result beside its place, verify it, put it there."""
        with recorded(self.args, self.driver, self.mod) as recording:
            report, code = self._optimise(recording.around)
            recording.notes.extend(
                [*describe_equality(report.reference, report.comparison), *report.notes]
            )
        return report, code

    def _optimise(self, around: Around) -> tuple[Report, int]:
        costs = PassCostInstrument()
        progress = self.bar.watch(self.driver)
        self.bar.begin_passes()
        with context_of(self.args, self.pipeline, [costs, progress], around), freeze_heap():
            out = self.driver(self.mod)
        is_piped = self.args.output == STANDARD
        output = None if is_piped else self.args.output
        place = Path(tempfile.gettempdir() if output is None else os.path.realpath(output))
        folder = place.absolute().parent if output is not None else place
        name = "model.onnx" if output is None else place.name
        folder = folder if self.scratch is None else self.scratch
        with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name[:100]}.") as inside:
            written = Path(inside) / name
            self.bar.step("writing")
            proto = self._write(out, written, output)
            before = count_model(self.model.proto)
            report = Report(self.args.file, before, count_model(proto), costs.costs)
            if self.broken_rule:
                report.notes.append(self.broken_rule)
            is_equal = self._verify(written, report)
            if is_piped and (is_equal or self.args.force):
                write_bytes(written.read_bytes())
                report.output = STANDARD
            elif output is not None and (is_equal or self.args.force):
                _put_in_place(written, place)
                report.output = output
        if is_equal:
            return report, 0
        return report, EXIT_NOT_EQUAL

    def _write(self, mod: IRModule, path: Path, shown: str | None = None) -> Any:
        """Write a module as a model, by the rules of ONNX; return the model.

        Any: a ModelProto. Errors call the file ``shown``.
        """
        external_data: bool | None = self.model.has_external_data or None
        if self.args.output == STANDARD:
            external_data = False  # nothing can be beside it
        proto = write_model(mod, path, external_data=external_data, shown=shown)
        if self.keeps_rules:
            check_model(str(path), proto, "the result")
        return proto

    def _verify(self, path: Path, report: Report) -> bool:
        """Compare the result with the model, and say in the report what was found."""
        args, model = self.args, self.model
        if not args.verify:
            return True
        self.bar.step("verifying")
        reference = find_reference(
            self.engines,
            model.path,
            model.inputs,
            model.outputs,
            runs=args.verify,
            seed=args.seed,
            wanted=self.wanted,
            tell=self.bar.tell,
        )
        report.reference = reference
        report.notes += _doubts(reference)
        tolerance = Tolerance(
            TOLERANCE if args.tolerance is None else args.tolerance,
            narrowest_floats(self.mod, model.outputs),
        )
        found = compare_model(reference, str(path), tolerance)
        if found.is_rounding and args.tolerance is None:
            self.bar.tell("running the model with other rounding")
            noise = measure_noise(reference, model.path, tolerance)
            tolerance = dataclasses.replace(tolerance, noise=noise)
            found = compare_model(reference, str(path), tolerance)
            if found.fault is None:
                report.notes.append(
                    f"outputs differ by {found.largest:.1e} of their magnitude, or in single "
                    f"integers, and no more than twice as much as where the model itself rounds "
                    f"otherwise"
                )
        report.comparison = found
        if found.fault is None:
            return True
        self.bar.tell("looking for the pass at fault")
        report.culprit = self._find_culprit(reference, path.parent, tolerance)
        report.notes += [
            report.culprit,
            "nothing is written; --force writes it all the same"
            if not args.force
            else "it is written all the same",
        ]
        return False

    def _find_culprit(self, reference: Reference, folder: Path, tolerance: Tolerance) -> str:
        """Return which pass is at fault, found by comparing what is before and behind each."""
        path = folder / "bisected.onnx"
        latest = self.mod, reference

        def fault(before: IRModule, after: IRModule) -> str | None:
            nonlocal latest
            try:
                if latest[0] is not before:
                    latest = before, self._run_again(reference, before, path)
                results = self._run_again(reference, after, path).results
            except (ModelError, EvaluationError) as error:
                return str(error).replace(str(path), "the model")
            return compare_results(latest[1], results, tolerance).fault

        with context_of(self.args, self.pipeline), freeze_heap():
            try:
                culprit = bisect(self.driver, self.mod, fault, most_tries=0, is_stepwise=True)
            except PassError as error:
                return f"no pass is at fault, but reading the model and writing it: {error}"
        if culprit is None:
            return "no pass alone is at fault: each changes less than is allowed, all together more"
        others = f"{culprit.position} other pass{'' if culprit.position == 1 else 'es'}"
        return (
            f"{culprit.name} is at fault, after {others}: {culprit.message}; "
            f"--skip-after={culprit.position} leaves it out"
        )

    @staticmethod
    def _run_again(reference: Reference, mod: IRModule, path: Path) -> Reference:
        """Return what a module gives for the inputs of a reference."""
        save_onnx(mod, path)
        return dataclasses.replace(reference, results=run_again(reference, str(path)))


def _loads(engine: Engine, path: str) -> bool:
    """Return whether an engine takes a model."""
    try:
        engine.load(path)
    except EvaluationError:
        return False
    return True


def _doubts(reference: Reference) -> Iterator[str]:
    """Yield what makes equality say less than it seems to."""
    for name in reference.idle:
        yield (
            f"input {name!r} changes no output when it alone changes, so equality proves nothing "
            f"of it"
        )
    if reference.varies < TELLS:
        yield (
            f"outputs differ by no more than {reference.varies:.1g} of their magnitude from input "
            f"to input, so equality proves little"
        )


def _put_in_place(written: Path, target: Path) -> None:
    """Move a model to where it goes, its tensors first where they are in a file of their own."""
    data = written.with_name(f"{written.name}.data")
    for source in (data, written):
        if source.exists():
            suffix = source.name.removeprefix(written.name)
            put_in_place(source, target.with_name(f"{target.name}{suffix}"))
