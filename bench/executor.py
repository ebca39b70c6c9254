"""Measure the executors: their own cost for each operator, and a network beside torch.

    python bench/executor.py                 # both tables
    python bench/executor.py --only chain    # what an operator costs beside numpy's own work
    python bench/executor.py --only network  # ResNet-18, one image of 224 by 224, beside torch

Everything runs on one thread. The network has the same weights in both, and the results are
compared before anything is measured; torch runs it operator by operator, as relayish does. A figure
is CPU time of the process, the best of several runs in turn.
"""

# ruff: noqa: E402 - the number of threads is set before numpy is loaded

from __future__ import annotations

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import relayish as relay
from relayish.ir.relay.expr import Call, Function, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.traversal import EXPRESSIONS

LENGTH = 10_000
TARGET = 3.0
"""How many times torch's time a network may take."""


def best(work: Callable[[], object], runs: int = 7) -> float:
    """Return the seconds of the fastest of several runs."""
    found = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        found = min(found, time.process_time() - start)
    return found


def scalar_chain(length: int) -> Function:
    x, one = relay.var("x", "float32"), relay.const(1.0)
    expr: relay.Expr = x
    for _ in range(length):
        expr = relay.add(expr, one)
    return Function((x,), expr)


def measure_chain() -> None:
    function, zero = scalar_chain(LENGTH), np.float32(0)
    evaluate = relay.op.properties.evaluate.get(relay.get_op("add"))
    one = np.float32(1)

    def bare() -> None:
        value = zero
        for _ in range(LENGTH):
            value = evaluate(None, value, one)

    planned = relay.create_executor("graph").evaluate(function)
    interpreted = relay.create_executor("debug").evaluate(function)
    assert planned(zero) == interpreted(zero) == LENGTH
    start = time.process_time()
    relay.create_executor("graph").evaluate(function)
    planning = time.process_time() - start
    loop = best(bare)
    print(f"a chain of {LENGTH:,} additions of scalars, µs for each")
    for name, seconds in (
        ("the operators alone, in a loop", loop),
        ("graph executor", best(lambda: planned(zero))),
        ("interpreter", best(lambda: interpreted(zero))),
        ("planning, once", planning),
    ):
        print(f"  {name:34}{seconds / LENGTH * 1e6:8.3f}{(seconds - loop) / LENGTH * 1e6:+8.3f}")


def _pads(padding: tuple[int, ...]) -> tuple[int, int]:
    assert padding[:2] == padding[2:] or len(padding) == 2
    return padding[0], padding[1]


def torch_operators(torch: Any) -> Mapping[str, Callable[..., Any]]:
    """Return what torch does for each operator of the network: ``(attrs, *inputs)``."""
    run = torch.nn.functional
    return {
        "nn.conv2d": lambda a, x, w: run.conv2d(
            x, w, None, a.strides, _pads(a.padding), a.dilation, a.groups
        ),
        "nn.batch_norm": lambda a, x, g, b, m, v: (
            run.batch_norm(x, m, v, g if a.scale else None, b if a.center else None, eps=a.epsilon),
        ),
        "nn.relu": lambda _, x: run.relu(x),
        "add": lambda _, x, y: x + y,
        "nn.max_pool2d": lambda a, x: run.max_pool2d(x, a.pool_size, a.strides, _pads(a.padding)),
        "nn.global_avg_pool2d": lambda _, x: run.adaptive_avg_pool2d(x, 1),
        "nn.batch_flatten": lambda _, x: x.flatten(1),
        "nn.dense": lambda _, x, w: run.linear(x, w),
        "nn.bias_add": lambda _, x, b: x + b,
        "nn.softmax": lambda a, x: run.softmax(x, a.axis),
    }


def torch_network(torch: Any, main: Function, weights: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return the function of the image that torch runs operator by operator."""
    operators = torch_operators(torch)
    order = [n for n in EXPRESSIONS.post_order(main.body) if not isinstance(n, Op)]
    held = {var: weights[var.name_hint] for var in main.params if var.name_hint in weights}
    (image,) = (var for var in main.params if var.name_hint not in weights)
    last_use = {child: at for at, node in enumerate(order) for child in operands(node)}
    dead: dict[int, list[Any]] = {}
    for child, at in last_use.items():
        dead.setdefault(at, []).append(child)

    def run(value: Any) -> Any:
        values = {**held, image: value}
        for at, node in enumerate(order):
            if isinstance(node, Call):
                assert isinstance(node.op, Op)
                inputs = [values[arg] for arg in node.args]
                values[node] = operators[node.op.name](node.attrs, *inputs)
            elif isinstance(node, TupleGetItem):
                values[node] = values[node.tuple_value][node.index]
            for child in dead.get(at, ()):
                values.pop(child, None)
        return values[main.body]

    return run


def operands(node: Any) -> tuple[Any, ...]:
    if isinstance(node, Call):
        return node.args
    if isinstance(node, TupleGetItem):
        return (node.tuple_value,)
    assert isinstance(node, (Var, Tuple)), node
    return ()


def measure_network(runs: int) -> None:
    import torch

    from relayish.testing import resnet

    torch.set_num_threads(1)
    mod, params = resnet.get_workload(1, 1000, 18)
    image = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype("float32")
    start = time.process_time()
    planned = relay.create_executor("graph", mod, params=params).evaluate()
    planning = time.process_time() - start
    interpreted = relay.create_executor("debug", mod, params=params).evaluate()
    with torch.no_grad():
        weights = {name: torch.from_numpy(np.array(value)) for name, value in params.items()}
        network = torch_network(torch, mod["main"], weights)
        given = torch.from_numpy(image)
        expected = network(given).numpy()
        np.testing.assert_allclose(planned(image), expected, rtol=1e-3, atol=1e-6)
        ours, theirs, machine = [], [], []
        for _ in range(runs):  # in turn, so that noise falls on all of them
            theirs.append(best(lambda: network(given), 1))
            ours.append(best(lambda: planned(image), 1))
            machine.append(best(lambda: interpreted(image), 1))
    print(f"ResNet-18, one image of 224 by 224, one thread; milliseconds, best of {runs}")
    for name, seconds in (
        (f"torch {torch.__version__}", min(theirs)),
        ("graph executor", min(ours)),
        ("interpreter", min(machine)),
        ("planning, once", planning),
    ):
        print(f"  {name:34}{seconds * 1e3:8.1f}{seconds / min(theirs):8.2f} times torch")
    print(f"  the target for the graph executor is {TARGET} times torch")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("chain", "network"))
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    if options.only != "network":
        measure_chain()
    if options.only != "chain":
        measure_network(options.runs)


if __name__ == "__main__":
    main()
