"""Telling of several models: a table with a line for each, or a list as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from relayish.cli.json_form import render_json
from relayish.cli.onnx.report import OptimizeResult
from relayish.cli.report import Verbosity, tell, verbosity
from relayish.cli.tables import Table, tell_table


@dataclass(frozen=True, slots=True)
class ModelResult:
    """What became of one model.

    Attributes:
        name: The name of the result in the folder.
        given: The file that was given.
        code: The exit code: 0 for one that is as it should be.
        error: Why there is no result.
        report: What is told of a single model.
        was_there: Whether it was there and right, so that nothing was done.
        worker: Who worked on it last.
        tries: How often it was begun.
        seconds: How long that took.
    """

    name: str
    given: str
    code: int = 0
    error: str | None = None
    report: OptimizeResult | None = None
    was_there: bool = False
    worker: str = ""
    tries: int = 0
    seconds: float = 0.0


_HEADINGS: Final = ("model", "operators", "after", "bytes", "after", "seconds", "worker", "result")


def tell_all(told: Sequence[ModelResult], executor: str, seconds: float, *, is_json: bool) -> None:
    """Tell what became of the models, in the order in which they are given."""
    if is_json:
        tell(render_json(list(told)))
        return
    if verbosity() is Verbosity.QUIET:
        return
    tell_table(Table(_HEADINGS, [_row(each) for each in told], right=range(1, 6)))
    tell(f"\n{_sum(told)}; {seconds:.2f} seconds by {executor}\n")


def _row(told: ModelResult) -> Sequence[str]:
    sizes = ["", "", "", ""]
    if told.report is not None:
        counts = told.report["operators"], told.report["constant_bytes"]
        sizes = [f"{n:,}" for each in counts for n in (each["before"], each["after"])]
    return told.name, *sizes, f"{told.seconds:.2f}", told.worker, _result(told)


def _result(told: ModelResult) -> str:
    if told.report is None:
        return f"error: {_brief(told.error)}"
    found = told.report["verification"]
    said = "not verified" if found is None else "equal"
    if found is not None and not found["equal"]:
        said = f"NOT equal: {_brief(found['fault'])}"
    return f"{said}; was there" if told.was_there else said


_LONGEST: Final = 100
"""The characters of a reason in the table; all of it is told when it is met, and as JSON."""


def _brief(reason: str | None) -> str:
    line = reason.splitlines()[0] if reason else ""
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _sum(told: Sequence[ModelResult]) -> str:
    counts = {
        "written": sum(_is_written(each) and not each.was_there for each in told),
        "there before": sum(each.was_there for each in told),
        "not equal": sum(each.code == 1 for each in told),
        "with errors": sum(each.code > 1 for each in told),
    }
    said = ", ".join([f"{count} {what}" for what, count in counts.items() if count])
    return f"{len(told)} model{'' if len(told) == 1 else 's'}: {said or 'none written'}"


def _is_written(told: ModelResult) -> bool:
    return told.report is not None and told.report["output"] is not None
