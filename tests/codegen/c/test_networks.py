"""Networks in C: compiled, called, and beside what numpy computes."""

import threading

import numpy as np
import pytest

import relayish as relay
from relayish.codegen.c import build_network
from relayish.errors import CodegenError, EvaluationError, OptionError, UnlowerableError
from relayish.testing import lstm, mlp, mobilenet
from tests.support.each import each


def module(func):
    return relay.transform.InferType()(relay.IRModule.from_expr(func))


def inputs(mod, seed=0):
    """Small numbers for each parameter; variances are positive."""
    generator = np.random.default_rng(seed)
    made = []
    for param in mod["main"].params:
        shape = [int(size) for size in param.type_annotation.shape]
        values = (generator.normal(size=shape) * 0.1).astype("float32")
        made.append(np.abs(values) if "var" in param.name_hint else values)
    return made


def check(mod, exact=False):
    """Check that a network computes in C what it does by numpy, and return it with arguments."""
    args = inputs(mod)
    expected = relay.create_executor(mod=mod).evaluate()(*args)
    net = build_network(mod, exact=exact)
    found = net(*args)
    fields = expected if isinstance(expected, (tuple, list)) else [expected]
    results = found if isinstance(found, tuple) else [found]
    for a, b in zip(fields, results, strict=True):
        assert np.allclose(np.asarray(a), b, rtol=2e-4, atol=1e-6)
    return net, args


@each("exact", [True, False])
def test_a_perceptron_runs_without_numpy(exact):
    mod, _ = mlp.get_workload(1)
    check(relay.transform.InferType()(mod), exact)


@pytest.mark.slow("compiles a whole network")
def test_a_whole_network_is_as_by_numpy():
    mod, _ = mobilenet.get_workload(1, image_shape=(3, 32, 32))
    check(relay.transform.InferType()(mod))


def test_functions_that_a_network_calls_are_inlined():
    mod, _ = lstm.get_workload(3, 8)
    check(relay.transform.InferType()(mod))


def convolution(**options):
    x, w = (
        relay.var("x", shape=(2, 4, 9, 11)),
        relay.var("w", shape=(6, options.pop("inputs", 4), 3, 3)),
    )
    made = relay.nn.conv2d(x, w, kernel_size=(3, 3), channels=6, **options)
    return relay.Function([x, w], relay.nn.relu(made))


@each(
    "options",
    [
        {"padding": (1, 1)},
        {"strides": (2, 2)},
        {"dilation": (2, 2), "padding": (2, 2)},
        {"groups": 2, "inputs": 2},
        {"strides": (3, 1), "padding": (0, 1, 2, 0)},
    ],
)
def test_convolutions_are_as_by_numpy(options):
    check(module(convolution(**dict(options))))


def test_results_may_be_given_views_constants_or_twice_the_same():
    x = relay.var("x", shape=(2, 6))
    kept = relay.const(np.arange(3, dtype="float32"))
    value = relay.exp(x)
    results = [
        x,
        value,
        relay.reshape(value, (3, 4)),
        value,
        kept,
        relay.split(value, 2, axis=1)[0],
    ]
    net, args = check(module(relay.Function([x], relay.Tuple(results))))
    found = net(*args)
    assert [each.shape for each in found] == [(2, 6), (2, 6), (3, 4), (2, 6), (3,), (2, 3)]
    found[0][...] = 7
    assert not (args[0] == 7).any()


def test_fields_of_a_tuple_are_kept_until_they_are_used():
    x = relay.var("x", shape=(4, 4))
    eye = relay.const(np.eye(4, dtype="float32"))
    pair = relay.split(relay.exp(relay.nn.dense(x, eye)), 2, axis=1)
    first, second = pair[0], pair[1]
    turn = relay.const(np.array([[1, 2], [3, 4]], "float32"))
    value = relay.nn.dense(relay.nn.dense(first, turn), relay.const(np.eye(2, dtype="float32")))
    value = value + relay.nn.dense(second, turn)
    for _ in range(3):  # each gives memory of the size of a field, and takes some
        value = relay.nn.dense(value, turn)
    check(module(relay.Function([x], relay.nn.dense(value, turn) + second)))


