"""What ``relay.build`` returns, used as scripts for TVM use it, and the executor that compiles."""

import json
import time

import numpy as np
import pytest
from relayish.tvm.contrib.graph_executor import GraphModule

import relayish as relay
from relayish import tvm
from relayish.errors import (
    CodegenError,
    EvaluationError,
    IgnoredNameWarning,
    OperatorError,
    UnknownNameError,
    UnlowerableError,
)
from relayish.onnx.package import load_onnx
from relayish.testing import mlp
from relayish.tvm.contrib import graph_executor
from tests.support.each import each
from tests.support.small_models import small_model


@pytest.fixture(scope="module")
def workload():
    """A network, its parameters, an input, and what it computes."""
    mod, params = mlp.get_workload(1, image_shape=(1, 4, 4))
    given = np.random.default_rng(2).normal(size=(1, 1, 4, 4)).astype("float32")
    wanted = relay.create_executor("graph", mod, params=params).evaluate()(given)
    return mod, params, given, wanted


@pytest.fixture(scope="module")
def library(workload):
    mod, params, _, _ = workload
    with tvm.transform.PassContext(opt_level=3):
        return tvm.relay.build(mod, target="llvm -mcpu=core-avx2", params=params)


def test_a_library_runs_as_scripts_for_tvm_run_it(workload, library):
    _, _, given, wanted = workload
    module = graph_executor.GraphModule(library["default"](tvm.cpu(0)))
    module.set_input("data", tvm.nd.array(given))
    module.run()
    assert np.allclose(module.get_output(0).numpy(), wanted, rtol=1e-5)
    assert module.get_num_outputs() == 1
    assert np.array_equal(module.get_input("data").numpy(), given)
    module.run(data=given * 2)
    out = tvm.nd.empty((1, 10), "float32")
    assert module.get_output(0, out) is not None
    assert not np.allclose(out.numpy(), wanted)


def test_a_library_is_taken_apart(workload, library):
    _, params, given, wanted = workload
    graph, lib, bound = library
    assert bound.keys() == params.keys()
    module = graph_executor.create(graph, lib, tvm.cpu())
    module.set_input(**bound)  # they were folded, so they are passed over
    module.set_input(0, given)
    module.run()
    assert np.allclose(module.get_output(0).numpy(), wanted, rtol=1e-5)
    assert "int32_t default_run_in(" in lib.get_source()


def test_parameters_may_be_given_when_it_runs(workload):
    mod, params, given, wanted = workload
    module = GraphModule(relay.build(mod, mod_name="mlp")["mlp"](tvm.cpu()))
    assert module.get_num_inputs() == 1 + len(params)
    shapes, types = module.get_input_info()
    assert shapes["fc1_bias"] == params["fc1_bias"].shape
    assert types["fc1_bias"] == "float32"
    module.load_params(relay.save_param_dict(params))
    module.run(data=given)
    assert np.allclose(module.get_output(0).numpy(), wanted, rtol=1e-5)
    assert module.benchmark(tvm.cpu(), repeat=2, number=2).min > 0
    whole = module.benchmark(tvm.cpu(), repeat=3, number=1, end_to_end=True, data=given)
    assert len(whole.results) == 3
    shapes, types = module.get_output_info()
    assert list(shapes.values()) == [(1, 10)]
    assert [module.get_output_index(name) for name in (*types, "none")] == [0, -1]


def test_time_is_told_of_rounds_that_take_as_long_as_asked(workload, library):
    module = library["default"](tvm.cpu())
    module.set_input("data", workload[2])
    runs = []
    module.run = lambda: runs.append(time.sleep(0.001))
    timer = module.module.time_evaluator("run", tvm.cpu(), number=1, repeat=2, min_repeat_ms=5)
    found = timer()
    assert 4 <= len(runs) <= 20
    assert found.min >= 0.001
    with pytest.raises(UnknownNameError, match="only 'run' is timed"):
        module.module.time_evaluator("main")


def test_the_graph_of_a_library_tells_inputs_and_outputs(workload):
    mod, params, _, _ = workload
    text, lib, _ = relay.build(mod)
    graph = json.loads(text)
    assert lib.get_graph_json() == lib.graph_json == lib.get_executor_config() == text
    names = [graph["nodes"][at]["name"] for at in graph["arg_nodes"]]
    assert set(names) == {"data", *params}
    shapes = graph["attrs"]["shape"][1]
    assert shapes[names.index("fc1_bias")] == list(params["fc1_bias"].shape)
    rows = graph["node_row_ptr"]
    assert [shapes[rows[node] + at] for node, at, _ in graph["heads"]] == [[1, 10]]
    assert rows[-1] == len(shapes) == len(graph["attrs"]["dltype"][1])


