"""Opcodes of nodes: domain, operator, children."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.ir.domains.domain import Opcode
from relayish.ir.kinds.opcode import (
    OPERATOR_FIELDS,
    OperatorField,
    children_of,
    domain_of,
    opcode_of,
    operator_of,
)
from relayish.ir.relay.op import intern_op

X = relay.var("x")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("add", ("relay", "add")),
        ("nn.conv2d", ("nn", "conv2d")),
        ("qnn.csi", ("qnn", "csi")),
        ("contrib.a.b", ("contrib", "a.b")),
        ("relay.here", ("relay", "relay.here")),
        (".", ("relay", ".")),
        ("a.", ("relay", "a.")),
        ("1.a", ("relay", "1.a")),
        ("ä.a", ("relay", "ä.a")),
    ],
)
def test_call_is_the_operator_of_its_family(declarations, name, place):
    op = (
        relay.get_op(name)
        if name in relay.op.list_ops("relay")
        else relay.register_op(name, arguments=("x",))
    )
    call = relay.Call(op, [X])
    assert (call.domain.name, call.operator.name) == place
    assert call.opcode == (relay.get_domain(place[0]).id, call.operator.number)


def test_operator_of_another_domain_keeps_its_whole_name(declarations):
    made = relay.register_op("nn.relu", arguments=("x",), domain=relay.Domain("lattices"))
    assert relay.Call(made, [X]).domain is relay.get_domain("lattices")
    assert relay.Call(made, [X]).operator.name == "nn.relu"


def test_call_of_anything_else_is_a_call():
    for callee in (X, relay.GlobalVar("f"), relay.Function([X], X)):
        assert relay.Call(callee, [X]).operator is relay.get_domain("relay").kinds["call"]


def test_call_of_an_undeclared_operator_is_refused_with_its_domain(declarations):
    with pytest.raises(
        relay.UnknownNameError, match="domain nn has no operator 'rely'; did you mean"
    ):
        _ = relay.Call(intern_op("nn.rely"), [X]).operator
    with pytest.raises(relay.UnknownNameError, match="relay has no operator 'let'"):
        _ = relay.Call(intern_op("let"), [X]).operator


def test_children_are_what_is_evaluated_and_bound_in_order_of_declaration():
    y = relay.var("y")
    let = relay.Let(X, y, X)
    assert children_of(let) == (X, y, X)
    assert [let.child(i) for i in range(let.num_child)] == [X, y, X]
    assert let.operator.num_children == let.num_child


def test_operator_of_a_call_is_no_child_but_another_callee_is():
    assert children_of(relay.add(X, X)) == (X, X)
    assert children_of(relay.Call(X, [X])) == (X, X)
    add = relay.get_op("add")
    assert children_of(relay.Call(add, [add, X])) == (add, X)


def test_child_that_there_is_not_is_refused():
    with pytest.raises(relay.FieldIndexError, match="Call has 2 children; there is no child 2"):
        relay.add(X, X).child(2)
    with pytest.raises(relay.FieldIndexError, match="no child -1"):
        relay.add(X, X).child(-1)


def test_field_of_such_a_name_wins():
    op = relay.get_op("nn.relu")
    assert op.domain == "relay"
    assert domain_of(op) is relay.get_domain("relay")
    assert operator_of(op).name == "op"


def test_field_of_such_a_name_has_no_default_of_its_own(declarations):
    @relay.node("named")
    class Named(relay.Node):
        domain: str

    with pytest.raises(TypeError, match="domain"):
        Named()
    assert Named("here").domain == "here"


def test_opcode_differs_between_domains_of_one_operator_name(declarations):
    made = relay.register_op("add", arguments=("a", "b"), domain=relay.Domain("lattices"))
    assert relay.Call(made, [X, X]).opcode != relay.add(X, X).opcode
    assert opcode_of(relay.add(X, X)) == Opcode(
        relay.get_domain("relay").id, relay.get_domain("relay").called("add").number
    )


def test_properties_are_asked_of_nodes():
    assert relay.add(X, X).has_property(relay.Property.EXPR | relay.Property.COMMUTATIVE)
    assert not relay.subtract(X, X).has_property(relay.Property.COMMUTATIVE)
    assert relay.If(X, X, X).has_property(relay.Property.SCF)


class Graph(relay.Node, language=relay.Language("graphs")):
    __slots__ = ()


def test_kind_whose_nodes_name_operators_by_text_is_told_by_these(declarations):
    @relay.node("graph_node", effect=relay.Effect.NONE)
    class GraphNode(Graph):
        op_type: str
        domain: str
        inputs: tuple[Graph, ...]

    OPERATOR_FIELDS.register(
        GraphNode,
        OperatorField(
            lambda each: (each.domain, each.op_type) if each.op_type else None,
            lambda callee: callee,
        ),
    )
    numbers = relay.Domain("ai.numbers")
    numbers.add("Add", 5, 2, relay.Property.EXPR)
    leaf = GraphNode("", "", ())
    made = GraphNode("Add", "ai.numbers", (leaf, leaf))
    assert opcode_of(made) == (numbers.id, 5)
    assert domain_of(made) is numbers
    assert children_of(made) == (leaf, leaf)
    assert operator_of(leaf) is relay.get_domain("graphs").kinds["graph_node"]
    with pytest.raises(relay.UnknownNameError, match=r"domain ai.numbers has no operator 'Sub'"):
        operator_of(GraphNode("Sub", "ai.numbers", ()))


def test_operator_that_is_added_later_is_found(declarations):
    op = intern_op("tests.later")
    with pytest.raises(relay.UnknownNameError, match="no domain 'tests'"):
        operator_of(relay.Call(op, [X]))
    relay.register_op("tests.later", arguments=("x",))
    first = operator_of(relay.Call(op, [X]))
    relay.register_op("tests.other", arguments=("x",))
    assert operator_of(relay.Call(op, [X])) is first


def test_children_of_every_shape_of_field_are_counted_and_found_by_place(declarations):
    @relay.node("shapes", effect=relay.Effect.NONE)
    class Shapes(Graph):
        one: Graph
        perhaps: Graph | None
        many: tuple[Graph, ...]
        mixed: tuple[Graph | int, ...]
        last: Graph

    @relay.node("leaf", effect=relay.Effect.NONE)
    class Leaf(Graph):
        number: int

    leaf = [Leaf(i) for i in range(6)]
    for perhaps in (None, leaf[1]):
        made = Shapes(leaf[0], perhaps, (leaf[2], leaf[3]), (1, leaf[4], 2), leaf[5])
        wanted = [each for each in leaf if each is not leaf[1] or perhaps is not None]
        assert list(children_of(made)) == wanted
        assert [made.child(i) for i in range(made.num_child)] == wanted
        with pytest.raises(relay.FieldIndexError, match=f"has {len(wanted)} children"):
            made.child(len(wanted))


def test_child_of_a_wide_node_is_found_without_a_look_at_the_others():
    wide = relay.Tuple([X] * 200_000)
    assert sum(wide.child(i) is X for i in range(wide.num_child)) == 200_000


@pytest.mark.parametrize("index", ["a", None, [], -1, 2, 1.5])
def test_child_that_is_none_is_refused(index: object) -> None:
    with pytest.raises(relay.FieldIndexError, match="child"):
        relay.add(relay.var("x"), relay.var("y")).child(index)  # type: ignore[arg-type]
