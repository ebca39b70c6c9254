"""The document of a page: keys, text, what is folded, and that nothing in it can do harm."""

from __future__ import annotations

import json
import re
from importlib import resources

from relayish.draw.diagram import Box, BoxKind, Diagram
from relayish.draw.page.document import LONGEST, make_document
from relayish.draw.page.folding import FEW
from relayish.draw.page.page import SCRIPTS, embed_json, make_page, viewer_script, viewer_style
from tests.support.diagrams import chain, cyclic, hostile, operator, small

MOST_LINES = 1500


def code_of(name):
    """Return the lines of a script that are neither empty nor comments."""
    text = (resources.files("relayish.draw.page") / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not re.fullmatch(r"\s*(//.*|/?\*.*)?", line)]


def test_keys_are_distinct_whatever_the_boxes_say():
    diagram = Diagram("d", [Box(BoxKind.POINT, title, key=key) for title, key in (
        ("a", ""), ("a", ""), ("b", "a"), ("c", "a~2"), ("", ""), ("x", "__proto__"),
    )])  # fmt: skip
    keys = [box["key"] for box in make_document(diagram)["boxes"]]
    assert keys == ["a", "a~2", "a~3", "a~2~2", "point", "__proto__"]


def test_document_says_of_a_box_what_it_has_and_no_more():
    box = make_document(small())["boxes"][1]
    assert box == {
        "kind": "input",
        "title": "x",
        "key": "main/x",
        "parent": 0,
        "family": -1,
        "details": {"type": "float32[1, 64, 56, 56]"},
    }


def test_every_edge_has_a_route_in_each_level_it_goes_through():
    document = make_document(small())
    number = next(n for n, e in enumerate(document["edges"]) if e[4] == "capture")
    through = [
        level["box"]
        for level in document["levels"]
        for route in level["routes"]
        if route[0] == number
    ]
    names = [document["boxes"][box]["key"] for box in through]
    assert sorted(names) == ["main", "main/if", "main/if/then"]


def test_edges_of_control_stand_out_only_beside_others():
    assert {edge[4] for edge in make_document(cyclic())["edges"]} == {"value"}
    assert "control" in {edge[4] for edge in make_document(small())["edges"]}


def test_long_names_are_cut():
    assert max(len(box["title"]) for box in make_document(hostile())["boxes"]) == LONGEST + 1


def test_little_is_folded_only_where_much_would_be_seen():
    assert make_document(chain(FEW - 2))["folded"] == []
    assert make_document(chain(2000))["folded"] == []


def test_scopes_are_folded_until_few_boxes_are_seen():
    diagram = chain(1200, per_scope=30)
    folded = set(make_document(diagram)["folded"])
    seen = [box for box in diagram.boxes if box.parent is None or box.parent not in folded]
    assert 200 < len(seen) <= FEW
    assert all(diagram.boxes[box].kind is BoxKind.SCOPE for box in folded)


def test_functions_are_unfolded_before_scopes():
    diagram = Diagram("d")
    scope = diagram.add(Box(BoxKind.SCOPE, "scope"))
    function = diagram.add(Box(BoxKind.FUNCTION, "function"))
    for number in range(250):
        diagram.add(operator(number, scope))
        diagram.add(operator(number, function))
    for number in range(20):
        diagram.add(operator(number))
    assert make_document(diagram)["folded"] == [scope]


def test_a_function_that_is_all_there_is_opens_unfolded():
    diagram = Diagram("d")
    function = diagram.add(Box(BoxKind.FUNCTION, "main"))
    for number in range(1000):
        diagram.add(operator(number, function))
    assert make_document(diagram)["folded"] == []


def test_json_in_a_page_ends_no_script_and_is_the_same_json():
    document = {"title": "</script><!--\u2028\u2029", "more": [1, None]}
    text = embed_json(document)
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == document


def test_page_has_two_scripts_and_names_nothing_outside_it():
    page = make_page(hostile())
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    assert re.findall(r"\w+://[^\"'\s]+", viewer_script() + viewer_style()) == []
    page.encode()  # no half of a character


def test_scripts_are_few_lines_and_all_there_are():
    files = {each.name for each in resources.files("relayish.draw.page").iterdir()}
    assert {name for name in files if name.endswith(".js")} == set(SCRIPTS)
    assert sum(len(code_of(name)) for name in SCRIPTS) <= MOST_LINES


def test_joined_scripts_define_each_name_once():
    names = re.findall(r"^(?:const|let|class|function) (\w+)", viewer_script(), re.MULTILINE)
    assert len(names) > 20
    assert sorted(names) == sorted(set(names))
    assert not re.search(r"^\s*(import|export)\b", viewer_script(), re.MULTILINE)
