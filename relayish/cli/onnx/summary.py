"""Facts that a model states, by name: the first part of ``relayish show``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict

from relayish._support.columns import align
from relayish._support.printable import escape
from relayish.cli.onnx.protos import show_type
from relayish.cli.onnx.statistics import count_model


class NamedValue(TypedDict):
    """Something with a name and a type.

    Attributes:
        name: Its name.
        type: Its type, as text.
    """

    name: str
    type: str


class _Facts(TypedDict, total=False):
    producer: str
    ONNX: str
    graph: str
    version: str
    domain: str
    description: str


class ModelSummary(_Facts):
    """What a model of ONNX is.

    Attributes:
        file: Its name.
        producer: What wrote it, and which version of that.
        ONNX: The version of the format, and those of operator sets.
        graph: The name of its graph.
        version: Of the model.
        domain: Of the model.
        description: Its documentation, on one line.
        metadata: Texts by key.
        inputs: What it takes.
        outputs: What it gives.
        functions: The names of its functions.
        constants: How many there are.
        constant_bytes: The bytes of their elements.
        operators: How many nodes there are, those that are constants left out.
        operators_by_type: How many there are of each operator.
    """

    file: str
    metadata: dict[str, str]
    inputs: list[NamedValue]
    outputs: list[NamedValue]
    functions: list[str]
    constants: int
    constant_bytes: int
    operators: int
    operators_by_type: dict[str, int]


FACTS: Final = tuple(_Facts.__annotations__)
"""The names of what a model may say of itself in a word."""


def summarise(proto: Any, source: str) -> ModelSummary:  # Any: a ModelProto, which has no types
    """Return what the model in the file ``source`` is."""
    opsets = [f"{each.domain or 'ai.onnx'} {each.version}" for each in proto.opset_import]
    given = {each.name for each in proto.graph.initializer}
    facts: _Facts = {
        "producer": " ".join(filter(None, [proto.producer_name, proto.producer_version])),
        "ONNX": f"IR version {proto.ir_version}, opset {', '.join(opsets)}",
        "graph": proto.graph.name,
        "version": str(proto.model_version) if proto.model_version else "",
        "domain": proto.domain,
        "description": " ".join(proto.doc_string.split()),
    }
    found = count_model(proto)
    told: ModelSummary = {
        "file": source,
        **facts,
        "metadata": {each.key: each.value for each in proto.metadata_props},
        "inputs": [_named(each, has_default=each.name in given) for each in proto.graph.input],
        "outputs": [_named(each) for each in proto.graph.output],
        "functions": [f"{each.domain}.{each.name}" for each in proto.functions],
        "constants": found.constants,
        "constant_bytes": found.constant_bytes,
        "operators": found.total,
        "operators_by_type": dict(sorted(found.operators.items())),
    }
    for name, text in facts.items():
        if not text:
            del told[name]  # type: ignore[misc]  # one that need not be there
    return told


def _named(value: Any, *, has_default: bool = False) -> NamedValue:  # Any: a ValueInfoProto
    shown = show_type(value.type) or "of unknown type"
    return {"name": value.name, "type": f"{shown}{', has a default' if has_default else ''}"}


def rows_of(told: ModelSummary) -> Iterator[tuple[str, str]]:
    """Yield what is told of a model, but for counts by operator: label, text."""
    yield "file", escape(told["file"])
    for label, text in told.items():
        if label in FACTS:
            yield label, escape(str(text))
    for label, texts in (
        ("metadata", [f"{key}: {text}" for key, text in told["metadata"].items()]),
        ("input", [f"{each['name']}: {each['type']}" for each in told["inputs"]]),
        ("output", [f"{each['name']}: {each['type']}" for each in told["outputs"]]),
        ("function", told["functions"]),
    ):
        for number, text in enumerate(texts):
            yield "" if number else label, escape(text)
    yield "constants", f"{told['constants']:,}, {told['constant_bytes']:,} bytes"
    yield "operators", f"{told['operators']:,}"


def render_rows(rows: Sequence[tuple[str, str]], operators: Mapping[str, int]) -> str:
    """Return labels with what they say, and below them operators with how often there are."""
    lines = align(rows)
    counts = sorted(operators.items(), key=lambda each: (-each[1], each[0]))
    digits = max([len(f"{count:,}") for _, count in counts], default=0)
    lines += [f"  {count:>{digits},} {escape(name)}" for name, count in counts]
    return "\n".join(lines) + "\n"
