"""Partial evaluation: what is computed, what is left, and that it ends."""

from __future__ import annotations

import pytest

from relayish.analysis import count_nodes, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate, same_value
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import scalar_type
from relayish.op.declaration.registry import get_op
from relayish.passes.relay.fold.partial_eval.environment import Environment
from relayish.passes.relay.fold.partial_eval.fuel import Fuel
from relayish.passes.relay.fold.partial_eval.store import Store
from relayish.passes.relay.fold.partial_eval.value import Cell, Value
from relayish.prelude import Prelude
from relayish.text import parse
from relayish.transform import get_pass, parse_pipeline
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH
from tests.support.goldens import CASES, Golden, read_goldens
from tests.support.work import lines_run

HEADER = '#[version = "0.0.5"]\n'
CLEAN = "PartialEvaluate,DeadCodeElimination{inline_once=true, ref_precision=true}"
GLOBALS = """
def @loop(%x: int32) -> int32 { @loop(%x) }
def @swap(%x: nat, %y: nat) -> nat { @swap(%y, %x) }
def @inc(%x: int32) -> int32 { add(%x, 1) }
def @up(%i: int32, %n: int32) -> int32 {
  if (less(%i, %n)) { @up(add(%i, 1), %n) } else { %i }
}
def @down(%n: int32) -> int32 {
  if (equal(%n, 0)) { 0 } else { add(%n, @down(subtract(%n, 1))) }
}
def @fib(%n: int32) -> int32 {
  if (less(%n, 2)) { %n } else { add(@fib(subtract(%n, 1)), @fib(subtract(%n, 2))) }
}
"""


def module(main: str) -> IRModule:
    return infer_type(parse(f"{HEADER}{GLOBALS}def @main{main}", init_module=Prelude().mod))


GOLDENS = read_goldens(CASES / "partial_evaluate.relay")
"""What becomes of ``@main``, beside the functions above and the prelude."""


@pytest.mark.parametrize("case", GOLDENS.values(), ids=GOLDENS)
def test_program_is_evaluated_as_far_as_it_is_known(case: Golden) -> None:
    before, after = (module(text) for text in (case.before, case.after))
    image = parse_pipeline(case.pipeline)(before)
    assert_structural_equal(infer_type(image)["main"], after["main"])


def test_function_that_is_returned_reads_when_it_is_called() -> None:
    mod = module(
        "(%d: int32) { let %r = ref(0); let %f = fn () { ref_read(%r) }; "
        "let %w = ref_write(%r, %d); (%f, %w) }"
    )
    image = get_pass("PartialEvaluate")(mod)
    function, _ = evaluate(image["main"], image, [7])
    assert function() == 7


def test_written_through_another_reference_is_not_taken_for_known() -> None:
    mod = module(
        "(%c: bool) { let %r = ref(1); let %s = ref(2); let %t = if (%c) { %r } else { %s }; "
        "let %w = ref_write(%t, 5); (ref_read(%r), ref_read(%s)) }"
    )
    image = parse_pipeline(CLEAN)(mod)
    assert same_value(evaluate(image["main"], image, [True]), evaluate(mod["main"], mod, [True]))
    assert same_value(evaluate(image["main"], image, [False]), evaluate(mod["main"], mod, [False]))


def test_effects_keep_their_order() -> None:
    mod = module(
        "(%r: ref(int32)) { let %f = fn (%a: int32) { let %w = ref_write(%r, %a); ref_read(%r) }; "
        "(%f(1), %f(2), ref_read(%r)) }"
    )
    run = "fn () { let %r = ref(0); @main(%r) }"
    image = get_pass("PartialEvaluate")(mod)
    for program in (mod, image):
        entry = parse(f"{HEADER}def @go() {{ {run[8:-1]} }}", init_module=program)
        assert evaluate(entry["go"], entry, []) == (1, 2, 2)


def test_shared_node_is_left_once() -> None:
    d = Var("d", scalar_type("int32"))
    expr: Expr = d
    for _ in range(50):
        expr = Call(get_op("add"), (expr, expr))
    image = get_pass("PartialEvaluate")(IRModule.from_expr(Function((d,), expr)))
    assert count_nodes(image["main"]) < 300


def test_ifs_that_share_their_branches_do_not_double() -> None:
    c, d = Var("c", scalar_type("bool")), Var("d", scalar_type("int32"))
    expr: Expr = d
    for _ in range(40):
        expr = If(c, expr, Call(get_op("add"), (expr, Constant(1))))
    image = get_pass("PartialEvaluate")(IRModule.from_expr(Function((c, d), expr)))
    assert count_nodes(image["main"]) < 1000


@pytest.mark.slow("evaluates as much as it may before it gives up")
@pytest.mark.parametrize("call", ["@up(0, 1000000000)", "@fib(60)", "@down(100000000)"])
def test_what_would_take_too_long_is_left(call: str) -> None:
    image = get_pass("PartialEvaluate")(module(f"() {{ {call} }}"))
    assert well_formed(image["main"])


