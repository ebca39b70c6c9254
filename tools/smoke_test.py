"""Try an installed relayish: a thing of each part, from outside of the checkout.

python -I tools/smoke_test.py compiled    # or pure, as it should be

It imports nothing but what is installed, and needs none of the extras; models are tried where
the package onnx is there.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import relayish as relay
from relayish import core, tir
from relayish._kernel import MODE

PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) {
  let %unused = exp(%x);
  multiply(%x, add(1f, 2f))
}
"""


def main() -> None:
    """Try everything.

    Raises:
        AssertionError: If something does not work.
        subprocess.CalledProcessError: If a command does not.
    """
    is_compiled = {"compiled": True, "pure": False}[sys.argv[1]]
    try_package(is_compiled=is_compiled)
    try_relay()
    try_loops()
    try_core()
    try_commands()
    if find_spec("onnx") is not None:
        try_models()
    sys.stdout.write(f"relayish {relay.__version__} ({MODE}) works in {sys.prefix}\n")


def try_package(*, is_compiled: bool) -> None:
    """Look at what is installed, and where."""
    assert relay.__version__ == metadata.version("relayish")
    assert relay.compiled == is_compiled, MODE
    installed = Path(relay.__file__).parent
    assert installed.is_relative_to(sys.prefix), installed
    assert (installed / "py.typed").exists()
    assert (installed / "__init__.pyi").exists()


def try_relay() -> None:
    """Read, transform, type, compute, differentiate and write a program."""
    passes = relay.transform.Sequential(["FoldConstant", "DeadCodeElimination", "InferType"])
    mod = passes(relay.parse(PROGRAM))
    assert "exp" not in mod.astext()
    executor = relay.create_executor("graph", mod)
    assert executor.evaluate()(np.ones(2, "float32")).tolist() == [3.0, 3.0]
    x = relay.var("x", shape=(2,))
    slopes = relay.transform.gradient(relay.Function([x], relay.exp(x)), mode="first_order")
    assert relay.evaluate(slopes) is not None
    assert relay.structural_equal(relay.parse(mod.astext()), mod)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.rly")
        relay.write_binary(mod, path)
        assert relay.structural_equal(relay.read_binary(path), mod)
    lists = relay.IRModule()
    assert relay.prelude.Prelude(lists).mod["map"] is not None


def try_loops() -> None:
    """Build loops and run them."""
    a, k = tir.placeholder("A", (4, 8)), tir.reduce_axis("k", 8)
    total = tir.compute((4,), lambda i: tir.reduce_sum(a[i, k], [k]), "B")
    sums = np.zeros(4, "float32")
    tir.run(tir.lower("rows", [a, total]), np.ones((4, 8), "float32"), sums)
    assert sums.tolist() == [8.0] * 4


def try_core() -> None:
    """Build a function of core, and call it from Relay."""
    scope = core.GlobalScope()
    with scope.function("eightfold", {"n": "int32"}, "int32") as f:
        f.retv(f.n * 8)
    n = relay.var("n", "int32")
    main = relay.Function([n], relay.GlobalVar("eightfold")(n))
    mod = relay.IRModule({"main": main, "eightfold": scope.module()["eightfold"]})
    assert relay.domain.run(mod, 5) == 40


def try_commands() -> None:
    """Run the command, under both of its names."""
    command = Path(sysconfig.get_path("scripts"), "relayish")
    for words in ([command], [sys.executable, "-I", "-m", "relayish"]):
        told = _output([*words, "--version"])
        assert told == f"relayish {relay.__version__} ({MODE})\n", told
    assert "FoldConstant" in _output([command, "passes"])
    text = _output([command, "opt", "-", "-p", "FoldConstant,DeadCodeElimination"], PROGRAM)
    assert "multiply(%x, 3f" in text, text


def try_models() -> None:
    """Optimise the model that is installed with the package, and show what was written."""
    command = Path(sysconfig.get_path("scripts"), "relayish")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "out.onnx")
        told = _output([command, "optimize", "--example", "-o", path])
        assert "equal on 3 random inputs" in told, told
        assert "Gemm" in _output([command, "show", path])
    assert "Softmax" in _output([command, "show", "--example"])


def _output(command: list[str | Path], given: str = "") -> str:
    """Return what a command writes to standard output."""
    done = subprocess.run(  # noqa: S603 - our own commands
        command, input=given, check=True, capture_output=True, text=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
