"""The report of ``relayish compile``: as lines, or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from relayish._support.columns import align
from relayish._support.printable import escape
from relayish.cli.onnx.equality import Comparison
from relayish.cli.onnx.references import Reference
from relayish.cli.onnx.report import VerificationResult, describe_equality


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
    verification: VerificationResult | None = None


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
    times = sorted(report.seconds_a_run.items(), key=lambda pair: pair[1])
    rows += [(f"milliseconds a run, {by}", f"{seconds * 1e3:.3f}") for by, seconds in times]
    lines = align([(name, f"{value:>14}") for name, value in rows])
    lines += describe_equality(reference, comparison)
    where = ", ".join(map(escape, report.written))
    lines.append(f"{f'written: {where}' if where else 'not written'}; {report.seconds:.2f} seconds")
    return "\n".join(lines) + "\n"
