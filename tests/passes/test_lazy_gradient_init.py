"""Zeros and ones made when needed: the same values, and fewer of them made."""

from __future__ import annotations

import numpy as np
import pytest
from deep import call_chain, doublings

from relayish.analysis import post_order_visit, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate, same_value
from relayish.ir.expr import Call, Expr, Function, Op, Var
from relayish.ir.module import IRModule
from relayish.ir.type import TensorType
from relayish.op.registry import get_op
from relayish.passes.gradient import gradient
from relayish.text import parse
from relayish.transform import get_pass, parse_pipeline

HEADER = '#[version = "0.0.5"]\n'
X = np.array([1.5, -2.0], "float32")
Y = np.array([0.25, 3.0], "float32")


def module(body: str) -> IRModule:
    params = "%x: Tensor[(2), float32], %y: Tensor[(2), float32]"
    return parse(f"{HEADER}def @main({params}) {{ {body} }}")


def names(func: Expr) -> list[str]:
    found: list[str] = []

    def note(node: Expr) -> None:
        if isinstance(node, Call) and isinstance(node.op, Op):
            found.append(node.op.name)

    post_order_visit(func, note)
    return found


BODIES = {
    "zeros added": "add(zeros_like(%x), %y)",
    "zeros added on the right, bound": 'let %z = zeros(shape=[2], dtype="float32"); add(%y, %z)',
    "zeros added to zeros": "add(zeros_like(%x), zeros_like(%y))",
    "ones multiplied": "multiply(ones_like(%x), multiply(%x, %y))",
    "ones added": "add(ones_like(%x), %y)",
    "zeros multiplied": "multiply(zeros_like(%x), %y)",
    "sum that is used elsewhere": "let %s = add(zeros_like(%x), %y); (%s, exp(%s), add(%s, %x))",
    "in a branch": "if (less(1, 2)) { add(zeros_like(%x), %y) } else { %x }",
    "in a function": "let %f = fn (%a: Tensor[(2), float32]) { add(zeros_like(%a), %y) }; %f(%x)",
}


@pytest.mark.parametrize("name", sorted(BODIES))
def test_value_is_the_same(name: str) -> None:
    mod = module(BODIES[name])
    image = get_pass("LazyGradientInit")(mod)
    assert image is not mod
    assert well_formed(image["main"])
    assert get_pass("LazyGradientInit")(image) is image
    expected, found = evaluate(mod["main"], mod, [X, Y]), evaluate(image["main"], image, [X, Y])
    assert same_value(found, expected)


@pytest.mark.parametrize(
    "body",
    [
        "add(%x, %y)",
        "zeros_like(%x)",
        "exp(zeros_like(%x))",
        'add(zeros(shape=[], dtype="float32"), %y)',
    ],
)
def test_module_without_profit_comes_back(body: str) -> None:
    mod = infer_type(module(body))
    assert get_pass("LazyGradientInit")(mod) is mod


def test_zero_times_infinity_is_no_zero() -> None:
    mod = module("multiply(zeros_like(%x), %y)")
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


def test_pass_is_registered_as_in_relay() -> None:
    info = get_pass("LazyGradientInit").info
    assert (info.opt_level, info.required) == (2, ())


def test_deep_and_shared_sums_of_zeros_become_cells() -> None:
    x = Var("x", TensorType((), "int32"))
    zeros = Call(get_op("zeros_like"), (x,))
    for body in (call_chain(20_000, zeros), doublings(60, zeros)):
        mod = IRModule.from_expr(Function((x,), body))
        image = get_pass("LazyGradientInit")(mod)
        assert "GradCell" in {header.name_hint for header in image.type_definitions}
