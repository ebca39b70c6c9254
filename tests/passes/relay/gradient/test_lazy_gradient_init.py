"""Zeros and ones made when needed: the same values, and fewer of them made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from relayish.analysis import post_order_visit, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate, same_value
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.declaration.properties import evaluate as evaluators
from relayish.op.declaration.registry import get_op
from relayish.passes.relay.gradient.gradient import gradient
from relayish.prelude import import_from_std
from relayish.text import parse
from relayish.transform import get_pass, parse_pipeline
from tests.support.deep import DEEP_NESTS, call_chain, doublings
from tests.support.depth import DEPTH
from tests.support.goldens import CASES, Golden, read_goldens
from tests.support.random_smooth import Programs
from tests.support.seeds import seeds

HEADER = '#[version = "0.0.5"]\n'
PARAMS = "%x: Tensor[(2), float32], %y: Tensor[(2), float32]"
AROUND = "def @twice(%a: Tensor[(2), float32]) -> Tensor[(2), float32] { add(%a, %a) }"
X = np.array([1.5, -2.0], "float32")
Y = np.array([0.25, 3.0], "float32")


def module(body: str) -> IRModule:
    around = AROUND if "@twice" in body else ""
    start = import_from_std(IRModule(), "prelude") if "Cons" in body else None
    return parse(f"{HEADER}{around}def @main({PARAMS}) {{ {body} }}", init_module=start)


def names(func: Expr) -> list[str]:
    found: list[str] = []

    def note(node: Expr) -> None:
        if isinstance(node, Call) and isinstance(node.op, Op):
            found.append(node.op.name)

    post_order_visit(func, note)
    return found


BODIES = read_goldens(CASES / "lazy_gradient_init.relay")


@pytest.mark.parametrize("case", BODIES.values(), ids=BODIES)
def test_value_is_the_same(case: Golden) -> None:
    mod = module(case.before)
    image = get_pass("LazyGradientInit")(mod)
    assert "GradCell" in {header.name_hint for header in image.type_definitions}
    assert well_formed(image["main"])
    assert structural_equal(image["main"].checked_type, infer_type(mod)["main"].checked_type)
    assert get_pass("LazyGradientInit")(image) is image
    expected, found = evaluate(mod["main"], mod, [X, Y]), evaluate(image["main"], image, [X, Y])
    assert same_value(found, expected)


def test_zero_times_infinity_is_no_zero() -> None:
    mod = module("multiply(add(zeros_like(%x), zeros_like(%x)), %y)")
    image = get_pass("LazyGradientInit")(mod)
    infinite = np.array([np.inf, 1.0], "float32")
    assert np.isnan(evaluate(image["main"], image, [X, infinite])[0])


CHAIN = "LazyGradientInit,PartialEvaluate,DeadCodeElimination{inline_once=true}"


def test_zeros_that_are_added_are_not_made_after_partial_evaluation() -> None:
    image = parse_pipeline(CHAIN)(module("add(add(zeros_like(%x), %y), zeros_like(%y))"))
    assert names(image["main"]) == []


@pytest.mark.parametrize("mode", ["first_order", "higher_order"])
@pytest.mark.parametrize(
    "text", ["multiply(%x, %x)", "add(multiply(%x, %y), exp(%x))", "let %a = %x; add(%a, 1f)"]
)
def test_gradient_has_the_same_value(text: str, mode: str) -> None:
    func = module(text)["main"]
    assert isinstance(func, Function)
    mod = IRModule.from_expr(gradient(func, mode=mode))
    expected = evaluate(mod["main"], mod, [X, Y])
    for pipeline in ("LazyGradientInit", CHAIN):
        image = parse_pipeline(pipeline)(mod)
        assert same_value(evaluate(image["main"], image, [X, Y]), expected)


def test_gradients_of_random_programs_have_the_same_values() -> None:
    changed, drawn = 0, seeds(5)
    for seed in drawn:
        for mode in ("first_order", "higher_order"):
            func = Programs(seed, first_order=mode == "first_order").function()
            mod = infer_type(IRModule.from_expr(gradient(func, mode=mode)))
            image = get_pass("LazyGradientInit")(mod)
            values: list[object] = list(np.random.default_rng(seed).uniform(-1, 1, 3))
            expected = evaluate(mod["main"], mod, values)
            found = evaluate(image["main"], image, values)
            assert np.array_equal(np.hstack([*found[1]]), np.hstack([*expected[1]]))
            assert found[0] == expected[0]
            assert get_pass("LazyGradientInit")(image) is image
            changed += image is not mod
    assert changed > len(drawn)  # of twice as many


NETWORK = """
def @main(%x: Tensor[(4, 8), float32], %w: Tensor[(16, 8), float32], %b: Tensor[(16), float32]) {
  let %layer = fn (%a: Tensor[(4, 8), float32]) { tanh(add(nn.dense(%a, %w, units=16), %b)) };
  let %h = %layer(%x);
  let %g = if (less(sum(%x), 100f)) { multiply(%h, sigmoid(%h)) } else { %h };
  sum(add(%g, %h))
}"""


def test_gradient_of_a_network_makes_and_adds_fewer_zeros() -> None:
    with declared_temporarily():
        counts: Counter[str] = Counter()
        for name in ("zeros_like", "add", "multiply", "nn.dense"):
            evaluators.set(get_op(name), counting(name, counts), replace=True)
        check_counts(counts)


def check_counts(counts: Counter[str]) -> None:
    mod = IRModule.from_expr(gradient(parse(HEADER + NETWORK)["main"]))
    image = get_pass("LazyGradientInit")(mod)
    chance = np.random.default_rng(0)
    args = [chance.normal(size=size).astype("float32") for size in ((4, 8), (16, 8), (16,))]
    expected, before = evaluate(mod["main"], mod, args), counts.copy()
    counts.clear()
    found = evaluate(image["main"], image, args)
    assert same_value(found, expected)
    assert before == {"zeros_like": 12, "add": 14, "multiply": 7, "nn.dense": 3}
    assert counts == {"zeros_like": 3, "add": 5, "multiply": 7, "nn.dense": 3}


def counting(name: str, counts: Counter[str]) -> Callable[..., object]:
    evaluator = evaluators.get(get_op(name))
    assert evaluator is not None

    def count(*args: object, **kwargs: object) -> object:
        counts[name] += 1
        return evaluator(*args, **kwargs)

    return count


def test_values_differ_only_by_the_order_in_which_sums_go_through_memory() -> None:
    def main(size: str, body: str) -> IRModule:
        norm = "nn.instance_norm(%v, %g, %g, axis=3, epsilon=0.1f)"
        params = f"%x: Tensor[{size}, float32], %g: Tensor[(2), float32]"
        return parse(f"{HEADER}def @main({params}) {{ {body} {norm} }}")

    turned = "let %t = transpose(%x, axes=[0, 2, 3, 1]);"  # a view: memory stays as it is
    product = "let %v = multiply(ones_like(%t), %t);"  # a new tensor, in order
    with_product = main("(2, 2, 6, 7)", turned + product)
    image = get_pass("LazyGradientInit")(with_product)
    without = main("(2, 2, 6, 7)", turned + "let %v = %t;")
    in_order = main("(2, 6, 7, 2)", "let %v = %x;")
    gamma = np.array([0.5, 1.25], "float32")
    differing = 0
    for seed in seeds(10):
        x = np.random.default_rng(seed).normal(size=(2, 2, 6, 7)).astype("float32")
        product_value, value, without_value = (
            evaluate(mod["main"], mod, [x, gamma]) for mod in (with_product, image, without)
        )
        ordered = evaluate(
            in_order["main"], in_order, [np.ascontiguousarray(np.moveaxis(x, 1, 3)), gamma]
        )
        assert same_value(value, without_value)
        assert same_value(product_value, ordered)
        np.testing.assert_allclose(value, product_value, rtol=1e-5, atol=1e-5)
        differing += not same_value(value, product_value)
    assert differing


def test_pass_is_registered_as_in_relay() -> None:
    info = get_pass("LazyGradientInit").info
    assert (info.opt_level, info.required) == (2, ())


@pytest.mark.deep
@pytest.mark.parametrize("nest", ["let_value", "ref_nest", "projection_nest", "match_nest"])
def test_zeros_go_through_deep_nests(nest: str) -> None:
    levels = DEPTH if nest == "ref_nest" else 5_000
    x = Var("x", TensorType((), "int32"))
    inner = DEEP_NESTS[nest](levels, Call(get_op("zeros_like"), (x,)))
    mod = IRModule.from_expr(Function((x,), Call(get_op("add"), (inner, x))))
    image = get_pass("LazyGradientInit")(mod)
    assert evaluate(image["main"], image, [np.int32(7)]) == 7
    assert "add" in names(image["main"])
    assert isinstance(image["main"].body, Call)
    assert not isinstance(image["main"].body.op, Op)


@pytest.mark.deep
def test_deep_and_shared_sums_of_zeros_become_cells() -> None:
    x = Var("x", TensorType((), "int32"))
    zeros = Call(get_op("zeros_like"), (x,))
    for body in (call_chain(min(DEPTH, 20_000), zeros), doublings(60, zeros)):
        mod = IRModule.from_expr(Function((x,), body))
        image = get_pass("LazyGradientInit")(mod)
        assert "GradCell" in {header.name_hint for header in image.type_definitions}
