"""Measure files in binary form beside text, pickles and ONNX.

    python bench/binary.py                     # ResNet-50 with its weights
    python bench/binary.py --growth            # programs of 10^3 to 10^6 operations
    python bench/binary.py --write             # both, and put the tables into bench/BINARY.md

The least of several runs (``--runs``): seconds to and from files that are in the cache of the
system, and microseconds of CPU for what grows, in memory. Each form holds the same network with the
same weights; that of ONNX has a node for each call and an initializer for each weight, as exporters
write it.
"""

from __future__ import annotations

import argparse
import gc
import pickle
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def timed(work: Callable[[], Any], runs: int, clock: Callable[[], float]) -> float:
    """Return the least time that ``work`` takes by a clock."""
    found = []
    for _ in range(runs):
        gc.collect()
        start = clock()
        result = work()
        found.append(clock() - start)
        del result
    return min(found)


def resnet50() -> Any:
    """Return the network with its weights as constants, types inferred."""
    from relayish.passes.relay.fold.bind import bind_params_by_name
    from relayish.testing import resnet
    from relayish.transform import InferType

    mod, params = resnet.get_workload(batch_size=1, num_layers=50)
    main = bind_params_by_name(mod["main"], params)
    return InferType()(mod.with_function("main", main))


def as_onnx(mod: Any) -> Any:
    """Return the same network in ONNX's form: a node for each call, an initializer for a weight."""
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    from relayish.ir.nodes.traversal import EVERYTHING
    from relayish.ir.relay.expr import Call, Constant, Tuple, TupleGetItem

    names: dict[Any, str] = {}
    nodes, weights = [], []
    for index, node in enumerate(EVERYTHING.post_order(mod["main"].body)):
        name = names[node] = f"v{index}"
        if isinstance(node, Constant):
            weights.append(numpy_helper.from_array(np.asarray(node.data), name))
        elif isinstance(node, Call):
            given = {} if node.attrs is None else dict(node.attrs.items())
            kept = {
                k: list(v) if isinstance(v, tuple) else v for k, v in given.items() if v or v == 0
            }
            inputs = [names[arg] for arg in node.args]
            nodes.append(helper.make_node(node.op.name, inputs, [name], domain="relay", **kept))
        elif isinstance(node, (Tuple, TupleGetItem)):
            held = node.fields if isinstance(node, Tuple) else (node.tuple_value,)
            nodes.append(
                helper.make_node("Tuple", [names[f] for f in held], [name], domain="relay")
            )
    graph = helper.make_graph(nodes, "network", [], [], weights)
    return onnx, helper.make_model(graph)


def forms(mod: Any, folder: Path) -> dict[str, tuple[Path, Callable[[], Any], Callable[[], Any]]]:
    """Return, by form, the file, what writes it and what reads it."""
    from relayish.binary import read_binary, write_binary
    from relayish.text import astext, parse

    path = {name: folder / f"m.{name}" for name in ("rly", "relay", "pickle", "onnx")}
    onnx, model = as_onnx(mod)

    def write_pickle() -> None:
        with path["pickle"].open("wb") as file:
            pickle.dump(mod, file, 5)

    def read_pickle() -> Any:
        with path["pickle"].open("rb") as file:
            return pickle.load(file)

    return {
        "binary": (
            path["rly"],
            lambda: write_binary(mod, path["rly"]),
            lambda: read_binary(path["rly"]),
        ),
        "binary, read without checksums of arrays": (
            path["rly"],
            lambda: write_binary(mod, path["rly"]),
            lambda: read_binary(path["rly"], verify=False),
        ),
        "text": (
            path["relay"],
            lambda: path["relay"].write_text(astext(mod)),
            lambda: parse(path["relay"].read_text()),
        ),
        "pickle, protocol 5": (path["pickle"], write_pickle, read_pickle),
        f"ONNX {onnx.__version__}": (
            path["onnx"],
            lambda: onnx.save(model, str(path["onnx"])),
            lambda: onnx.load(str(path["onnx"])),
        ),
    }


def network_table(runs: int) -> str:
    """Return the table of ResNet-50."""
    lines = ["| form | MB | write, s | read, s |", "| --- | --- | --- | --- |"]
    with tempfile.TemporaryDirectory() as folder:
        for name, (path, write, read) in forms(resnet50(), Path(folder)).items():
            took = [timed(work, runs, time.perf_counter) for work in (write, read)]
            size = path.stat().st_size / 1e6
            lines.append(f"| {name} | {size:.2f} | {took[0]:.3f} | {took[1]:.4f} |")
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def growth_table(runs: int) -> str:
    """Return the table of programs that grow: graphs of calls, with inferred types."""
    import programs

    from relayish.binary import from_binary, to_binary
    from relayish.ir.relay.module import IRModule
    from relayish.text import astext, parse
    from relayish.transform import InferType

    made: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
        (to_binary, from_binary),
        (astext, parse),
        (lambda mod: pickle.dumps(mod, 5), pickle.loads),
    ]
    lines = ["| operations | binary | text | pickle |", "| --- | --- | --- | --- |"]
    for size in SIZES:
        mod = InferType()(IRModule.from_expr(programs.typed_dag(size)))
        cells = []
        for write, read in made:
            data = write(mod)
            works = partial(write, mod), partial(read, data)
            took = [timed(work, runs, time.process_time) for work in works]
            each = [f"{seconds / size * 1e6:.1f}" for seconds in took]
            cells.append(f"{len(data) / size:.1f}, {', '.join(each)}")
        lines.append(f"| {size:,} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--growth", action="store_true", help="programs that grow alone")
    parser.add_argument("--runs", type=int, default=5, help="of which the fastest counts")
    parser.add_argument("--write", action="store_true", help="both tables, into bench/BINARY.md")
    args = parser.parse_args()
    network = "" if args.growth else network_table(args.runs)
    growth = growth_table(1 if args.write else args.runs) if args.growth or args.write else ""
    if not args.write:
        print("\n\n".join([table for table in (network, growth) if table]))
        return
    text = f"""# Files in binary form

CPython {platform.python_version()}, 2 cores, {platform.machine()}. Made by
`python bench/binary.py --write`. What the form holds stands in [its
description](../docs/binary_format.md).

ResNet-50 with its weights as constants and inferred types: 102 MB of numbers. Seconds to and from a
file in the cache of the system. The binary form is written until the disk has it, and verified when
it is read; the others are not.

{network}

A graph of calls, each of two before it, with inferred types and no weights: bytes an operation, and
microseconds of CPU an operation to write and to read it in memory.

{growth}
"""
    (HERE / "BINARY.md").write_text(text)


if __name__ == "__main__":
    main()
