"""Cells that are run again: what the same code declares again takes the place of what was."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import relayish as relay
from relayish.errors import DeclarationError, DuplicateNameError
from relayish.functor import ExprMutator, ExprVisitor
from relayish.ir.attributes.attrs import attrs_class
from relayish.ir.domains.domain import get_domain, list_domains
from relayish.ir.domains.language import languages
from relayish.ir.nodes.node import GRAPH_NODES, node_kinds
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Expr
from relayish.transform import get_pass, list_passes

Run = Callable[[str], dict[str, Any]]

KIND = """
from relayish import node
from relayish.ir.relay.expr import Expr

@node("again")
class Again(Expr):
    "Its operand."
    arg: Expr
"""

RULES = """
from relayish.analysis import TYPE_RULES
from relayish.interpreter import EVALUATORS
TYPE_RULES.register(Again, lambda again, infer: infer.type_of(again.arg))
EVALUATORS.register(Again, lambda again, value: value)
"""

FAMILY = """
from relayish.ir.nodes.node import Node, node

class Stmt(Node):
    __slots__ = ()

@node("stop")
class Stop(Stmt):
    "The end."
"""

OPERATOR = """
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.op import register_op

@attrs("relay.attrs.AgainAttrs")
class AgainAttrs(Attrs):
    axis: int = {default}

register_op("again", arguments=("data",), attrs_type=AgainAttrs, rule=lambda attrs, data: data)
"""


@pytest.fixture
def run() -> Iterator[Run]:
    """Run the text of a cell in the one notebook there is."""
    notebook = ModuleType("notebook")
    sys.modules["notebook"] = notebook

    def run(cell: str) -> dict[str, Any]:
        exec(compile(cell, "<cell>", "exec"), notebook.__dict__)
        return notebook.__dict__

    with declared_temporarily():
        yield run
    del sys.modules["notebook"]


class TestKind:
    def test_of_before_is_replaced_in_its_language(self, run: Run) -> None:
        before = run(KIND)["Again"]
        after = run(KIND)["Again"]
        assert after is not before
        assert node_kinds()["relay.again"] is after
        assert get_domain("relay").get("again").is_kind

    def test_nodes_of_before_keep_working(self, run: Run) -> None:
        old = run(KIND + RULES)["Again"](relay.const(3))
        run(KIND)
        program = relay.Tuple((old, relay.const(4)))
        assert [int(value) for value in relay.evaluate(program)] == [3, 4]
        assert type(old) in Expr.kinds
        assert type(old) in GRAPH_NODES
        assert copy.deepcopy(program).fields[0].arg.data == 3

    def test_is_served_by_what_was_registered_of_it_before(self, run: Run) -> None:
        run(KIND + RULES)
        again = run(KIND)["Again"](relay.const(3))
        assert relay.evaluate(again) == 3
        (typed,) = relay.transform.InferType()(relay.IRModule.from_expr(again)).functions.values()
        assert str(typed.body.checked_type) == "int32"

    def test_is_served_by_what_is_registered_of_it_again(self, run: Run) -> None:
        run(KIND + RULES)
        run(KIND + RULES.replace("again, value: value", "again, value: value + 1"))
        assert relay.evaluate(run("")["Again"](relay.const(3))) == 4

    def test_is_visited_by_functors_of_before_and_after(self, run: Run) -> None:
        run(KIND)

        class Counter(ExprVisitor):
            def visit_again(self, again):
                found.append(type(again))
                self.visit_children(again)

        found: list[type] = []
        old = run("")["Again"](relay.const(3))
        new = run(KIND)["Again"](old)
        Counter().visit(new)
        assert found == [type(new), type(old)]
        assert ExprMutator().visit(new) is new

    def test_is_read_from_text(self, run: Run) -> None:
        text = str(run(KIND)["Again"](relay.const(3)))
        kind = run(KIND)["Again"]
        assert type(relay.parse_expr(text)) is kind

    def test_is_pickled_once_it_is_declared_again(self, run: Run) -> None:
        run(KIND)
        made = run(KIND)["Again"](relay.const(3))
        assert type(pickle.loads(pickle.dumps(made))) is type(made)

    def test_may_have_a_text_again(self, run: Run) -> None:
        text = """
from relayish.text import register_text
def write(writer, again):
    writer.write(" " + writer.operand(again.arg))
    return
    yield
def read(reader, start):
    return Again((yield reader.read_expression()))
