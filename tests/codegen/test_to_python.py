"""Relay programs as Python source: what it looks like, and that it computes what programs do."""

from __future__ import annotations

import string

import numpy as np
import pytest

import relayish as relay
from relayish.codegen import run_as_python, to_python
from relayish.codegen.python import matches, writer
from relayish.codegen.python import program as source_of_python
from relayish.codegen.python.short_forms import SHORT_FORMS
from relayish.errors import EvaluationError
from relayish.interpreter import create_executor, evaluate, evaluate_call, same_value
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op.declaration.properties import num_inputs
from relayish.op.declaration.registry import list_ops
from relayish.passes.relay.fold.bind import bind_params_by_name
from relayish.testing import lstm, mlp
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_arguments, random_expr, random_module
from tests.support.seeds import seeds
from tests.support.text_cases import CASES, read_cases

SEEDS = seeds(20)
CUT = seeds(10)
LISTS = """
type List[A] {
  Cons(A, List[A]),
  Nil,
}
"""


def parse(text):
    return relay.parse(f'#[version = "0.0.5"]\n{text}')


def body_of(text):
    """Return the functions of the source of a program."""
    return str(to_python(parse(text))).split("\n\n\n", 1)[1]


def python(text, *args):
    return to_python(parse(text)).run()(*args)


def both(text, *args):
    """Return what Python computes, which has to be what the evaluator does."""
    mod = parse(text)
    expected = create_executor(mod=mod).evaluate()(*args)
    found = to_python(mod).run()(*args)
    assert same_value(found, expected)
    return found


# What it looks like

SOURCES = read_cases(CASES / "python_sources.txt")
"""Programs, and their functions in Python."""


@each("name", SOURCES)
def test_program_is_written_as_told(name):
    text, source = SOURCES[name]
    assert body_of(text) == source


def test_what_is_computed_before_branches_needs_no_function():
    text = "def @main(%c: bool, %x: float32) { %0 = exp(%x); (%0, if (%c) { %0 } else { 1f }) }"
    assert "@once" not in body_of(text)
    both(text, True, np.float32(1))


def test_small_arrays_stand_at_the_top_and_large_ones_are_given():
    small, large = np.arange(3), np.arange(100)
    program = to_python(relay.add(relay.const(small), relay.sum(relay.const(large))))
    assert "constant_1 = np.array([0, 1, 2], 'int32')" in program.text
    assert "# given: constant\n" in program.text
    assert same_value(program.given["constant"], large.astype("int32"))
    assert same_value(program.run(), small.astype("int32") + np.int32(large.sum()))


def test_only_functions_that_are_reached_are_written():
    mod = parse("def @f() { 1 } def @g() { @f() } def @h() { 2 } def @main() { @g() }")
    text = str(to_python(mod))
    assert [f"def {name}(" in text for name in ("f", "g", "h", "main")] == [True, True, False, True]
    assert run_as_python(relay.Call(mod.get_global_var("h"), []), mod) == 2


# Names


NAMES = [*["class", "np", "evaluate", "frame", "float", "a.b", "a_b", "1x", "é", "_", "level"], ""]


@each("name", NAMES)
def test_variables_of_any_name_are_read_as_they_are_written(name):
    x, y = relay.Var(name), relay.Var(name)
    f = relay.Var(name)
    inner = relay.Function([y], relay.Tuple([x, y, relay.const(1)]))
    program = relay.Let(x, relay.const(1), relay.Let(f, inner, relay.Call(f, [relay.const(2)])))
    assert same_value(run_as_python(program), (np.int32(1), np.int32(2), np.int32(1)))


def test_one_variable_bound_again_does_not_disturb_what_captured_it():
    x, f = relay.Var("x"), relay.Var("f")
    again = relay.Let(x, relay.const(2), relay.Tuple([relay.Call(f, []), x]))
    program = relay.Let(x, relay.const(1), relay.Let(f, relay.Function([], x), again))
    assert run_as_python(program) == evaluate(program) == (1, 2)


