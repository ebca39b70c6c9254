"""What holds of each kind of node of the loop IR, by its declaration."""

from __future__ import annotations

import copy
import pickle

import pytest

from relayish import tir
from relayish.errors import FieldError, FrozenNodeError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.text import astext, parse_node
from tests.support.each import each
from tests.support.tir_kinds import CINN_KINDS, INTRINSICS, KINDS, OPERATIONS, changes, examples

SPAN = Span("loops.cinn", 1, 1, 1, 2)
EXAMPLES = examples()
FORMS = [
    (type(node), declared, changed)
    for node in EXAMPLES.values()
    for declared, changed in changes(node)
]
COMPARED = [form for form in FORMS if form[1].compared and not form[1].hint]
HINTS = [form for form in FORMS if form[1].hint]


def test_all_of_cinn_s_kinds_are_there():
    assert len(CINN_KINDS) == len(set(CINN_KINDS)) == 48
    assert len(INTRINSICS) == 7
    assert len(OPERATIONS) == 5
    assert set(KINDS) == {*CINN_KINDS, *INTRINSICS, *OPERATIONS, tir.ArgumentGroup}


def test_every_kind_has_an_example():
    assert set(EXAMPLES) == set(KINDS)


def test_every_field_of_every_kind_is_changed():
    fields = {(kind, f.name) for kind in KINDS for f in kind.fields_ if f.name != "span"}
    assert {(kind, declared.name) for kind, declared, _ in FORMS} == fields


@each("form", COMPARED)
def test_no_field_is_forgotten_by_equality(form):
    kind, _, changed = form
    assert not structural_equal(EXAMPLES[kind], changed)
    assert not structural_equal(changed, EXAMPLES[kind])


@each("form", COMPARED)
def test_no_field_is_forgotten_by_the_hash(form):
    kind, _, changed = form
    assert structural_hash(EXAMPLES[kind]) != structural_hash(changed)


@each("form", HINTS)
def test_names_of_variables_are_no_difference(form):
    kind, _, changed = form
    assert structural_equal(EXAMPLES[kind], changed, True)
    assert structural_hash(EXAMPLES[kind]) == structural_hash(changed)


@each("kind", KINDS)
def test_an_equal_node_made_anew_is_equal(kind):
    again = examples()[kind]
    assert structural_equal(EXAMPLES[kind], again, True)
    assert structural_hash(EXAMPLES[kind]) == structural_hash(again)


@each("form", FORMS)
def test_generic_text_tells_every_field(form):
    changed = form[2]
    again = parse_node(astext(changed))
    assert structural_equal(again, changed, True)
    assert getattr(again, "type", None) == getattr(changed, "type", None)


@each("kind", KINDS)
def test_pickled_node_is_equal_and_has_its_type(kind):
    node = EXAMPLES[kind]
    again = pickle.loads(pickle.dumps(node))
    assert structural_equal(node, again, True)
    assert getattr(again, "type", None) == getattr(node, "type", None)


@each("kind", KINDS)
def test_deep_copy_is_another_node_and_equal(kind):
    node = EXAMPLES[kind]
    again = copy.deepcopy(node)
    assert again is not node
    assert structural_equal(node, again, True)
    assert getattr(again, "type", None) == getattr(node, "type", None)


@each("kind", KINDS)
def test_span_is_no_difference_and_is_kept(kind):
    node = EXAMPLES[kind]
    placed = node.with_fields(span=SPAN)
    assert placed.span == SPAN
    assert structural_equal(node, placed, True)


@each("kind", KINDS)
def test_node_cannot_be_changed(kind):
    node = EXAMPLES[kind]
    with pytest.raises(FrozenNodeError):
        node.span = None


@each("kind", KINDS)
def test_node_with_its_own_fields_is_itself(kind):
    node = EXAMPLES[kind]
    assert node.with_fields(**{f.name: getattr(node, f.name) for f in kind.fields_}) is node


@each("kind", KINDS)
def test_unknown_field_is_refused_by_name(kind):
    with pytest.raises(FieldError, match=f"{kind.__name__} has no field 'coulour'"):
        EXAMPLES[kind].with_fields(coulour=1)


@each("kind", KINDS)
def test_node_is_shown_in_one_line_and_by_its_fields(kind):
    node = EXAMPLES[kind]
    assert repr(node).startswith(f"{kind.__name__}(")
    assert "\n" not in one_line(node)
    assert 0 < len(one_line(node)) <= 120


@each("kind", KINDS)
def test_identity_mutator_returns_the_node_itself(kind):
    class Identity(tir.IRMutator):
        pass

    node = EXAMPLES[kind]
    assert Identity().visit(node) is node


@each("kind", KINDS)
def test_visitor_reaches_all_below_a_node_once(kind):
    seen = []

    class Collect(tir.IRVisitor):
        def visit_ir_node(self, node):
            seen.append(node)
            super().visit_ir_node(node)

    node = EXAMPLES[kind]
    Collect().visit(node)
    assert len(seen) == len(set(seen))
    assert set(seen) == set(EVERYTHING.post_order(node))


@each("kind", KINDS)
def test_mutator_enters_every_field_that_holds_nodes(kind):
    """As CINN's does not: it leaves out variables of loops, and loses the body of an Alloc."""
    node = EXAMPLES[kind]
    for declared in [f for f in kind.fields_ if f.kind is not None]:
        value = getattr(node, declared.name)
        if value is None:
            continue  # nothing is there
        below = EVERYTHING.post_order(value if declared.holds_many else (value,))
        for leaf in [leaf for leaf in below if type(leaf) in RENAMED][:3]:
            image = leaf.with_fields(**RENAMED[type(leaf)])
            made = Replace(leaf, image).visit(node)
            held = getattr(made, declared.name)
            assert image in EVERYTHING.post_order(held if declared.holds_many else (held,))


RENAMED = {tir.Var: {"name": "renamed"}, tir.IntImm: {"value": 3}}


class Replace(tir.IRMutator):
    def __init__(self, what, by):
        self.what, self.by = what, by

    def visit_ir_node(self, node):
        return self.by if node is self.what else super().visit_ir_node(node)


def test_tensor_among_the_args_of_a_function_stands_for_its_buffer():
    A, n = tir.placeholder("A", (4,)), tir.Var("n")
    func = tir.LoweredFunc("f", [A, n], tir.Block())
    assert func.args == (A.buffer, n)
    assert func.with_fields(args=[n, A]).args == (n, A.buffer)
    assert func.with_fields(args=(A.buffer, n)) is func


def test_what_is_no_parameter_among_the_args_of_a_function_is_refused():
    inline = tir.Tensor("inline", (tir.const(4),))
    for args in ([inline], [tir.const(1)], ["A"], "A", 3, inline):
        with pytest.raises(FieldError, match=r"args of a function|LoweredFunc\.args"):
            tir.LoweredFunc("f", args, tir.Block())
