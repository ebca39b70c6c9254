"""Pictures of random programs: well-formed in every form, nothing overlaps, edges end at boxes.

``python -m tests.support.random_pictures COUNT SEED`` draws more of them than the suite does.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import traceback
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any, Final

import relayish as relay
from relayish.dataflow import build_flow_graph
from relayish.dataflow.call_graph import CallGraph
from relayish.draw.diagram import Diagram
from relayish.draw.drawing import Drawing
from relayish.draw.layout.nesting import Rectangle, lay_out
from relayish.draw.measures import measure_boxes
from relayish.ir.nodes.node import declared_temporarily
from tests.support.core_programs import random_core_program
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module
from tests.support.loop_programs import random_loop_module
from tests.support.mixed_programs import DECLARED, random_mixed_module
from tests.support.random_exprs import random_expr, random_module
from tests.support.random_kinds import RandomKinds, random_program
from tests.support.random_networks import random_network
from tests.support.recursive_programs import random_recursive_module
from tests.support.sized_networks import random_sized
from tests.support.tir_programs import random_func

Made = Iterator[tuple[str, Any]]  # Any: whatever can be drawn

_NEAR: Final = 0.01
_SVG: Final = "{http://www.w3.org/2000/svg}"


def _relay(seed: int) -> Made:
    module = random_module(seed, 40)
    yield "module", module
    yield "expression", random_expr(seed)
    yield "call graph", CallGraph(module)
    yield "flow graph", build_flow_graph(module["main"])


def _foreign(seed: int) -> Made:
    kinds = ForeignKinds()
    with kinds.declared():
        yield "foreign kinds", random_foreign_module(kinds, seed)


def _own(seed: int) -> Made:
    with declared_temporarily():
        kinds = RandomKinds(seed, own_language=bool(seed % 2))
        yield "kinds of one's own", random_program(kinds, seed)


def _fused(seed: int) -> Made:
    module = random_network(seed)
    yield "network", module
    yield "fused network", relay.transform.Sequential(["InferType", "FuseOps"])(module)


def _mixed(seed: int) -> Made:
    with DECLARED:
        yield "several languages", random_mixed_module(seed)


def _loops(seed: int) -> Made:
    yield "loops", random_func(seed)


def _core(seed: int) -> Made:
    yield "core", random_core_program(seed)


def _loops_of_relay(seed: int) -> Made:
    yield "loops of Relay", random_loop_module(seed)


def _recursive(seed: int) -> Made:
    yield "recursive functions", random_recursive_module(seed)


def _sizes(seed: int) -> Made:
    yield "sizes", random_sized(seed)


_MAKERS: Final[tuple[Callable[[int], Made], ...]] = (
    _relay,
    _foreign,
    _own,
    _fused,
    _loops,
    _core,
    _loops_of_relay,
    _recursive,
    _mixed,
    _sizes,
)


def check_picture(drawing: Drawing) -> None:
    """Check a picture in every form."""
    diagram = drawing.diagram
    _check_order(diagram)
    _check_layout(diagram)
    texts = [each.text for each in ET.fromstring(drawing.to_svg()).iter(f"{_SVG}text")]
    assert len(texts) > len(diagram.boxes), "a box has no title"
    assert drawing.to_text().count("\n") == len(diagram.boxes) + 1
    assert drawing.to_dot().count(" -> ") >= len(diagram.edges)
    found = re.search(r' id="document">(.*?)</script>', drawing.to_html(), re.DOTALL)
    assert found is not None
    json.loads(found[1])


def _check_order(diagram: Diagram) -> None:
    for number, box in enumerate(diagram.boxes):
        assert box.parent is None or box.parent < number, "a box comes before the one around it"
    keys = [box.key for box in diagram.boxes]
    assert len(set(keys)) == len(keys), "two boxes have one key"


def _check_layout(diagram: Diagram) -> None:
    layout = lay_out(diagram, measure_boxes(diagram))
    places = layout.rectangles
    for children in diagram.children().values():
        _check_apart([places[child] for child in children])
    for box, place in zip(diagram.boxes, places, strict=True):
        whole = Rectangle(0, 0, layout.width, layout.height)
        outer = whole if box.parent is None else places[box.parent]
        assert _holds(outer, place), f"{box.title} is not in what holds it"
    for edge, path in zip(diagram.edges, layout.paths, strict=True):
        for end, box in ((path.points[0], edge.source), (path.points[-1], edge.target)):
            assert _holds(places[box], Rectangle(*end, 0, 0)), "an edge ends beside its box"


def _check_apart(places: list[Rectangle]) -> None:
    """Check that no two overlap, from the left to the right."""
    open_: list[Rectangle] = []
    for place in sorted(places):
        open_ = [each for each in open_ if each.x + each.width > place.x + _NEAR]
        for other in open_:
            above = other.y + other.height <= place.y + _NEAR
            assert above or place.y + place.height <= other.y + _NEAR, "boxes overlap"
        open_.append(place)


def _holds(outer: Rectangle, inner: Rectangle) -> bool:
    return (
        outer.x - _NEAR <= inner.x
        and outer.y - _NEAR <= inner.y
        and inner.x + inner.width <= outer.x + outer.width + _NEAR
        and inner.y + inner.height <= outer.y + outer.height + _NEAR
    )


def check_dot(drawing: Drawing) -> None:
    """Check that graphviz reads a picture, if it is installed."""
    command = shutil.which("dot")
    if command is not None:
        text = drawing.to_dot().encode()
        found = subprocess.run([command, "-Tcanon"], input=text, capture_output=True, check=True)
        assert not found.stderr, found.stderr.decode()


def random_pictures(seed: int) -> Iterator[tuple[str, Drawing]]:
    """Yield pictures of a program of each kind, with what they are of."""
    for maker in _MAKERS:
        for name, thing in maker(seed):
            yield name, relay.draw(thing)


def main(count: int, start: int) -> int:
    """Draw programs, and say of which pictures are wrong."""
    wrong = 0
    for seed in range(start, start + count):
        for maker in _MAKERS:
            try:
                for _, thing in maker(seed):
                    drawing = relay.draw(thing)
                    check_picture(drawing)
                    check_dot(drawing)
                    assert relay.draw(thing).to_svg() == drawing.to_svg()
            except Exception:  # noqa: BLE001 - it is told, and the next ones are drawn
                wrong += 1
                sys.stdout.write(f"seed {seed}, {maker.__name__}:\n{traceback.format_exc()}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{count} seeds, {wrong} wrong\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