def test_globals_and_variables_of_one_name_are_told_apart():
    both("def @x(%y: int32) { %y } def @y() { 3 } def @main(%x: int32) { add(@x(%x), @y()) }", 4)


# What it computes


def test_random_programs_compute_what_they_evaluate_to():
    for seed in SEEDS:
        mod = random_module(seed, 100)
        args = random_arguments(mod["main"], seed)
        expected = create_executor(mod=mod).evaluate()(*args)
        assert same_value(to_python(mod).run()(*args), expected), seed
        expr = random_expr(seed, 60)
        assert same_value(run_as_python(expr), evaluate(expr)), seed


@pytest.mark.parametrize(("levels", "inner", "cases"), [(0, 0, 8), (1, 2, 0), (2, 64, 1)])
def test_random_programs_compute_the_same_where_much_becomes_a_function_at_the_top(
    levels, inner, cases
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "LEVELS", levels)
        patch.setattr(writer, "INNER", inner)
        patch.setattr(matches, "MOST_CASES", cases)
        for seed in CUT:
            mod = random_module(seed, 100)
            args = random_arguments(mod["main"], seed)
            expected = create_executor(mod=mod).evaluate()(*args)
            assert same_value(to_python(mod).run()(*args), expected), seed


@each("network", [lambda: mlp.get_workload(1), lambda: lstm.get_workload(2, 3)])
def test_networks_compute_what_they_evaluate_to(network):
    mod, params = network()
    bound = bind_params_by_name(mod["main"], params)
    rng = np.random.default_rng(0)
    shapes = [tuple(param.type_annotation.shape) for param in bound.params]
    args = [rng.standard_normal(shape).astype("float32") for shape in shapes]
    assert same_value(run_as_python(bound)(*args), evaluate(bound, args=args))


def test_every_short_form_has_the_value_of_its_operator():
    rng = np.random.default_rng(0)
    samples = [rng.uniform(-3, 3, 5).astype(dtype) for dtype in ("float32", "float64", "float16")]
    samples += [np.arange(-2, 3).astype(dtype) for dtype in ("int8", "int32", "int64", "uint8")]
    samples += [np.array([True, False, True]), np.float32(0.5), np.int32(-7), np.bool_(True)]
    compared = 0
    for op in [op for op in map(relay.get_op, list_ops("relay")) if op in SHORT_FORMS]:
        form = SHORT_FORMS.get(op)
        for sample in samples:
            if form.kinds and sample.dtype.kind not in form.kinds:
                continue
            args = [sample, sample[..., ::-1] if sample.ndim else sample][: num_inputs.get(op)]
            names = list(string.ascii_lowercase[: len(args)])
            with np.errstate(all="ignore"):
                try:
                    expected = evaluate_call(op, None, args)
                except EvaluationError:
                    continue
                values = dict(zip(names, args, strict=True))
                found = eval(form.template.format(*names), {"np": np}, values)
            assert same_value(found, expected), (op, sample.dtype)
            compared += 1
    assert compared > 150


def test_what_nobody_needs_is_not_evaluated():
    forever = "def @forever() -> int32 { @forever() }"
    text = "def @main(%c: bool) { %0 = @forever(); if (%c) { 1 } else { (%0, add(%0, %0)).0 } }"
    assert python(forever + text, True) == 1


def test_effects_come_in_the_order_of_operands_and_once():
    both(
        """
def @main(%c: bool) {
  let %r = ref(1);
  %0 = ref_write(%r, add(ref_read(%r), 1));
  %1 = (%0, if (%c) { (%0, ref_read(%r)) } else { (%0, 7) }, ref_read(%r), %0);
  (%1, ref_read(%r))
}
""",
        True,
    )


def test_closures_capture_variables_of_each_call():
    both("""
def @adder(%n: int32) { fn (%m: int32) { add(%n, %m) } }
def @main() {
  let %one = @adder(1);
  let %ten = @adder(10);
  (%one(5), %ten(5))
}
""")


