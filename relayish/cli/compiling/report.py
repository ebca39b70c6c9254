"""The report of ``relayish compile``: as lines, or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TypedDict

from relayish._support.columns import align
from relayish._support.printable import escape
from relayish.cli.onnx.equality import Comparison
from relayish.cli.onnx.references import Reference


class VerificationTold(TypedDict):
    """What equality rests on.

    Attributes:
        equal: Whether the code computes the same.
        fault: What differs; null if nothing does.
        engine: What ran the network.
        inputs: On how many inputs.
        largest_difference: In parts of an output's magnitude; null if that is no number.
        tolerance: What is allowed of it.
    """

    equal: bool
    fault: str | None
    engine: str
    inputs: int
    largest_difference: float | None
    tolerance: float


@dataclass(slots=True)
class CompileReport:
    """What became of a network.

    Attributes:
        source: The file it was read from.
        functions: How many functions of loops there are.
        source_bytes: Of C, without weights that stand in it.
        code_bytes: Of the shared object; ``None`` where it was not compiled.
        weight_bytes: Of the constants.
        arena_bytes: Of the memory between operators; ``None`` where inputs tell.
        multiply_adds: Of products and convolutions; ``None`` where nobody knows.
        seconds_a_run: By what runs it.
        written: The files.
        seconds: How long everything took.
        verification: What equality rests on; ``None`` if nobody asked.
    """

    source: str
    functions: int = 0
    source_bytes: int = 0
    code_bytes: int | None = None
    weight_bytes: int = 0
    arena_bytes: int | None = 0
    multiply_adds: int | None = None
    seconds_a_run: Mapping[str, float] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    seconds: float = 0.0
    verification: VerificationTold | None = None


_SIZES = {
    "functions": "functions",
    "source_bytes": "bytes of C",
    "code_bytes": "bytes of the shared object",
    "weight_bytes": "bytes of weights",
    "arena_bytes": "bytes of memory between operators",
    "multiply_adds": "multiply-adds",
}


def render(
    report: CompileReport, reference: Reference | None, comparison: Comparison | None
) -> str:
    """Return the report as lines."""
    told = asdict(report)
    rows = [(shown, f"{told[key]:,}") for key, shown in _SIZES.items() if told[key] is not None]
    rows += [(f"milliseconds a run, {by}", f"{s * 1e3:.3f}") for by, s in _times(report)]
    lines = align([(name, f"{value:>14}") for name, value in rows])
    lines += _equality(reference, comparison)
    where = ", ".join(map(escape, report.written))
    lines.append(f"{f'written: {where}' if where else 'not written'}; {report.seconds:.2f} seconds")
    return "\n".join(lines) + "\n"


def _times(report: CompileReport) -> Iterator[tuple[str, float]]:
    yield from sorted(report.seconds_a_run.items(), key=lambda pair: pair[1])


def _equality(reference: Reference | None, comparison: Comparison | None) -> list[str]:
    if reference is None or comparison is None:
        return ["equality not verified"]
    on = f"on {len(reference.inputs)} inputs ({reference.drawn}), by {reference.engine.name}"
    if comparison.fault is not None:
        return [f"NOT equal {on}: {comparison.fault}"]
    largest = f"largest difference {comparison.largest:.1e} of an output's magnitude"
    return [f"equal {on}", f"{largest}, tolerance {comparison.tolerance:.1e}"]


def verification_of(
    reference: Reference | None, comparison: Comparison | None
) -> VerificationTold | None:
    """Return what JSON tells of how equality was found."""
    if reference is None or comparison is None:
        return None
    return {
        "equal": comparison.fault is None,
        "fault": comparison.fault,
        "engine": reference.engine.name,
        "inputs": len(reference.inputs),
        "largest_difference": comparison.largest,
        "tolerance": comparison.tolerance,
    }