register_text(Again, "again", write=write, read=read)
"""
        run(KIND + text)
        kind = run(KIND + text)["Again"]
        assert str(kind(relay.var("x"))).endswith("again %x")
        assert type(relay.parse_expr("fn (%x) { again %x }").body) is kind

    def test_of_another_class_is_refused(self, run: Run) -> None:
        run(KIND)
        with pytest.raises(
            DuplicateNameError, match=r"'again' is .* by notebook\.Again and by notebook\.Other;"
        ):
            run(KIND.replace("Again", "Other"))

    def test_declared_twice_in_one_cell_is_refused(self, run: Run) -> None:
        with pytest.raises(DuplicateNameError, match="visit name 'again'"):
            run(KIND + KIND)

    def test_is_as_it_was_after_it_was_replaced_temporarily(self, run: Run) -> None:
        kind = run(KIND)["Again"]
        with declared_temporarily():
            again, third = run(KIND)["Again"], run(KIND)["Again"]
        assert node_kinds()["relay.again"] is kind
        assert kind in Expr.kinds
        assert Expr.kinds.isdisjoint({again, third})
        assert GRAPH_NODES.isdisjoint({again, third})


class TestFamily:
    def test_takes_its_language_with_it(self, run: Run) -> None:
        before = run(FAMILY)["Stmt"]
        after = run(FAMILY)
        assert languages()["stmt"] is after["Stmt"].language_ is not before.language_
        assert languages()["stmt"].kinds == {"stop": after["Stop"]}

    def test_is_served_by_what_was_registered_of_it_before(self, run: Run) -> None:
        register = """
from relayish.text.tables import Family, register_family
register_family(Stmt, Family("stmt", lambda writer, node: node.visit_name, min))
"""
        run(FAMILY + register)
        assert str(run(FAMILY)["Stop"]()) == "stop"

    def test_of_another_module_is_refused(self, run: Run) -> None:
        run(FAMILY)
        elsewhere = {"__name__": "elsewhere"}
        with pytest.raises(DeclarationError, match=r"'stmt' of elsewhere\.Stop is taken by noteb"):
            exec(compile(FAMILY, "<cell>", "exec"), elsewhere)


class TestOperator:
    def test_has_its_attributes_of_the_second_declaration(self, run: Run) -> None:
        run(OPERATOR.format(default=1))
        assert relay.again(relay.var("x")).attrs.axis == 1
        attributes = run(OPERATOR.format(default=2))["AgainAttrs"]
        assert relay.again(relay.var("x")).attrs == attributes(axis=2)
        assert attrs_class("relay.attrs.AgainAttrs") is attributes

    def test_attributes_of_before_keep_working(self, run: Run) -> None:
        before = run(OPERATOR.format(default=1))["AgainAttrs"]
        run(OPERATOR.format(default=2))
        assert before(axis=3).axis == 3

    def test_is_the_same_node(self, run: Run) -> None:
        run(OPERATOR.format(default=1))
        op = relay.op.get("again")
        run(OPERATOR.format(default=2))
        assert relay.op.get("again") is op

    def test_loses_what_is_no_longer_said_of_it(self, run: Run) -> None:
        run(OPERATOR.format(default=1).replace("rule=", "stateful=True, rule="))
        op = relay.op.get("again")
        assert op in relay.op.properties.stateful
        run(OPERATOR.format(default=1))
        assert op not in relay.op.properties.stateful

    def test_may_take_other_arguments(self, run: Run) -> None:
        run("from relayish.op import register_op\nregister_op('again', arguments=('a',))")
        run("register_op('again', arguments=('a', 'b'))")
        assert len(relay.again(relay.var("x"), relay.var("y")).args) == 2
        assert get_domain("relay").get("again").num_children == 2

    def test_keeps_its_gradient(self, run: Run) -> None:
        run(OPERATOR.format(default=1))
        run("from relayish.op import register_gradient\nregister_gradient('again', min)")
        run(OPERATOR.format(default=1))
        assert relay.op.properties.primal_gradient.get(relay.op.get("again")) is min


def test_statement_of_a_cell_is_the_same_code_wherever_it_stands(run: Run) -> None:
    cell = "from relayish.op import register_op\nregister_op('again', arguments=('data',))"
    code = compile(cell, "<cell>", "exec")
    for line in (1, 7):  # as notebooks name the code of statements
        exec(
            code.replace(co_name=f"<cell line: {line}>", co_qualname=f"<cell line: {line}>"),
            {"__name__": "notebook"},
            {},
        )
    assert relay.op.get("again")


def test_domain_keeps_its_operators(run: Run) -> None:
    cell = "from relayish.ir.domains.domain import Domain\nagain = Domain('again')"
    before = run(cell)["again"]
    run("from relayish.op import register_op\nregister_op('join', arguments=(), domain=again)")
    after = run(cell)["again"]
    assert get_domain("again") is after
    assert (after.id, [*after.operators]) == (before.id, ["join"])
    after.add("meet")
    assert [*before.operators] == ["join", "meet"]
    assert [domain.name for domain in list_domains()].count("again") == 1


def test_pass_is_that_of_the_second_declaration(run: Run) -> None:
    cell = """
from relayish.transform import FunctionPass, register_pass
@register_pass(opt_level={level})
class RunAgain(FunctionPass):
    "Leaves every function as it is."
    def transform_function(self, func, mod, ctx):
        return func
"""
    run(cell.format(level=1))
    after = run(cell.format(level=2))["RunAgain"]
    assert type(get_pass("RunAgain")) is after
    assert get_pass("RunAgain").info.opt_level == 2
    assert list_passes().count("RunAgain") == 1
