"""Facts that a model states, by name: the first part of ``relayish show``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from relayish._support.columns import align
from relayish._support.printable import escape
from relayish.cli.onnx.protos import show_type
from relayish.cli.onnx.statistics import Statistics, count_model


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model is.

    Attributes:
        facts: Pairs of a name and what it says: producer, versions, and the like.
        metadata: Pairs of a key and a value.
        inputs: Names and types; those with a default say so.
        outputs: Names and types.
        statistics: Of what it consists.
        functions: The names of its functions.
    """

    facts: tuple[tuple[str, str], ...]
    metadata: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]
    statistics: Statistics
    functions: tuple[str, ...]

    def rows(self, source: str) -> Iterator[tuple[str, str]]:
        """Yield what is told of the model in the file ``source``, but for counts: label, text."""
        yield "file", escape(source)
        for label, text in self.facts:
            yield label, escape(text)
        for label, pairs in (
            ("metadata", self.metadata),
            ("input", self.inputs),
            ("output", self.outputs),
        ):
            for number, (name, text) in enumerate(pairs):
                yield "" if number else label, escape(f"{name}: {text}")
        for number, name in enumerate(self.functions):
            yield "" if number else "function", escape(name)
        found = self.statistics
        yield "constants", f"{found.constants:,}, {found.constant_bytes:,} bytes"
        yield "operators", f"{found.total:,}"


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
    return Summary(
        tuple([fact for fact in facts if fact[1]]),
        tuple([(each.key, each.value) for each in proto.metadata_props]),
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
    return render_rows(list(summary.rows(source)), summary.statistics.operators)


def render_rows(rows: Sequence[tuple[str, str]], operators: Mapping[str, int]) -> str:
    """Return labels with what they say, and below them operators with how often there are."""
    lines = align(rows)
    counts = sorted(operators.items(), key=lambda each: (-each[1], each[0]))
    digits = max([len(f"{count:,}") for _, count in counts], default=0)
    lines += [f"  {count:>{digits},} {escape(name)}" for name, count in counts]
    return "\n".join(lines) + "\n"


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


class ModelTold(_Facts):
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


def summary_as_json(summary: Summary, source: str) -> ModelTold:
    """Return the summary as a JSON object."""
    found = summary.statistics
    facts: _Facts = {}
    facts.update(dict(summary.facts))  # type: ignore[typeddict-item]  # names of facts
    return {
        "file": source,
        **facts,
        "metadata": dict(summary.metadata),
        "inputs": _named(summary.inputs),
        "outputs": _named(summary.outputs),
        "functions": list(summary.functions),
        "constants": found.constants,
        "constant_bytes": found.constant_bytes,
        "operators": found.total,
        "operators_by_type": dict(sorted(found.operators.items())),
    }


def _named(pairs: Sequence[tuple[str, str]]) -> list[NamedValue]:
    return [{"name": name, "type": text} for name, text in pairs]
