"""What notebooks show: text and HTML of whatever a cell may end in."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import pytest

import relayish as relay
from relayish import core, tir
from relayish._support.display import repr_mimebundle
from relayish.dataflow import analyse
from relayish.dataflow.analyses import find_dominators
from relayish.dataflow_pattern import is_op, wildcard
from relayish.draw.notebook.bundle import LARGEST, bundle_of
from relayish.draw.notebook.frame import code
from relayish.draw.notebook.table import SHOWN, Shown
from relayish.pass_infra.instruments.counting import PassCountInstrument
from relayish.pass_infra.instruments.diff import DiffInstrument
from relayish.pass_infra.instruments.timing import PassTimingInstrument
from relayish.pass_infra.instruments.verify import VerifyInstrument
from relayish.transform import (
    FoldConstant,
    InferType,
    PassContext,
    Sequential,
    pass_entry,
)
from tests.support.each import each
from tests.support.hostile import HOSTILE, unprintable

MOD = relay.parse("""#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @sum(%xs: List[int32]) -> int32 {
  match (%xs) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0 } }
}
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %y = add(1f, 2f);
  if (less(%y, 5f)) { add(%x, %y) } else { nn.relu(%x) }
}""")
LISTS = relay.parse("""#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @main() { Cons(1, Cons(2, Nil)) }""")
WRITING = relay.RefWrite(relay.var("r"), relay.const(1.0))
VOID = {"meta", "br", "col", "input", "img", "path", "rect", "line", "use"}


