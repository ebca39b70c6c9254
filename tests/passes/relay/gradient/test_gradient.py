"""Gradients of whole programs, in both modes."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from relayish import op
from relayish.analysis import well_formed
from relayish.analysis.infer_type import infer_type
from relayish.errors import GradientError, PassError, UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.adt import Clause, Constructor, Match, PatternWildcard, TypeData
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import FuncType, GlobalTypeVar, TensorType, TupleType, TypeVar
from relayish.op import get_op
from relayish.op.declaration.properties import primal_gradient
from relayish.passes.relay.gradient.gradient import MODES, gradient
from relayish.testing import TempOpAttr
from tests.support.goldens import CASES, read_goldens
from tests.support.typed_text import program

SCALAR = TensorType((), "float64")

both_modes = pytest.mark.parametrize("mode", MODES)


def run(expr, *args, mod=None, mode="higher_order"):
    """Return what the gradient of a function computes; it is well-formed and well-typed."""
    made = gradient(expr, mod, mode)
    assert well_formed(made)
    typed = infer_type(made, mod)
    func = mod[expr] if isinstance(expr, GlobalVar) else expr
    original = infer_type(func, mod).checked_type
    expected = TupleType((original.ret_type, TupleType(original.arg_types)))
    assert_structural_equal(typed.checked_type, FuncType(original.arg_types, expected))
    return evaluate(typed, mod, args=[_value(arg) for arg in args])


def _value(arg):
    if isinstance(arg, bool):
        return np.bool_(arg)
    return np.float64(arg) if isinstance(arg, float) else arg


def count_of(name, expr):
    """Return how many calls of an operator there are."""
    calls = [node for node in EXPRESSIONS.post_order(expr) if isinstance(node, Call)]
    return sum(call.op is get_op(name) for call in calls)


def scalars(*names):
    return [Var(name, SCALAR) for name in names]


@both_modes
def test_the_gradient_of_a_product_is_the_other_factor(mode):
    x, y = scalars("x", "y")
    assert run(Function((x, y), x * y), 3.0, 4.0, mode=mode) == (12, (4, 3))


@both_modes
def test_a_value_used_twice_adds_its_gradients_up(mode):
    (x,) = scalars("x")
    y = x * x
    assert run(Function((x,), y + y * x), 2.0, mode=mode) == (12, (16,))


@both_modes
def test_lets_and_tuples_are_passed_through(mode):
    x, y = scalars("x", "y")
    a, b = Var("a"), Var("b")
    pair = Tuple((a, Tuple((a * y, x))))
    inner = TupleGetItem(TupleGetItem(b, 1), 0)
    body = Let(a, x * x, Let(b, pair, inner + TupleGetItem(b, 0)))
    assert run(Function((x, y), body), 2.0, 5.0, mode=mode) == (24, (24, 4))


@both_modes
def test_operators_that_take_tuples_are_differentiated(mode):
    x, y = (Var(name, TensorType((2,), "float64")) for name in "xy")
    pair = Var("pair")
    body = Let(
        pair, Tuple((x, y)), op.sum(op.concatenate(pair, axis=0) * const([1.0, 2, 3, 4], "float64"))
    )
    func = Function((x, y), body)
    ones = np.ones(2)
    result, (x_grad, y_grad) = run(func, ones, ones, mode=mode)
    assert (result, x_grad.tolist(), y_grad.tolist()) == (10, [1, 2], [3, 4])


@both_modes
def test_constant_tuples_are_arguments_like_others(mode):
    (x,) = scalars("x")
    held = Constant((np.float64(2), np.float64(3)))
    body = op.sum(op.stack(held, axis=0) * x)
    assert run(Function((x,), body), 4.0, mode=mode) == (20, (5,))


@both_modes
def test_tuples_as_parameters_have_tuples_as_gradients(mode):
    param = Var("p", TupleType((SCALAR, TupleType((SCALAR,)))))
    first, second = TupleGetItem(param, 0), TupleGetItem(TupleGetItem(param, 1), 0)
    value = (np.float64(3), (np.float64(4),))
    assert run(Function((param,), first * second), value, mode=mode) == (12, ((4, (3,)),))


def test_of_a_tuple_the_first_tensor_is_differentiated_and_in_first_order_all():
    x = Var("x", TensorType((2,), "float32"))
    y = x + x
    func = Function((x,), Tuple((y + y, y)))
    ones = np.ones(2, "float32")
    (four, two), (grad,) = run(func, ones)
    assert (four.tolist(), two.tolist(), grad.tolist()) == ([4, 4], [2, 2], [4, 4])
    _, (grad,) = run(func, ones, mode="first_order")
    assert grad.tolist() == [6, 6]


@both_modes
def test_a_result_that_is_a_parameter_or_a_constant_has_its_gradient(mode):
    x, y = scalars("x", "y")
    assert run(Function((x, y), x), 2.0, 3.0, mode=mode) == (2, (1, 0))
    assert run(Function((x,), Constant(np.float64(7))), 2.0, mode=mode) == (7, (0,))


@both_modes
def test_integers_have_gradients_and_operators_on_positions_are_passed_by(mode):
    n = Var("n", TensorType((), "int32"))
    assert run(Function((n,), n * n), np.int32(3), mode=mode) == (9, (6,))
    x = Var("x", TensorType((3,), "float64"))
    picked = op.take(x * x, op.argmax(x, axis=0), axis=0)
    result, (grad,) = run(Function((x,), picked), np.array([1.0, 3, 2]), mode=mode)
    assert (result, grad.tolist()) == (9, [0, 6, 0])


@both_modes
def test_each_product_of_matrices_is_computed_once_and_twice_for_its_gradients(mode):
    x, y = (Var(name, TensorType((12, 12))) for name in "xy")
    product = op.nn.dense(x, y, units=None)
    total = op.sum(product - op.sum(product, keepdims=True))
    assert count_of("nn.dense", gradient(Function((x, y), total), mode=mode)) == 3


def test_a_higher_order_gradient_shares_nothing_but_atoms():
    x, y = scalars("x", "y")
    shared = op.tanh(x * y)
    made = gradient(Function((x, y), shared * shared + shared))
    uses: dict[object, int] = {}
    for node in EXPRESSIONS.post_order(made):
        for child in EXPRESSIONS.children(node):
            uses[child] = uses.get(child, 0) + 1
    assert {type(node) for node, count in uses.items() if count > 1} <= {
        Var,
        type(get_op("add")),
        Constant,
    }


GRADIENTS = read_goldens(CASES / "gradients.relay")


@pytest.mark.parametrize("case", GRADIENTS.values(), ids=GRADIENTS)
def test_value_and_gradients_are(case):
    mod = program(case.before)
    found = run(mod.get_global_var("main"), *ast.literal_eval(case.arguments), mod=mod)
    assert found == ast.literal_eval(case.answer)


GLOBALS = """
def @power(%x: float64, %n: int32) -> float64 {
  if (equal(%n, 0)) { 1f64 } else { multiply(%x, @power(%x, subtract(%n, 1))) }
}
def @even(%x: float64, %n: int32) -> float64 {
  if (equal(%n, 0)) { %x } else { multiply(@odd(%x, subtract(%n, 1)), 2f64) }
}
def @odd(%x: float64, %n: int32) -> float64 {
  if (equal(%n, 0)) { %x } else { multiply(@even(%x, subtract(%n, 1)), %x) }
}
def @ping[A](%f: fn (A) -> A, %x: A, %n: int32) -> A {
  if (equal(%n, 0)) { %x } else { @pong(%f, %f(%x), subtract(%n, 1)) }
}
def @pong[A](%f: fn (A) -> A, %x: A, %n: int32) -> A {
  if (equal(%n, 0)) { %x } else { @ping(%f, %f(%x), subtract(%n, 1)) }
}
"""


def test_global_functions_that_call_themselves_and_one_another_are_differentiated():
    mod = program(
        GLOBALS + "def @main(%x: float64) -> float64 { add(@power(%x, 4), @even(%x, 4)) }"
    )
    found = run(mod.get_global_var("main"), 1.5, mod=mod)
    assert found == (1.5**4 + 4 * 1.5**3, (4 * 1.5**3 + 12 * 1.5**2,))
    assert run(mod.get_global_var("power"), 2.0, np.int32(3), mod=mod) == (8, (12, 0))
    typed = infer_type(mod)
    assert run(typed["power"], 2.0, np.int32(3), mod=typed) == (8, (12, 0))


def test_polymorphic_global_functions_are_differentiated_also_when_they_call_one_another():
    square = "fn (%v: float64) -> float64 { multiply(%v, %v) }"
    mod = program(GLOBALS + f"def @main(%x: float64) -> float64 {{ @ping({square}, %x, 3) }}")
    assert run(mod.get_global_var("main"), 1.5, mod=mod) == (1.5**8, (8 * 1.5**7,))


def test_one_function_may_go_by_two_names():
    (v, x) = scalars("v", "x")
    square = Function((v,), v * v)
    one, other = GlobalVar("one"), GlobalVar("other")
    main = Function((x,), Call(one, (Call(other, (x,)),)))
    mod = IRModule({one: square, other: square, "main": main})
    assert run(mod.get_global_var("main"), 2.0, mod=mod) == (16, (32,))


def test_the_module_stays_as_it_is():
    mod = infer_type(program(GLOBALS))
    before = dict(mod.functions)
    gradient(mod.get_global_var("power"), mod)
    assert dict(mod.functions) == before


LISTS = """
type List[A] { Cons(A, List[A]), Nil, }
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Cons(%h, %r) => { Cons(%f(%h), @map(%f, %r)) }, Nil => { Nil } }
}
def @foldl[A, B](%f: fn (A, B) -> A, %z: A, %l: List[B]) -> A {
  match (%l) { Cons(%h, %r) => { @foldl(%f, %f(%z, %h), %r) }, Nil => { %z } }
}
"""


def test_a_constructor_used_as_a_function_builds_data():
    mod = program(LISTS)
    nil, cons = (mod.get_constructor("List", name) for name in ("Nil", "Cons"))
    (x,) = scalars("x")
    a, b = scalars("a", "b")
    times = Function((a, b), a * b)
    f = Var("f")
    made = Let(f, cons, Call(f, (x, Call(f, (x, Call(nil, ()))))))
    body = Call(mod.get_global_var("foldl"), (times, Constant(np.float64(2)), made))
    made = gradient(Function((x,), body), mod)
    assert evaluate(made, mod, args=[np.float64(3)]) == (18, (12,))


def test_data_that_can_only_hold_plain_tensors_is_refused():
    header = GlobalTypeVar("Box")
    boxed = Constructor("Boxed", (SCALAR,), header)
    mod = IRModule({}, {header: TypeData(header, (), (boxed,))})
    (x,) = scalars("x")
    v = Var("v")
    func = Function((x,), Let(v, Call(boxed, (x,)), x))
    with pytest.raises(
        GradientError, match=r"constructor Boxed holds a .*float64.* by its declaration"
    ):
        gradient(func, mod)


@both_modes
def test_checkpoints_change_no_gradient(mode):
    x, y = scalars("x", "y")
    v, w = Var("v"), Var("w")

    def program(mark):
        inner = mark(op.sin(x * y))
        outer = mark(op.tanh(inner * x) + mark(Let(v, x * y, Let(w, v * inner, w * w))))
        return Function((x, y), outer * inner + x)

    result, grads = run(program(op.annotation.checkpoint), 0.5, 0.7, mode=mode)
    expected, expected_grads = run(program(lambda expr: expr), 0.5, 0.7, mode=mode)
    assert result == expected
    np.testing.assert_allclose(grads, expected_grads)


def test_what_is_under_a_checkpoint_is_computed_again():
    (x,) = scalars("x")
    marked = gradient(Function((x,), op.annotation.checkpoint(op.exp(op.exp(x)))))
    assert count_of("exp", marked) == 4


def test_a_checkpoint_adds_to_gradients_that_its_result_has_elsewhere():
    x, c = Var("x", SCALAR), Var("c", TensorType((), "bool"))
    func = Function((x, c), op.annotation.checkpoint(If(c, x, x * x)) * x)
    assert run(func, 3.0, np.bool_(True)) == (9, (6, False))
    assert run(func, 3.0, np.bool_(False)) == (27, (27, False))


def test_the_gradient_of_a_gradient_is_the_second_derivative():
    z, x = scalars("z", "x")
    first = gradient(Function((z,), op.sin(z) * z * z))
    second = Function((x,), TupleGetItem(TupleGetItem(Call(first, (x,)), 1), 0))
    found, (grad,) = run(second, 0.7)
    assert abs(found - (np.cos(0.7) * 0.49 + 1.4 * np.sin(0.7))) < 1e-12
    assert abs(grad - ((2 - 0.49) * np.sin(0.7) + 4 * 0.7 * np.cos(0.7))) < 1e-12


def test_the_gradient_of_a_first_order_gradient_is_the_second_derivative():
    z, x = scalars("z", "x")
    first = gradient(Function((z,), op.exp(z * z)), mode="first_order")
    second = Function((x,), TupleGetItem(TupleGetItem(Call(first, (x,)), 1), 0))
    for mode in MODES:
        _, (grad,) = run(second, 0.5, mode=mode)
        assert abs(grad - (2 + 4 * 0.25) * np.exp(0.25)) < 1e-12


@pytest.mark.references
def test_the_gradient_of_a_network_is_that_of_torch():
    torch = pytest.importorskip("torch")
    shapes = {"x": (2, 1, 6, 6), "k": (3, 1, 3, 3), "w": (4, 12), "b": (4,), "y": (2, 4)}
    params = {name: Var(name, TensorType(shape, "float64")) for name, shape in shapes.items()}
    x, k, w, b, y = params.values()
    hidden = op.nn.relu(op.nn.conv2d(x, k, kernel_size=(3, 3), channels=3))
    flat = op.nn.batch_flatten(op.nn.max_pool2d(hidden, pool_size=(2, 2), strides=(2, 2)))
    logits = op.nn.bias_add(op.nn.dense(flat, w, units=None), b)
    loss = op.nn.cross_entropy_with_logits(op.nn.log_softmax(logits), y)
    func = Function(tuple(params.values()), loss)
    rng = np.random.default_rng(3)
    values = [rng.standard_normal(shape) for shape in shapes.values()]
    tx, tk, tw, tb, ty = leaves = [torch.tensor(value, requires_grad=True) for value in values]
    functional = torch.nn.functional
    by_torch = functional.max_pool2d(functional.conv2d(tx, tk).relu(), 2).flatten(1) @ tw.T + tb
    by_torch = -(by_torch.log_softmax(1) * ty).sum() / 2
    expected = [part.numpy() for part in torch.autograd.grad(by_torch, leaves)]
    for mode in MODES:
        result, grads = run(func, *values, mode=mode)
        np.testing.assert_allclose(result, by_torch.item())
        for one, other in zip(grads, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@both_modes
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_gradients_have_the_element_type_of_their_parameters(dtype, mode):
    x, y = Var("x", TensorType((2, 3), dtype)), Var("y", TensorType((3,), dtype))
    smooth = op.tanh(x) * op.erf(y) + op.log2(op.exp(x)) / op.sigmoid(y) + op.nn.softmax(x)
    body = op.clip(smooth, -1, 1) + op.mean(x) + op.sqrt(op.abs(x)) + op.nn.relu(y)
    typed = infer_type(gradient(Function((x, y), body), mode=mode))
    assert_structural_equal(
        typed.checked_type.ret_type.fields[1], TupleType((x.type_annotation, y.type_annotation))
    )


@both_modes
def test_sizes_need_not_be_known(mode):
    x, y = (Var(name, TensorType((AnySize(), 3), "float64")) for name in "xy")
    body = op.sum(op.nn.softmax(x * y) * op.mean(x, axis=(1,), keepdims=True))
    known = [Var(name, TensorType((2, 3), "float64")) for name in "xy"]
    rng = np.random.default_rng(0)
    args = [rng.standard_normal((2, 3)) for _ in "xy"]
    loose = evaluate(infer_type(gradient(Function((x, y), body), mode=mode)), args=args)
    x, y = known
    body = op.sum(op.nn.softmax(x * y) * op.mean(x, axis=(1,), keepdims=True))
    result, grads = run(Function((x, y), body), *args, mode=mode)
    assert result == loose[0]
    np.testing.assert_allclose(grads, loose[1])


@both_modes
def test_an_operator_without_gradient_is_named(mode):
    (x,) = scalars("x")
    with pytest.raises(GradientError, match=r"operator floor has no gradient; .*'floor'"):
        gradient(Function((x,), op.floor(x)), mode=mode)


@both_modes
def test_a_gradient_of_the_wrong_arity_is_told_of(mode):
    (x,) = scalars("x")
    said = "add returned 1 gradients for a call with 2 arguments"
    wrong = TempOpAttr("add", primal_gradient, lambda call, grad: [grad])
    with wrong, pytest.raises(GradientError, match=said):
        gradient(Function((x,), x + x), mode=mode)


@both_modes
def test_what_is_no_closed_function_of_tensors_is_refused(mode):
    x, y = scalars("x", "y")
    a = TypeVar("A")
    f = Var("f", FuncType((), SCALAR))
    for func, message in (
        (x * y, "the gradient is that of a function; found Call"),
        (Function((x,), x * y), r"free variables \(%y\); bind them first"),
        (Function((x,), x, SCALAR, (a,)), r"type parameters \(A\)"),
        (
            Function((f,), Call(f, ())),
            "parameter %f is a fn .*expected parameters that are tensors",
        ),
    ):
        with pytest.raises(GradientError, match=message):
            gradient(func, mode=mode)


def test_what_is_beyond_first_order_is_refused_with_the_way_out():
    x, y = scalars("x", "y")
    twice = Function((y,), y + y)
    for body in (
        Call(twice, (Call(twice, (x,)),)),
        Let(Var("f"), twice, x),
        TupleGetItem(Tuple((x, twice)), 0),
    ):
        with pytest.raises(GradientError, match="higher_order"):
            gradient(Function((x,), body), mode="first_order")
    mod = program("def @main(%x: float64) -> float64 { if (less(%x, 1f64)) { %x } else { %x } }")
    with pytest.raises(GradientError, match=r"if \(.*nothing for a first-order gradient"):
        gradient(mod["main"], mode="first_order")


def test_neither_data_nor_references_are_first_order():
    (x,) = scalars("x")
    ref = RefCreate(x)
    anything = Clause(PatternWildcard(), x)
    for body in (ref, RefRead(ref), RefWrite(ref, x), Match(x, (anything,))):
        kind = type(body).visit_name
        with pytest.raises(GradientError, match=rf"{kind} ?\(.*nothing for a first-order"):
            gradient(Function((x,), body), mode="first_order")


def test_a_slice_may_leave_its_last_ends_out():
    x = Var("x", TensorType((3, 4), "float64"))
    sliced = op.strided_slice(x, begin=(1, 3), end=(3,), strides=(1, -2))
    _, (grad,) = run(Function((x,), sliced), np.ones((3, 4)))
    assert grad.tolist() == [[0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 0, 1]]


def test_a_let_that_is_shared_is_bound_once():
    (x,) = scalars("x")
    v, w = Var("v"), Var("w")
    inner = Let(w, op.exp(x), w * w)
    outer = Let(v, x * x, inner)
    made = gradient(Function((x,), outer + inner))
    assert count_of("exp", made) == 1
    assert well_formed(made)


def test_a_rule_may_have_branches_and_results_in_tuples():
    def branching(call, grad):
        (pair,) = call.args
        first, second = TupleGetItem(pair, 0), TupleGetItem(pair, 1)
        half = op.sum(grad) * const(0.5, "float64")
        chosen = If(op.less(op.sum(call), const(10.0, "float64")), half, half + half)
        both = If(op.less(first, second), Tuple((chosen, chosen)), Tuple((half, half)))
        return [both]

    x, y = scalars("x", "y")
    body = op.sum(op.stack(Tuple((x, y)), axis=0))
    for mode in MODES:
        with TempOpAttr("stack", primal_gradient, branching):
            assert run(Function((x, y), body), 1.0, 2.0, mode=mode) == (3, (1, 1))
            assert run(Function((x, y), body), 7.0, 8.0, mode=mode) == (15, (2, 2))


def test_an_error_of_a_rule_says_whose_it_is():
    x, y = (Var(name, TensorType((AnySize(),), "float64")) for name in "xy")
    with pytest.raises(GradientError, match="the sizes along axis 0") as raised:
        gradient(Function((x, y), op.concatenate(Tuple((x, y)), axis=0)))
    assert "in the gradient of operator concatenate" in raised.value.__notes__


def test_a_function_called_where_it_stands_is_first_order():
    x, y = scalars("x", "y")
    call = Call(Function((y,), y * y * y), (x + x,))
    for mode in MODES:
        assert run(Function((x,), call), 1.0, mode=mode) == (8, (24,))


def test_requests_that_cannot_be_met_are_refused():
    (x,) = scalars("x")
    func = Function((x,), x)
    with pytest.raises(
        PassError, match="no mode 'forward' of gradient; use one of higher_order, first"
    ):
        gradient(func, mode="forward")
    with pytest.raises(PassError, match="is the pass FirstOrderGradient"):
        gradient(func, IRModule(), mode="first_order")
    with pytest.raises(UnknownNameError, match="no module to find @f in"):
        gradient(GlobalVar("f"))
    f = Var("f")
    for body, message in (
        (Let(f, get_op("negative"), x), "operator negative is used as a value"),
        (Tuple(()), "returns no tensor"),
        (func, "a value of type fn"),
    ):
        with pytest.raises(GradientError, match=message):
            gradient(Function((x,), body))
