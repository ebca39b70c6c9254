"""Diagrams: boxes within boxes, and edges between them, whatever they are of and shown as.

What reads a program makes one (:mod:`relayish.draw.readers`), what shows it reads one: SVG, dot,
a tree of text, the interactive page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from numpy.typing import NDArray


class BoxKind(Enum):
    """What a box stands for."""

    OPERATOR = "operator"  # an operation with operands
    INPUT = "input"  # a value from outside: a parameter
    OUTPUT = "output"  # a value that leaves the box around it
    CAPTURE = "capture"  # a value of a box further out, as it is used inside
    CONSTANT = "constant"  # a constant that is too much for the box it is used in
    FUNCTION = "function"
    BRANCH = "branch"  # evaluated perhaps: arms, clauses
    LOOP = "loop"  # evaluated repeatedly
    BLOCK = "block"  # statements or definitions that belong together
    SCOPE = "scope"  # a part of names that exporters give: /layer.3/attn
    STATEMENT = "statement"
    POINT = "point"  # of a flow graph, or of a tree


class EdgeKind(Enum):
    """What an edge says."""

    VALUE = "value"  # from what computes it to where it is used
    CAPTURE = "capture"  # the same, into a branch, a function, a loop
    CONTROL = "control"  # what comes next, or is called
    MEMORY = "memory"  # a place that one writes and another reads


@dataclass(frozen=True, slots=True)
class Details:
    """What is told of a box when somebody asks.

    Attributes:
        text: The node in one line.
        place: Where it was written: ``model.relay:3:5``.
        attributes: By name, as they are shown.
        values: Constants it holds, by the name of the operand; arrays, or what is no array.
        outputs: The names of its results.
        type: Of its result, in full.
        notes: What else there is to tell, by label.
    """

    text: str = ""
    place: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, NDArray[Any] | object] = field(default_factory=dict)  # Any: of any type
    outputs: Sequence[str] = ()
    type: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Box:
    """What is drawn as a rectangle; others may lie in it.

    Attributes:
        kind: What it stands for.
        title: Its first line: an operator, or a name.
        key: Finds the box again in another picture of the same program: a path of names.
        parent: The number of the box it lies in; ``None`` if it lies in none.
        family: Of its operator, which gives it its colour; one of :data:`relayish.draw.FAMILIES`.
        lines: Below the title: attributes and small constants.
        inputs: The names of its operands, by number, where they are to be told apart.
        details: What is told when somebody asks.
        parts: The parts of the model that it lies in, from the outermost in, as exporters tell it.
        mark: How it differs from another picture: ``added``, ``removed``, ``changed``, or nothing.
    """

    kind: BoxKind
    title: str
    key: str = ""
    parent: int | None = None
    family: str = ""
    lines: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    details: Details = field(default_factory=Details)
    parts: tuple[str, ...] = ()
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one box down to another.

    Attributes:
        source: The number of the box where it begins.
        target: Of the box where it ends.
        input: Which operand of the target it is.
        output: Which result of the source it is.
        label: Written where it begins: a type.
        kind: What it says.
    """

    source: int
    target: int
    input: int = 0
    output: int = 0
    label: str = ""
    kind: EdgeKind = EdgeKind.VALUE


@dataclass(slots=True)
class Diagram:
    """What is to be drawn.

    Attributes:
        title: What it is of.
        boxes: Each behind the box it lies in, and behind those it hangs on where there is no cycle.
        edges: Between them, across borders too.
        notes: What there is to tell of the whole, by label.
    """

    title: str
    boxes: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    notes: Mapping[str, str] = field(default_factory=dict)

    def add(self, box: Box) -> int:
        """Add a box and return its number."""
        self.boxes.append(box)
        return len(self.boxes) - 1

    def connect(self, edge: Edge) -> None:
        """Add an edge."""
        self.edges.append(edge)

    def children(self) -> dict[int | None, list[int]]:
        """Return the boxes in each box, and below ``None`` those in none, in their order."""
        found: dict[int | None, list[int]] = {None: []}
        for number, box in enumerate(self.boxes):
            found.setdefault(box.parent, []).append(number)
        return found