class Balanced(HTMLParser):
    """Refuses end tags that end something else than what was begun last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def read(self, html):
        self.feed(html)
        self.close()
        assert not self.open
        return self.tags


def watched():
    timing, counts = PassTimingInstrument(), PassCountInstrument()
    diff = DiffInstrument(file=io.StringIO())
    pipeline = Sequential(["InferType", Sequential(["FoldConstant"], name="Inner")], name="Outer")
    with PassContext(instruments=[timing, counts, diff]) as ctx:
        pipeline(MOD)
    return pipeline, ctx, timing, counts, diff


def loops():
    plain = relay.parse('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { exp(%x) }')
    return Sequential(["InferType", "LowerToLoops"])(plain)


def things():
    """Return something of each kind, by what its HTML says at least."""
    pipeline, ctx, timing, counts, diff = watched()
    typed = InferType()(MOD)
    liveness = analyse(MOD["main"], "liveness")
    scope = core.GlobalScope()
    with scope.function("twice", {"n": "int32"}, "int32") as f:
        f.retv(f.n + f.n)
    evaluated = relay.evaluate(LISTS["main"], LISTS)()
    lowered = loops()
    return {
        "module": (MOD, "@main"),
        "function": (MOD["main"], "nn.relu"),
        "let": (MOD["main"].body, "let"),
        "call": (relay.add(relay.var("left"), relay.const(1.0)), "left"),
        "type": (relay.TensorType((2, 3), "float32"), "Tensor"),
        "typed call": (typed["main"].body.value, "of type"),
        "operator": (relay.op.get("nn.conv2d"), "Slide a kernel"),
        "loops": (lowered, "ScheduleBlock"),
        "function of loops": (lowered["main_exp"], "axis"),
        "core": (scope.module(), "retv"),
        "pattern": (is_op("nn.relu")(wildcard()), "nn.relu"),
        "pass": (FoldConstant(fold_qnn=True), "fold_qnn"),
        "entry": (pass_entry("FoldConstant"), "fold_qnn"),
        "info": (FoldConstant().info, "level 2"),
        "pipeline": (pipeline, "Inner"),
        "plan": (pipeline.plan(), "2 passes would run"),
        "context": (ctx, "PassTimingInstrument"),
        "timing": (timing, "FoldConstant"),
        "profile": (timing.profiles[0], "Outer"),
        "counts": (counts, "changed"),
        "difference": (diff, "line gone"),
        "instrument": (VerifyInstrument(), "Check the program"),
        "solution": (liveness, "// after"),
        "flow graph": (liveness.graph, "program points"),
        "call graph": (relay.analysis.CallGraph(MOD), "@sum"),
        "dominators": (find_dominators(MOD["main"]), "dominators of"),
        "post-dominators": (relay.analysis.post_dominators(MOD["main"]), "post-dominated by"),
        "effects": (relay.analysis.analyse_effects(WRITING), "writes"),
        "no effects": (relay.analysis.analyse_effects(MOD["main"].body), "no effects"),
        "memory plan": (relay.analysis.plan_memory(typed["main"]), "storage"),
        "report": (relay.report(MOD, pipeline), "FoldConstant"),
        "value": (evaluated, "Cons"),
        "type of loops": (tir.Float(32), "float32"),
        "type of core": (core.as_type("int32*"), "int32"),
        "difference of programs": (relay.first_mismatch(MOD["main"], MOD["sum"]), "reason"),
    }  # fmt: skip


THINGS = things()


@each("kind", THINGS)
def test_bundle_is_well_formed_html_and_text(kind):
    thing, said = THINGS[kind]
    bundle = thing._repr_mimebundle_()
    assert sorted(bundle) == ["text/html", "text/plain"]
    assert "script" not in Balanced().read(bundle["text/html"])
    assert said in bundle["text/html"]
    assert len(bundle["text/html"]) <= LARGEST
    assert bundle["text/plain"]


def test_text_of_a_module_is_its_program():
    assert "let %y = add(1f, 2f);" in MOD._repr_mimebundle_()["text/plain"]


def test_names_are_escaped_when_they_are_hostile():
    x = relay.var(f"<b onclick='x'>&{HOSTILE}", shape=(2,))
    mod = relay.IRModule({"</pre><script>": relay.Function([x], relay.add(x, x))})
    for thing in (mod, mod["</pre><script>"], x, relay.report(mod, "InferType")):
        html = thing._repr_mimebundle_()["text/html"]
        assert not Balanced().read(html) & {"script", "b"}
        assert not unprintable(html)


def test_program_is_shown_in_part_when_it_is_long():
    x = relay.var("x", shape=(2,))
    made = x
    for _ in range(2000):
        made = relay.tanh(made)
    bundle = relay.Function([x], made)._repr_mimebundle_()
    assert len(bundle["text/html"]) < LARGEST
    assert "1,942 more lines; print it to see all" in bundle["text/plain"]


def test_program_is_not_written_when_it_is_huge():
    x = relay.var("x", shape=(2,))
    made = x
    for _ in range(100_000):
        made = relay.Let(relay.var("y"), x, made)
    bundle = relay.IRModule.from_expr(relay.Function([x], made))._repr_mimebundle_()
    assert "too large to be shown here" in bundle["text/html"]
    assert "def @main" in bundle["text/plain"]


def test_program_is_shown_when_it_is_ill_typed():
    wrong = relay.add(relay.var("x", shape=(2,)), relay.var("y", shape=(3,)))
    assert "add" in relay.IRModule.from_expr(wrong)._repr_mimebundle_()["text/html"]


def test_lines_are_folded_away_behind_the_first_ones():
    html = code("\n".join(["x"] * 61))
    assert "<summary>1 more line</summary>" in html


def test_class_of_somebody_else_is_shown_as_it_says(declarations):
    class Own:
        _repr_mimebundle_ = repr_mimebundle

    class Below(Own):
        pass

    SHOWN.register(Own)(lambda own: Shown("<b>mine</b>", "mine"))
    bundle = Below()._repr_mimebundle_()
    assert bundle["text/plain"] == "mine"
    assert "<b>mine</b>" in bundle["text/html"]


def test_reason_is_told_when_something_cannot_be_shown(declarations):
    class Odd:
        def __repr__(self) -> str:
            return "<odd>"

    @SHOWN.register(Odd)
    def fail(odd):
        raise ValueError("no & never")

    bundle = bundle_of(Odd())
    assert bundle["text/plain"] == "<odd>"
    assert "&lt;odd&gt;: ValueError: no &amp; never" in bundle["text/html"]


def test_thing_of_which_nothing_is_known_is_shown_by_repr():
    assert bundle_of(7) == {"text/plain": "7"}


def test_cell_of_ipython_shows_html_of_a_module():
    formatters = pytest.importorskip("IPython.core.formatters")
    formatter = formatters.DisplayFormatter()
    shown, _ = formatter.format(MOD)
    assert "@main" in shown["text/html"]
    assert "def @main" in shown["text/plain"]
