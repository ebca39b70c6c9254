"""The whole diagram: rectangles of boxes within boxes, and the ways of edges across borders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from relayish.draw.diagram import Diagram
from relayish.draw.layout.level import JUMP, Route
from relayish.draw.layout.levels import order_levels
from relayish.draw.layout.placing import Places, place_level

PADDING: Final = 12.0
"""Between the border of a box and what lies in it."""
_ASIDE: Final = 10.0
"""How far to the right of others an edge is drawn that leads back."""
_NEAR: Final = 1e-3


class Rectangle(NamedTuple):
    """Where a box is.

    Attributes:
        x: Its left edge.
        y: Its upper edge.
        width: Across.
        height: Down.
    """

    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Path:
    """The way of an edge.

    Attributes:
        points: What it goes through, from its source.
        straight: Of each part between two of them, whether it is a straight line.
        gap: The number of the part that is left out, where the edge is too long to be drawn.
    """

    points: list[tuple[float, float]] = field(default_factory=list)
    straight: list[bool] = field(default_factory=list)
    gap: int | None = None


@dataclass(slots=True)
class Layout:
    """Where everything is.

    Attributes:
        rectangles: Of each box.
        paths: Of each edge.
        width: Of the whole.
        height: Of the whole.
    """

    rectangles: list[Rectangle]
    paths: list[Path]
    width: float
    height: float


class Size(NamedTuple):
    """What a box needs.

    Attributes:
        width: Of what is written in it.
        height: The same; what it holds comes below.
        footprint: The width to be kept free for it, with what is written beside it.
    """

    width: float
    height: float
    footprint: float


def lay_out(diagram: Diagram, sizes: Sequence[Size]) -> Layout:
    """Return where to draw the boxes of a diagram, and the edges between them.

    Complexity:
        That of :func:`~relayish.draw.layout.levels.order_levels`.
    """
    return _Nest(diagram, sizes).layout()


class _Nest:
    """Places levels from the innermost boxes outwards, then boxes from the outermost inwards."""

    def __init__(self, diagram: Diagram, sizes: Sequence[Size]) -> None:
        self._diagram = diagram
        self._headers = sizes
        self._levels = order_levels(diagram)
        self._outer = [(size.width, size.height) for size in sizes]
        self._places: dict[int | None, Places] = {}
        self._origin: dict[int | None, tuple[float, float]] = {None: (0.0, 0.0)}
        self._local = [0] * len(diagram.boxes)
        self._ports = _count_ports(diagram)

    def layout(self) -> Layout:
        for holder in sorted(self._levels, key=_innermost_first):
            self._place(holder)
        rectangles: list[Rectangle] = []
        for number, box in enumerate(self._diagram.boxes):
            places, (left, top) = self._places[box.parent], self._origin[box.parent]
            width, height = self._outer[number]
            item = self._local[number]
            found = Rectangle(
                left + places.x[item] - width / 2, top + places.y[item], width, height
            )
            rectangles.append(found)
            if number in self._levels:
                inner = self._places[number]
                self._origin[number] = (
                    found.x + (width - inner.width) / 2,
                    found.y + self._headers[number].height + PADDING,
                )
        whole = self._places[None]
        paths = self._paths(rectangles)
        return Layout(rectangles, paths, whole.width, whole.height)

    def _place(self, holder: int | None) -> None:
        level = self._levels[holder]
        room = []
        for item, child in enumerate(level.children):
            self._local[child] = item
            width, height = self._outer[child]
            room.append((max(width, self._headers[child].footprint), height))
        places = self._places[holder] = place_level(level, room)
        if holder is not None:
            header = self._headers[holder]
            self._outer[holder] = (
                max(header.width, places.width + 2 * PADDING),
                header.height + places.height + 2 * PADDING,
            )

    def _paths(self, rectangles: Sequence[Rectangle]) -> list[Path]:
        pieces: list[list[tuple[int | None, Route]]] = [[] for _ in self._diagram.edges]
        for holder, level in self._levels.items():
            for route in level.routes:
                pieces[route.edge].append((holder, route))
        return [
            self._path(number, self._in_order(found), rectangles)
            for number, found in enumerate(pieces)
        ]

    def _in_order(self, pieces: list[tuple[int | None, Route]]) -> list[tuple[int | None, Route]]:
        """Return the pieces of an edge from its source outwards, then inwards to its target."""

        def place(piece: tuple[int | None, Route]) -> tuple[int, int]:
            holder, route = piece
            number = -1 if holder is None else holder
            count = len(self._levels[holder].children)
            if route.items[-1] >= count:
                return 0, -number  # outwards: holders have smaller numbers than what they hold
            return (2, number) if route.items[0] >= count else (1, 0)

        return sorted(pieces, key=place) if len(pieces) > 1 else pieces

    def _path(
        self,
        edge: int,
        pieces: Sequence[tuple[int | None, Route]],
        rectangles: Sequence[Rectangle],
    ) -> Path:
        path = Path()
        for number, (holder, route) in enumerate(pieces):
            before = pieces[number - 1] if number else None
            after = pieces[number + 1] if number + 1 < len(pieces) else None
            self._extend(path, edge, holder, route, rectangles, before, after)
        return path

    def _extend(
        self,
        path: Path,
        edge: int,
        holder: int | None,
        route: Route,
        rectangles: Sequence[Rectangle],
        before: tuple[int | None, Route] | None,
        after: tuple[int | None, Route] | None,
    ) -> None:
        """Lengthen a path by the part in one level."""
        level, places = self._levels[holder], self._places[holder]
        left, top = self._origin[holder]
        count = len(level.children)
        if route.items[0] == route.items[-1]:
            _add_loop(path, rectangles[level.children[route.items[0]]])
            return
        part: list[tuple[float, float]] = []
        straight: list[bool] = []
        gap = None
        for number, item in enumerate(route.items):
            if item == JUMP:
                gap = len(part) - 1
                continue
            is_first, is_last = number == 0, number == len(route.items) - 1
            if item >= count:
                y = top + places.y[item]
                if is_first:  # where it enters the box: from its upper border
                    assert holder is not None, "nothing enters from outside of all"
                    y = rectangles[holder].y
                end = top + places.bottom[item]
                if is_last:
                    assert holder is not None, "nothing leaves for outside of all"
                    end = rectangles[holder].y + rectangles[holder].height
                points = [(left + places.x[item], y), (left + places.x[item], end)]
            else:
                box = level.children[item]
                is_start = is_first != route.is_reversed
                inner = before if is_start else after
                rectangle = rectangles[box]
                x = self._port(edge, box, rectangle, is_start, inner)
                if route.is_reversed and inner is None:  # beside an edge that leads there
                    x = min(x + _ASIDE, rectangle.x + rectangle.width)
                points = [(x, rectangle.y)]
                if is_first:  # down past the taller boxes beside it
                    points = [
                        (x, rectangle.y + rectangle.height),
                        (x, top + places.bottom[item]),
                    ]
            if part:
                straight.append(False)
            part += points
            straight += [True] * (len(points) - 1)
        if route.is_reversed:
            part.reverse()
            straight.reverse()
            gap = None if gap is None else len(straight) - 1 - gap
        if path.points and _is_near(path.points[-1], part[0]):
            del part[0]  # the border is the last point of the part before
        elif path.points:
            path.straight.append(True)  # through the box itself, up to its other border
        if gap is not None:
            path.gap = len(path.straight) + gap
        path.points += part
        path.straight += straight

    def _port(
        self,
        edge: int,
        box: int,
        rectangle: Rectangle,
        is_start: bool,
        inner: tuple[int | None, Route] | None,
    ) -> float:
        """Return where an edge meets the border of a box, across."""
        if inner is not None and inner[0] is not None:
            holder, route = inner
            item = route.items[-1] if is_start else route.items[0]
            if holder == box or self._is_point(holder, item):
                return self._origin[holder][0] + self._places[holder].x[item]
        found = self._diagram.edges[edge]
        ports = self._ports[box][1 if is_start else 0]
        port = found.output if is_start else found.input
        return rectangle.x + port_place(rectangle.width, ports, port)

    def _is_point(self, holder: int | None, item: int) -> bool:
        return item >= len(self._levels[holder].children)


def port_place(width: float, ports: int, port: int) -> float:
    """Return where a port is, from the left edge of its box."""
    return width * (port + 0.5) / max(ports, port + 1)


def _is_near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) < _NEAR


def _count_ports(diagram: Diagram) -> list[tuple[int, int]]:
    """Return of each box how many operands and how many results it has."""
    inputs = [len(box.inputs) for box in diagram.boxes]
    outputs = [1] * len(diagram.boxes)
    for edge in diagram.edges:
        inputs[edge.target] = max(inputs[edge.target], edge.input + 1)
        outputs[edge.source] = max(outputs[edge.source], edge.output + 1)
    return list(zip(inputs, outputs, strict=True))


def _innermost_first(holder: int | None) -> int:
    return 1 if holder is None else -holder


def _add_loop(path: Path, rectangle: Rectangle) -> None:
    """Let an edge lead from a box to itself, at its right side."""
    right, top, height = rectangle.x + rectangle.width, rectangle.y, rectangle.height
    path.points += [
        (right, top + height * 0.7),
        (right + 14, top + height * 0.7),
        (right + 14, top + height * 0.3),
        (right, top + height * 0.3),
    ]
    path.straight += [True, True, True]


def iterate_parts(path: Path) -> Iterator[tuple[tuple[float, float], tuple[float, float], bool]]:
    """Yield the parts of a path that are drawn: from where, to where, whether straight."""
    for number, is_straight in enumerate(path.straight):
        if number != path.gap:
            yield path.points[number], path.points[number + 1], is_straight
