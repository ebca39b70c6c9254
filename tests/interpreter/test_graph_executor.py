from __future__ import annotations

import random
import threading
import weakref

import numpy as np
import pytest

import relayish as relay
from relayish.errors import EvaluationError
from relayish.interpreter import GraphExecutor, PlannedFunction, same_value
from relayish.interpreter.planning import make_plan
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any, SizeVar, TensorType, TupleType, TypeVar
from relayish.op.declaration.registry import register_op
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.shared_data import shared_path


def scalar(name: str = "x", dtype: str = "float32") -> Var:
    return relay.var(name, dtype)


def planned(function: Function, **options) -> PlannedFunction:
    made = relay.create_executor("graph", **options).evaluate(function)
    assert isinstance(made, PlannedFunction)
    return made


@pytest.fixture
def operator():
    """Declare operators for one test."""
    with declared_temporarily():
        yield register_op


# What it computes


def random_function(rng: random.Random, size: int) -> Function:
    """Return a random function in graph form: shared nodes, tuples, bindings, inner functions."""
    params = [relay.var(name, shape=(4,)) for name in "xyz"]
    tensors: list = [*params, relay.const(np.arange(4, dtype="float32")), relay.const(2.0)]
    tuples: list = []
    fused = [relay.var("p", shape=(4,)), relay.var("q", shape=(4,))]
    inner = Function(fused, relay.add(relay.multiply(fused[0], fused[1]), fused[0]))
    bindings: list[tuple[Var, object]] = []
    for _ in range(size):
        a, b = rng.choice(tensors), rng.choice(tensors)
        match rng.randrange(8):
            case 0 | 1:
                tensors.append(rng.choice([relay.add, relay.maximum, relay.subtract])(a, b))
            case 2:
                tensors.append(relay.tanh(a))
            case 3:
                tuples.append(Tuple((a, b, *rng.sample(tuples, min(1, len(tuples))))))
            case 4 if tuples:
                tensors.append(TupleGetItem(rng.choice(tuples), rng.randrange(2)))
            case 5:
                tensors.append(relay.sum(relay.stack((a + params[0], b + params[1])), axis=0))
            case 6:
                tensors.append(Call(inner, (a, b)))
            case _:
                bound = Var(f"v{len(bindings)}")
                bindings.append((bound, a))
                tensors.append(bound)
    result = Tuple((*tensors[-3:], *tuples[-2:]))
    for bound, value in reversed(bindings):
        result = Let(bound, value, result)
    return Function(params, result)


@each("seed", seeds(20))
def test_random_function_gives_what_the_interpreter_gives(seed):
    rng = random.Random(seed)
    function = random_function(rng, rng.choice([1, 5, 20, 60]))
    numbers = np.random.default_rng(seed)
    args = [numbers.uniform(-2, 2, 4).astype("float32") for _ in range(3)]
    expected = relay.create_executor("debug").evaluate(function)(*args)
    made = planned(function)
    assert same_value(made(*args), expected)
    assert same_value(made(*args), expected)  # nothing is left over from the first run


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x,
        lambda x: relay.const(1.5),
        lambda x: Tuple(()),
        lambda x: Tuple((x, x, relay.const(1))),
        lambda x: TupleGetItem(Tuple((relay.exp(x), x)), 0),
        lambda x: Tuple((Tuple((x, relay.exp(x))), Tuple((relay.exp(x),)))),
        lambda x: relay.add(relay.const(1.0), relay.const(2.0)),
        lambda x: relay.zeros((2, 2), "int8"),
    ],
)
def test_small_bodies_give_what_the_interpreter_gives(body):
    x = scalar()
    function = Function((x,), body(x))
    assert same_value(planned(function)(0.5), relay.evaluate(function, args=[np.float32(0.5)]))


def test_result_is_read_only_and_apart_from_the_arguments():
    x = relay.var("x", shape=(3,))
    given = np.ones(3, "float32")
    same, part = planned(Function((x,), Tuple((x, relay.reshape(x, (3, 1))))))(given)
    given[:] = 7
    assert same.tolist() == [1, 1, 1]
    assert part.tolist() == [[1], [1], [1]]
    assert not same.flags.writeable
    assert given.flags.writeable


