"""How fast does onnxruntime run models? python p_onnx_speed.py MODEL RESULT... prints JSON.

Each is told as ``{"milliseconds", "unskipped", "fused"}``: the least time of one run with all that
the runtime's own optimiser does, on one thread; the same without :data:`SLOW`; and how many nodes
of each of its fused operators its extended level reaches. All run in turn, on the inputs that
:mod:`p_onnx_equal` finds for MODEL.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any  # sessions, which have no types to import

import onnx
import onnxruntime
from p_onnx_equal import best_plan, open_session

SECONDS = 8.0
"""Models run in turn for so long, and at least so many rounds, of which the first do not count."""
ROUNDS, WARM = 12, 3
STANDARD = ("LayerNormalization", "SimplifiedLayerNormalization", "Gelu", "RMSNormalization")
"""Operators outside the runtime's own domain that it makes of several others."""


SLOW = ["SkipLayerNormFusion"]
"""What the runtime does wherever it knows the shapes, and is the slower for."""


def main() -> None:
    paths = sys.argv[1:]
    _, runs, _, _ = best_plan(paths[0], open_session(paths[0]))
    sessions = [timed_session(path, without) for without in ([], SLOW) for path in paths]
    least = [seconds * 1000 for seconds in least_times(sessions, runs[0])]
    for path, whole, unskipped in zip(paths, least, least[len(paths) :], strict=False):
        told = {"milliseconds": whole, "unskipped": unskipped, "fused": fused(path)}
        print(json.dumps(told), flush=True)


def timed_session(path: str, without: list[str]) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"], disabled_optimizers=without
    )


def least_times(sessions: list[Any], given: dict[str, Any]) -> list[float]:
    """Return the least seconds of a run of each; which comes first changes from round to round."""
    least = [float("inf")] * len(sessions)
    fed = [{each.name: given[each.name] for each in one.get_inputs()} for one in sessions]
    begin, turn = time.perf_counter(), 0
    while turn < ROUNDS or time.perf_counter() - begin < SECONDS:
        for k in range(len(sessions)):
            which = (turn + k) % len(sessions)
            start = time.perf_counter()
            sessions[which].run(None, fed[which])
            if turn >= WARM:
                least[which] = min(least[which], time.perf_counter() - start)
        turn += 1
    return least


def fused(path: str) -> Counter[str]:
    """Return the nodes of fused operators, by operator, in what the extended level makes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "extended.onnx"
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = str(out)
        options.log_severity_level = 4
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        nodes = onnx.load(out, load_external_data=False).graph.node
    return Counter(
        node.op_type for node in nodes if node.domain == "com.microsoft" or node.op_type in STANDARD
    )


if __name__ == "__main__":
    main()
