"""What type errors say of programs that were built in Python, in which nothing has a span."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import infer_type
from relayish.analysis.infer_type.surroundings import Surroundings
from relayish.errors import TypeInferenceError
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import (
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.op.declaration.registry import get_op

A, B = relay.var("a", shape=(3, 4)), relay.var("b", shape=(5,))
ADD = get_op("add")
CLASH = (
    "cannot broadcast (3, 4) with (5,): in axis 1 of the result the sizes are 4 and 5; "
    "they must be equal or 1"
)


def told(body: Expr | IRModule, *params: Var) -> list[str]:
    mod = body if isinstance(body, IRModule) else IRModule({"main": Function(params, body)})
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(mod)
    return [diagnostic.message for diagnostic in raised.value.diagnostics]


def test_error_names_the_call_of_the_operator():
    assert told(relay.nn.relu(relay.add(A, B)), A, B) == [f"add(%a, %b): {CLASH}"]


def test_error_says_what_operands_are_that_are_calls():
    call = relay.add(relay.exp(A), relay.tanh(B))
    assert told(call, A, B) == [f"add(%0, %1): {CLASH}; %0 is exp(%a), %1 is tanh(%b)"]


def test_error_says_of_an_operand_that_is_shared_that_it_is():
    deep = relay.exp(A)
    call = relay.add(relay.tanh(deep), relay.Tuple([deep]))
    (message,) = told(call, A)
    assert message.endswith("; %0 is tanh(%2), %1 is (%2,)")


def test_error_names_the_variable_that_a_let_binds_to_the_call():
    sum_, first = Var("sum"), Var("first")
    body = Let(first, relay.exp(A), Let(sum_, relay.add(first, B), sum_))
    assert told(body, A, B) == [f"%sum = add(%first, %b): {CLASH}"]


def test_error_in_the_body_of_a_let_is_not_that_of_its_variable():
    assert told(Let(Var("x"), A, relay.add(A, B)), A, B) == [f"add(%a, %b): {CLASH}"]


def test_error_about_a_constant_needs_no_quotation():
    with pytest.raises(TypeInferenceError, match=r"^the constant 'text' is no tensor"):
        infer_type(relay.const("text"))


def test_error_in_what_carries_types_names_the_variable_as_well():
    total = Var("total")
    typed = infer_type(Function((A, B), Let(total, relay.add(A, relay.exp(A)), total)))
    wrong = relay.add(A, B).with_fields(checked_type=typed.ret_type)
    let = typed.body.with_fields(value=wrong, checked_type=typed.ret_type)
    func = typed.with_fields(body=let, checked_type=typed.checked_type)
    with pytest.raises(TypeInferenceError, match=r"^%total = add\(%a, %b\): cannot broadcast"):
        infer_type(func, fresh=True)


def test_one_of_a_hundred_calls_can_be_told():
    body, params = A, [relay.var(f"w{number}", shape=(4,)) for number in range(100)]
    params[57] = relay.var("w57", shape=(5,))
    for param in params:
        body = relay.add(body, param)
    assert told(body, A, *params) == [f"add(%0, %w57): {CLASH}; %0 is add(%1, %w56)"]


def test_error_names_the_call_of_a_function():
    f = GlobalVar("f")
    mod = IRModule({"f": Function((A,), A), "main": Function((B,), Call(f, (B, B)))})
    (message,) = told(mod)
    assert message.startswith("@f(%b, %b): @f is called with 2 arguments; expected 1: fn (")


def test_error_about_an_argument_names_the_call():
    f = GlobalVar("f")
    mod = IRModule({"f": Function((A,), A), "main": Function((B,), Call(f, (relay.exp(B),)))})
    (message,) = told(mod)
    assert message.startswith("@f(%0): argument 0 of @f: expected Tensor[(3, 4), float32]")
    assert message.endswith("; %0 is exp(%b)")


def test_error_names_what_is_no_call():
    found = told(Tuple((If(A, A, A), TupleGetItem(Tuple((A,)), 3), relay.RefRead(A))), A)
    assert [message.partition(": ")[0] for message in found] == [
        "if (%a) {...} else {...}",
        "%0.3",
        "ref_read(%a)",
    ]


def test_error_about_a_field_says_which_is_the_last():
    (message,) = told(TupleGetItem(Tuple((A, A)), 2), A)
    assert "a tuple of 2 fields has no field 2: (" in message
    assert "; the last one is field 1" in message


def test_error_is_short_however_many_arguments_there_are():
    many = Tuple([relay.exp(A)] * 100_000)
    (message,) = told(Call(ADD, (many, *[B] * 1000)), A, B)
    assert message.startswith("add(%0, %b, %b, %b, %b, %b, ...): ")
    assert len(message) < 500


def test_error_with_a_place_in_a_text_does_not_quote_the_call():
    call = Call(ADD, (A, B), span=Span("m.relay", 3, 3, 5, 9))
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(IRModule({"main": Function((A, B), call)}))
    assert str(raised.value) == f"m.relay:3:5: add: {CLASH} (in @main)"


def test_error_in_an_expression_names_the_call():
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(relay.add(A, B))
    assert str(raised.value) == f"add(%a, %b): {CLASH}"


def test_sound_program_is_not_looked_at_for_errors(monkeypatch):
    monkeypatch.delattr(Surroundings, "quote")
    monkeypatch.delattr(Surroundings, "user")
    assert infer_type(IRModule({"main": Function((A,), relay.exp(A))}))


class TestUnboundVariables:
    def test_annotated_variable_is_refused_in_a_function_of_a_module(self):
        assert told(relay.add(A, relay.exp(A))) == [
            "exp(%a): variable %a is not bound where it is used; bind it, or make it a parameter"
        ]

    def test_variable_without_a_type_is_refused_in_an_expression(self):
        with pytest.raises(TypeInferenceError) as raised:
            infer_type(relay.exp(Var("q")))
        assert str(raised.value) == (
            "exp(%q): variable %q is not bound where it is used, and has no type; annotate it, or "
            "bind it"
        )

    def test_annotated_variable_may_be_free_in_an_expression(self):
        assert infer_type(relay.exp(A)).checked_type is not None

    def test_namesake_that_is_bound_is_pointed_out(self):
        (message,) = told(relay.exp(A), relay.var("a", shape=(3, 4)))
        assert message.endswith("another variable called %a is bound: use that one there")

    def test_place_of_the_use_is_told(self):
        call = relay.exp(A).with_fields(span=Span("m.relay", 3, 3, 5, 9))
        with pytest.raises(TypeInferenceError, match=r"^m\.relay:3:5: variable %a is not bound"):
            infer_type(IRModule({"main": Function((), call)}))

    def test_each_is_told_once(self):
        assert len(told(Tuple((A, B, A, relay.exp(B))))) == 2

    def test_body_that_is_one_is_told_without_a_use(self):
        (message,) = told(A)
        assert message.startswith("fn () {...}: variable %a is not bound")
