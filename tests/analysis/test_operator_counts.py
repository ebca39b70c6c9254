from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import (
    count_layers,
    extract_fused_functions,
    extract_intermdeiate_expr,
    extract_intermediate_expr,
    extract_operators,
    get_total_mac_number,
    list_fake_quantized_op_freqs,
    list_op_freqs,
    post_order_visit,
)
from relayish.errors import FieldError, FieldIndexError, OperatorError, UnknownNameError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from tests.support.deep import call_chain, let_body
from tests.support.depth import DEPTH
from tests.support.typed_text import program

add, tanh = intern_op("add"), intern_op("tanh")


def tensor(name: str, *shape: int) -> Var:
    return relay.var(name, shape=shape)


# operators


def test_operators_are_counted_by_distinct_calls():
    x = Var("x")
    once = Call(tanh, (x,))
    mod = IRModule({"main": Function((x,), Call(add, (once, Call(add, (once, once)))))})
    assert list_op_freqs(mod) == {"add": 2, "tanh": 1}
    assert extract_operators(mod) == ["add", "tanh"]


def test_operators_of_functions_that_main_needs_count_and_of_others_do_not():
    mod = program("""
        def @main(%x: float32) { @f(@f(%x)) }
        def @f(%x: float32) -> float32 { exp(%x) }
        def @unused(%x: float32) { tanh(%x) }
    """)
    assert list_op_freqs(mod) == {"exp": 1}
    assert list_op_freqs(mod.without_functions(["main"])) == {"exp": 1, "tanh": 1}


def test_calls_between_dequantize_and_quantize_count():
    mod = program("""
        def @main(%x: Tensor[(2, 2), int8], %y: Tensor[(2, 2), float32]) {
          %0 = qnn.dequantize(%x, 2f, 0, out_dtype="float32");
          %1 = nn.relu(%0);
          %2 = add(%1, nn.relu(%1));
          (qnn.quantize(%2, 2f, 0, out_dtype="int8"),
           qnn.quantize(tanh(%y), 2f, 0, out_dtype="int8"),
           exp(%2))
        }
    """)
    assert list_fake_quantized_op_freqs(mod) == {"add": 1, "nn.relu": 2}


def test_a_region_with_a_branch_in_it_does_not_count():
    mod = program("""
        def @main(%c: bool, %x: Tensor[(2), int8]) {
          %0 = qnn.dequantize(%x, 2f, 0, out_dtype="float32");
          qnn.quantize(if (%c) { exp(%0) } else { %0 }, 2f, 0, out_dtype="int8")
        }
    """)
    assert list_fake_quantized_op_freqs(mod) == {}


# parts of a program


def test_parts_are_numbered_children_first():
    mod = program("""
        def @main(%x: float32, %y: float32) {
          %0 = exp(%x);
          %1 = (%0, %y);
          add(%1.1, %0)
        }
    """)
    parts = [extract_intermediate_expr(mod, number)["main"] for number in range(4)]
    assert [type(part.body).__name__ for part in parts] == ["Call", "Tuple", "TupleGetItem", "Call"]
    assert [[p.name_hint for p in part.params] for part in parts] == [
        ["x"],
        ["x", "y"],
        ["x", "y"],
        ["x", "y"],
    ]
    assert extract_intermdeiate_expr is extract_intermediate_expr


@pytest.mark.parametrize("number", [-1, 1])
def test_a_number_that_no_part_has_is_an_error(number):
    with pytest.raises(FieldIndexError, match=f"no expression {number}; .* from 0 to 0"):
        extract_intermediate_expr(program("def @main(%x: int32) { negative(%x) }"), number)


def test_equal_primitive_functions_are_extracted_once():
    mod = program("""
        def @main(%x: float32) {
          %0 = fn (%a: float32, Primitive=1) { tanh(%a) };
          %1 = fn (%b: float32, Primitive=1) { tanh(%b) };
          %2 = fn (%b: float32, Primitive=1) { exp(%b) };
          %3 = fn (%b: float32) { exp(%b) };
          %3(%2(%1(%0(%x))))
        }
    """)
    found = extract_fused_functions(mod)
    assert len(found) == 2
    tanh_, exp_ = sorted(found.values(), key=lambda function: function.body.op.name, reverse=True)
    assert (tanh_.body.op.name, exp_.body.op.name) == ("tanh", "exp")
    assert structural_equal(*[f for f in found.values() if f.body.op.name == "exp"] * 2)


def test_functions_that_hash_alike_are_all_extracted(monkeypatch):
    monkeypatch.setattr("relayish.analysis.extract.structural_hash", lambda _: 7)
    attrs = DictAttrs({"Primitive": 1})
    functions = [Function((), Constant(number), attrs=attrs) for number in (1, 2, 1)]
    mod = IRModule({"main": Function((), Tuple(tuple(functions)))})
    assert list(extract_fused_functions(mod)) == ["7", "7_1"]


# multiplications


def test_a_convolution_multiplies_for_each_output_window_and_channel():
    data, weight = tensor("data", 1, 64, 56, 56), tensor("weight", 32, 16, 3, 3)
    conv = relay.nn.conv2d(data, weight, groups=4, padding=1, channels=32, kernel_size=3)
    assert get_total_mac_number(Function((data, weight), conv)) == 32 * 56 * 56 * 9 * 16


