"""Functors of the loop IR: dispatch, walks and rewriting."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import DeclarationError, DispatchError, FieldError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.traversal import EVERYTHING
from tests.support import tir_deep
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.tir_kinds import KINDS, examples

EXAMPLES = examples()
FUNCTORS = [
    *(tir.IRFunctor, tir.IRVisitor, tir.IRMutator, tir.ExprFunctor, tir.ExprVisitor),
    *(tir.ExprMutator, tir.StmtFunctor, tir.StmtVisitor, tir.StmtMutator),
]
I, J = tir.Var("i"), tir.Var("j")  # noqa: E741
A = tir.placeholder("A", (16,))
B = tir.placeholder("B", (16,))


def copy_loop(loop_var=I):
    return tir.for_(loop_var, 16, lambda i: tir.store(B, A[i] + 1, i))


# Dispatch


@each("kind", KINDS)
def test_each_kind_has_a_handler_of_its_own_name(kind):
    own = type("Own", (tir.IRFunctor,), {f"visit_{kind.visit_name}": lambda _, node: type(node)})
    assert own().visit(EXAMPLES[kind]) is kind


@each(
    "family",
    [
        *(tir.BinaryOpNode, tir.UnaryOpNode, tir.ComparisonNode, tir.PredicateNode, tir.Stmt),
        *(tir.Expr, tir.IntrinsicOp, tir.Operation, tir.FunctionBase, tir.NaryOpNode, tir.IrNode),
        *(tir.ExprNode, tir.Parameter),
    ],
)
def test_handler_of_a_family_serves_its_kinds_and_no_others(family):
    class Count(tir.IRFunctor):
        def visit_node(self, node):
            return False

    served = type("Served", (Count,), {f"visit_{family.visit_name}": lambda _self, _node: True})()
    below = {kind for kind in KINDS if served.visit(EXAMPLES[kind])}
    assert below == {kind for kind in KINDS if issubclass(kind, family)}


def test_handler_of_the_nearest_family_is_called():
    class Nearest(tir.ExprFunctor):
        def visit_binary_op(self, node):
            return "binary"

        def visit_comparison(self, node):
            return "comparison"

        def visit_lt(self, node):
            return "lt"

    found = [Nearest().visit(kind(I, J)) for kind in (tir.Add, tir.And, tir.LE, tir.LT)]
    assert found == ["binary", "binary", "comparison", "lt"]


@pytest.mark.parametrize("root", FUNCTORS)
@pytest.mark.parametrize(
    ("name", "meant"),
    [("visit_fro", "visit_for"), ("visit_loads", "visit_load"), ("visit_binary_opp", "binary_op")],
)
def test_misspelt_handler_is_refused_with_the_name_that_was_meant(root, name, meant):
    with pytest.raises(DeclarationError, match=meant):
        type("Own", (root,), {name: lambda self, node: node})


def test_handler_of_relay_is_refused():
    with pytest.raises(DeclarationError, match="visit_tuple_getitem"):
        type("Own", (tir.IRVisitor,), {"visit_tuple_getitem": lambda self, node: None})


@pytest.mark.parametrize("root", [tir.IRFunctor, tir.ExprFunctor, tir.StmtFunctor])
def test_functor_without_a_handler_says_which_to_define(root):
    class Own(root):
        pass

    with pytest.raises(DispatchError, match=r"Own has no handler for Call.*define visit_call\(\)"):
        Own().visit(tir.Call("int32", "f"))


# Visitors


def test_visitor_of_statements_does_not_enter_expressions():
    seen = []

    class Collect(tir.StmtVisitor):
        def visit_ir_node(self, node):
            seen.append(type(node))
            super().visit_ir_node(node)

    func = tir.LoweredFunc("f", (A.buffer, B.buffer), tir.Block((copy_loop(),)))
    inner = tir.Module("n", functions=(func,))
    Collect().visit(tir.Module("m", functions=(func,), submodules=(inner,)))
    shown = [kind.__name__ for kind in seen]
    assert shown == ["Module", "LoweredFunc", "Block", "For", "Block", "Store", "Module"]


def test_visitor_meets_statements_and_expressions_in_the_order_of_the_tree():
    seen = []

    class Collect(tir.IRVisitor):
        def visit_var(self, var):
            seen.append(var.name)

        def visit_tensor(self, tensor):
            seen.append(tensor.name)

        def visit_int_imm(self, imm):
            seen.append(imm.value)

    Collect().visit(copy_loop())
    assert seen == ["i", 0, 16, "B", "A"]


def test_visitor_enters_bounds_of_variables_shapes_of_buffers_and_operations():
    n = tir.Var("n")
    tensor = tir.compute((n,), lambda i: A[i] * 2, "C")
    found = EVERYTHING.post_order(tir.Var("k", "int32", tir.const(0), n))
    assert n in found

    class Names(tir.IRVisitor):
        def __init__(self):
            self.names = set()

        def visit_var(self, var):
            self.names.add(var.name)

        def visit_buffer(self, buffer):
            self.names.add(buffer.name)
            super().visit_buffer(buffer)

    names = Names()
    names.visit(tensor)
    assert names.names == {"n", "i", "_A", "_C"}


def test_visitor_that_prunes_tensors_does_not_see_what_they_come_from():
    class Names(tir.IRVisitor):
        def __init__(self):
            self.names = set()

        def visit_tensor(self, tensor):
            self.names.add(tensor.name)

    names = Names()
    names.visit(tir.compute((4,), lambda i: A[i], "C")[I])
    assert names.names == {"C"}


# Mutators


def test_mutator_gives_back_the_body_of_an_alloc_that_it_changed():
    class Double(tir.IRMutator):
        def visit_float_imm(self, imm):
            return imm.with_fields(value=imm.value * 2)

    buffer = tir.Buffer("_T", (4,))
    alloc = tir.Alloc(buffer, (4,), None, tir.Block((tir.store(B, 1.5, I),)))
    assert Double().visit(alloc).body.stmts[0].value.value == 3.0


def test_mutator_visits_the_variable_of_a_loop():
    class Rename(tir.IRMutator):
        def visit_var(self, var):
            return var.with_fields(name="renamed")

    made = Rename().visit(copy_loop())
    assert made.loop_var.name == "renamed"
    assert made.body.stmts[0].indices == (made.loop_var,)
    assert structural_equal(made, copy_loop())


@pytest.mark.parametrize("kind", [tir.GT, tir.GE, tir.LT, tir.LE])
def test_mutator_enters_conditions_of_poly_loops_of_any_direction(kind):
    class Widen(tir.IRMutator):
        def visit_int_imm(self, imm):
            return tir.const(imm.value + 1)

    loop = tir.PolyFor(I, 8, kind(I, tir.const(3)), tir.const(-1), tir.Block())
    made = Widen().visit(loop)
    assert (made.init.value, made.condition.b.value, made.inc.value) == (9, 4, 0)
    assert type(made.condition) is kind


def test_mutator_changes_all_uses_of_a_tensor_at_once():
    class Rename(tir.IRMutator):
        def visit_tensor(self, tensor):
            return tensor.with_fields(name=tensor.name + "_0")

    made = Rename().visit(tir.Block((copy_loop(), tir.store(A, A[I] * B[J], I))))
    tensors = {node for node in EVERYTHING.post_order(made) if isinstance(node, tir.Tensor)}
    assert sorted(tensor.name for tensor in tensors) == ["A_0", "B_0"]


def test_mutator_changes_a_buffer_in_all_tensors_that_look_at_it():
    view = tir.Tensor("V", (4, 4), "float32", A.buffer)
    wider = A.buffer.with_fields(data_alignment=64)

    class Align(tir.IRMutator):
        def visit_buffer(self, buffer):
            return wider if buffer is A.buffer else buffer

    made = Align().visit(tir.Block((tir.store(B, A[I] + view[I, J], I),)))
    assert A.buffer not in EVERYTHING.post_order(made)
    assert wider in EVERYTHING.post_order(made)


def test_mutator_of_statements_leaves_expressions_as_they_are():
    class Unroll(tir.StmtMutator):
        def visit_for(self, loop):
            return super().visit_for(loop).with_fields(for_type=tir.ForType.UNROLLED)

    loop = copy_loop()
    made = Unroll().visit(loop)
    assert made.for_type is tir.ForType.UNROLLED
    assert made.body is loop.body


def test_mutator_that_puts_an_expression_for_a_statement_is_refused():
    class Wrong(tir.IRMutator):
        def visit_store(self, store):
            return store.value

    with pytest.raises(FieldError, match=r"Block.stmts\[0\] must be Stmt; found Add"):
        Wrong().visit(copy_loop())


def test_rewriter_gets_the_node_with_its_new_children():
    class Fold(tir.IRRewriter):
        def rewrite_add(self, pre, post):
            left, right = post.a, post.b
            if isinstance(left, tir.IntImm) and isinstance(right, tir.IntImm):
                return tir.const(left.value + right.value)
            return post

    one = tir.const(1)
    made = Fold().visit(tir.Add(tir.Add(one, one), tir.Add(one, tir.const(4))))
    assert made.value == 7


# Depth


@pytest.mark.deep
@pytest.mark.parametrize("name", tir_deep.DEEP)
def test_deep_program_is_rebuilt_by_handlers_that_recurse(name):
    program = tir_deep.DEEP[name](DEPTH)

    class Count(tir.IRMutator):
        count = 0

        def visit_ir_node(self, node):
            self.count += 1
            return super().visit_ir_node(node)

    counter = Count()
    assert counter.visit(program) is program
    assert counter.count == len(EVERYTHING.post_order(program))


@pytest.mark.parametrize("name", tir_deep.SHARED)
def test_shared_expression_is_rebuilt_once(name):
    program = tir_deep.SHARED[name](100)

    class Swap(tir.IRMutator):
        count = 0

        def visit_add(self, add):
            self.count += 1
            made = super().visit_add(add)
            return tir.Sub(made.a, made.b)

    swapped = Swap()
    made = swapped.visit(program)
    assert swapped.count == 100
    assert len(EVERYTHING.post_order(made)) == len(EVERYTHING.post_order(program))
