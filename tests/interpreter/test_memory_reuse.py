"""Results of the graph executor that are written over operands."""

from __future__ import annotations

import random
import tracemalloc
from types import FunctionType

import numpy as np
import pytest

import relayish as relay
from relayish.interpreter import PlannedFunction, memory_reuse, same_value
from relayish.interpreter.memory_reuse import WORTHWHILE
from relayish.interpreter.planning import make_plan
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.call import make_attrs
from relayish.op.declaration import properties, registry
from relayish.testing import resnet
from tests.support.each import each
from tests.support.seeds import seeds

SEEDS = seeds(25)
SHAPE = (64, 64)
"""Of tensors that are just large enough to be worthwhile."""

OPERATORS = sorted(
    op.full_name
    for op in map(relay.get_op, registry.list_ops("relay"))
    if op in properties.result_memory
)


def typed(params, body: Expr) -> Function:
    made = relay.analysis.infer_type(Function(params, body))
    assert isinstance(made, Function)
    return made


def tensor(name: str = "x") -> Var:
    return relay.var(name, shape=SHAPE)


def written_over(function: Function, mod: IRModule | None = None) -> list[str]:
    """Return the operators of the steps that write over an operand."""
    plan = make_plan(function, mod)
    return [
        expr.op.name  # type: ignore[attr-defined]
        for step, expr in zip(plan.steps, plan.exprs, strict=True)
        if type(step[0]) is FunctionType and step[0].__module__ == memory_reuse.__name__
    ]


def run(function: Function, *args: object) -> object:
    made = relay.create_executor("graph").evaluate(function)
    assert isinstance(made, PlannedFunction)
    return made(*args)


def data(seed: int = 0, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 2, SHAPE).astype(dtype)


# Which results


def test_chain_of_element_wise_operators_is_computed_in_one_place():
    x = tensor()
    function = typed((x,), relay.sum(relay.tanh(relay.nn.relu(relay.exp(x + x)))))
    assert written_over(function) == ["exp", "nn.relu", "tanh"]


