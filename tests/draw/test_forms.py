"""The forms of a picture: SVG, dot, text, and files."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import relayish as relay
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge, EdgeKind
from relayish.draw.drawing import Drawing
from relayish.draw.families import FAMILIES
from relayish.errors import DrawingError
from tests.support.each import each

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("\x00\x1b[31m", "<script>&\"'", "]]>", "\ud800", "\u202eevil", "a\\\n\tb", "{}|<>", "")
FORMS = ("to_svg", "to_dot", "to_text")


@pytest.fixture
def branches():
    x, c = relay.var("x", shape=(4,)), relay.var("c", shape=(), dtype="bool")
    y = relay.exp(x)
    return relay.If(c, relay.add(y, relay.const(2.0)), relay.nn.leaky_relu(y, alpha=0.3))


def hostile_diagram(text):
    diagram = Diagram(text)
    details = Details(text, text, {text: text}, {}, (text,), text, {text: text})
    outer = diagram.add(Box(BoxKind.FUNCTION, text, text, lines=(text,)))
    one = diagram.add(Box(BoxKind.INPUT, text, "1", outer, lines=(text,), details=details))
    two = diagram.add(Box(BoxKind.OPERATOR, text, "2", outer, "other", (text,), (text, text)))
    diagram.connect(Edge(one, two, 1, label=text))
    return diagram


@each("text", HOSTILE)
def test_svg_is_well_formed_whatever_names_hold(text):
    root = ET.fromstring(Drawing(hostile_diagram(text)).to_svg())
    assert root.tag == f"{SVG}svg"
    assert root.find(f".//{SVG}script") is None


@each("text", HOSTILE)
def test_text_and_dot_hold_no_control_character(text):
    for form in ("to_dot", "to_text"):
        shown = getattr(Drawing(hostile_diagram(text)), form)()
        assert all(each.isprintable() or each == "\n" for each in shown), form


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
@each("text", HOSTILE)
def test_graphviz_reads_dot_whatever_names_hold(text):
    told = Drawing(hostile_diagram(text)).to_dot()
    command = [shutil.which("dot"), "-Tplain"]
    found = subprocess.run(command, input=told.encode(), capture_output=True, check=False)
    assert found.returncode == 0
    assert found.stderr == b""


@each("form", FORMS)
def test_pictures_tell_operands_captured_values_attributes_and_constants(form, branches):
    shown = getattr(relay.draw(branches), form)()
    for told in ("leaky_relu", "alpha = 0.3", "rhs = 2.0", "then", "else", "exp", "float32[4]"):
        assert told in shown


def test_svg_draws_captured_values_with_dashes(branches):
    root = ET.fromstring(str(relay.draw(branches)))
    dashed = [each for each in root.iter(f"{SVG}path") if each.get("class") == "capture"]
    assert len(dashed) == 2


def test_svg_has_light_and_dark_colours_and_a_legend_of_what_it_shows(branches):
    shown = relay.draw(branches).to_svg()
    assert "prefers-color-scheme: dark" in shown
    assert "prefers" not in relay.draw(branches).to_svg(theme="light")
    for name in ("elementwise", "activation"):
        assert shown.count(f">{FAMILIES[name].label}<") == 1
    assert FAMILIES["product"].label not in shown


@each("kind", EdgeKind)
def test_each_kind_of_edge_looks_its_own_way(kind):
    diagram = Diagram("")
    one, two = (diagram.add(Box(BoxKind.OPERATOR, name)) for name in "ab")
    diagram.connect(Edge(one, two, kind=kind))
    shown = {form: getattr(Drawing(diagram), form)() for form in FORMS}
    for other in set(EdgeKind) - {kind}:
        diagram.edges[0] = Edge(one, two, kind=other)
        for form, text in shown.items():
            assert getattr(Drawing(diagram), form)() != text, form


@each("mark", ["added", "removed", "changed"])
def test_marks_of_boxes_are_shown(mark):
    plain, marked = Diagram(""), Diagram("")
    plain.add(Box(BoxKind.OPERATOR, "a"))
    marked.add(Box(BoxKind.OPERATOR, "a", mark=mark))
    for form in FORMS:
        assert getattr(Drawing(plain), form)() != getattr(Drawing(marked), form)()


def test_text_is_a_tree_of_what_lies_in_what(branches):
    assert relay.draw(branches).to_text() == (
        "expression\n"
        "├─ c {bool}\n"
        "├─ x {float32[4]}\n"
        "├─ %0 = exp(x) : float32[4]\n"
        "├─ %1 = if(c) : float32[4]\n"
        "│ ├─ then\n"
        "│ │ ├─ exp(⇠ %0) {float32[4]}\n"
        "│ │ ├─ %2 = add(lhs=exp) {rhs = 2.0} : float32[4]\n"
        "│ │ └─ result(%2) {float32[4]}\n"
        "│ └─ else\n"
        "│   ├─ exp(⇠ %0) {float32[4]}\n"
        "│   ├─ %3 = nn.leaky_relu(exp) {alpha = 0.3} : float32[4]\n"
        "│   └─ result(%3) {float32[4]}\n"
        "└─ result(%1) {float32[4]}\n"
    )


def test_text_numbers_boxes_side_by_side_that_are_called_alike():
    one, other = relay.var("z", shape=(2,)), relay.var("z", shape=(2,))
    power, swapped = relay.power(one, other), relay.power(other, one)
    function = [relay.draw(relay.Function([one, other], each)) for each in (power, swapped)]
    assert "power(lhs=z, rhs=z#2)" in function[0].to_text()
    assert "power(lhs=z#2, rhs=z)" in function[1].to_text()


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_graphviz_draws_edges_between_a_box_and_those_in_it_without_a_warning():
    diagram = Diagram("")
    outer = diagram.add(Box(BoxKind.LOOP, "outer"))
    beside = diagram.add(Box(BoxKind.LOOP, "beside"))
    inner = diagram.add(Box(BoxKind.LOOP, "inner", parent=outer))
    innermost = diagram.add(Box(BoxKind.OPERATOR, "innermost", parent=inner))
    diagram.add(Box(BoxKind.OPERATOR, "other", parent=beside))
    pairs = [(outer, innermost), (innermost, outer), (outer, outer), (inner, beside)]
    for source, target in pairs:
        diagram.connect(Edge(source, target))
    text = Drawing(diagram).to_dot()
    command = [shutil.which("dot"), "-Tplain"]
    found = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    assert found.stderr == b""
    assert "ltail=cluster_2, lhead=cluster_1" in text


@each("suffix", [".svg", ".dot", ".gv", ".html", ".txt", ".SVG"])
def test_a_picture_is_saved_in_the_form_that_the_suffix_tells(suffix, tmp_path, branches):
    path = relay.draw(branches).save(tmp_path / f"picture{suffix}")
    begins = {".dot": "digraph", ".gv": "digraph", ".html": "<!DOCTYPE html>", ".txt": "expression"}
    assert path.read_text().startswith(begins.get(suffix.lower(), "<svg"))


def test_a_picture_is_not_saved_in_a_form_that_nobody_knows(tmp_path, branches):
    with pytest.raises(
        DrawingError, match=r"'picture.svgg' .*did you mean .svg\?; expected one of"
    ):
        relay.draw(branches).save(tmp_path / "picture.svgg")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_drawn_is_refused_with_what_to_do():
    with pytest.raises(DrawingError, match=r"cannot draw an int: .*READERS.register\(int\)"):
        relay.draw(3)


def test_boxes_with_edges_across_borders_are_ranked_by_graphviz_as_a_whole():
    diagram = Diagram("")
    one, two = (diagram.add(Box(BoxKind.LOOP, name)) for name in "ab")
    inner = diagram.add(Box(BoxKind.STATEMENT, "inner", parent=one))
    diagram.connect(Edge(one, two))
    assert "newrank" not in Drawing(diagram).to_dot()
    diagram.connect(Edge(two, inner))
    assert "newrank=true" in Drawing(diagram).to_dot()


def test_an_option_that_a_picture_has_not_is_refused(branches):
    with pytest.raises(DrawingError, match=r"no option 'titel'; did you mean title\?; it has"):
        relay.draw(branches, titel="x")


def texts(element):
    """Yield where each text of an SVG is, roughly: x, y, width, height."""
    for text in element.iter(f"{SVG}text"):
        small = (text.get("class") or "").split() in (["e"], ["p"])
        width = len(text.text or "") * (5.0 if small else 6.6)
        x = float(text.get("x"))
        left = x - width / 2 if text.get("text-anchor") == "middle" else x
        yield left, float(text.get("y")), width, text.text


def test_texts_of_a_network_do_not_overlap():
    rng = random.Random(3)
    values = [relay.var("x", shape=(2, 64, 28, 28))]
    for number in range(40):
        one, other = rng.choice(values[-6:]), rng.choice(values[-6:])
        made = relay.add(one, other) if number % 3 else relay.nn.relu(one)
        values.append(made)
    root = ET.fromstring(str(relay.draw(values[-1])))
    found = [each for each in texts(root) if each[0] > 0]
    for (x, y, width, one), (x2, y2, width2, other) in itertools.combinations(found, 2):
        beside = x + width <= x2 or x2 + width2 <= x
        assert beside or abs(y - y2) >= 8, (one, other)


@each("form", ["to_svg", "to_dot"])
def test_constants_are_told_apart_where_the_pointer_rests(form):
    values = np.arange(100, dtype="float32")
    same, other = (relay.add(relay.var("x"), relay.const(v)) for v in (values.copy(), values[::-1]))
    shown = [
        getattr(relay.draw(each), form)()
        for each in (relay.add(relay.var("x"), relay.const(values)), same, other)
    ]
    assert shown[0] == shown[1] != shown[2]
