"""The report of ``relayish optimize``: as a table, or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypedDict

from relayish._support.printable import escape
from relayish.cli.files import STANDARD
from relayish.cli.onnx.counting import PassCost
from relayish.cli.onnx.equality import Comparison
from relayish.cli.onnx.references import Reference
from relayish.cli.onnx.statistics import Statistics
from relayish.cli.tables import Table


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


def parts_of(report: Report) -> Iterator[Table | str]:
    """Yield what is told of the report: operators and constants, passes, equality."""
    yield _operators(report)
    if report.costs:
        yield _passes(report)
    yield _closing(report)


def _operators(report: Report) -> Table:
    before, after = report.before, report.after
    changed = [
        (name, before.operators[name], after.operators[name])
        for name in sorted(before.operators.keys() | after.operators.keys())
        if before.operators[name] != after.operators[name]
    ]
    rows = [("operators", f"{before.total:,}", f"{after.total:,}")]
    rows += [(f"  {escape(name)}", str(was), str(now)) for name, was, now in changed]
    same = sum(count for name, count in after.operators.items() if before.operators[name] == count)
    if changed and same:
        rows.append(("  of other types", f"{same:,}", f"{same:,}"))
    rows.append(("constants", f"{before.constants:,}", f"{after.constants:,}"))
    rows.append(("bytes of constants", f"{before.constant_bytes:,}", f"{after.constant_bytes:,}"))
    return Table(("", "before", "after"), rows, right=(1, 2))


def _passes(report: Report) -> Table:
    rows = [
        (each.name, f"{each.seconds:.3f}", f"{each.change:+,}" if each.change else "")
        for each in report.costs
    ]
    rows.append(("all passes", f"{sum(each.seconds for each in report.costs):.3f}", ""))
    return Table(("pass", "seconds", "operators"), rows, right=(1, 2))


def _closing(report: Report) -> str:
    lines = list(describe_equality(report.reference, report.comparison))
    lines.append(f"{_where(report.output)}; {report.seconds:.2f} seconds in all\n")
    return "\n".join(lines)


def _where(output: str | None) -> str:
    if output is None:
        return "not written"
    return f"written to {'standard output' if output == STANDARD else escape(output)}"


def describe_equality(reference: Reference | None, comparison: Comparison | None) -> Iterator[str]:
    """Yield what equality of a result rests on, line by line."""
    if reference is None or comparison is None:
        yield "equality not verified"
        return
    count = len(reference.inputs)
    drawn = "" if reference.plan.spread is None else "random "
    on = f"on {count} {drawn}input{'' if count == 1 else 's'} ({reference.drawn})"
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
        said.append(f"no effect on any output: {_list_names(reference.idle)}")
    if reference.untried:
        said.append(f"nothing is known of the effect of {_list_names(reference.untried)}")
    return "; ".join(said) or "every input changes an output"


_SHOWN: Final = 8
"""So many names are shown, if there are more than one more."""


def _list_names(names: Sequence[str]) -> str:
    shown = names if len(names) <= _SHOWN + 1 else names[:_SHOWN]
    more = f" and {len(names) - _SHOWN:,} others" if len(shown) < len(names) else ""
    return f"{escape(', '.join(shown))}{more}"


class Numbers(TypedDict):
    """A number of the model, and of the result."""

    before: int
    after: int


class NumbersByType(TypedDict):
    """Numbers by type of operator, of the model, and of the result."""

    before: Mapping[str, int]
    after: Mapping[str, int]


class PassResult(TypedDict):
    """A pass that ran.

    Attributes:
        name: Its name.
        seconds: How long it took, passes inside it included.
        operators: How many there are behind it.
    """

    name: str
    seconds: float
    operators: int


class VerificationResult(TypedDict):
    """What equality rests on.

    Attributes:
        equal: Whether the result is equal.
        fault: What differs; null if nothing does.
        culprit: The pass at fault, in words; null if it is equal, or nobody looks for it.
        engine: What ran both.
        inputs: On how many inputs.
        sizes: Of dimensions that have none, by name.
        drawn_from: What random inputs are drawn from; null if none are.
        data: The files that inputs are read from.
        largest_difference: In parts of an output's magnitude; null if that is no number.
        tolerance: What is allowed of it.
        inputs_without_effect: The inputs that change no output, alone.
        inputs_untried: The inputs of which nothing is known.
        outputs_vary_by: By what outputs differ from input to input; null if that is no number.
    """

    equal: bool
    fault: str | None
    culprit: str | None
    engine: str
    inputs: int
    sizes: Mapping[str, int]
    drawn_from: str | None
    data: Sequence[str]
    largest_difference: float | None
    tolerance: float
    inputs_without_effect: Sequence[str]
    inputs_untried: Sequence[str]
    outputs_vary_by: float | None


class OptimizeResult(TypedDict):
    """What became of a model.

    Attributes:
        input: The file it was read from.
        output: The file it was written to; null if it was not written.
        operators: How many there are.
        operators_by_type: How many there are of each type.
        constants: How many there are.
        constant_bytes: The bytes of their elements.
        passes: Those that ran, in order.
        seconds: How long everything took.
        verification: What equality rests on; null if nobody asked.
        notes: What else is to be known.
    """

    input: str
    output: str | None
    operators: Numbers
    operators_by_type: NumbersByType
    constants: Numbers
    constant_bytes: Numbers
    passes: Sequence[PassResult]
    seconds: float
    verification: VerificationResult | None
    notes: Sequence[str]


def result_of(report: Report) -> OptimizeResult:
    """Return what JSON tells of the report."""
    before, after = report.before, report.after
    return {
        "input": report.source,
        "output": report.output,
        "operators": {"before": before.total, "after": after.total},
        "operators_by_type": {
            "before": dict(sorted(before.operators.items())),
            "after": dict(sorted(after.operators.items())),
        },
        "constants": {"before": before.constants, "after": after.constants},
        "constant_bytes": {"before": before.constant_bytes, "after": after.constant_bytes},
        "passes": [
            {"name": each.name, "seconds": each.seconds, "operators": each.operators}
            for each in report.costs
        ],
        "seconds": report.seconds,
        "verification": verification_of(report.reference, report.comparison, report.culprit),
        "notes": report.notes,
    }


def verification_of(
    reference: Reference | None, comparison: Comparison | None, culprit: str | None = None
) -> VerificationResult | None:
    """Return what JSON tells of how equality was found."""
    if reference is None or comparison is None:
        return None
    spread = reference.plan.spread
    return {
        "equal": comparison.fault is None,
        "fault": comparison.fault,
        "culprit": culprit,
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