def test_small_results_are_not_worth_it():
    x = relay.var("x", shape=(WORTHWHILE // 4 - 1,))
    function = typed((x,), relay.sum(relay.tanh(relay.exp(x))))
    assert written_over(function) == []


def test_untyped_functions_run_as_they_are():
    x = tensor()
    assert written_over(Function((x,), relay.sum(relay.tanh(relay.exp(x))))) == []


def test_function_that_lost_a_type_runs_as_it_is():
    x = tensor()
    function = typed((x,), relay.sum(relay.tanh(relay.exp(x))))
    untyped = relay.exp(function.params[0])
    body = function.body.with_fields(args=(relay.tanh(untyped),)).with_fields(
        checked_type=function.body.checked_type
    )
    again = function.with_fields(body=body).with_fields(checked_type=function.checked_type)
    assert written_over(again) == []
    assert same_value(run(again, data()), run(function, data()))


def test_arguments_and_constants_are_left_alone():
    x, one = tensor(), relay.const(data(1))
    folded = relay.tanh(one)
    function = typed((x,), relay.sum(relay.nn.relu(folded) + relay.tanh(x)))
    given, before = data(), one.data.copy()
    first = run(function, given)
    assert same_value(first, run(function, given))
    assert same_value(given, data())
    assert same_value(one.data, before)


@pytest.mark.parametrize(
    "view",
    [
        relay.transpose,
        relay.copy,
        lambda made: relay.split(made, 2, 0)[0],
        lambda made: relay.strided_slice(made, [0, 0], [32, 64]),
        lambda made: relay.reshape(made, (32, 128)),
        relay.nn.dropout,
        lambda made: TupleGetItem(Tuple((made, made)), 1),
    ],
)
def test_what_a_view_shows_is_not_written_over(view):
    x = tensor()
    made = relay.exp(x)
    seen = view(made)
    changed = relay.tanh(made)
    function = typed((x,), Tuple((relay.sum(changed), relay.sum(seen), relay.sum(seen + seen))))
    expected = relay.create_executor("debug").evaluate(function)(data())
    assert same_value(run(function, data()), expected)


def test_operands_that_are_views_of_each_other_are_left_alone():
    x = tensor()
    made = relay.exp(x)
    function = typed((x,), relay.sum(made + relay.transpose(made)))
    assert written_over(function) == []


def test_fused_operators_reuse_memory_inside():
    x = tensor()
    mod = IRModule.from_expr(Function((x,), relay.sum(relay.tanh(relay.exp(x + x)))))
    fused = relay.transform.InferType()(
        relay.transform.FuseOps(2)(relay.transform.InferType()(mod))
    )
    inner = [n for n in EXPRESSIONS.post_order(fused["main"].body) if isinstance(n, Function)]
    assert [name for func in inner for name in written_over(func)] == ["exp", "tanh"]


def test_evaluation_that_somebody_replaced_is_called():
    x = tensor()
    function = typed((x,), relay.sum(relay.tanh(relay.exp(x))))
    op = relay.get_op("tanh")
    original = properties.evaluate.get(op)
    with declared_temporarily():
        properties.evaluate.set(op, lambda _, given: given * 0, replace=True)
        try:
            assert run(function, data()) == 0
        finally:
            properties.evaluate.set(op, original, replace=True)


def test_results_of_several_runs_are_apart():
    x = tensor()
    function = typed((x,), relay.tanh(relay.exp(x)))
    made = relay.create_executor("graph").evaluate(function)
    first = made(data())
    kept = first.copy()
    made(data(1))
    assert same_value(first, kept)


# That values are the same


def random_function(rng: random.Random, size: int) -> Function:
    """Return a random typed function of large tensors, views, tuples and inner functions."""
    params = [tensor(name) for name in "xyz"]
    values: list[Expr] = [*params, relay.const(data(9)), relay.const(0.5)]
    p, q = tensor("p"), tensor("q")
    inner = Function((p, q), relay.tanh(relay.exp(p * q) + p) if rng.random() < 0.7 else p)
    bindings: list[tuple[Var, Expr]] = []
    for _ in range(size):
        a, b = (rng.choice(values[-5:]) for _ in range(2))
        full = relay.maximum(a, params[0])
        match rng.randrange(10):
            case 0 | 1:
                values.append(rng.choice([relay.add, relay.maximum, relay.multiply])(a, b))
            case 2 | 3:
                values.append(rng.choice([relay.tanh, relay.sigmoid, relay.nn.relu])(full))
            case 4:
                values.append(relay.transpose(full))
            case 5:
                halves = relay.split(full, 2, rng.randrange(2))
                values.append(relay.sum(halves[rng.randrange(2)]) * full)
            case 6:
                values.append(Call(inner, (full, relay.maximum(b, params[1]))))
            case 7:
                pair = Tuple((full, relay.exp(full * relay.const(0.01))))
                values.append(TupleGetItem(pair, rng.randrange(2)))
            case 8:
                values.append(relay.reshape(relay.reshape(full, (32, 128)), SHAPE))
            case _:
                bound = Var(f"v{len(bindings)}")
                bindings.append((bound, a))
                values.append(bound)
    result: Expr = Tuple(tuple(values[-3:]))
    for bound, value in reversed(bindings):
        result = Let(bound, value, result)
    return typed(params, result)


def test_random_functions_give_what_the_interpreter_gives_bit_for_bit():
    reused = 0
    for seed in SEEDS:
        rng = random.Random(seed)
        function = random_function(rng, rng.choice([5, 20, 40]))
        args = [data(seed + n) for n in range(3)]
        expected = relay.create_executor("debug").evaluate(function)(*args)
        made = relay.create_executor("graph").evaluate(function)
        assert same_value(made(*args), expected), seed
        assert same_value(made(*args), expected), seed
        assert all(same_value(arg, data(seed + n)) for n, arg in enumerate(args)), seed
        reused += len(written_over(function))
    assert reused > len(SEEDS)


def inputs_of(op, dtype: str) -> tuple[object, list[np.ndarray]]:
    """Return attributes and inputs of a call of an operator."""
    attrs = {"clip": {"a_min": 0.5, "a_max": 1.0}}.get(op.name, {})
    made = make_attrs(op, attrs) if properties.attrs_type.get(op) is not None else None
    if op.name in ("nn.bias_add", "nn.batch_norm"):
        rest = [data(n + 1, dtype)[0] for n in range(properties.num_inputs.get(op) - 1)]
        return made, [data(0, dtype), *rest]
    return made, [data(n, dtype) for n in range(properties.num_inputs.get(op))]


@each("name", [n for n in OPERATORS if properties.result_memory.get(relay.get_op(n)).into])
def test_evaluation_into_memory_gives_the_same_bits(name):
    op = relay.get_op(name)
    for dtype in ("float32", "float64"):
        attrs, inputs = inputs_of(op, dtype)
        expected = properties.evaluate.get(op)(attrs, *inputs)
        into = properties.result_memory.get(op).into
        places = properties.overwritable.get(op, tuple(range(len(inputs))))
        for place in [p for p in places if inputs[p].shape == SHAPE]:
            given = [value.copy() for value in inputs]
            found = into(attrs, given[place], *given)
            assert same_value(found, expected)
            first = found[0] if isinstance(found, tuple) else found
            assert first is given[place]


@each("name", OPERATORS)
def test_results_that_are_new_share_no_memory_with_inputs(name):
    op = relay.get_op(name)
    attrs, inputs = inputs_of(op, "float32")
    if name == "nn.batch_matmul":
        inputs = [value[None] for value in inputs]
    elif name == "nn.conv2d":
        attrs = make_attrs(op, {"kernel_size": (1, 1)})
        inputs = [inputs[0][None, :, :, None], inputs[1][:, :, None, None]]
    elif name == "concatenate":
        attrs, inputs = make_attrs(op, {"axis": 0}), [(inputs[0],)]
    result = properties.evaluate.get(op)(attrs, *inputs)
    results = result if isinstance(result, tuple) else (result,)
    arrays = inputs[0] if name == "concatenate" else inputs
    for number in properties.result_memory.get(op).new:
        assert not any(np.shares_memory(results[number], value) for value in arrays)


# How much memory


def peak(function, *args: object) -> int:
    function(*args)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        function(*args)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_chain_takes_the_memory_of_one_tensor():
    x = relay.var("x", shape=(512, 512))
    body: Expr = x
    for _ in range(5):
        body = relay.tanh(relay.exp(relay.negative(body)))
    reused, plain = (
        relay.create_executor("graph").evaluate(function)
        for function in (typed((x,), relay.sum(body)), Function((x,), relay.sum(body)))
    )
    given = np.ones((512, 512), "float32")
    assert peak(reused, given) < 1.1 * given.nbytes
    assert peak(plain, given) > 1.9 * given.nbytes


def test_network_takes_less_and_gives_the_same():
    mod, params = resnet.get_workload(1, 10, 14, image_shape=(3, 28, 28))
    image = np.random.default_rng(0).standard_normal((1, 3, 28, 28)).astype("float32")
    found, expected = (
        relay.create_executor(kind, mod, params=params).evaluate()(image)
        for kind in ("graph", "debug")
    )
    assert same_value(found, expected)
    assert written_over(mod["main"]).count("nn.relu") > 5
