"""What a page of a report is made from."""

from __future__ import annotations

import json
import re

import pytest

import relayish as relay
from relayish.draw.report import pictures
from relayish.draw.report.document import make_document
from tests.support.depth import DEPTH

HOSTILE = '</script><script>alert("x")</script>'


def chain(length):
    x = relay.var("x", shape=(2,))
    made = x
    for number in range(length):
        made = relay.add(made, relay.const(float(number)))
    return relay.IRModule.from_expr(
        relay.Function([x], relay.add(made, relay.add(relay.const(1.0), relay.const(2.0))))
    )


def test_each_line_is_stored_once():
    document = make_document(relay.report(chain(200), "InferType,FoldConstant,InferType"))
    assert len({json.dumps(line) for line in document["lines"]}) == len(document["lines"])
    assert all(len(text) > 200 for text in document["texts"])


def test_page_grows_by_what_changes_when_more_passes_run():
    mod = chain(300)
    once = len(relay.report(mod, "InferType,FoldConstant").to_html())
    often = len(
        relay.report(mod, "InferType,FoldConstant" + ",InferType,FoldConstant" * 10).to_html()
    )
    assert often - once < 20 * 1000


def test_names_cannot_leave_the_script_when_they_are_hostile():
    x = relay.Var(HOSTILE, relay.TensorType((2,), "float32"))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.add(x, relay.const(1.0))))
    page = relay.report(mod, "InferType").to_html()
    assert page.count("<script") == 2
    held = re.search(r'id="report">(.*?)</script>', page, re.DOTALL)
    assert held is not None
    assert HOSTILE.replace('"', '\\"') in "".join(
        word[1:] for line in json.loads(held[1])["lines"] for word in line
    )


@pytest.mark.deep
def test_page_is_made_when_the_program_is_deep():
    x = relay.var("x", shape=(2,))
    made = x
    for _ in range(DEPTH):
        made = relay.tanh(made)
    folded = relay.add(relay.const(1.0), relay.const(2.0))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.add(made, folded)))
    document = make_document(relay.report(mod, "FoldConstant"), has_pictures=False)
    (step,) = document["steps"]
    assert [stretch[0] for stretch in step["stretches"]] == [1, 0, 1]


def test_large_pictures_show_what_changed_and_what_is_near(monkeypatch):
    monkeypatch.setattr(pictures, "MOST_BOXES", 500)
    (step,) = make_document(relay.report(chain(1000), "FoldConstant"))["steps"]
    assert "what changed, and what is near" in step["pictures"]["note"]
    marks = [view["marks"] for view in step["pictures"]["views"]]
    assert [{mark: len(boxes) for mark, boxes in each.items()} for each in marks] == [
        {"removed": 1, "changed": 1},
        {"changed": 1},
    ]
