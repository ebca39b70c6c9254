"""What is known of a model, and of what tools made of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any  # what processes tell

SLOWER = 1.05
"""A result may need so much of the time of its model: less is within what cannot be measured."""
FAMILIES = {
    "BiasGelu": "Gelu",
    "FastGelu": "Gelu",
    "SkipLayerNormalization": "LayerNormalization",
    "EmbedLayerNormalization": "LayerNormalization",
    "SkipSimplifiedLayerNormalization": "SimplifiedLayerNormalization",
    "FusedMatMul": "",
}
"""Fused operators that do the work of others. A sum that is gone makes the one of the other, a
factor that went into weights leaves a product that needs no fusion: both are the better."""


@dataclass
class Result:
    """What a tool made of a model, or why it did not."""

    operators: Counter[str] = field(default_factory=Counter)
    size: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    process: float = 0.0
    failure: str = ""
    why: str = ""  # it is not valid
    worst: float = 0.0
    milliseconds: float = 0.0  # of one run in onnxruntime, 0 if it was not run
    unskipped: float = 0.0  # the same where it does not add within normalisations
    fused: dict[str, int] = field(default_factory=dict)

    @property
    def is_valid(self) -> bool:
        return not self.failure and not self.why

    @property
    def total(self) -> int:
        return sum(self.operators.values())


@dataclass
class Row:
    """A model and what became of it."""

    name: str
    operators: Counter[str]
    size: int
    known: dict[str, Any] = field(default_factory=dict)
    speed: Result = field(default_factory=Result)
    """How the model itself runs."""
    results: dict[str, Result] = field(default_factory=dict)

    @property
    def complaint(self) -> str:
        """What is worse in relayish's result than in the model, when it runs."""
        result = self.results.get("relayish", Result())
        if not result.milliseconds:
            return ""
        lost = families(self.speed.fused) - families(result.fused)
        if lost:
            return f"fewer nodes to fuse: {', '.join(lost)}"
        ratio = min(
            result.milliseconds / self.speed.milliseconds, result.unskipped / self.speed.unskipped
        )
        return f"{ratio:.2f} of its time" if ratio > SLOWER else ""

    @property
    def others(self) -> int | None:
        """The fewest operators of a valid result of another tool."""
        found = [
            each.total
            for tool, each in self.results.items()
            if each.is_valid and not tool.startswith("relayish")
        ]
        return min(found, default=None)


def families(fused: dict[str, int]) -> Counter[str]:
    """Return how many fused nodes there are of each kind of work."""
    found: Counter[str] = Counter()
    for operator, number in fused.items():
        found[FAMILIES.get(operator, operator)] += number
    del found[""]
    return found
