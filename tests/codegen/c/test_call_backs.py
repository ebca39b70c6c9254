"""Calls from C back into Python: what loops do not express, and functions that are given memory."""

import threading

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c import build_network
from relayish.errors import CodegenError, EvaluationError, RelayishError, UnlowerableError
from relayish.tir.externs import nothing
from tests.codegen.c.test_control_flow import module
from tests.support.compiled_networks import leaves

pytestmark = pytest.mark.usefixtures("declarations")


def rise(*arrays):
    raise KeyError("a function that fails")


def fill(*arrays):
    *given, first, second = arrays
    first[...] = given[0] + given[1]
    second[...] = given[1].T


def register(evaluate, name="tests.fill", writes=2):
    tir.register_extern(name, evaluate, arity=None, writes=writes, type_rule=nothing)


def calling():
    A, B, C, D = (
        tir.placeholder(name, shape, dtype)
        for name, shape, dtype in (
            ("A", (2, 3), "float32"),
            ("B", (2, 3), "float32"),
            ("C", (2, 3), "float32"),
            ("D", (3, 2), "float32"),
        )
    )
    call = tir.Call(tir.Void(), "tests.fill", (A, B), (C, D))
    args = tuple(each.buffer for each in (A, B, C, D))
    return tir.LoweredFunc("calls", args, tir.Block((call,)))


def arrays():
    given = [np.arange(6, dtype="float32").reshape(2, 3), np.ones((2, 3), "float32")]
    return [*given, np.zeros((2, 3), "float32"), np.zeros((3, 2), "float32")]


def test_functions_of_python_fill_memory_as_the_interpreter_has_it():
    register(fill)
    expected, found = arrays(), arrays()
    tir.run(calling(), *expected)
    tir.build(calling())(*found)
    assert all(map(np.array_equal, expected, found))
    assert found[2].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_what_python_raises_comes_out_as_it_was():
    register(rise)
    run = tir.build(calling())
    for _ in range(2):
        with pytest.raises(KeyError, match="a function that fails") as caught:
            run(*arrays())
        assert caught.traceback[-1].name == "rise"


def test_each_thread_has_its_own_errors():
    barrier = threading.Barrier(4)

    def raise_own(*_arrays):
        barrier.wait()
        raise KeyError(threading.current_thread().name)

    register(raise_own)
    run, wrong = tir.build(calling()), []

    def work():
        try:
            run(*arrays())
        except KeyError as error:
            if error.args != (threading.current_thread().name,):
                wrong.append(error)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_functions_that_nobody_knows_are_refused():
    with pytest.raises(CodegenError, match=r"nothing is known"):
        tir.build(calling())


def shuffle(attrs, data):
    if data.size and data.flat[0] == 7:
        raise ValueError("a seven")
    return data[::-1].copy(), data.sum(dtype="float32")


def operator():
    def rule(attrs, data):
        return relay.TupleType([data, relay.TensorType((), "float32")])

    return relay.register_op("shuffle", arguments=("data",), rule=rule, evaluate=shuffle)


def network():
    op = operator()
    x, c = relay.var("x", shape=(2, 3)), relay.var("c", shape=(), dtype="bool")
    pair = relay.Var("pair")
    found = relay.Tuple([relay.exp(relay.TupleGetItem(pair, 0)), relay.TupleGetItem(pair, 1)])
    shuffled = relay.Let(pair, relay.Call(op, [relay.nn.relu(x)]), found)
    plain = relay.Tuple([x, relay.sum(x)])
    return relay.transform.InferType()(
        relay.IRModule.from_expr(relay.Function([c, x], relay.If(c, shuffled, plain)))
    )


def test_what_loops_do_not_express_is_refused_or_evaluated_by_numpy_as_one_chooses():
    mod = network()
    with pytest.raises(UnlowerableError, match="shuffle"):
        build_network(mod)
    net = build_network(mod, unlowerable="call")
    evaluate = relay.create_executor(mod=mod).evaluate()
    x = np.arange(-2, 4, dtype="float32").reshape(2, 3)
    for condition in (True, False):
        given = np.bool_(condition), x
        for a, b in zip(leaves(evaluate(*given)), net(*given), strict=True):
            assert np.allclose(a, b)
    with pytest.raises(EvaluationError, match="a seven"):  # which is what the evaluator makes of it
        net(np.bool_(True), np.full((2, 3), 7, "float32"))


def test_functions_that_call_themselves_may_call_python():
    operator()
    mod = module(
        """def @f(%n: int32, %x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
          if (less(%n, 1)) { %x } else { add(@f(subtract(%n, 1), shuffle(%x).0), %x) }
        }
        def @main(%n: int32, %x: Tensor[(2, 3), float32]) { @f(%n, %x) }"""
    )
    given = np.int32(3), np.arange(6, dtype="float32").reshape(2, 3)
    expected = relay.create_executor(mod=mod).evaluate()(*given)
    assert np.array_equal(expected, build_network(mod, unlowerable="call")(*given))


def test_what_has_a_size_that_depends_on_values_is_refused_all_the_same():
    x = relay.var("x", shape=(3,))
    mod = relay.transform.InferType()(
        relay.IRModule.from_expr(relay.Function([x], relay.argwhere(x)))
    )
    with pytest.raises(RelayishError, match="size"):
        build_network(mod, unlowerable="call")
    assert not issubclass(UnlowerableError, EvaluationError)


def test_memory_of_open_sizes_is_given_to_python():
    n = relay.SizeVar("n")
    x = relay.Var("x", relay.TensorType((n, 3), "float32"))
    body = relay.exp(relay.sort(relay.concatenate([x, x], axis=0), axis=0))
    mod = relay.IRModule.from_expr(relay.Function([x], body))
    net = build_network(mod, unlowerable="call")
    evaluate = relay.create_executor(mod=mod).evaluate()
    assert "relayish_call_back(" in net.text
    for size in (1, 2, 70):
        given = np.random.default_rng(size).random((size, 3)).astype("float32")
        assert np.allclose(net(given), evaluate(given))


def test_results_of_which_nobody_knows_the_size_are_refused_by_name():
    x = relay.var("x", shape=(3,))
    places = relay.argwhere(x)
    for body in (places, relay.sum(relay.cast(places, "float32"))):
        mod = relay.IRModule.from_expr(relay.Function([x], body))
        with pytest.raises(UnlowerableError, match=r"argwhere\(%x\) gives a value of type"):
            build_network(mod, unlowerable="call")
