"""Networks whose sizes arguments tell: one compiled object for all of them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import relayish as relay
from relayish.codegen.c import build_network, load_module
from relayish.errors import EvaluationError, RelayishError, TypeConfusionError, UnlowerableError
from relayish.testing import mlp
from tests.support.compiled_networks import leaves
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.sized_networks import differences

N, M = relay.SizeVar("n"), relay.SizeVar("m")


def var(name, *shape, dtype="float32"):
    return relay.Var(name, relay.TensorType(shape, dtype))


def module(params, body):
    return relay.transform.InferType()(relay.IRModule.from_expr(relay.Function(params, body)))


def given(mod, sizes, seed=0):
    generator = np.random.default_rng(seed)
    made = []
    for param in mod["main"].params:
        ty = param.type_annotation
        shape = [size if isinstance(size, int) else sizes.get(size, 3) for size in ty.shape]
        made.append(np.asarray(generator.normal(size=shape) * 2, ty.dtype))
    return made


def check(mod, sizes=({N: 1, M: 2}, {N: 2, M: 1}, {N: 7, M: 5})):
    net, evaluate = build_network(mod, exact=True), relay.create_executor(mod=mod).evaluate()
    for each_ in sizes:
        args = given(mod, each_)
        expected, found = leaves(evaluate(*args)), leaves(net(*args))
        assert [a.shape for a in expected] == [b.shape for b in found]
        for a, b in zip(expected, found, strict=True):
            assert np.allclose(a, b, rtol=1e-5, atol=1e-6)


X, Y = var("x", N, 4), var("y", M, 4)
OPERATORS = {
    "elementwise": relay.exp(X) + relay.const(np.ones((1, 4), "float32")),
    "sums": relay.Tuple([relay.sum(X, axis=0), relay.sum(X, axis=1), relay.sum(X)]),
    "products": relay.nn.dense(X, Y),
    "softmax along what is known": relay.nn.softmax(X, axis=1),
    "softmax along what is not": relay.nn.softmax(X, axis=0),
    "concatenation": relay.concatenate([X, Y, X], axis=0),
    "transposition": relay.transpose(X),
    "reshapes": relay.Tuple([relay.reshape(X, (-1, 2)), relay.reshape(relay.exp(X), (-1, 1, 4))]),
    "parts of what is known": relay.strided_slice(X, [1], [3], axes=[1]),
    "padding": relay.nn.pad(X, ((0, 0), (1, 2)), 7.0),
    "padding of what is not known": relay.nn.pad(X, ((2, 1), (0, 0)), -1.0),
    "means": relay.Tuple([relay.mean(X, axis=0), relay.mean(X), relay.variance(X, axis=0)]),
    "attention": relay.nn.dense(
        relay.nn.softmax(relay.nn.dense(X, X) * relay.const(0.5), axis=-1), relay.transpose(X)
    ),
    "normalisation": relay.nn.layer_norm(
        X, relay.const(np.ones(4, "float32")), relay.const(np.zeros(4, "float32"))
    ),
}


@pytest.mark.slow("lowers and compiles twenty programs")
def test_random_programs_do_what_the_evaluator_does():
    wrong, compiled = differences(seeds(20))
    assert wrong == []
    assert compiled


@pytest.mark.slow("compiles three programs, with sanitizers")
def test_random_programs_run_without_python():
    wrong, compiled = differences(seeds(3), ships=True)
    assert wrong == []
    assert compiled


@pytest.mark.slow("compiles many operators, together")
def test_operators_take_sizes_from_their_arguments():
    check(module([X, Y], relay.Tuple(list(OPERATORS.values()))))


def test_convolutions_and_pools_are_compiled_once_for_all_batches():
    x, w = var("x", N, 3, 8, 8), var("w", 6, 3, 3, 3)
    body = relay.nn.relu(relay.nn.conv2d(x, w, padding=(1, 1), strides=(2, 2)))
    body = relay.nn.batch_flatten(relay.nn.max_pool2d(body, (2, 2), (2, 2)))
    check(module([x, w], body))


def test_sizes_without_a_name_get_one():
    mod, _ = mlp.get_workload(2)
    func = mod["main"]
    shape = (relay.Any(), *func.params[0].type_annotation.shape[1:])
    data = relay.Var("data", relay.TensorType(shape, "float32"))
    body = relay.bind(func.body, {func.params[0]: data})
    mod = module([data, *func.params[1:]], body)
    net, evaluate = build_network(mod), relay.create_executor(mod=mod).evaluate()
    weights = [each * np.float32(0.1) for each in given(mod, {})[1:]]
    for batch in (1, 2, 7):
        x = np.random.default_rng(batch).random((batch, *shape[1:])).astype("float32")
        assert np.allclose(evaluate(x, *weights), net(x, *weights), rtol=1e-4, atol=1e-6)


def test_branches_loops_and_calls_hand_sizes_on():
    x, n, s = var("x", N, 4), var("k", dtype="int32"), var("s", N, 4)
    i = var("i", dtype="int32")
    loop = relay.Var("loop")
    again = relay.Call(loop, [i + relay.const(1), s + x])
    body = relay.If(relay.less(i, n), again, relay.Tuple([s, relay.concatenate([s, x], axis=0)]))
    ty = relay.TupleType([x.type_annotation, relay.TensorType((N + N, 4), "float32")])
    call = relay.Call(loop, [relay.const(0), relay.exp(x)])
    mod = module([n, x], relay.Let(loop, relay.Function([i, s], body, ty), call))
    net, evaluate = build_network(mod), relay.create_executor(mod=mod).evaluate()
    for size in (1, 2, 7):
        args = np.int32(3), np.random.default_rng(size).random((size, 4)).astype("float32")
        for a, b in zip(leaves(evaluate(*args)), net(*args), strict=True):
            assert np.allclose(a, b)


def test_sizes_of_arguments_that_do_not_agree_are_refused():
    net = build_network(module([X, var("z", N, 2)], relay.sum(X)))
    with pytest.raises(TypeConfusionError):
        net(np.zeros((2, 4), "float32"), np.zeros((3, 2), "float32"))
    with pytest.raises(TypeConfusionError, match=r"'x'.*found \(0, 4\).*dimension 0, n, is 1 at"):
        net(np.zeros((0, 4), "float32"), np.zeros((0, 2), "float32"))
    with pytest.raises(TypeConfusionError, match=r"'x' must be .* \(n, 4\).*found \(2,\)"):
        net(np.zeros(2, "float32"), np.zeros((2, 2), "float32"))
    assert net(np.ones((2, 4), "float32"), np.zeros((2, 2), "float32")) == 8


def test_sizes_that_are_too_large_together_are_refused_before_anything_is_computed():
    x, y = var("x", N), var("y", M)
    product = relay.reshape(relay.multiply(relay.expand_dims(x, 1), y), (-1,))
    net = build_network(module([x, y], relay.sum(product)))
    assert net(np.full(3, 2, "float32"), np.full(5, 3, "float32")) == 90
    for n, m, said in (
        (1 << 16, 1 << 15, r"\(n \* m\) is more than 2147483647"),
        ((1 << 31) - 1, (1 << 31) - 1, r"sizes \(n, m\) are too large"),
        (1 << 31, 1, "size n, which is dimension 0 of x, is less than 1 or more than"),
        (1, 0, "size m, which is dimension 0 of y, is less than 1"),
    ):
        with pytest.raises(EvaluationError, match=said):
            net.code.measures.of(n, m)
        with pytest.raises(EvaluationError, match=said):
            net._frame([n, m])  # the arrays would have gigabytes


def test_inputs_that_are_too_large_are_refused_where_nothing_lies_between():
    x = var("x", N, M)
    net = build_network(module([x], relay.nn.relu(x)))
    for n, m in ((1 << 16, (1 << 16) + 1), ((1 << 31) - 1, (1 << 31) - 1)):
        with pytest.raises(EvaluationError, match=r"shape \(n, m\) has more than 4294967296"):
            net._frame([n, m])  # the bytes of the last would wrap around


def test_elements_that_no_shape_takes_are_refused():
    x = var("x", N, 3)
    bodies = (
        relay.reshape(x, (-1, 2)),
        relay.exp(relay.reshape(relay.exp(x), (2, -1, 3))),
        relay.reshape(x, (-4, -1, 2, 3)),
        relay.split(x, 2, axis=0)[0],
        relay.split(x, 2, axis=0)[1],
    )
    for body in bodies:
        mod = module([x], body)
        net, evaluate = build_network(mod), relay.create_executor(mod=mod).evaluate()
        for size in (2, 6):
            rows = np.random.default_rng(size).normal(size=(size, 3)).astype("float32")
            assert np.allclose(evaluate(rows), net(rows))
        with pytest.raises(EvaluationError, match="out of range"):
            net(np.ones((3, 3), "float32"))


def test_measures_are_those_that_the_interpreter_of_loops_computes():
    body = relay.Tuple([relay.concatenate([X, X], axis=0), relay.nn.softmax(X, axis=0)])
    net = build_network(module([X], body))
    for n in (1, 7, 1000):
        found = net.code.measures.of(n)
        frame = net._frame([n])
        assert found[0] == frame.arena
        assert found[1:7] == [n, 4, 2 * n, 4, n, 4]
        assert frame.outputs == [(2 * n, 4), (n, 4)]


def test_calls_with_sizes_beside_each_other_do_not_mix_them_up():
    net = build_network(module([X], relay.nn.softmax(relay.exp(X), axis=0)))
    arrays = [np.random.default_rng(n).random((n, 4)).astype("float32") for n in (1, 300, 20)]
    wanted = [net(each) for each in arrays]
    with ThreadPoolExecutor(3) as pool:
        found = pool.map(net, arrays * 20)
        for at, each in enumerate(found):
            assert np.array_equal(each, wanted[at % 3])


def test_libraries_take_sizes_from_what_is_set(tmp_path):
    mod = module([X, var("y", N, 2)], relay.sum(X, axis=1))
    built = relay.build(mod)
    built.export_library(tmp_path / "net.so")
    for library in (built, load_module(tmp_path / "net.so")):
        graph = library["default"](None)
        assert graph.get_input_info()[0] == {"x": (-1, 4), "y": (-1, 2)}
        for n in (1, 5):
            graph.run(x=np.ones((n, 4), "float32"), y=np.ones((n, 2), "float32"))
            assert graph.get_output(0).numpy().tolist() == [4] * n
        with pytest.raises(TypeConfusionError, match=r"'y' must be .* \(5, 2\)"):
            graph.run(y=np.ones((4, 2), "float32"))
        with pytest.raises(TypeConfusionError, match="dimension 0, n, is 1 at least"):
            graph.run(x=np.ones((0, 4), "float32"))


def test_sizes_of_which_one_may_be_1_are_looked_at_when_it_runs():
    x, y = var("x", N, 4), var("y", 2, 4)
    net = build_network(module([x, y], relay.add(x, y)))
    two = np.ones((2, 4), "float32")
    for size in (1, 2):
        assert net(np.ones((size, 4), "float32"), two).tolist() == [[2] * 4] * 2
    with pytest.raises(EvaluationError, match="out of range"):
        net(np.ones((3, 4), "float32"), two)


REFUSED = {
    "a part along what is not known": relay.strided_slice(X, [1], [3], axes=[0]),
    "unknown": relay.argwhere(X),
}


@each("name", list(REFUSED))
def test_what_needs_the_number_before_is_refused(name):
    with pytest.raises(RelayishError) as caught:
        build_network(module([X], REFUSED[name]))
    assert isinstance(caught.value, UnlowerableError)
