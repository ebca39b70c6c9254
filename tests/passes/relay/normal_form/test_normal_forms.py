"""A-normal form and basic block normal form: what is bound, where, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import analyse_effects, effectful, normal_form, well_formed
from relayish.analysis.effectful import find_effectful_nodes
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.ir.nodes.node import Node
from relayish.ir.relay.op import intern_op
from relayish.ir.scopes.node_scopes import Scopes
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.normal_form.to_basic_block_normal_form import to_basic_block_normal_form
from relayish.text import parse, parse_expr
from relayish.transform import get_pass
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.deep_programs import functions
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'
FORMS = (to_a_normal_form, to_basic_block_normal_form)


@pytest.mark.parametrize(
    "body",
    [
        "add(%0, if (%c) { %0 } else { %x })",
        "if (less(%0, 1)) { %0 } else { add(%0, fn () { %0 }()) }",
        "let %a = negative(%0); if (%c) { %0 } else { %a }",
        "let %f = fn (%y: int32) { negative(%y) }; (%0, fn () { %f(%0) })",
    ],
)
def test_what_the_block_around_uses_first_stays_as_in_relay(body: str) -> None:
    func = parse_expr(f"fn (%c: bool, %x: int32) {{ %0 = add(%x, 1); {body} }}")
    assert to_basic_block_normal_form(func) is func
    normal_form.check_basic_block_normal_form(func)
    bound = to_basic_block_normal_form(func, whole=True)
    assert isinstance(bound.body, relay.Let)
    assert normal_form.is_basic_block_normal_form(bound)


def test_constant_stays_a_constant_unless_branches_alone_share_it() -> None:
    """As in TVM: of ``y = x + 1`` and branches on ``y`` and 1, under a test of 1, y is bound."""
    x, one = relay.Var("x"), relay.Constant(np.float32(1))
    y = relay.Call(intern_op("add"), (x, one))
    branches = [relay.Call(intern_op(name), (y, one)) for name in ("multiply", "add")]
    image = to_basic_block_normal_form(
        relay.If(relay.Call(intern_op("equal"), (x, one)), *branches)
    )
    assert isinstance(image, relay.Let)
    assert image.value is y
    assert isinstance(image.body, relay.If)
    apart = [relay.Call(intern_op(name), (x, one)) for name in ("multiply", "add")]
    alone = to_basic_block_normal_form(relay.If(x, *apart))
    assert isinstance(alone, relay.Let)
    assert alone.value is one


def test_another_name_is_not_moved_in_front_of_the_function_it_stands_for() -> None:
    func = parse_expr("fn () { let %f = fn (%n: int32) { let %g = %f; %g(%n) }; %f }")
    for form in FORMS:
        assert well_formed(form(func))
    assert to_basic_block_normal_form(func) is func


def test_a_primitive_function_stays_as_it_is() -> None:
    kernel = "fn (%y: int32, Primitive=1) { negative(negative(%y)) }"
    inside = parse_expr(f"fn (%x: int32) {{ let %k = {kernel}; let %a = %k(%x); %a }}")
    assert normal_form.is_a_normal_form(inside)
    assert to_a_normal_form(inside) is inside
    alone = parse_expr(kernel)
    assert to_a_normal_form(alone) is alone


def test_functions_of_other_compilers_are_left_alone() -> None:
    mod = parse(HEADER + 'def @f(%x: int32, Compiler="other") { negative(negative(%x)) }')
    assert get_pass("ToANormalForm")(mod) is mod


def test_passes_leave_their_input_as_it_was() -> None:
    mod = parse(HEADER + "def @main(%x: int32) { negative(negative(%x)) }")
    before = mod["main"]
    assert get_pass("ToANormalForm")(mod) is not mod
    assert mod["main"] is before


def test_spans_are_those_of_what_is_bound() -> None:
    mod = parse(HEADER + "def @main(%x: int32) { negative(%x) }")
    body = mod["main"].body
    image = to_a_normal_form(mod["main"]).body
    assert body.span is not None
    assert image.span == image.value.span == image.var.span == body.span


# Effects

ADD, LESS = intern_op("add"), intern_op("less")


def _write(ref: relay.Expr, value: relay.Expr) -> relay.Expr:
    """``{ let w = ref_write(ref, value); value }``, an expression that acts."""
    return relay.Let(relay.Var("w"), relay.RefWrite(ref, value), value)


def _programs_that_act() -> list[relay.Expr]:
    """Programs in which what is shared acts, and so does what stands around it."""
    programs: list[relay.Expr] = []
    one, two, ten = relay.Constant(1), relay.Constant(2), relay.Constant(10)
    for read, cond in product((True, False), (True, False)):
        ref = relay.Var("r")
        shared: relay.Expr = (
            relay.RefRead(ref) if read else _write(ref, relay.Call(ADD, (relay.RefRead(ref), two)))
        )
        test: relay.Expr = relay.Constant(True)
        if cond:
            test = relay.Call(LESS, (_write(ref, ten), relay.Constant(11)))
        bodies = (
            relay.If(test, shared, shared),
            relay.Call(ADD, (shared, relay.If(test, shared, one))),
            relay.Call(ADD, (relay.If(test, shared, one), shared)),
            relay.Call(
                ADD, (_write(ref, two), relay.If(test, shared, relay.Call(ADD, (shared, one))))
            ),
            relay.Call(ADD, (relay.Let(relay.Var("u"), relay.RefWrite(ref, two), shared), shared)),
            relay.Tuple((relay.RefRead(ref), relay.If(test, shared, shared), relay.RefRead(ref))),
            relay.Call(
                relay.Function((), relay.Tuple((shared, relay.If(test, shared, shared)))), ()
            ),
        )
        programs += [
            relay.Let(ref, relay.RefCreate(one), relay.Tuple((body, relay.RefRead(ref))))
            for body in bodies
        ]
    return programs


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(len(_programs_that_act())))
def test_what_acts_keeps_its_order(form: Callable[[relay.Expr], relay.Expr], number: int) -> None:
    program = _programs_that_act()[number]
    assert analyse_effects(program).effectful_nodes()
    image = form(program)
    assert well_formed(image)
    assert form(image) is image
    assert evaluate(image) == evaluate(program)


# Checks


def test_check_names_the_operand_that_is_no_name_and_its_place() -> None:
    mod = parse(HEADER + "def @main(%x: int32) {\n  negative(negative(%x))\n}")
    with pytest.raises(
        relay.CheckError, match=r"a Call at .*:3:3 is the result of a block"
    ) as caught:
        normal_form.check_a_normal_form(mod["main"])
    assert caught.value.check == "a_normal_form"


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("let %a = add(%x, 1); %a", "a Constant at .* is an operand of a Call"),
        ("let %a = { let %b = negative(%x); %b }; %a", "a Let .* is the value of another let"),
        ("1", "a Constant at .* is the result of a block"),
        ("let %a = if (less(%x, %x)) { %x } else { %x }; %a", "a Call .* is an operand of an If"),
        ("%0 = negative(%x); let %a = %0; let %b = %0; %b", "is the value of two lets"),
        ("let %f = fn () { negative(%x) }; %f", "a Call .* is the result of a block"),
    ],
)
def test_what_is_not_in_a_normal_form_is_refused(program: str, problem: str) -> None:
    func = parse_expr(f"fn (%x: int32) {{ {program} }}")
    with pytest.raises(relay.CheckError, match=problem):
        normal_form.check_a_normal_form(func)
    normal_form.check_a_normal_form(to_a_normal_form(func))


def test_what_is_shared_by_blocks_and_not_bound_is_refused() -> None:
    func = parse_expr("fn (%c: bool, %x: int32) { %0 = negative(%x); if (%c) { %0 } else { %0 } }")
    with pytest.raises(relay.CheckError, match=r"a Call at .* is used in several blocks"):
        normal_form.check_basic_block_normal_form(func)
    assert normal_form.is_basic_block_normal_form(to_basic_block_normal_form(func))


def test_names_may_be_used_in_several_blocks() -> None:
    normal_form.check_basic_block_normal_form(
        parse_expr("fn (%c: bool, %x: int32) { if (%c) { negative(%x) } else { negative(%x) } }")
    )


# Size


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_deep_nests(form: Callable[[relay.Expr], relay.Expr], nest: str) -> None:
    image = form(DEEP_NESTS[nest](min(DEPTH, 20_000)))
    assert form(image) is image


def test_sharing_is_kept() -> None:
    shared = doublings(100)
    assert to_basic_block_normal_form(shared) is shared
    image, lets = to_a_normal_form(shared), 0
    while isinstance(image, relay.Let):
        image, lets = image.body, lets + 1
    assert lets == 101


@pytest.mark.parametrize("levels", [100, 1000])
def test_a_node_shared_through_many_ifs_is_placed_once(levels: int) -> None:
    cond, shared = relay.Var("c"), relay.Tuple(())
    expr: relay.Expr = shared
    for _ in range(levels):
        expr = relay.If(cond, expr, shared)
    scopes = Scopes(expr)
    assert scopes.lifted == {shared}
    assert scopes.scope[shared] == 0
    assert len(scopes.scope) == levels + 2


def test_effects_are_looked_for_once_for_all_functions_of_a_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counting(expr: relay.Expr, mod: relay.IRModule | None = None) -> frozenset[Node]:
        asked.append(expr)
        return find_effectful_nodes(expr, mod)

    monkeypatch.setattr(effectful, "find_effectful_nodes", counting)
    for name in ("ToANormalForm", "ToBasicBlockNormalForm", "PartitionANF{max_num_ops=2}"):
        asked.clear()
        get_pass(name)(infer_type(functions(100)))
        assert len(asked) <= 1