def test_multiplications_do_not_depend_on_the_layout_or_on_what_attributes_say():
    channels_first = relay.nn.conv2d(tensor("d", 2, 8, 9, 9), tensor("w", 4, 8, 3, 3))
    channels_last = relay.nn.conv2d(
        tensor("d", 2, 9, 9, 8),
        tensor("w", 3, 3, 8, 4),
        data_layout="NHWC",
        kernel_layout="HWIO",
        channels=4,
        kernel_size=(3, 3),
    )
    assert get_total_mac_number(channels_first) == 2 * 4 * 7 * 7 * 9 * 8
    assert get_total_mac_number(channels_last) == get_total_mac_number(channels_first)


def test_a_transposed_convolution_counts_by_its_outputs_as_in_relay():
    data, weight = tensor("d", 1, 3, 8, 8), tensor("w", 3, 10, 3, 3)
    call = relay.nn.conv2d_transpose(data, weight, channels=10, kernel_size=(3, 3))
    assert get_total_mac_number(call) == 10 * 10 * 10 * 9 * 3


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: relay.nn.dense(tensor("a", 8, 16), tensor("b", 4, 16)), 8 * 16 * 4),
        (
            lambda: relay.nn.batch_matmul(tensor("a", 3, 8, 16), tensor("b", 3, 4, 16)),
            3 * 8 * 16 * 4,
        ),
        (
            lambda: relay.nn.batch_matmul(
                tensor("a", 3, 16, 8), tensor("b", 3, 16, 4), transpose_a=True, transpose_b=False
            ),
            3 * 8 * 16 * 4,
        ),
        (lambda: relay.nn.matmul(tensor("a", 8, 16), tensor("b", 16, 4)), 8 * 16 * 4),
        (lambda: relay.nn.conv1d(tensor("a", 1, 2, 9), tensor("b", 4, 2, 3)), 4 * 7 * 3 * 2),
    ],
)
def test_products_of_matrices_count(call, expected):
    assert get_total_mac_number(call()) == expected


def test_a_shared_call_counts_once_and_other_operators_not_at_all():
    dense = relay.nn.dense(tensor("a", 8, 16), tensor("b", 4, 16))
    assert get_total_mac_number(relay.add(dense, relay.nn.relu(dense))) == 8 * 16 * 4


def test_sizes_that_are_not_known_are_refused():
    a = relay.var("a", relay.TensorType((relay.Any(), 16), "float32"))
    with pytest.raises(OperatorError, match="cannot count multiplications"):
        get_total_mac_number(relay.nn.dense(a, tensor("b", 4, 16)))


def test_of_a_module_main_is_counted():
    mod, _ = relay.testing.mlp.get_workload(batch_size=1)
    assert get_total_mac_number(mod) == 784 * 128 + 128 * 64 + 64 * 10


# layers


def test_layers_are_those_of_the_longest_chain():
    x = Var("x")
    short = Call(tanh, (x,))
    long = Call(tanh, (Call(add, (Call(tanh, (short,)), x)),))
    both = Function((x,), Call(add, (short, long)))
    assert count_layers(both, ["tanh"]) == 3
    assert count_layers(IRModule({"main": both}), ["tanh", "add"]) == 5
    assert count_layers(both, []) == 0


def test_a_part_that_was_visited_before_counts_in_the_second_chain():
    """Relay's counter, which remembers visits, says 2."""
    x = Var("x")
    shared = Call(tanh, (Call(tanh, (x,)),))
    body = Call(add, (shared, Call(tanh, (shared,))))
    assert count_layers(Function((x,), body), ["tanh"]) == 3


def test_chains_go_through_lets_and_called_functions():
    x, y, z, p = (Var(name) for name in "xyzp")
    func = Function((p,), Call(tanh, (p,)))
    body = Let(y, Call(tanh, (x,)), Let(z, y, Call(func, (Call(tanh, (z,)),))))
    assert count_layers(Function((x,), body), ["tanh"]) == 3


def test_what_is_no_function_or_no_operator_is_refused():
    with pytest.raises(FieldError, match="counted in a function"):
        count_layers(Var("x"), ["tanh"])
    with pytest.raises(UnknownNameError, match="tnah"):
        count_layers(Function((), Constant(1)), ["tnah"])


def test_layers_are_counted_of_several_operators():
    x = Var("x")
    with pytest.raises(FieldError, match=r"found 'tanh'; write \['tanh'\]"):
        count_layers(Function((x,), x), "tanh")


def first_call(func: Function) -> Expr:
    """Return the innermost call."""
    found: list[Expr] = []
    post_order_visit(func, found.append)
    return next(node for node in found if type(node) is Call)


@pytest.mark.deep
@pytest.mark.parametrize("nest", [call_chain, let_body])
def test_deep_programs_are_analysed(nest):
    x = relay.var("x", "int32")
    func = Function((x,), nest(DEPTH, relay.negative(x)))
    mod = IRModule({"main": func})
    assert list_op_freqs(mod)["negative"] == 1
    assert count_layers(func, ["negative"]) == 1
    assert extract_intermediate_expr(mod, 0)["main"].body is first_call(func)
    assert get_total_mac_number(func) == 0