def test_expression_is_evaluated_with_binds_and_without():
    x = scalar()
    executor = relay.create_executor("graph")
    assert executor.evaluate(relay.add(relay.const(1), relay.const(2))) == 3
    assert executor.evaluate(x + 1.0, {x: np.float32(2)}) == 3
    function = Function((), x + 1.0)
    assert executor.evaluate(function, {x: 5.0})() == 6
    assert executor.evaluate(function, {x: 6.0})() == 7
    assert relay.create_executor("debug").evaluate(x + 1.0, {x: relay.const(2.0)}) == 3


# The module and its parameters


def module() -> IRModule:
    x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
    y = scalar("y")
    double = GlobalVar("double")
    return IRModule(
        {
            GlobalVar("main"): Function((w, x), Call(double, (relay.sum(x * w),))),
            double: Function((y,), y + y),
        }
    )


@pytest.mark.parametrize("kind", ["graph", "debug", "vm", "aot"])
def test_main_runs_with_arguments_by_position_by_name_and_as_params(kind):
    x, w = np.array([1, 2], "float32"), np.array([3, 4], "float32")
    run = relay.create_executor(kind, module(), None, "llvm").evaluate()
    assert run(w, x) == run(x=x, w=w) == run(w, x=x) == 22
    bound = relay.create_executor(kind, module(), None, "llvm", {"w": w, "other": x}).evaluate()
    assert bound(x) == bound(x=x) == 22
    assert relay.create_executor(kind, module()).evaluate("double")(np.float32(4)) == 8
    with pytest.raises(EvaluationError, match=r"given|repeated"):
        bound(x, x)
    with pytest.raises(EvaluationError, match="is given twice"):
        bound(x, x=x)


def test_function_is_planned_once():
    executor = relay.create_executor("graph", module(), params={"w": np.zeros(2, "float32")})
    assert executor.evaluate() is executor.evaluate("main")
    assert isinstance(executor, GraphExecutor)
    assert "fn (x)" in repr(executor.evaluate())


def test_what_depends_on_params_alone_is_computed_while_planning(operator):
    calls = []
    op = operator(
        "tests.noted",
        arguments=("data",),
        rule=lambda _, data: data,
        evaluate=lambda _, x: calls.append(x) or x,
    )
    x, w = scalar("x"), scalar("w")
    mod = IRModule.from_expr(Function((x, w), x + Call(op, (w,))))
    run = relay.create_executor("graph", mod, params={"w": 2.0}).evaluate()
    assert calls == [2]
    assert [run(1.0), run(2.0)] == [3, 4]
    assert calls == [2]


def test_large_result_of_small_constants_is_left_to_the_run():
    function = Function((), relay.repeat(relay.const([1.0]), 1_000_000))
    assert len(make_plan(function).steps) == 1
    assert len(make_plan(Function((), relay.repeat(relay.const([1.0]), 10))).steps) == 0


def test_constants_that_fail_do_so_in_the_run_only():
    broken = relay.floor_divide(relay.const(1), relay.const(0))
    made = planned(Function((), broken))
    with pytest.raises(EvaluationError):
        made()


def test_name_that_several_parameters_have_is_not_bound():
    mod = IRModule.from_expr(Function((scalar("x"), scalar("x")), relay.const(1)))
    with pytest.raises(EvaluationError, match="several parameters of main are called 'x'"):
        relay.create_executor("graph", mod, params={"x": 1.0}).evaluate()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: relay.create_executor("grpah"), "'grpah'.*did you mean graph"),
        (lambda: relay.create_executor("graph").evaluate(), "no module to find @main"),
        (lambda: relay.create_executor("graph").evaluate(GlobalVar("f")), "no module to find @f"),
    ],
)
def test_executor_that_cannot_be_had_is_an_error(build, message):
    with pytest.raises(EvaluationError, match=message):
        build()


# What it holds while it runs


