"""Tasks: domains register handlers, and visitors are assembled of those of all domains."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import relayish as relay
from relayish import core
from relayish.domain import (
    AnalyzeCtx,
    DefaultHandler,
    Handler,
    InvalidHandler,
    assemble,
    handler_of,
    list_tasks,
    register_handler,
    register_task,
)
from relayish.errors import DeclarationError, DispatchError, DuplicateNameError, UnknownNameError
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.verification.rules import VERIFY_RULES, Report

pytestmark = pytest.mark.usefixtures("declarations")

X = relay.var("x", shape=(2,))


class Count(DefaultHandler, domain="nn"):
    """Counts calls of relu."""

    def handle_relu(self, visitor: Any, node: Any) -> None:
        visitor.context.seen.append(node)
        visitor.visit_by_default(node)


class Seen(AnalyzeCtx):
    """What was seen."""

    def __init__(self) -> None:
        self.seen: list[Any] = []


def test_visitor_is_assembled_of_registered_handlers_and_the_default_of_the_task() -> None:
    register_task("census", DefaultHandler)
    register_handler("census", Count)
    ctx = Seen()
    assemble("census", ctx).visit(relay.add(relay.nn.relu(X), relay.nn.relu(X)))
    assert len(ctx.seen) == 2


def test_handler_given_takes_the_place_of_the_registered_one() -> None:
    class Twice(Count):
        def handle_relu(self, visitor: Any, node: Any) -> None:
            visitor.context.seen.append(node)
            super().handle_relu(visitor, node)

    register_task("census", DefaultHandler)
    register_handler("census", Count)
    for given in (Twice, Twice()):
        ctx = Seen()
        assemble("census", ctx, given).visit(relay.nn.relu(X))
        assert len(ctx.seen) == 2


def test_domain_without_a_handler_is_refused_where_the_task_says_so() -> None:
    register_task("census")
    register_handler("census", Count)
    told = (
        r"unexpected 'add' of domain 'relay', .*; no handler of that domain is registered for the "
        r"task 'census': write @register_handler\('census'\) before .*handle_add\(visitor, node\)"
    )
    with pytest.raises(DispatchError, match=told):
        assemble("census", Seen()).visit(relay.add(X, X))
    assert isinstance(assemble("census", Seen()).handlers["relay"], InvalidHandler)


def test_second_handler_of_a_domain_is_refused_and_both_are_named() -> None:
    class Other(DefaultHandler, domain="nn"):
        pass

    register_task("census")
    register_handler("census", Count)
    with pytest.raises(DuplicateNameError, match=r"Count and by .*Other"):
        register_handler("census", Other)
    assert register_handler("census", Other, replace=True) is handler_of("census", "nn")


def test_two_handlers_given_for_one_domain_are_refused() -> None:
    with pytest.raises(DuplicateNameError, match="two handlers serve the domain 'nn'"):
        assemble("verify", Seen(), Count, Count)


def test_misspelt_task_is_refused_with_what_it_may_be() -> None:
    with pytest.raises(UnknownNameError, match="did you mean verify"):
        register_handler("verfy", Count)


@pytest.mark.parametrize("wrong", [7, Count(), Handler, DefaultHandler])
def test_what_is_no_class_of_handlers_of_a_domain_is_refused(wrong: Any) -> None:
    with pytest.raises(DeclarationError, match="expected a class of handlers"):
        register_handler("verify", wrong)


def test_task_is_declared_once() -> None:
    register_task("census")
    with pytest.raises(DuplicateNameError, match="'census'"):
        register_task("census")


def test_task_without_a_name_and_what_is_no_handler_are_refused() -> None:
    with pytest.raises(DeclarationError, match="a task goes by a name; found 3"):
        register_task(3)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match=r"given 3 .* as a handler"):
        assemble("verify", AnalyzeCtx(), 3)  # type: ignore[arg-type]


def test_tasks_of_the_library_are_listed() -> None:
    assert {"evaluate", "lower", "simplify", "verify"} <= set(list_tasks())


def test_methods_of_a_handler_are_entered_in_the_table_of_the_language() -> None:
    relay.Domain("marks")

    @node("mark", effect=relay.Effect.NONE, domain="marks")
    class Mark(core.Expr):
        derive_type = staticmethod(lambda _: core.as_type("int32"))

    with declared_temporarily():

        @register_handler("verify")
        class Refuse(Handler, domain="marks"):
            def handle_mark(self, visitor: Any, mark: Any) -> None:
                visitor.context.report(mark, "refused")

        report = Report()
        VERIFY_RULES[Mark](Mark(), report)
        assert [each.message for each in report.violations] == ["refused"]
    report = Report()
    VERIFY_RULES[Mark](Mark(), report)
    assert report.violations == []


def test_handler_of_no_domain_is_refused() -> None:
    with pytest.raises(relay.errors.DeclarationError, match=r"or its name; found 3 \(int\)"):
        DefaultHandler(3)  # type: ignore[arg-type]


def test_handlers_of_the_library_outlast_declarations_among_which_they_were_loaded() -> None:
    script = (
        "import relayish as relay; from relayish import tir\n"
        "from relayish.domain import EvalCtx, assemble, run\n"
        "with relay.declared_temporarily():\n"
        "    assemble('evaluate', EvalCtx())\n"
        "print(assemble('evaluate', EvalCtx()).visit(tir.IntImm(4) + tir.IntImm(1)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "5"
