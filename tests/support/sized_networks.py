"""Random networks whose sizes arguments tell, in C beside Relay's evaluator.

python -m tests.support.sized_networks 200 7  # so many, from this seed on
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import relayish as relay
from relayish import tir
from relayish.codegen.c import NativeModule, to_c
from relayish.codegen.c.network import Network, lower_network, order_calls
from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import RelayishError, TypeInferenceError
from tests.support.compiled_loops import QUICK
from tests.support.compiled_networks import leaves

N, M = relay.SizeVar("n"), relay.SizeVar("m")
SHAPES = ((N, 4), (N,), (4,), (1, 4), (N, 1), (M, 4), (N, M), (2, N, 3), ())
SIZES = ((1, 1), (2, 1), (1, 3), (5, 4))
Draw = Callable[[], relay.Expr]


def _rules(draw: Draw, chance: random.Random) -> list[Callable[[], relay.Expr]]:
    def axis() -> int:
        return chance.randrange(3)

    return [
        lambda: relay.add(draw(), draw()),
        lambda: relay.multiply(draw(), draw()),
        lambda: relay.maximum(draw(), draw()),
        lambda: relay.where(relay.less(draw(), draw()), draw(), draw()),
        lambda: relay.nn.relu(draw()),
        lambda: relay.sum(draw(), axis=axis(), keepdims=chance.random() < 0.5),
        lambda: relay.max(draw(), axis=axis()),
        lambda: relay.mean(draw()),
        lambda: relay.transpose(draw()),
        lambda: relay.expand_dims(draw(), axis=axis()),
        lambda: relay.reshape(draw(), chance.choice(((-1,), (-1, 2), (-1, 4), (4, -1)))),
        lambda: relay.concatenate([draw(), draw()], axis=axis()),
        lambda: relay.nn.dense(draw(), draw()),
        lambda: relay.nn.pad(draw(), ((1, 0), (0, 2)), 3.0),
        lambda: relay.take(draw(), relay.const(np.int32([0, 0])), axis=axis()),
        lambda: relay.strided_slice(draw(), [1], [3], axes=[axis()]),
        lambda: relay.nn.softmax(draw(), axis=axis()),
        lambda: relay.split(draw(), 2, axis=axis())[chance.randrange(2)],
        lambda: relay.reverse(draw(), axis=axis()),
        lambda: relay.tile(draw(), (2, 1)),
        lambda: _either(relay.less(relay.sum(draw()), relay.const(1.0)), draw()),
    ]


def _either(condition: relay.Expr, data: relay.Expr) -> relay.Expr:
    return relay.If(condition, relay.nn.relu(data), relay.sum(data, axis=0, keepdims=True) + data)


def random_sized(seed: int, size: int = 25) -> relay.IRModule:
    """Return a network of about so many operators over tensors of unknown sizes."""
    chance = random.Random(f"sized {seed}")
    shapes = [(N, 4), (N, M), *chance.sample(SHAPES, 3)]
    params = [relay.Var(f"x{at}", relay.TensorType(ty)) for at, ty in enumerate(shapes)]
    pool: list[relay.Expr] = [*params]

    def draw() -> relay.Expr:
        return chance.choice(pool[-6:] if chance.random() < 0.5 else pool)

    rules = _rules(draw, chance)
    while size:
        made = chance.choice(rules)()
        size -= 1
        if _is_sized(made):
            pool.append(made)
    results = relay.Tuple(chance.sample(pool[len(params) :] or pool, 1) + pool[-3:])
    mod = relay.IRModule.from_expr(relay.Function(params, results))
    return relay.transform.InferType()(mod)


def _is_sized(expr: relay.Expr) -> bool:
    """Return whether an expression has a type in which each size is told."""
    free = relay.analysis.free_vars(expr)
    try:
        ty = relay.transform.InferTypeLocal(relay.Function(free, expr)).ret_type
    except TypeInferenceError:
        return False
    shape = getattr(ty, "shape", (relay.Any(),))
    return len(shape) < 4 and "?" not in str(ty)


def _run(net: Network, function: Any, given: list[Any], sizes: dict[str, int]) -> list[Any]:
    known = [sizes[each.name.rstrip("_0123456789")] for each in net.sizes]
    values = dict(zip(net.sizes, known, strict=True))

    def array(buffer: tir.Buffer) -> Any:
        shape = [int(tir.evaluate(size, values)) for size in buffer.shape]
        return np.zeros(shape, buffer.dtype.numpy)

    outputs, room = map(array, net.outputs), map(array, net.workspace)
    made = list(outputs)
    function(*known, *given, *net.constants, *room, *made)
    return made


def differences(seeds: Iterable[int]) -> tuple[list[str], int]:
    """Return what is computed otherwise in C than by Relay's evaluator, and how many compile."""
    wrong, networks = [], {}
    for seed in seeds:
        mod = random_sized(seed)
        try:
            networks[seed] = mod, order_calls(lower_network(mod))
        except RelayishError as error:
            if "cannot be written" not in str(error) and "known only" not in str(error):
                wrong.append(f"{seed}: {type(error).__name__}: {error}")
    modules = [net.module.with_fields(name=f"p{seed}") for seed, (_, net) in networks.items()]
    source = to_c(tir.Module("all", submodules=tuple(modules)))
    native = NativeModule(source, find_toolchain(QUICK))
    for seed, (mod, net) in networks.items():
        for n, m in SIZES:
            sizes = {"n": n, "m": m}
            generator = np.random.default_rng([seed, n, m])
            given = []
            for param in mod["main"].params:
                shape = [
                    s if isinstance(s, int) else sizes[s.name] for s in param.type_annotation.shape
                ]
                given.append(generator.integers(-3, 4, shape).astype("float32"))
            evaluate = relay.create_executor(mod=mod).evaluate()
            try:
                expected = leaves(evaluate(*given))
            except RelayishError:
                continue  # these sizes do not go together
            found = _run(net, native[f"p{seed}.main"], given, sizes)
            for a, b in zip(expected, found, strict=True):
                if a.shape != b.shape or not np.allclose(a, b, rtol=1e-5, equal_nan=True):
                    wrong.append(f"{seed} at {sizes}: expected {a}, found {b}")
                    break
    return wrong, len(networks)


def main(count: int, start: int) -> int:
    """Try networks, and say which differ."""
    bad = compiled = 0
    for seed in range(start, start + count, 20):
        wrong, good = differences(range(seed, min(seed + 20, start + count)))
        compiled += good
        for line in wrong:
            sys.stdout.write(f"{line}\n")
            bad += 1
    sys.stdout.write(f"{count} networks, {compiled} compiled, {bad} differ\n")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