def test_inputs_that_nobody_sets_are_0_as_in_memory_of_relays_executor():
    x = relay.var("x", shape=(2,))
    module = relay.build(relay.IRModule.from_expr(relay.Function([x], x + x)))["default"](None)
    module.run()
    assert module.get_output(0).numpy().tolist() == [0, 0]


def test_levels_tell_which_passes_run():
    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.exp(x) + relay.exp(x)))
    texts = [relay.build(mod, opt_level=level).text for level in (0, 3)]
    assert [text.partition("int32_t main_")[2].count("expf(") for text in texts] == [2, 1]


@each(
    ("call", "error", "said"),
    [
        (lambda m: m.set_input("dat", 0), UnknownNameError, "no input 'dat'; did you mean data"),
        (lambda m: m.set_input(7, 0), UnknownNameError, "no input 7"),
        (lambda m: m.run(data=np.zeros(3, "float32")), EvaluationError, "found .3,. float32"),
        (lambda m: m.get_output(0), EvaluationError, "did not run yet"),
        (lambda m: m.get_input("data"), EvaluationError, "not set"),
    ],
)
def test_mistakes_are_told(call, error, said, library):
    with pytest.raises(error, match=said):
        call(GraphModule(library["default"](tvm.cpu())))


def test_outputs_that_there_are_not_are_told(workload, library):
    module = library["default"](tvm.cpu())
    module.run(data=workload[2])
    with pytest.raises(EvaluationError, match="no output 1"):
        module.get_output(1)
    with pytest.raises(UnknownNameError, match="write lib"):
        library["other"]


@each(
    ("target", "error"),
    [("cuda", CodegenError), (tvm.target.Target("cuda"), CodegenError), ("nope", OperatorError)],
)
def test_targets_that_are_no_cpu_are_refused(target, error, workload):
    with pytest.raises(error):
        relay.build(workload[0], target)
    with pytest.raises(error):
        relay.create_executor("aot", workload[0], target=target)


def test_devices_that_are_no_cpu_are_refused(workload, library):
    with pytest.raises(CodegenError, match="expected a CPU"):
        library["default"](tvm.cuda())
    with pytest.raises(CodegenError, match="expected a CPU"):
        relay.create_executor("aot", workload[0], tvm.cuda(0))


def test_parameters_that_there_are_not_are_told():
    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.exp(x)))
    with pytest.warns(IgnoredNameWarning, match="for 'y', and @main has no such parameter"):
        lib = relay.build(mod, params={"y": np.zeros(2, "float32")})
    assert lib.params == {}


@pytest.mark.references
def test_models_of_onnx_are_built_as_the_command_compiles_them():
    pytest.importorskip("onnx")
    model = small_model()
    model.graph.input.append(load_onnx("onnx.helper").make_tensor_value_info("w", 1, [3, 2]))
    mod = relay.frontend.from_onnx(model)
    given = np.arange(-6, 6, dtype="float32").reshape(4, 3)
    weights = np.arange(6, dtype="float32").reshape(3, 2)
    for params, w in (({}, weights - 2), ({"w": weights}, weights)):
        graph = relay.build(mod, params=params)["default"](None)
        assert graph.get_input_info()[0] == {"x": (-1, 3)}
        graph.run(x=given)
        assert np.allclose(graph.get_output(0).numpy(), np.maximum(given * 2, 0) @ w)


def test_the_executor_compiles(workload):
    mod, params, given, wanted = workload
    executor = relay.create_executor("aot", mod, params=params)
    assert np.allclose(executor.evaluate()(given), wanted, rtol=1e-5)
    x = relay.var("x", shape=())
    assert relay.create_executor("aot", mod).evaluate(relay.Function([x], x + x))(2.5) == 5.0
    assert relay.create_executor("aot").evaluate(x + x, {x: 1.5}) == 3.0
    with pytest.raises(EvaluationError, match="no module to find @main in"):
        relay.create_executor("aot").evaluate()


def test_the_executor_says_what_it_cannot_compile():
    x = relay.var("x", shape=(3,), dtype="int32")
    mod = relay.IRModule.from_expr(relay.Function([x], relay.argwhere(x)))
    with pytest.raises(UnlowerableError, match="argwhere"):
        relay.create_executor("aot", mod).evaluate()