def test_functions_that_are_returned_can_be_called():
    function = run_as_python(parse("def @main() { fn (%x: int32) { add(%x, 1) } }"))()
    assert function(np.int32(2)) == 3


def test_operators_and_constructors_are_values():
    both(
        LISTS
        + """
def @apply(%f: fn (float32) -> float32, %x: float32) -> float32 { %f(%x) }
def @main(%x: float32) { (@apply(nn.relu, %x), @apply(fn (%y: float32) -> float32 { %y }, %x)) }
""",
        -1.5,
    )


def test_values_of_types_are_built_by_the_constructors_of_the_module():
    mod = parse(LISTS + "def @main(%x: int32) { Cons(%x, Nil) }")
    value, cons = to_python(mod).run()(1), mod.get_constructor("List", "Cons")
    assert (value.constructor, value.tag) == (cons, cons.tag)
    assert value.fields[1].tag == mod.get_constructor("List", "Nil").tag


def test_a_match_of_many_clauses_is_a_function_whose_cases_return():
    names = [f"C{index}" for index in range(30)]
    cases = ", ".join(f"{name} => {index}" for index, name in enumerate(names))
    main = f"def @main() {{ let %t = C7; add(match (%t) {{ {cases} }}, 1) }}"
    text = f"type T {{ {', '.join(names)} }} {main}"
    assert both(text) == 8
    assert "elif" not in body_of(text)


def test_a_value_that_no_clause_covers_is_refused():
    text = LISTS + "def @main() -> int32 { add(match? (Nil) { Cons(_, _) => 1 }, 1) }"
    with pytest.raises(EvaluationError, match="no clause of the match covers"):
        python(text)


def test_a_large_pattern_is_matched_by_the_evaluator():
    var, value = relay.Var("x"), relay.const(3)
    pattern = relay.PatternVar(var)
    for _ in range(40):
        pattern = relay.PatternTuple([pattern, relay.PatternWildcard()])
        value = relay.Tuple([value, relay.const(True)])
    program = to_python(relay.Match(value, [relay.Clause(pattern, var)]))
    assert program.run() == 3
    assert "(x,) = pattern(fields" in program.text


ODD = [np.float32("nan"), np.float64("inf"), np.float32("-inf"), np.float32(-0.0), np.float16(0.1)]


@each("value", ODD)
def test_odd_numbers_are_kept(value):
    assert same_value(run_as_python(relay.Tuple([relay.Constant(value)])), (value,))


@each("value", [np.zeros((0, 3), "int8"), np.array([np.nan, 1], "float32"), np.array([[True]])])
def test_odd_arrays_are_kept(value):
    assert same_value(run_as_python(relay.Tuple([relay.Constant(value)])), (value,))


def test_attributes_that_python_cannot_say_are_given():
    program = to_python(relay.on_device(relay.const(1), VirtualDevice(2)))
    assert "attrs=attrs" in program.text
    assert program.run() == 1


def test_functions_of_the_source_are_arguments_of_others():
    mod = parse("""
def @twice(%f: fn (int32) -> int32, %x: int32) -> int32 { %f(%f(%x)) }
def @main() { (@twice, fn (%x: int32) -> int32 { add(%x, 3) }) }
""")
    twice, plus = to_python(mod).run()()
    assert twice(plus, np.int32(1)) == 7
    apply = parse("def @main(%f: fn (int32) -> int32) { %f(1) }")
    assert to_python(apply).run()(plus) == 4


def test_arguments_may_be_given_by_name():
    mod = parse("def @main(%x: int32, %y: int32) { subtract(%x, %y) }")
    assert to_python(mod).run()(y=1, x=5) == 4


# What is refused


def test_a_program_that_recurses_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(source_of_python, "DEEPEST", 20_000)
    with pytest.raises(EvaluationError, match="more than 20,000 deep"):
        python("def @main() -> int32 { add(1, @main()) }")


