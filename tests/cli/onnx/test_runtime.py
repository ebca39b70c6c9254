"""Onnxruntime in a process of its own, and models that it runs though they break a rule of ONNX."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
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
from tests.support.small_models import FLOAT, INT64, model_of, small_model  # noqa: E402

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
        "print(engine.process_id, flush=True)\n"
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
    assert engine.process_id is not None
    os.kill(engine.process_id, signal.SIGSEGV)
    with pytest.raises(EvaluationError, match="it ended with SIGSEGV, and cannot run the model"):
        run({"x": X})
    assert run({"x": X})[0].tolist() == [0, 2]


def test_nothing_is_started_where_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(runtime, "_PROCESS", tmp_path / "nowhere.py")
    monkeypatch.setattr(subprocess, "Popen", lambda *_args, **_options: pytest.fail("started"))
    path = tmp_path / "m.onnx"
    onnx.save(small_model(), path)
    assert Runtime().process_id is None
    assert main(["optimize", str(path), "--verify", "0"]) == 0
    assert "equality not verified" in capsys.readouterr().out


def test_model_that_ends_its_process_whatever_it_is_given_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    loads = tmp_path / "loads"
    dying = tmp_path / "dying.py"
    dying.write_text(
        "import os, pickle, signal, sys\n"
        "pickle.load(sys.stdin.buffer)\n"
        f"open({str(loads)!r}, 'a').write('.')\n"
        "pickle.dump((True, 0), sys.stdout.buffer)\n"
        "sys.stdout.flush()\n"
        "pickle.load(sys.stdin.buffer)\n"
        "os.kill(os.getpid(), signal.SIGABRT)\n"
    )
    monkeypatch.setattr(runtime, "_PROCESS", dying)
    path = tmp_path / "m.onnx"
    onnx.save(as_model("(float[N, M] x) => (float[N, M] y) { y = Relu(x) }"), path)
    assert main(["optimize", str(path)]) == 0
    assert "relayish's evaluation" in capsys.readouterr().out
    assert loads.read_text() == "..."


def test_optimising_levels_compute_the_same(relu: str) -> None:
    engine = Runtime()
    for level in runtime.OPTIMISING:
        assert engine.load(relu, level)({"x": X})[0].tolist() == [0, 2]
    with pytest.raises(EvaluationError, match="ORT_NO_LEVEL"):
        engine.load(relu, "ORT_NO_LEVEL")


@pytest.mark.parametrize("size", [4, 64, 12, 49])
def test_model_of_one_length_is_verified_and_keeps_its_unknown_size(
    size: int, tmp_path: Path, capsys: Capture
) -> None:
    shape = {49: "7, 7"}.get(size, str(size))
    body = f"""(float[N] x) => (float[M] y) <int64[{shape.count(",") + 1}] s = {{{shape}}}> {{
        a = Identity(x) b = Reshape(a, s) y = Neg(b) }}"""
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    model = as_model(body)
    model.graph.output[0].type.tensor_type.shape.CopyFrom(
        as_model(f"(float[{shape}] y) => (float[{shape}] z) {{ z = Neg(y) }}")
        .graph.input[0]
        .type.tensor_type.shape
    )
    onnx.save(model, path)
    assert main(["optimize", str(path), "-o", str(out)]) == 0
    assert f"(N={size}, " in capsys.readouterr().out
    assert onnx.load(out).graph.input[0].type.tensor_type.shape.dim[0].dim_param == "N"


@pytest.mark.parametrize("names", [("past", "n", "past + n"), ("p", "q", "r")])
def test_decoder_with_a_cache_is_verified_and_keeps_its_unknown_sizes(
    names: tuple[str, str, str], tmp_path: Path, capsys: Capture
) -> None:
    past, step, total = names
    inputs = {
        "mask": (INT64, ["batch", total]),
        "ids": (INT64, ["batch", step]),
        "past_keys": (FLOAT, ["batch", 2, past, 4]),
    }
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["found"]),
        helper.make_node("Unsqueeze", ["found", "one"], ["single"]),
        helper.make_node("Expand", ["single", "heads"], ["query"]),
        helper.make_node("Concat", ["past_keys", "query"], ["keys"], axis=2),
        helper.make_node("Transpose", ["keys"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["query", "turned"], ["scores"]),
        helper.make_node("Cast", ["mask"], ["cast"], to=FLOAT),
        helper.make_node("Unsqueeze", ["cast", "two"], ["wide"]),
        helper.make_node("MatMul", ["scores", "wide"], ["y"]),
    ]
    constants = {
        "table": np.random.default_rng(0).standard_normal((150, 4)).astype("float32"),
        "one": np.array([1]),
        "two": np.array([1, 3]),
        "heads": np.array([1, 2, 1, 1]),
    }
    outputs = {"y": (FLOAT, ["batch", 2, step, 1])}
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    onnx.save(model_of(nodes, inputs, outputs, constants), path)
    assert main(["optimize", str(path), "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["verification"]
    assert told["engine"].startswith("onnxruntime")
    assert told["inputs_without_effect"] == []
    sizes = told["sizes"]
    assert sizes[total] == sizes[past] + sizes[step]
    assert sizes[step] > 1
    written = onnx.load(out).graph
    for value, wanted in zip(written.input, inputs.values(), strict=True):
        assert dims_of(value) == wanted[1]


def dims_of(value: Any) -> list[int | str]:  # Any: a ValueInfoProto
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def test_shapes_in_another_file_are_read(tmp_path: Path, capsys: Capture) -> None:
    model = as_model("(float[2, 3] x) => (float[3, 2] y) { a = Reshape(x, s) y = Relu(a) }")
    model.graph.initializer.append(numpy_helper.from_array(np.array([3, 2]), "s"))
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    options = {"save_as_external_data": True, "size_threshold": 0, "location": "m.data"}
    onnx.save(model, path, **options)
    assert main(["optimize", str(path), "-o", str(out)]) == 0
    told = capsys.readouterr()
    assert not told.err
    assert "by onnxruntime" in told.out
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 4
    onnx.save(model, path, **options)
    assert main(["optimize", str(path), "-o", str(out)]) == 2
    assert f"{path} is no valid model: " in capsys.readouterr().err


@pytest.mark.slow("runs the whole command in a process of its own")
@pytest.mark.parametrize("is_named", [False, True])
def test_faults_of_a_pipe_name_the_pipe(tmp_path: Path, *, is_named: bool) -> None:
    invalid = as_model("(float[2] x) => (float[2] y) { y = Relu(x) }")
    invalid.graph.output[0].type.tensor_type.elem_type = 7
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    shown = str(pipe) if is_named else "/dev/stdin"
    for model in (b"no model", invalid.SerializeToString()):
        path = tmp_path / "m.onnx"
        path.write_bytes(model)
        writer = threading.Thread(target=pipe.write_bytes, args=(model,), daemon=is_named)
        if is_named:
            writer.start()
        with path.open() as file:
            done = subprocess.run(
                [sys.executable, "-m", "relayish", "optimize", shown],
                stdin=file,
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
        assert done.returncode == 2, done.stderr
        assert shown in done.stderr
        assert "/tmp" not in done.stderr.replace(shown, "")


def test_model_is_read_from_the_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(small_model(), path)
    program = [sys.executable, "-m", "relayish", "optimize", "/dev/stdin"]
    with path.open() as file:
        done = subprocess.run(program, stdin=file, capture_output=True, text=True, check=True)
    assert "by onnxruntime" in done.stdout


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
