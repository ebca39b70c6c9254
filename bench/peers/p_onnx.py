"""Optimisers of ONNX models: python p_onnx.py TOOL IN OUT.

Reads the model, optimises it as the tool does when nothing is asked of it, writes the result, and
prints what that took as JSON: ``seconds`` of wall time and ``cpu`` seconds, imports left out.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any  # models, of which this file knows nothing


def onnxsim(path: str) -> Any:
    import onnxsim

    model, is_same = onnxsim.simplify(path)
    if not is_same:
        raise RuntimeError("onnxsim says that its result is not equal")
    return model


def onnxslim(path: str) -> Any:
    import onnxslim

    return onnxslim.slim(path)


def onnxoptimizer(path: str) -> Any:
    import onnx
    import onnxoptimizer

    return onnxoptimizer.optimize(onnx.load(path))


def onnxscript(path: str) -> Any:
    import onnx
    import onnxscript.optimizer

    return onnxscript.optimizer.optimize(onnx.load(path))


TOOLS: dict[str, Callable[[str], Any]] = {
    "onnxsim": onnxsim,
    "onnxslim": onnxslim,
    "onnxoptimizer": onnxoptimizer,
    "onnxscript": onnxscript,
}


def run_onnxruntime(path: str, out: str) -> None:
    """Write what the runtime makes of a model before it runs it, at level basic."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = out
    options.log_severity_level = 3
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run_relayish(path: str, out: str, *options: str) -> None:
    from relayish.cli.main import main

    # initializers that are inputs as well are constants to the others, too
    code = main(["optimize", path, "-o", out, "--quiet", "--freeze-params", *options])
    if code:
        raise SystemExit(code)


def main() -> None:
    tool, path, out = sys.argv[1:4]
    work = WRITERS.get(tool) or (lambda path, out: save(TOOLS[tool](path), out))
    load(tool)
    start, cpu = time.perf_counter(), time.process_time()
    work(path, out)
    taken = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    print(json.dumps(taken), flush=True)


WRITERS: dict[str, Callable[[str, str], None]] = {
    "onnxruntime": run_onnxruntime,
    "relayish": lambda path, out: run_relayish(path, out, "--verify", "0"),
    "relayish, verified": run_relayish,
}


def save(model: Any, out: str) -> None:
    import onnx

    onnx.save(model, out)


def load(tool: str) -> None:
    """Import what the tool needs, so that this is not measured."""
    import importlib

    import onnx  # noqa: F401

    own = {"onnxscript": "onnxscript.optimizer"}
    name = tool.partition(",")[0]
    importlib.import_module("relayish.cli.optimize" if name == "relayish" else own.get(name, name))
    if name == "relayish":
        from relayish.passes.onnx.default_pipeline import onnx_pipeline

        onnx_pipeline().plan()  # passes are imported when they are asked for


if __name__ == "__main__":
    main()