def test_a_result_in_memory_that_was_used_before_has_its_own_shape():
    x = relay.var("x", shape=(4, 6))
    value = relay.nn.dense(x, relay.const(np.ones((6, 6), "float32")))
    value = relay.nn.dense(relay.exp(value), relay.const(np.ones((6, 6), "float32")))
    value = relay.nn.dense(relay.transpose(value), relay.const(np.ones((4, 4), "float32")))
    net, args = check(module(relay.Function([x], value)))
    assert net(*args).shape == (6, 4)


def test_calls_leave_what_they_are_given_and_give_new_arrays():
    x = relay.var("x", shape=(3,))
    net = build_network(module(relay.Function([x], relay.exp(x))))
    given = np.zeros(3, "float32")
    first, second = net(given), net(given + 1)
    assert first.tolist() == [1, 1, 1]
    assert given.tolist() == [0, 0, 0]
    assert second is not first


@each(
    ("args", "found"),
    [
        ((), "argument 'x' is missing"),
        ((np.zeros(3, "float32"),) * 2, "2 arguments are given; the function takes 1"),
        ((np.zeros(4, "float32"),), r"\(3,\) and type float32; found \(4,\) float32"),
        ((np.zeros(3),), r"found \(3,\) float64; give x.astype\('float32'\)"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(args, found):
    x = relay.var("x", shape=(3,))
    net = build_network(module(relay.Function([x], relay.exp(x))))
    with pytest.raises(EvaluationError, match=found):
        net(*args)


def test_what_is_no_module_and_no_option_is_refused():
    x = relay.var("x", shape=(3,))
    func = relay.Function([x], relay.exp(x))
    with pytest.raises(CodegenError, match="a Function cannot be compiled as a network"):
        build_network(func)
    with pytest.raises(OptionError, match="found 'bogus'"):
        build_network(module(func), unlowerable="bogus")
    assert build_network(module(func))(np.zeros(3, ">f4")).tolist() == [1, 1, 1]


@each("name", ["sort", "max_pool1d", "resize2d"])
def test_operators_that_need_the_number_of_an_open_size_are_refused(name):
    x = relay.Var("x", relay.TensorType((1, 4, relay.Any()), "float32"))
    body = {
        "sort": lambda: relay.sort(x, axis=2),
        "max_pool1d": lambda: relay.nn.max_pool1d(x, 2, strides=2, ceil_mode=True),
        "resize2d": lambda: relay.image.resize2d(relay.expand_dims(x, 0), (8, 8)),
    }[name]()
    with pytest.raises(UnlowerableError, match=r"cannot be|the number"):
        build_network(relay.IRModule.from_expr(relay.Function([x], body)))


def test_arguments_may_be_named_have_gaps_and_be_constants():
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=())
    net = build_network(module(relay.Function([x, y], x + y)))
    given = np.arange(12, dtype="float32").reshape(2, 6)[:, ::2]
    assert np.array_equal(net(given, y=2), given + 2)
    assert np.array_equal(net(relay.const(given), np.float32(1)), given + 1)


def test_threads_take_turns():
    x = relay.var("x", shape=(64, 64))
    body = relay.nn.dense(relay.nn.dense(x, x), x)
    mod = module(relay.Function([x], body))
    net = build_network(mod)
    given = [np.full((64, 64), at, "float32") for at in range(1, 5)]
    expected = [net(each) for each in given]
    wrong = []

    def work(at):
        found = [net(given[at]) for _ in range(20)]
        wrong.extend([each for each in found if not np.array_equal(each, expected[at])])

    workers = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_exact_sums_are_those_of_the_interpreter_bit_for_bit():
    x, w = relay.var("x", shape=(3, 50)), relay.var("w", shape=(7, 50))
    mod = module(relay.Function([x, w], relay.nn.dense(x, w)))
    args = inputs(mod)
    lowered = relay.transform.LowerToLoops(unlowerable="refuse")(mod)
    expected = relay.create_executor(mod=lowered).evaluate()(*args)
    assert np.array_equal(np.asarray(expected), build_network(mod, exact=True)(*args))