def test_polymorphic_function_is_put_in_place_at_each_type() -> None:
    mod = module(
        "(%d: int32) { let %id = fn[t](%x: t) -> t { %x }; let %k = fn[u](%x: u) -> fn () -> u "
        "{ fn () -> u { %x } }; (%id(%d), %id((%d,)), %k(%d), %k((1f,))()) }"
    )
    image = get_pass("PartialEvaluate")(mod)
    assert well_formed(image["main"])
    infer_type(image, fresh=True)
    fields = evaluate(image["main"], image, [3])
    assert fields[:2] == (3, (3,))
    assert fields[2]() == 3


@pytest.mark.parametrize(
    ("passed", "left"),
    [("@ap(@same, 1)", "1"), ("@twice(@same, True)", "True"), ("@ap(@first, (2, True))", "2")],
)
def test_polymorphic_function_that_is_passed_on_is_put_in_place(passed: str, left: str) -> None:
    """What is called is a parameter of one type, which tells the type arguments."""
    text = """
def @same[A](%a: A) -> A { %a }
def @first[A, B](%p: (A, B)) -> A { %p.0 }
def @ap[A, B](%h: fn (A) -> B, %x: A) -> B { %h(%x) }
def @twice[A](%h: fn (A) -> A, %x: A) -> A { %h(%h(%x)) }
"""
    header = '#[version = "0.0.5"]'
    mod = infer_type(parse(f"{header}{text}def @main() {{ {passed} }}"))
    expected = infer_type(parse(f"{header}def @main() {{ {left} }}"))
    found = get_pass("PartialEvaluate")(mod)
    assert_structural_equal(found["main"], expected["main"])
    assert infer_type(found) is not None


def test_calls_enter_what_was_left_of_a_function() -> None:
    """Each of a chain of functions calls the one before it."""

    def chain(length: int) -> IRModule:
        lines = [f"def @f{n}(%x: int32) -> int32 {{ @f{n - 1}(%x) }}" for n in range(1, length)]
        first = "def @f0(%x: int32) -> int32 { add(%x, 1) }"
        return infer_type(parse("\n".join(['#[version = "0.0.5"]', first, *lines])))

    evaluate = get_pass("PartialEvaluate")
    out = evaluate(chain(500))
    assert_structural_equal(out["f499"], out["f0"])
    short, long = chain(100), chain(200)
    assert lines_run(lambda: evaluate(long)) < 2.3 * lines_run(lambda: evaluate(short))


def test_pass_is_registered_as_in_relay() -> None:
    info = get_pass("PartialEvaluate").info
    assert (info.opt_level, info.required) == (1, ())


def test_fuel_is_used_up_when_arguments_take_turns_in_growing() -> None:
    func = Function((Var("a"), Var("b")), Tuple(()))
    fuel = Fuel(0)

    def args(*numbers: int) -> tuple[Value, ...]:
        return tuple(Value(Constant(number)) for number in numbers)

    assert fuel.enter(func, args(3, 5))
    assert fuel.enter(func, args(2, 6))
    assert not fuel.enter(func, args(3, 5))
    assert fuel.enter(func, args(9, 4))
    assert not fuel.enter(func, args(2, 4))


def test_store_takes_branches_back_and_joins_them() -> None:
    store, cell, other = Store(), Cell(), Cell()
    one, two = Value(), Value()
    store.set(cell, one)
    store.set(other, one)
    mark = store.enter()
    store.set(cell, two)
    left = store.leave(mark)
    assert store.get(cell) is one
    mark = store.enter()
    right = store.leave(mark)
    store.join([left, right])
    assert store.get(cell) is None
    assert store.get(other) is one
    mark = store.enter()
    store.invalidate()
    forgotten = store.leave(mark)
    assert store.get(other) is one
    store.join([forgotten])
    assert store.get(other) is None


def test_store_reports_the_last_of_several_writes() -> None:
    store, cell, last = Store(), Cell(), Value()
    mark = store.enter()
    store.set(cell, Value())
    store.set(cell, last)
    assert store.leave(mark) == {cell: last}


def test_store_knows_what_all_branches_wrote() -> None:
    store, cell, same = Store(), Cell(), Value()
    store.set(cell, Value())
    store.join([{cell: same}, {cell: same}])
    assert store.get(cell) is same


def test_store_does_not_know_what_no_branch_knows() -> None:
    store, cell = Store(), Cell()
    store.set(cell, Value())
    store.join([{cell: None}, {cell: None}])
    assert store.get(cell) is None


@pytest.mark.deep
def test_variable_is_found_over_any_number_of_functions_in_few_steps() -> None:
    var = Var("x")
    env: Environment[int] = Environment()
    env = Environment(env)
    env.bind(var, 7)
    for _ in range(DEPTH):
        env = Environment(env)
    assert env.find(var) == 7
    steps, here = 0, env
    while here.level > 1:
        here = here.skip if here.skip.level >= 1 else here.parent
        steps += 1
    assert steps < 60


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(set(DEEP_NESTS) - {"function_nest"}))
def test_deep_nest_is_evaluated(kind: str) -> None:
    nest = DEEP_NESTS[kind](min(DEPTH, 10_000))
    get_pass("PartialEvaluate")(IRModule.from_expr(Function((), nest)))
