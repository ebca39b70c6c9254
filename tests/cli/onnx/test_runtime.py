"""Onnxruntime in a process of its own, and models that it runs though they break a rule of ONNX."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import helper, numpy_helper  # noqa: E402
from onnx.parser import parse_model  # noqa: E402

from relayish.cli.main import main  # noqa: E402
from relayish.cli.onnx import runtime  # noqa: E402
from relayish.cli.onnx.runtime import Runtime  # noqa: E402
from relayish.errors import EvaluationError  # noqa: E402
from tests.support.small_models import small_model  # noqa: E402

pytestmark = [pytest.mark.references, pytest.mark.usefixtures("onnxruntime")]

Capture = pytest.CaptureFixture[str]
X = np.array([-1, 2], "float32")


def as_model(body: str, opset: int = 18) -> Any:  # Any: a ModelProto
    return parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> g {body}')


@pytest.fixture
def relu(tmp_path: Path) -> str:
    path = tmp_path / "relu.onnx"
    onnx.save(as_model("(float[2] x) => (float[2] y) { y = Relu(x) }"), path)
    return str(path)


def test_models_are_run_in_one_process(relu: str) -> None:
    engine = Runtime()
    first, second = engine.load(relu), engine.load(relu)
    for run in (first, second, first):
        assert [each.tolist() for each in run({"x": X})] == [[0, 2]]


def test_what_is_refused_is_told_and_the_next_model_is_run(relu: str) -> None:
    engine = Runtime()
    with pytest.raises(EvaluationError, match=r"onnxruntime: .*no\.onnx"):
        engine.load(f"{relu}no.onnx")
    run = engine.load(relu)
    with pytest.raises(EvaluationError, match=r"onnxruntime: .*INVALID_ARGUMENT"):
        run({"x": X.astype("int8")})
    assert run({"x": X})[0].tolist() == [0, 2]


def test_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    endless = as_model(
        """(float[1] x) => (float[1] y) { t = Constant <value = bool {1}> ()
        y = Loop (, t, x) <body = b (int64 i, bool c, float[1] a) => (bool d, float[1] e) {
            d = Identity(c) e = Neg(a) }> }"""
    )
    path = tmp_path / "endless.onnx"
    onnx.save(endless, path)
    program = (
        "import sys, numpy, threading, time\n"
        "from relayish.cli.onnx.runtime import Runtime\n"
        "engine = Runtime()\n"
        "run = engine.load(sys.argv[1])\n"
        "threading.Thread(target=run, args=({'x': numpy.zeros(1, 'float32')},)).start()\n"
        "time.sleep(0.2)\n"
        "print(engine._process.pid, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    deadline = time.monotonic() + 20
    while is_alive(child):
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    """Return whether a process is there, and no zombie that nobody has asked about yet."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False


def test_process_that_crashes_is_told_of_and_started_anew(relu: str) -> None:
    engine = Runtime()
    run = engine.load(relu)
    os.kill(engine._process.pid, signal.SIGSEGV)
    with pytest.raises(EvaluationError, match="it ended with SIGSEGV, and cannot run the model"):
        run({"x": X})
    assert run({"x": X})[0].tolist() == [0, 2]


@pytest.mark.slow("waits for a time limit")
def test_model_that_does_not_end_is_given_up(tmp_path: Path) -> None:
    count = np.iinfo("int64").max
    body = f"""(float[2] x) => (float[2] y) <int64 n = {{{count}}}, bool c = {{1}}> {{
        y = Loop(n, c, x) <body = b (int64 i, bool go, float[2] a) => (bool more, float[2] z) {{
            more = Identity(go) z = Sin(a) }}>
    }}"""
    path = tmp_path / "endless.onnx"
    onnx.save(as_model(body), path)
    run = Runtime(limit=2).load(str(path))
    with pytest.raises(EvaluationError, match="onnxruntime: no end within 2 s"):
        run({"x": X})


def test_a_crash_while_verifying_is_no_end_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    dying = tmp_path / "dying.py"
    dying.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGABRT)\n")
    monkeypatch.setattr(runtime, "_PROCESS", dying)
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    onnx.save(small_model(), path)
    assert main(["optimize", str(path), "-o", str(out)]) == 0
    assert "relayish's evaluation" in capsys.readouterr().out
    assert out.exists()


def sparse() -> Any:  # Any: as above
    model = as_model("(float[2] x) => (float[2] y) { y = Add(x, w) z = Identity(y) }")
    values = numpy_helper.from_array(np.array([3], "float32"), "w")
    places = numpy_helper.from_array(np.array([1], "int64"))
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [2]))
    return model


def without_shape() -> Any:  # Any: as above
    model = as_model("(float[2] x) => (float[2] y) { a = Identity(x) y = Relu(a) }")
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def taken_back() -> Any:  # Any: as above
    body = """(float[1, 4, 3] x) => (float[1, 4, 3] y) <float[2] s = {1, 2}, float[2] b = {0, 1}> {
        a = Identity(x) y = GroupNormalization <num_groups = 2> (a, s, b) }"""
    return as_model(body)


def out_of_order() -> Any:  # Any: as above
    body = """(float[2] x, bool c) => (float[2] y) { y = If (c) <
        then_branch = t () => (float[2] p) { q = Identity(x) p = Relu(q) },
        else_branch = e () => (float[2] r) { r = Neg(x) }> }"""
    model = as_model(body)
    nodes = model.graph.node[0].attribute[0].g.node
    first = onnx.NodeProto.FromString(nodes[0].SerializeToString())
    del nodes[0]
    nodes.append(first)
    return model


@pytest.mark.parametrize("make", [sparse, without_shape, taken_back, out_of_order])
def test_model_that_breaks_a_rule_and_runs_is_taken_with_a_note(
    make: Any, tmp_path: Path, capsys: Capture
) -> None:
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    onnx.save(make(), path)
    assert main(["optimize", str(path), "-o", str(out)]) == 0
    told = capsys.readouterr()
    assert f"relayish: note: {path} is no valid model: " in told.err
    assert "it is taken, since" in told.err
    assert "equal" in told.out
    assert len(onnx.load(out).graph.node) <= len(make().graph.node)
