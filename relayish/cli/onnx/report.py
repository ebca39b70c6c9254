"""The report of ``relayish optimize``: as a table, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from relayish._support.printable import escape
from relayish.cli.files import STANDARD
from relayish.cli.onnx.counting import PassCost
from relayish.cli.onnx.equality import Comparison
from relayish.cli.onnx.references import Reference
from relayish.cli.onnx.statistics import Statistics


@dataclass(slots=True)
class Report:
    """What became of a model.

    Attributes:
        source: The file it was read from.
        output: The file it was written to; ``None`` where it was not written.
        before: What it consisted of.
        after: What it consists of.
        costs: Of the passes that ran.
        reference: What equality rests on; ``None`` where it was not asked for.
        comparison: Whether it is equal.
        seconds: How long everything took.
        culprit: The pass at fault, if it is not equal.
    """

    source: str
    before: Statistics
    after: Statistics
    costs: Sequence[PassCost]
    output: str | None = None
    reference: Reference | None = None
    comparison: Comparison | None = None
    seconds: float = 0.0
    culprit: str | None = None
    notes: list[str] = field(default_factory=list)


def render_report(report: Report) -> str:
    """Return the report as text: operators, constants, passes, equality."""
    parts = [_operators(report), _passes(report)]
    return "\n\n".join(["\n".join(part) for part in parts if part] + [_closing(report)]) + "\n"


def _operators(report: Report) -> list[str]:
    before, after = report.before, report.after
    changed = [
        (name, before.operators[name], after.operators[name])
        for name in sorted(before.operators.keys() | after.operators.keys())
        if before.operators[name] != after.operators[name]
    ]
    rows = [("", "before", "after")]
    rows.append(("operators", f"{before.total:,}", f"{after.total:,}"))
    rows += [(f"  {escape(name)}", str(was), str(now)) for name, was, now in changed]
    same = sum(count for name, count in after.operators.items() if before.operators[name] == count)
    if changed and same:
        rows.append(("  of other types", f"{same:,}", f"{same:,}"))
    rows.append(("constants", f"{before.constants:,}", f"{after.constants:,}"))
    rows.append(("bytes of constants", f"{before.constant_bytes:,}", f"{after.constant_bytes:,}"))
    return _aligned(rows)


def _passes(report: Report) -> list[str]:
    if not report.costs:
        return []
    rows = [("pass", "seconds", "operators")]
    rows += [
        (each.name, f"{each.seconds:.3f}", f"{each.change:+,}" if each.change else "")
        for each in report.costs
    ]
    rows.append(("all passes", f"{sum(each.seconds for each in report.costs):.3f}", ""))
    return _aligned(rows)


def _aligned(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return rows as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        f"{row[0].ljust(widths[0])}  {row[1].rjust(widths[1])}  {row[2].rjust(widths[2])}".rstrip()
        for row in rows
    ]


def _closing(report: Report) -> str:
    lines = list(describe_equality(report))
    lines.append(f"{_where(report.output)}; {report.seconds:.2f} seconds in all")
    return "\n".join(lines)


def _where(output: str | None) -> str:
    if output is None:
        return "not written"
    return f"written to {'standard output' if output == STANDARD else escape(output)}"


def describe_equality(report: Report) -> Iterator[str]:
    """Yield what equality of the result rests on, line by line."""
    reference, comparison = report.reference, report.comparison
    if reference is None or comparison is None:
        yield "equality not verified"
        return
    count = len(reference.inputs)
    drawn = "" if reference.plan.spread is None else "random "
    on = f"on {count} {drawn}input{'' if count == 1 else 's'} ({reference.plan})"
    if comparison.fault is not None:
        yield f"NOT equal {on}, by {reference.engine.name}: {comparison.fault}"
    else:
        yield f"equal {on}, by {reference.engine.name}"
    yield (
        f"largest difference {comparison.largest:.1e} of an output's magnitude, "
        f"tolerance {comparison.tolerance:.1e}"
    )
    yield _influence(reference)


def _influence(reference: Reference) -> str:
    said = []
    if reference.idle:
        said.append(f"no effect on any output: {escape(', '.join(reference.idle))}")
    if reference.untried:
        said.append(f"nothing is known of the effect of {escape(', '.join(reference.untried))}")
    return "; ".join(said) or "every input changes an output"


def report_as_json(report: Report) -> str:
    """Return the report as a JSON object."""
    return json.dumps(report_as_dict(report), indent=2) + "\n"


def report_as_dict(report: Report) -> dict[str, object]:
    """Return what JSON tells of the report."""
    reference, comparison = report.reference, report.comparison
    told: dict[str, object] = {
        "input": report.source,
        "output": report.output,
        "operators": {"before": report.before.total, "after": report.after.total},
        "operators_by_type": {
            "before": dict(sorted(report.before.operators.items())),
            "after": dict(sorted(report.after.operators.items())),
        },
        "constants": {"before": report.before.constants, "after": report.after.constants},
        "constant_bytes": {
            "before": report.before.constant_bytes,
            "after": report.after.constant_bytes,
        },
        "passes": [
            {"name": each.name, "seconds": each.seconds, "operators": each.operators}
            for each in report.costs
        ],
        "seconds": report.seconds,
        "verification": None,
        "notes": report.notes,
    }
    if reference is not None and comparison is not None:
        spread = reference.plan.spread
        told["verification"] = {
            "equal": comparison.fault is None,
            "fault": comparison.fault,
            "culprit": report.culprit,
            "engine": reference.engine.name,
            "inputs": len(reference.inputs),
            "sizes": dict(reference.plan.sizes),
            "drawn_from": None if spread is None else str(spread),
            "data": list(reference.plan.sources),
            "largest_difference": comparison.largest,
            "tolerance": comparison.tolerance,
            "inputs_without_effect": list(reference.idle),
            "inputs_untried": list(reference.untried),
            "outputs_vary_by": reference.varies,
        }
    return told
