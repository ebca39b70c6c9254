"""Diagrams of Relay's expressions, functions and modules, and of models."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.draw.diagram import BoxKind, EdgeKind
from relayish.draw.drawing import draw
from relayish.draw.readers.table import read
from relayish.transform import FuseOps, InferType, Sequential
from tests.support.depth import DEPTH
from tests.support.diagram_queries import edges_into, path_of, titled
from tests.support.each import each
from tests.support.while_loop import DECLARED, While

LINEAR = 1_000


def parse_main(body, params="%x: Tensor[(4), float32]"):
    return relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')


def test_lets_name_what_they_bind_and_have_no_box():
    diagram = read(parse_main("let %a = exp(%x); let %b = %a; tanh(%b)"))
    assert [box.title for box in diagram.boxes] == ["x", "exp", "tanh", "result"]
    assert diagram.boxes[1].details.outputs == ("a",)
    assert edges_into(diagram, titled(diagram, "tanh")) == [("exp", 0, EdgeKind.VALUE)]


def test_lets_that_are_operands_or_values_are_followed_to_what_they_give():
    diagram = read(
        parse_main("let %a = { let %b = exp(%x); log(%b) }; add(%a, { let %c = %a; %c })")
    )
    assert [box.title for box in diagram.boxes] == ["x", "exp", "log", "add", "result"]
    assert edges_into(diagram, titled(diagram, "log")) == [("exp", 0, EdgeKind.VALUE)]
    assert [each[0] for each in edges_into(diagram, titled(diagram, "add"))] == ["log", "log"]
    assert diagram.boxes[titled(diagram, "log")].details.outputs == ("a",)


@each("body", ["concatenate(%t)", "{ let %u = %t; concatenate(%u) }"])
def test_a_tuple_that_a_let_names_is_told_field_by_field(body):
    diagram = read(parse_main(f"let %t = (%x, exp(%x)); {body}"))
    assert [each[0] for each in edges_into(diagram, titled(diagram, "concatenate"))] == ["x", "exp"]


def test_a_tuple_whose_name_is_used_twice_or_never_is_a_box():
    diagram = read(parse_main("let %t = (%x, %x); let %u = (exp(%x),); (%t, %t.0)"))
    assert [box.title for box in diagram.boxes].count("tuple") == 2
    assert ("tuple", 0, EdgeKind.VALUE) in edges_into(diagram, titled(diagram, "result 0"))


def test_a_tuple_within_a_tuple_is_a_box():
    diagram = read(parse_main("(%x, (exp(%x), %x))"))
    assert edges_into(diagram, titled(diagram, "result 1")) == [("tuple", 0, EdgeKind.VALUE)]
    assert [each[0] for each in edges_into(diagram, titled(diagram, "tuple"))] == ["exp", "x"]


def test_types_of_functions_in_functions_are_cut_short():
    expr = relay.var("x", shape=(4,))
    for _ in range(500):
        expr = relay.Function([], expr)
    told = [box.details for box in read(expr).boxes]
    assert any(each.type.count("fn ()") > 100 for each in told)
    assert max(len(each.type) + sum(map(len, each.attributes.values())) for each in told) < 5_000


def test_an_empty_tuple_is_written_where_it_is_used():
    diagram = read(parse_main("(%x, ())"))
    assert [box.title for box in diagram.boxes] == ["x", "result 0", "result 1"]
    assert diagram.boxes[2].lines == ("()", "()")


def ill_formed():
    a, b, x = relay.var("a"), relay.var("b"), relay.var("x", shape=(4,))
    return {
        "itself": relay.Let(a, a, relay.exp(a)),
        "one another": relay.Let(a, relay.Let(b, a, b), relay.exp(b)),
        "its field": relay.Let(a, relay.Tuple([a]), relay.TupleGetItem(a, 0)),
        "no such field": relay.TupleGetItem(relay.Tuple([x]), 5),
        "field before the first": relay.TupleGetItem(relay.Tuple([x]), -1),
    }


@each("name", ill_formed())
def test_what_is_bound_to_itself_or_has_no_such_field_is_drawn(name):
    diagram = read(ill_formed()[name])
    assert edges_into(diagram, titled(diagram, "result"))[0][0] in ("exp", "tuple", ".5", ".-1")


@pytest.mark.deep
def test_names_of_names_are_read_in_linear_time():
    x = relay.var("x", shape=(4,))
    names = [x, *[relay.var(f"v{number}") for number in range(DEPTH)]]
    body = relay.Tuple([relay.exp(name) for name in names[1:]])
    for name, value in reversed(list(zip(names[1:], names, strict=False))):
        body = relay.Let(name, value, body)
    assert len(read(body, types=False).edges) == 2 * DEPTH


def test_operands_have_ports_with_the_names_of_the_operator():
    x, k = relay.var("x", shape=(4,)), relay.var("k", shape=(4,))
    one, other = read(relay.power(x, k)), read(relay.power(k, x))
    assert edges_into(one, titled(one, "power"))[0][0] == "x"
    assert edges_into(other, titled(other, "power"))[0][0] == "k"
    assert one.boxes[titled(one, "power")].inputs == ("lhs", "rhs")


def test_constants_and_attributes_stand_in_the_box():
    x = relay.var("x", shape=(1, 3, 8, 8))
    weight = relay.const(np.zeros((4, 3, 3, 3), "float32"))
    box = read(relay.nn.conv2d(x, weight, padding=(1, 1))).boxes[1]
    assert box.lines == ("padding = [1, 1, 1, 1]", "weight = float32[4, 3, 3, 3]")
    assert box.details.attributes["data_layout"] == "'NCHW'"
    assert box.details.values["weight"] is weight.data


def test_results_of_an_operator_leave_it_one_by_one():
    x = relay.var("x", shape=(4,))
    parts = relay.split(x, 2)
    diagram = read(relay.concatenate([parts[1], parts[0]], 0))
    assert edges_into(diagram, titled(diagram, "concatenate")) == [
        ("split", 1, EdgeKind.VALUE),
        ("split", 0, EdgeKind.VALUE),
    ]
    assert diagram.boxes[titled(diagram, "concatenate")].inputs == ("data[0]", "data[1]")


def test_a_tuple_that_several_use_is_a_box():
    x = relay.var("x", shape=(4,))
    pair = relay.Tuple([x, x])
    diagram = read(relay.Tuple([relay.concatenate(pair, 0), relay.stack(pair, 0)]))
    into = edges_into(diagram, titled(diagram, "concatenate"))
    assert into == [("tuple", 0, EdgeKind.VALUE)]
    assert len(edges_into(diagram, titled(diagram, "tuple"))) == 2


def test_a_tuple_that_leaves_is_told_field_by_field():
    x = relay.var("x", shape=(4,))
    diagram = read(relay.Tuple([relay.exp(x), x]))
    assert edges_into(diagram, titled(diagram, "result 0"))[0][0] == "exp"
    assert edges_into(diagram, titled(diagram, "result 1"))[0][0] == "x"


def test_reads_of_references_hang_on_the_last_write():
    body = "let %r = ref(%x); let %u = ref_write(%r, exp(%x)); ref_read(%r)"
    diagram = read(parse_main(body))
    read_ = titled(diagram, "ref_read")
    into = {(source, kind) for source, _, kind in edges_into(diagram, read_)}
    assert into == {("ref", EdgeKind.VALUE), ("ref_write", EdgeKind.MEMORY)}


def test_captured_values_enter_branches_by_boxes_of_their_own():
    x, c = relay.var("x", shape=(4,)), relay.var("c", shape=(), dtype="bool")
    y = relay.exp(x)
    diagram = read(relay.If(c, relay.tanh(y), y))
    captured = [n for n, box in enumerate(diagram.boxes) if box.kind is BoxKind.CAPTURE]
    assert [path_of(diagram, box) for box in captured] == [["if", "then"], ["if", "else"]]
    assert [edges_into(diagram, box) for box in captured] == [[("exp", 0, EdgeKind.CAPTURE)]] * 2
    assert edges_into(diagram, titled(diagram, "tanh")) == [("exp", 0, EdgeKind.VALUE)]
    assert edges_into(diagram, titled(diagram, "if")) == [("c", 0, EdgeKind.VALUE)]


def test_what_an_inner_block_captures_passes_those_around_it():
    x, c = relay.var("x", shape=(4,)), relay.var("c", shape=(), dtype="bool")
    inner = relay.If(c, relay.exp(x), relay.zeros((4,), "float32"))
    diagram = read(relay.If(c, inner, relay.ones((4,), "float32")))
    exp = titled(diagram, "exp")
    boxes = [exp]
    while edges := [each for each in diagram.edges if each.target == boxes[-1]]:
        boxes.append(edges[0].source)
    kinds = [diagram.boxes[box].kind for box in boxes[1:]]
    assert kinds == [BoxKind.CAPTURE, BoxKind.CAPTURE, BoxKind.INPUT]


def test_closures_and_matches_bind_their_variables_inside():
    diagram = read(
        relay.parse(
            '#[version = "0.0.5"]\n'
            "type List[A] { Cons(A, List[A]), Nil }\n"
            "def @main(%l: List[int32], %k: int32) {\n"
            "  let %f = fn (%y: int32) { %y + %k };\n"
            "  match (%l) { Cons(%h, %t) => %f(%h), Nil => 0 }\n}"
        )
    )
    assert path_of(diagram, titled(diagram, "y")) == ["@main", "fn"]
    assert path_of(diagram, titled(diagram, "h")) == ["@main", "match", "Cons(h, t)"]
    call = titled(diagram, "call")
    assert [source for source, _, _ in edges_into(diagram, call)] == ["f", "h"]
    assert diagram.boxes[titled(diagram, "Cons")].lines == ("A", "List[A]")


def test_fused_functions_are_boxes_given_what_calls_pass():
    x = relay.var("x", shape=(4,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.tanh(relay.exp(x))))
    diagram = read(Sequential([InferType(), FuseOps(fuse_opt_level=2)])(mod))
    fused = titled(diagram, "fused exp, tanh")
    assert diagram.boxes[fused].lines == ("Primitive = 1",)
    assert edges_into(diagram, titled(diagram, "p0")) == [("x", 0, EdgeKind.VALUE)]
    assert path_of(diagram, titled(diagram, "exp")) == ["fused exp, tanh"]
    assert edges_into(diagram, fused) == []


def test_types_are_inferred_and_left_out_where_there_are_none():
    x = relay.var("x", shape=(4,))
    good, bad = relay.exp(relay.tanh(x)), relay.exp(relay.add(x, relay.var("y", shape=(5,))))
    assert [each.label for each in read(good).edges] == ["", "float32[4]", "float32[4]"]
    assert [each.label for each in read(bad).edges] == [""] * 4
    assert [each.label for each in read(good, types=False).edges] == [""] * 3


def test_keys_tell_boxes_apart_and_find_them_again():
    x = relay.var("x", shape=(4,))
    expr = relay.exp(relay.add(relay.exp(x), relay.exp(relay.tanh(x))))
    keys = [box.key for box in read(expr).boxes]
    assert len(set(keys)) == len(keys)
    assert keys == [box.key for box in read(relay.parse_expr(relay.astext(expr))).boxes]


@pytest.mark.deep
@each("form", ["to_svg", "to_dot", "to_text"])
def test_deep_chains_and_nests_are_drawn(form):
    x, c = relay.var("x", shape=()), relay.var("c", shape=(), dtype="bool")
    chain = nest = x
    for _ in range(min(DEPTH, 400)):
        chain, nest = relay.exp(chain), relay.If(c, nest, x)
    assert getattr(relay.draw(relay.Tuple([chain, nest]), types=False), form)()


@pytest.mark.deep
@pytest.mark.slow("as deep as it goes")
def test_nests_of_any_depth_are_read():
    x, c = relay.var("x", shape=()), relay.var("c", shape=(), dtype="bool")
    nest = x
    for _ in range(DEPTH):
        nest = relay.If(c, nest, x)
    assert len(read(nest, types=False).boxes) == 8 * DEPTH + 2


def test_shared_expressions_have_one_box():
    e = relay.var("x", shape=())
    for _ in range(LINEAR):
        e = relay.add(e, e)
    diagram = read(e, types=False)
    assert (len(diagram.boxes), len(diagram.edges)) == (LINEAR + 2, 2 * LINEAR + 1)


def test_a_module_has_a_box_for_each_definition():
    mod = relay.parse(
        '#[version = "0.0.5"]\n'
        'def @f(%x: int32, Compiler="ext") -> int32 { %x + 1 }\n'
        "def @main(%x: int32) { @f(%x) }"
    )
    diagram = read(mod)
    assert [box.title for box in diagram.boxes if box.parent is None] == ["@f", "@main"]
    assert diagram.boxes[0].lines == ("Compiler = 'ext'",)
    assert [box.title for box in read(mod, only="f").boxes] == ["x", "add", "result"]


def test_a_loop_of_a_package_shows_what_its_scopes_share_of_what_it_binds():
    with DECLARED:
        i, n = relay.var("i", "int32"), relay.var("n", "int32")
        square = relay.multiply(i, i)
        loop = While(i, relay.const(1), relay.less(square, n), relay.add(square, i))
        diagram = draw(relay.Function([n], loop)).diagram
    keys = [box.key for box in diagram.boxes]
    edges = {(keys[edge.source], keys[edge.target]) for edge in diagram.edges}
    inside = "while_loop"
    assert (f"{inside}/i", f"{inside}/multiply") in edges
    assert (f"{inside}/multiply", f"{inside}/cond/multiply (outside)") in edges
    assert (f"{inside}/i", f"{inside}/body/i (outside)") in edges
    assert [e for e in diagram.edges if e.source >= e.target] == []  # in order


def test_a_branch_in_what_the_scopes_of_a_loop_share_is_drawn_once():
    with DECLARED:
        i, n = relay.var("i", "int32"), relay.var("n", "int32")
        least = relay.If(relay.less(i, n), i, n)
        loop = While(i, relay.const(1), relay.less(least, n), relay.add(least, i))
        diagram = draw(relay.Function([n], loop)).diagram
    assert path_of(diagram, titled(diagram, "if", BoxKind.OPERATOR)) == ["while_loop"]


def test_arguments_that_a_function_does_not_take_are_drawn():
    x, y = relay.var("x", shape=(4,)), relay.var("y", shape=(4,))
    p = relay.var("p")
    diagram = read(relay.Call(relay.Function([p], relay.exp(p)), [x, y]))
    assert [source for source, _, _ in edges_into(diagram, titled(diagram, "call"))] == [
        "fn",
        "x",
        "y",
    ]
