"""Random networks whose sizes arguments tell, in C beside Relay's evaluator.

python -m tests.support.sized_networks 200 7    # so many, from this seed on
python -m tests.support.sized_networks 200 7 1  # without Python as well, under sanitizers
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

import relayish as relay
from relayish.codegen.c import ship
from relayish.codegen.c.executor import compile_network
from relayish.codegen.c.network import Network, lower_network, order_calls
from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import RelayishError, TypeInferenceError
from tests.support.compiled_loops import QUICK
from tests.support.compiled_networks import leaves

N, M = relay.SizeVar("n"), relay.SizeVar("m")
SHAPES = ((N, 4), (N,), (4,), (1, 4), (N, 1), (M, 4), (N, M), (2, N, 3), ())
SIZES = ((1, 1), (2, 1), (1, 3), (5, 4), (70, 33))
CHECKED = (
    *("-std=c11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)
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


def _given(mod: relay.IRModule, seed: int, sizes: dict[str, int]) -> list[Any]:
    generator = np.random.default_rng([seed, *sizes.values()])
    shapes = [
        [
            size if isinstance(size, int) else sizes[size.name]
            for size in param.type_annotation.shape
        ]
        for param in mod["main"].params
    ]
    return [generator.integers(-3, 4, shape).astype("float32") for shape in shapes]


Run = Callable[[list[Any]], Sequence[Any]]
"""Gives the results of a compiled network for arrays."""


def called(mod: relay.IRModule, net: Network) -> Run:
    """Return a network called from Python."""
    compiled = compile_network(mod["main"].params, net, "net", find_toolchain(QUICK))
    return lambda given: leaves(compiled(*given))


@contextmanager
def shipped(net: Network, flags: Sequence[str] = CHECKED) -> Iterator[Run]:
    """Give a network that runs without Python, on files, under sanitizers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files, code = ship(net, "net")
        for key, held in files.items():
            (folder / key).write_bytes(held)
        sources = [str(folder / key) for key in files if key.endswith(".c")]
        command = [*find_toolchain().command, *flags, *sources, "-o", f"{name}/net", "-lm"]
        subprocess.run(command, check=True)

        def run(given: list[Any]) -> list[Any]:
            words = [f"{name}/x{at}.npy" for at in range(len(given))]
            for word, array in zip(words, given, strict=True):
                np.save(word, array)
            made = [f"{name}/y{at}.npy" for at in range(len(code.outputs))]
            subprocess.run([f"{name}/net", *words, *made], check=True)
            return list(map(np.load, made))

        yield run


def differences(seeds: Iterable[int], *, ships: bool = False) -> tuple[list[str], int]:
    """Return what is computed otherwise in C than by Relay's evaluator, and how many compile.

    Args:
        seeds: Of the networks.
        ships: Whether they run without Python as well.
    """
    wrong, compiled = [], 0
    for seed in seeds:
        mod = random_sized(seed)
        try:
            net = order_calls(lower_network(mod))
        except RelayishError as error:
            if "cannot be written" not in str(error) and "known only" not in str(error):
                wrong.append(f"{seed}: {type(error).__name__}: {error}")
            continue
        compiled += 1
        with shipped(net) if ships else nullcontext(called(mod, net)) as run:
            wrong += [f"{seed} {each}" for each in _wrong_of(mod, run, seed)]
    return wrong, compiled


def _wrong_of(mod: relay.IRModule, run: Run, seed: int) -> Iterator[str]:
    evaluate = relay.create_executor(mod=mod).evaluate()
    for n, m in SIZES:
        sizes = {"n": n, "m": m}
        given = _given(mod, seed, sizes)
        try:
            expected = leaves(evaluate(*given))
        except RelayishError:
            continue  # these sizes do not go together
        for a, b in zip(expected, run(given), strict=True):
            if a.shape != b.shape or not np.allclose(a, b, rtol=1e-5, equal_nan=True):
                yield f"at {sizes}: expected {a}, found {b}"
                break


def main(count: int, start: int, ships: int = 0) -> int:
    """Try networks, and say which differ."""
    wrong, compiled = differences(range(start, start + count), ships=bool(ships))
    sys.stdout.writelines([f"{line}\n" for line in wrong])
    sys.stdout.write(f"{count} networks, {compiled} compiled, {len(wrong)} differ\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
