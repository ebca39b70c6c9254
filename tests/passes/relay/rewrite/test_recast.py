"""Operators computed in another element type."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.errors import FieldError, PassError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.builder import op
from relayish.text import parse
from relayish.transform import recast

HEADER = '#[version = "0.0.5"]\n'


def convolution(x: Expr, weight: Expr, out_dtype: str = "float32") -> Call:
    return op.nn.conv2d(x, weight, padding=(1, 1), out_dtype=out_dtype)


x, w = var("x", shape=(8, 8, 8, 8)), var("w", shape=(8, 8, 3, 3))


def recasts(expr: Expr) -> list[bool]:
    """Tell of the convolutions of ``expr``, the innermost first, which are in int8."""
    found = [n for n in EXPRESSIONS.post_order(expr) if type(n) is Call]
    return [n.attrs.out_dtype == "int32" for n in found if n.op.name == "nn.conv2d"]


def test_operands_and_result_are_cast() -> None:
    expected = op.cast(
        convolution(op.cast(x, dtype="int8"), op.cast(w, dtype="int8"), "int32"), dtype="float32"
    )
    image = recast(Function((x, w), convolution(x, w)), "int8", "int32")
    assert_structural_equal(infer_type(image), infer_type(Function((x, w), expected)))


def test_fields_of_a_concatenation_are_cast() -> None:
    y = var("y", shape=(8, 8, 8, 8))
    image = recast(op.concatenate((x, y), axis=1), "float16", "float16", ops=["concatenate"])
    inside = image.args[0]
    assert (image.op.name, image.attrs.dtype) == ("cast", "float32")
    assert inside.op.name == "concatenate"
    assert [field.attrs.dtype for field in inside.args[0].fields] == ["float16"] * 2


@pytest.mark.parametrize(
    ("skip", "expected"),
    [
        ([], [True] * 3),
        ([0], [False, True, True]),
        ([-1], [True, True, False]),
        ([0, -1], [False, True, False]),
        ([1], [True, False, True]),
    ],
)
def test_layers_are_skipped_by_number(skip: list[int], expected: list[bool]) -> None:
    plain = convolution(op.nn.relu(convolution(convolution(x, w), w)), w)
    first, second = Var("first"), Var("second")
    bound = Let(
        first,
        convolution(x, w),
        Let(second, op.nn.relu(convolution(first, w)), convolution(second, w)),
    )
    for program in (plain, bound):
        assert recasts(recast(program, "int8", "int32", skip_layers=skip)) == expected


def test_parallel_calls_are_one_layer() -> None:
    program = convolution(op.add(convolution(x, w), convolution(x, w)), w)
    assert recasts(recast(program, "int8", "int32", skip_layers=[0])) == [False, False, True]


def test_program_without_such_calls_is_returned_as_it_is() -> None:
    program = op.nn.relu(x)
    assert recast(program, "int8", "int32") is program
    only = convolution(x, w)
    assert recast(only, "int8", "int32", skip_layers=[0]) is only


def test_main_of_a_module_is_recast_and_calls_others() -> None:
    mod = parse(
        HEADER + "def @relu(%a: Tensor[(2, 2), float32]) { nn.relu(%a) }\n"
        "def @main(%a: Tensor[(2, 2), float32]) { nn.dense(@relu(%a), %a, units=2) }"
    )
    out = recast(mod, "float16", "float32", ops=["nn.dense", "nn.relu"])
    assert isinstance(out, IRModule)
    assert out["relu"] is mod["relu"]
    assert infer_type(out)["main"].body.op.name == "cast"


def test_arguments_that_make_no_sense_are_refused() -> None:
    x = var("x", shape=(2, 2))
    with pytest.raises(PassError, match="ops are names of operators, in a list"):
        recast(x, "int8", "int32", ops="nn.dense")
    with pytest.raises(FieldError, match="integer"):
        recast(x, "integer", "int32")


def test_long_networks_are_no_matter() -> None:
    program: Expr = var("x", shape=(2, 2))
    for _ in range(15_000):
        program = op.nn.relu(program)
    program = op.nn.dense(program, program, units=2)
    assert recast(program, "float16", "float16", ops=["nn.dense"]).op.name == "cast"


def test_nothing_but_the_calls_is_changed() -> None:
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
    func = relay.Function((x, y), relay.exp(relay.add(x, y)))
    image = recast(func, "int8", "int32", ops=["add"])
    assert image.params == (x, y)
    assert image.ret_type is None
    narrow = relay.add(relay.cast(x, "int8"), relay.cast(y, "int8"))
    by_hand = relay.Function((x, y), relay.exp(relay.cast(narrow, "float32")))
    assert relay.structural_equal(image, by_hand)
    assert recast(func, "int8", "int32") is func
