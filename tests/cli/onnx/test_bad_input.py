"""Models that are none: one clear line, exit status 2, the output left as it was."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relayish.cli.main import main
from tests.support.small_models import FLOAT, model_of, small_model

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.references
helper = onnx.helper

Capture = pytest.CaptureFixture[str]


def truncated(path: Path) -> None:
    path.write_bytes(small_model().SerializeToString()[:-20])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def directory(path: Path) -> None:
    path.mkdir()


def missing(path: Path) -> None:
    pass


def saved(change: Callable[[Any], object]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        model = small_model()
        change(model)
        path.write_bytes(model.SerializeToString())

    make.__name__ = change.__name__
    return make


@saved
def unknown_opset(model: Any) -> None:
    model.opset_import[0].version = 9999


@saved
def no_opset(model: Any) -> None:
    del model.opset_import[:]


def external(location: str) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        tensor = model.graph.initializer[1]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)

    return change


missing_external_data = saved(external("weights.bin"))
external_data_outside = saved(external("../weights.bin"))
external_data_elsewhere = saved(external("/etc/passwd"))


@saved
def cyclic(model: Any) -> None:
    model.graph.node[0].input[1] = "positive"


@saved
def duplicate_names(model: Any) -> None:
    model.graph.node[1].output[0] = "doubled"


@saved
def used_but_never_given(model: Any) -> None:
    model.graph.node[0].input[1] = "three"


@saved
def contradicting_shapes(model: Any) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 7


@saved
def contradicting_output(model: Any) -> None:
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 9


@saved
def contradicting_types(model: Any) -> None:
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT64


@saved
def wrong_size(model: Any) -> None:
    model.graph.initializer[1].dims[0] = 4


@saved
def three_gigabytes(model: Any) -> None:
    model.graph.initializer[1].dims[:] = [3, 1 << 28]


@saved
def unknown_operator(model: Any) -> None:
    model.graph.node[2].op_type = "Reluu"


@saved
def wrong_attribute(model: Any) -> None:
    model.graph.node[2].attribute.append(helper.make_attribute("slope", 1.0))


@saved
def too_few_inputs(model: Any) -> None:
    del model.graph.node[3].input[1]


CASES: dict[Callable[[Path], None], str] = {
    truncated: "cut off",
    empty: "is empty",
    directory: "of several models the results go into a folder",
    missing: "No such file or directory",
    unknown_opset: "9999",
    no_opset: "opset_import",
    missing_external_data: "weights.bin",
    external_data_outside: "../weights.bin",
    external_data_elsewhere: "/etc/passwd",
    cyclic: "the graph has a cycle",
    duplicate_names: "two values of the graph are called 'doubled'",
    used_but_never_given: "'three'",
    contradicting_shapes: "MatMul",
    contradicting_output: "9",
    contradicting_types: "y",
    wrong_size: "'w'",
    three_gigabytes: "'w'",
    unknown_operator: "Reluu",
    wrong_attribute: "slope",
    too_few_inputs: "MatMul",
}


def name_of(case: Callable[[Path], None]) -> str:
    return {
        missing_external_data: "missing_external_data",
        external_data_outside: "external_data_outside",
        external_data_elsewhere: "external_data_elsewhere",
    }.get(case, case.__name__)


@pytest.mark.parametrize(("make", "told"), CASES.items(), ids=map(name_of, CASES))
def test_what_is_no_model_is_refused(
    make: Callable[[Path], None], told: str, tmp_path: Path, capsys: Capture
) -> None:
    path, out = tmp_path / "model.onnx", tmp_path / "out.onnx"
    make(path)
    out.write_bytes(b"what was there")
    before = sorted(tmp_path.iterdir())
    assert main(["optimize", str(path), "-o", str(out)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert told in shown.err
    assert shown.err.startswith("relayish: error: ")
    assert shown.err.count("\n") == 1
    assert out.read_bytes() == b"what was there"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("make", [truncated, missing, cyclic, wrong_size], ids=name_of)
@pytest.mark.parametrize("command", ["show", "diff"])
def test_other_commands_refuse_it_too(
    command: str, make: Callable[[Path], None], tmp_path: Path, model: Path, capsys: Capture
) -> None:
    path = tmp_path / "bad.onnx"
    make(path)
    more = [str(model)] if command == "diff" else []
    assert main([command, str(path), *more]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1


def test_a_tensor_that_only_claims_to_be_large_takes_no_memory(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "model.onnx"
    three_gigabytes(path)
    tracemalloc.start()
    assert main(["optimize", str(path)]) == 2
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100 << 20


@pytest.mark.parametrize(
    ("output", "told"),
    [("nowhere/out.onnx", "there is no directory"), (".", "would replace it")],
)
def test_an_output_that_cannot_be_is_refused_before_anything_is_done(
    output: str, told: str, model: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent)
    assert main(["optimize", str(model), "-o", output]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--verify", "-1"], ["--verify", "x"], ["--tolerance", "-1"], ["--tolerance", "nan"]],
    ids=" ".join,
)
def test_options_that_are_no_numbers_are_refused(
    words: list[str], model: Path, capsys: Capture
) -> None:
    assert main(["optimize", str(model), *words]) == 2
    assert "expected a" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["optimize", "show"])
def test_no_model_at_all_is_an_error(command: str, capsys: Capture) -> None:
    assert main([command]) == 2
    assert f"write relayish {command} FILE, or --example" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["optimize", "show"])
def test_the_example_beside_a_model_is_an_error(command: str, capsys: Capture) -> None:
    assert main([command, "--example", "x.onnx"]) == 2
    assert "--example stands for a file; found 'x.onnx' as well" in capsys.readouterr().err


def test_a_pass_that_there_is_not_is_told_before_the_model_is_read(capsys: Capture) -> None:
    assert main(["optimize", "nowhere.onnx", "-p", "FoldConstnat"]) == 2
    assert "did you mean FoldConstant" in capsys.readouterr().err


def test_a_model_that_does_not_run_is_an_error(tmp_path: Path, capsys: Capture) -> None:
    path, out = tmp_path / "model.onnx", tmp_path / "out.onnx"
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    constants = {"shape": np.array([7, 7000])}
    onnx.save(model_of(nodes, {"x": (FLOAT, ["n"])}, {"y": (FLOAT, [7, 7000])}, constants), path)
    assert main(["optimize", str(path), "-o", str(out), "-p", "DeadCodeElimination"]) == 2
    error = capsys.readouterr().err
    assert "the model does not run, so nothing can be compared with it" in error
    assert "give sizes with --test-input-shape, or inputs with --input-data" in error
    assert not out.exists()


def test_where_onnx_is_not_installed_the_extra_is_named(
    model: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert main(["show", str(model)]) == 2
    assert "pip install 'relayish[onnx]'" in capsys.readouterr().err
