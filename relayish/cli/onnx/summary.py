"""What a model says of itself, as facts with names: what ``relayish show`` tells first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from relayish.cli.onnx.drawing.diagram import show_type
from relayish.cli.onnx.statistics import Statistics, count_model


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model is.

    Attributes:
        facts: Pairs of a name and what it says: producer, versions, and the like.
        inputs: Names and types; those with a default say so.
        outputs: Names and types.
        statistics: Of what it consists.
        functions: The names of its functions.
    """

    facts: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]
    statistics: Statistics
    functions: tuple[str, ...]


def summarise(proto: Any) -> Summary:  # Any: a ModelProto, which onnx does not type
    """Return what a model is."""
    opsets = [f"{each.domain or 'ai.onnx'} {each.version}" for each in proto.opset_import]
    given = {each.name for each in proto.graph.initializer}
    facts = [
        ("producer", " ".join(filter(None, [proto.producer_name, proto.producer_version]))),
        ("ONNX", f"IR version {proto.ir_version}, opset {', '.join(opsets)}"),
        ("graph", proto.graph.name),
        ("version", str(proto.model_version) if proto.model_version else ""),
        ("domain", proto.domain),
        ("description", " ".join(proto.doc_string.split())),
    ]
    facts += [(f"metadata {each.key}", each.value) for each in proto.metadata_props]
    return Summary(
        tuple([fact for fact in facts if fact[1]]),
        tuple(
            [
                (each.name, f"{_type_of(each)}{', has a default' if each.name in given else ''}")
                for each in proto.graph.input
            ]
        ),
        tuple([(each.name, _type_of(each)) for each in proto.graph.output]),
        count_model(proto),
        tuple([f"{each.domain}.{each.name}" for each in proto.functions]),
    )


def _type_of(value: Any) -> str:  # Any: a ValueInfoProto
    return show_type(value.type) or "of unknown type"


def render_summary(summary: Summary, source: str) -> str:
    """Return the summary as text."""
    found = summary.statistics
    rows = [("file", source), *summary.facts]
    rows += [_row("input" if n == 0 else "", each) for n, each in enumerate(summary.inputs)]
    rows += [_row("output" if n == 0 else "", each) for n, each in enumerate(summary.outputs)]
    rows += [("function" if n == 0 else "", name) for n, name in enumerate(summary.functions)]
    rows.append(("constants", f"{found.constants:,}, {found.constant_bytes:,} bytes"))
    rows.append(("operators", f"{found.total:,}"))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name.ljust(width)}  {text}".rstrip() for name, text in rows]
    counts = sorted(found.operators.items(), key=lambda each: (-each[1], each[0]))
    digits = max([len(f"{count:,}") for _, count in counts], default=0)
    lines += [f"  {count:>{digits},} {name}" for name, count in counts]
    return "\n".join(lines) + "\n"


def _row(label: str, named: tuple[str, str]) -> tuple[str, str]:
    return label, f"{named[0]}: {named[1]}"


def summary_as_json(summary: Summary, source: str) -> str:
    """Return the summary as a JSON object."""
    found = summary.statistics
    told = {
        "file": source,
        **dict(summary.facts),
        "inputs": _named(summary.inputs),
        "outputs": _named(summary.outputs),
        "functions": list(summary.functions),
        "constants": found.constants,
        "constant_bytes": found.constant_bytes,
        "operators": found.total,
        "operators_by_type": dict(sorted(found.operators.items())),
    }
    return json.dumps(told, indent=2) + "\n"


def _named(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "type": text} for name, text in pairs]