def test_a_variable_nobody_binds_is_refused():
    with pytest.raises(EvaluationError, match="is not bound where it is used"):
        to_python(relay.exp(relay.Var("x")))


def test_a_global_without_a_module_is_refused():
    with pytest.raises(EvaluationError, match=r"@f has no definition .* no module is given"):
        to_python(relay.Call(relay.GlobalVar("f"), []))


# How deep, and how large


def nested_branches(count):
    c = relay.var("c", "bool")
    xs = [relay.Var("x") for _ in range(count)]
    body = relay.const(0)
    for x in xs:
        body = relay.add(body, x)
    for x in reversed(xs):
        bound = relay.Let(x, relay.add(relay.const(1), relay.const(2)), body)
        body = relay.If(c, bound, relay.const(5))
    return relay.Function([c], body), (True,)


def nested_functions(count):
    params = [relay.Var("v") for _ in range(count)]
    body = relay.const(0)
    for param in params:
        body = relay.add(body, param)
    for param in reversed(params):
        f = relay.Var("f")
        body = relay.Let(f, relay.Function([param], body), relay.Call(f, [relay.const(2)]))
    return relay.Function([], body), ()


def shared_by_branches(count):
    x = relay.var("x", "int32")
    shared = relay.add(x, x)
    for _ in range(count):
        shared = relay.add(shared, relay.const(1))
        other = relay.multiply(shared, relay.const(1))
        shared = relay.If(relay.less(x, relay.const(0)), shared, other)
    return relay.Function([x], shared), (3,)


def functions_in_a_row(count):
    body = relay.const(0)
    for _ in range(count):
        f = relay.Var("f")
        body = relay.Let(f, relay.Function([], body), relay.Call(f, []))
    chain = relay.Tuple([])
    for _ in range(count):
        chain = relay.Let(relay.Var("g"), relay.Function([], relay.const(1)), chain)
    return relay.Function([], relay.Tuple([body, chain])), ()


def calls(count):
    below = "add(1, @main(subtract(%n, 1)))"
    mod = parse(f"def @main(%n: int32) -> int32 {{ if (less(%n, 1)) {{ 0 }} else {{ {below} }} }}")
    return mod, (count,)


def lets(count):
    x = relay.var("x", "int32")
    names = [x, *[relay.Var("y") for _ in range(count)]]
    body = names[-1]
    for before, name in zip(reversed(names[:-1]), reversed(names[1:]), strict=True):
        body = relay.Let(name, relay.add(before, relay.const(1)), body)
    return relay.Function([x], body), (0,)


@pytest.mark.deep
@pytest.mark.parametrize(
    "build",
    [nested_branches, nested_functions, shared_by_branches, functions_in_a_row, calls, lets],
)
def test_deep_programs_compute_what_they_evaluate_to(build):
    program, args = build(min(DEPTH, 20_000) // 3)
    found = to_python(program).run()(*args)
    if isinstance(program, relay.IRModule):
        expected = create_executor(mod=program).evaluate()(*args)
    else:
        expected = evaluate(program, args=args)
    assert same_value(found, expected)


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(set(DEEP_NESTS) - {"tuple_nest", "function_nest"}))
def test_programs_nested_in_any_way_are_python(kind):
    leaf = relay.const(True) if kind == "if_cond" else relay.const(5)
    program = DEEP_NESTS[kind](min(DEPTH, 20_000) // 2, leaf)
    assert same_value(run_as_python(program), evaluate(program))


@each("build", [nested_branches, nested_functions, shared_by_branches, functions_in_a_row, lets])
def test_source_grows_as_programs_do(build):
    small, large = (len(to_python(build(count)[0]).text) for count in (200, 400))
    assert large < 2.3 * small


def test_shared_nodes_are_written_once():
    program = to_python(doublings(100))
    assert program.text.count(" + ") == 100


@pytest.mark.parametrize("program", [None, "x", 3])
def test_what_is_no_program_is_refused(program):
    with pytest.raises(EvaluationError, match=r"expression or a module; found .* parse_expr"):
        to_python(program)
