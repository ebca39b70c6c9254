"""What a page of a report is made from."""

from __future__ import annotations

import json
import re

import relayish as relay
from relayish.draw.report.document import make_document

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
