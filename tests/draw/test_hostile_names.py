"""Names of any characters on pages, and in pictures of programs."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import relayish as relay
from relayish import tir
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge
from relayish.draw.drawing import Drawing, draw
from tests.support.each import each

NAMES = (
    "]]>", "</script><b>&amp;'\"\\", "<!--", "\x00\x07\x1b[31m", "\ud800", "\udfff\u202e",
    "\ufffe\uffff", "a\nb\r\tc", "{}|<port>", "%s %n \\N \\l", "é漢😀", "", " ", "x" * 5000,
)  # fmt: skip


def hostile(name: str) -> Drawing:
    """Return a picture that holds a name wherever it can have one."""
    diagram = Diagram(name, notes={name: name})
    details = Details(name, name, {name: name}, {name: name}, (name,), name, {name: name})
    outer = diagram.add(Box(BoxKind.FUNCTION, name, name, lines=(name,), details=details))
    for kind in (BoxKind.INPUT, BoxKind.OPERATOR, BoxKind.OUTPUT):
        inputs = (name, name)
        diagram.add(Box(kind, name, name, outer, "", (name,), inputs, details))
    diagram.connect(Edge(1, 2, label=name))
    diagram.connect(Edge(2, 3, label=name))
    return Drawing(diagram)


@each("name", NAMES)
def test_page_has_one_document_whatever_names_hold(name: str) -> None:
    page = hostile(name).to_html()
    assert len(re.findall("</script", page)) == len(re.findall("<script", page)) == 2
    found = re.search(r' id="document">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    assert len(json.loads(found[1])["boxes"]) == 4
    page.encode()


@each("name", ["]]>", "\x1b", "\ud800"])
def test_programs_with_such_names_are_drawn(name: str) -> None:
    index = tir.Var(name)
    view = tir.Tensor(name, (4,), buffer=tir.Buffer(name, (4,)))
    loop = tir.For(index, 0, 4, tir.Store(view, view[index], (index,)))
    for thing in (relay.Function([variable := relay.var(name)], variable), loop):
        ET.fromstring(draw(thing).to_svg())
        assert draw(thing).to_text().replace("\n", "").isprintable()