class Alive:
    """Counts the arrays that an operator made and that are still there."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def make(self, _attrs, *inputs):
        result = np.array([sum(float(i[0]) for i in inputs)], "float32")
        self.now += 1
        self.most = max(self.most, self.now)
        weakref.finalize(result, self.gone)
        return result

    def gone(self) -> None:
        self.now -= 1


@pytest.mark.parametrize("arity", [1, 2, 3])
def test_intermediate_is_dropped_after_its_last_use(operator, arity):
    alive = Alive()
    names = ("a", "b", "c")[:arity]
    op = operator("tests.alive", arguments=names, evaluate=alive.make)
    x = relay.var("x", shape=(1,))
    values = [Call(op, (x,) * arity)]
    for _ in range(200):
        values.append(Call(op, tuple(values[-1 - (i % len(values))] for i in range(arity))))
    result = planned(Function((x,), values[-1]))(np.ones(1, "float32"))
    # each result is read by the next `arity` calls, so these are there and the one being made
    assert alive.most == arity + 1
    del result
    assert alive.now == 0


def test_value_nobody_reads_is_dropped_at_once(operator):
    alive = Alive()
    op = operator("tests.alive", arguments=("a",), evaluate=alive.make)
    x = relay.var("x", shape=(1,))
    body = x
    for index in range(50):
        body = Let(Var(f"v{index}"), Call(op, (x,)), body)
    planned(Function((x,), body))(np.ones(1, "float32"))
    assert (alive.most, alive.now) == (1, 0)


def test_fields_of_a_tuple_are_dropped_one_by_one(operator):
    alive = Alive()
    op = operator("tests.alive", arguments=("a",), evaluate=alive.make)
    x = relay.var("x", shape=(1,))
    pair = Tuple((Call(op, (x,)), x))
    for _ in range(50):
        pair = Tuple((Call(op, (TupleGetItem(pair, 0),)), x))
    made = planned(Function((x,), TupleGetItem(pair, 0)))
    made(np.ones(1, "float32"))
    assert alive.most == 2
    assert len(made.plan.template) <= 3


def test_argument_of_a_function_is_dropped_by_the_function(operator):
    alive = Alive()
    op = operator("tests.alive", arguments=("a",), evaluate=alive.make)
    x, inner = relay.var("x", shape=(1,)), relay.var("y", shape=(1,))
    body = inner
    for _ in range(50):
        body = Call(op, (body,))
    called = Call(Function((inner,), body), (Call(op, (x,)),))
    unread = Let(Var("unread"), called, Call(op, (x,)))
    planned(Function((x,), unread))(np.ones(1, "float32"))
    assert (alive.most, alive.now) == (2, 0)


def test_registers_are_used_again():
    x = scalar()
    expr = x
    for _ in range(1000):
        expr = relay.tanh(expr + x)
    assert len(planned(Function((x,), expr)).plan.template) == 2


# Shape of the program


@pytest.mark.parametrize("form", ["FuseOps", "ToANormalForm", "SimplifyInference"])
def test_network_gives_the_same_in_every_form(form):
    numbers = np.random.default_rng(0)
    plain, other = (
        relay.parse(shared_path(f"programs/mlp{suffix}.relay").read_text())
        for suffix in ("", f".{form}")
    )
    args = [
        numbers.uniform(-1, 1, param.type_annotation.shape).astype(param.type_annotation.dtype)
        for param in plain["main"].params
    ]
    expected = relay.create_executor("graph", plain).evaluate()(*args)
    found = relay.create_executor("graph", other).evaluate()(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert expected.std() > 0


def test_shared_nodes_run_once(operator):
    calls = []
    op = operator("tests.noted", arguments=("a",), evaluate=lambda _, x: calls.append(1) or x)
    x = scalar()
    expr = Call(op, (x,))
    for _ in range(100):
        expr = expr + expr
    planned(Function((x,), expr * 0.0))(1.0)
    assert len(calls) == 1


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["chain", "let", "tuple"])
def test_depth_does_not_matter(kind):
    x = scalar()
    body: relay.Expr = x
    one = relay.const(1.0)
    match kind:
        case "chain":
            for _ in range(DEPTH):
                body = relay.add(body, one)
        case "let":
            bound = [Var(f"v{i}") for i in range(DEPTH)]
            body = bound[-1]
            for var, before in zip(bound[:0:-1], bound[-2::-1], strict=True):
                body = Let(var, relay.add(before, one), body)
            body = Let(bound[0], relay.add(x, one), body)
        case "tuple":
            for _ in range(DEPTH):
                body = Tuple((body,))
            for _ in range(DEPTH):
                body = TupleGetItem(body, 0)
            body = relay.add(body, relay.const(float(DEPTH)))
    assert planned(Function((x,), body))(np.float32(0)) == DEPTH


@pytest.mark.deep
def test_functions_called_in_functions_run_on_a_stack_of_their_own():
    x = scalar()
    function = Function((x,), relay.add(x, relay.const(1.0)))
    for _ in range(min(DEPTH, 20_000)):
        outer = scalar()
        function = Function((outer,), Call(function, (outer,)))
    assert planned(function)(1.0) == 2


def test_error_names_some_of_the_calls_under_way_and_counts_the_rest():
    x = scalar()
    function = Function((x,), Call(relay.get_op("reshape_like"), (x, relay.const([1, 2]))))
    for _ in range(8):
        outer = scalar()
        function = Function((outer,), Call(function, (outer,)))
    with pytest.raises(EvaluationError) as caught:
        planned(function)(1.0)
    notes = [note.partition(" ")[0] for note in caught.value.__notes__]
    assert notes == ["while", *["reached"] * 5, "and"]
    assert caught.value.__notes__[-1] == "and from 3 more calls under way"


def free_variable():
    x = scalar()
    return Function((x,), Call(Function((), x), ()))


def branch():
    c = scalar("c", "bool")
    return Function((c,), If(c, c, c))


def recursive():
    loop = GlobalVar("main")
    x = scalar()
    return IRModule({loop: Function((x,), Call(loop, (x,)))})


def plan_anything(program):
    if isinstance(program, IRModule):
        return relay.create_executor("graph", program).evaluate()
    return planned(program)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (branch(), "an If is met"),
        (free_variable(), "variable %x is bound outside of the function: it is a closure"),
        (Function((), relay.RefCreate(relay.const(1))), "RefCreate is met"),
        (Function((), relay.Match(relay.const(1), ())), "Match is met"),
        (Function((scalar("f"),), Call(scalar("g"), ())), "Var 'g' is called"),
        (Function((), Call(GlobalVar("f"), ())), "GlobalVar 'f' is called"),
        (Function((), Function((), relay.const(1))), "Function is met"),
        (Function((), GlobalVar("f")), "GlobalVar 'f' is met"),
        (Function((), relay.get_op("add")), "Op 'add' is met"),
        (Function((scalar(),), Call(Function((), relay.const(1)), (scalar(),))), "variable %x"),
        (recursive(), "does not call itself"),
    ],
)
def test_program_that_is_not_in_graph_form_is_refused_naming_the_node(program, message):
    with pytest.raises(EvaluationError, match=message) as caught:
        plan_anything(program)
    assert "kind='debug'" in str(caught.value)
    assert any("while planning" in note for note in caught.value.__notes__)


def test_call_of_a_function_with_another_number_of_arguments_is_refused():
    x = scalar()
    with pytest.raises(EvaluationError, match="of 1 parameters is called with 2"):
        planned(Function((x,), Call(Function((scalar(),), relay.const(1)), (x, x))))


def test_operator_without_evaluation_or_of_another_arity_is_refused_while_planning():
    x = scalar()
    with pytest.raises(EvaluationError, match=r"vm.shape_of has no evaluation"):
        planned(Function((x,), Call(relay.get_op("vm.shape_of"), (x,))))
    with pytest.raises(EvaluationError, match=r"add takes 2 arguments \(lhs, rhs\); found 1"):
        planned(Function((x,), Call(relay.get_op("add"), (x,))))


def test_operator_that_fails_is_named_with_the_place_in_the_program():
    x, y = relay.var("x", shape=(Any(),)), relay.var("y", shape=(Any(),))
    span = relay.Span("model.relay", 3, 3, 5, 9)
    inner = Function((x, y), relay.add(x, y).with_fields(span=span))
    a, b = relay.var("a"), relay.var("b")
    made = planned(Function((a, b), relay.exp(Call(inner, (relay.exp(a), b)))))
    with pytest.raises(
        EvaluationError, match=r"add cannot be evaluated on .float32\[2\]"
    ) as caught:
        made(np.ones(2, "float32"), np.ones(3, "float32"))
    notes = "\n".join(caught.value.__notes__)
    assert "model.relay" in notes
    assert "reached from %0(%1, %b), where %0 is fn (%x, %y) {...}, %1 is exp(%a)" in notes


def test_field_that_is_not_there_is_an_error():
    t = relay.var("t")
    made = planned(Function((t,), TupleGetItem(t, 2)))
    assert made((1, 2, 3)) == 3
    with pytest.raises(EvaluationError, match="no field 2 in a tuple of 1"):
        made((1,))


# Arguments

N = SizeVar("n")


@each(
    ("types", "args", "message"),
    [
        (["f32"], [], "argument 'p0' is missing; the function takes \\(p0\\)"),
        (["f32"], [1.0, 2.0], "2 arguments are given; the function takes 1"),
        (["f32"], [np.float64(1)], r"'p0' must be a tensor \(\) float32; found \(\) float64"),
        (["i32"], [0.5], r"must be a tensor \(\) int32; found \(\) float32"),
        (["i8"], [300], "300 does not fit int8"),
        ([(2, 3)], [np.ones((2, 4), "float32")], r"\(2, 3\) float32; found \(2, 4\) float32"),
        ([(2,)], [np.ones((2, 1), "float32")], r"\(2,\) float32; found \(2, 1\)"),
        ([(2,)], [[1.0, 2.0]], r"tensor \(2,\) float32; found a list or tuple; pass a numpy array"),
        ([(2,)], ["text"], r"tensor \(2,\) float32; found str"),
        ([(Any(), 3)], [np.ones((5, 4), "float32")], r"\(\?, 3\) float32; found \(5, 4\)"),
        ([(N,), (N,)], [np.ones(2, "float32"), np.ones(3, "float32")], r"'p1'.*\(n,\)"),
        ([TupleType((TensorType((), "int8"),))], [(np.int8(1), 2)], "tuple of 1 fields; found 2"),
        ([TupleType((TensorType((), "int8"),))], [(np.int16(1),)], r"'p0\[0\]' must be"),
        ([TupleType(())], [np.int8(1)], "must be a tuple of 0 fields; found int8"),
        ([None], [object()], "argument 'p0': a constant holds"),
        ([None], [np.array([object()])], "argument 'p0'"),
    ],
)
def test_argument_that_does_not_fit_its_annotation_is_refused(types, args, message):
    short = {"f32": TensorType((), "float32"), "i32": TensorType((), "int32")}
    short["i8"] = TensorType((), "int8")
    params = [
        Var(f"p{i}", TensorType(ty) if isinstance(ty, tuple) else short.get(ty, ty))
        for i, ty in enumerate(types)
    ]
    with pytest.raises(EvaluationError, match=message):
        planned(Function(params, Tuple(())))(*args)


def test_arguments_that_fit_are_taken():
    n, pair = SizeVar("n"), TupleType((TensorType((Any(),)), TensorType((), "int8")))
    params = (
        Var("a", TensorType((n, 2))),
        Var("b", TensorType((n,))),
        Var("c", pair),
        Var("d", TypeVar("T")),
        scalar("e", "float16"),
        scalar("f", "bool"),
    )
    ones = np.ones((3, 2), "float32")
    function = Function(params, Tuple(params))
    found = planned(function)(ones, ones[:, 0], [ones[0], 3], relay.const(1), e=1, f=True)
    assert found[2][1].dtype == np.int8
    assert (found[3], found[4].dtype, found[5]) == (1, np.float16, True)


def test_runs_in_several_threads_do_not_meet():
    x = relay.var("x", shape=(50,))
    expr = x
    for _ in range(200):
        expr = relay.tanh(expr + x)
    made = planned(Function((x,), expr))
    inputs = [np.full(50, i / 10, "float32") for i in range(8)]
    expected = [made(given) for given in inputs]
    found: dict[int, object] = {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: made(inputs[i])})) for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same_value(found[i], expected[i]) for i in range(8))


def test_constant_is_held_once_however_often_it_is_used():
    x = relay.var("x", shape=(2,))
    weight = relay.const(np.ones(2, "float32"))
    plan = make_plan(Function((x,), (x + weight) * weight))
    assert sum(value is weight.data for value in plan.template) == 1
    assert isinstance(weight, Constant)


def test_registers_read_twice_by_one_step_serve_one_later_result_each():
    x = relay.var("x", shape=(2,))
    y, z = relay.exp(x), relay.negative(x)
    pair = relay.Tuple((y, z, y, z, y))
    joined = relay.concatenate(pair, 0)
    total = joined + joined
    func = relay.Function([x], relay.Tuple((total, relay.negative(total), relay.exp(total))))
    data = np.array([0.5, -1.0], "float32")
    graph = relay.create_executor("graph").evaluate(func)(data)
    debug = relay.create_executor("debug").evaluate(func)(data)
    assert all(map(np.array_equal, graph, debug))
