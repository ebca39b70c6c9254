"""What a model is verified on: sizes and inputs that are given, for that alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper, numpy_helper  # noqa: E402

from relayish.cli.main import main  # noqa: E402
from relayish.cli.onnx.given import read_data  # noqa: E402
from relayish.cli.onnx.inputs import Input  # noqa: E402
from relayish.errors import OptionError  # noqa: E402
from tests.support.small_models import FLOAT, INT64, model_of  # noqa: E402

pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]

ONES = {"x": np.ones((4, 3), "float32"), "i": np.array([2, 1])}
INPUTS = [Input("x", "float32", ("n", 3)), Input("i", "int64", ("m",))]


def gather(path: Path) -> Path:
    """Write a model: rows of twice ``x``, of which there have to be more than 3."""
    nodes = [
        helper.make_node("Identity", ["x"], ["same"]),
        helper.make_node("Add", ["same", "x"], ["twice"]),
        helper.make_node("Gather", ["twice", "three"], ["third"]),
        helper.make_node("Gather", ["twice", "i"], ["rows"]),
        helper.make_node("Add", ["rows", "third"], ["y"]),
    ]
    inputs = {"x": (FLOAT, ["n", 3]), "i": (INT64, ["m"])}
    onnx.save(model_of(nodes, inputs, {"y": (FLOAT, ["m", 3])}, {"three": np.array(3)}), path)
    return path


def optimised(path: Path, capsys: Capture, *words: str) -> tuple[Any, dict[str, Any]]:
    """Return the graph that is written, and what is told of verification."""
    out = path.with_name("out.onnx")
    assert main(["optimize", str(path), "-o", str(out), "--json", *words]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)["verification"]
    return onnx.load(out).graph, told


def dims_of(value: Any) -> list[int | str]:
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def test_shapes_for_verification_are_not_those_of_the_result(
    tmp_path: Path, capsys: Capture
) -> None:
    words = ["--test-input-shape", "x:7,3", "--test-input-shape", "i:2"]
    graph, told = optimised(gather(tmp_path / "m.onnx"), capsys, *words)
    assert told["sizes"] == {"n": 7, "m": 2}
    assert told["drawn_from"] == "normal, deviation 1"
    assert [dims_of(each) for each in graph.input] == [["n", 3], ["m"]]
    assert dims_of(graph.output[0]) == ["m", 3]


def test_sizes_that_are_not_given_are_found(tmp_path: Path, capsys: Capture) -> None:
    path = gather(tmp_path / "m.onnx")
    _, told = optimised(path, capsys, "--test-input-shape", "i:5")
    assert told["sizes"] == {"n": 64, "m": 5}


@pytest.mark.usefixtures("onnxruntime")
def test_input_of_unknown_rank_takes_its_shape_from_the_option(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "m.onnx"
    nodes = [helper.make_node("Identity", ["x"], ["a"]), helper.make_node("Neg", ["a"], ["y"])]
    model = model_of(nodes, {"x": (FLOAT, [])}, {"y": (FLOAT, [])})
    for each in (model.graph.input[0], model.graph.output[0]):
        each.type.tensor_type.ClearField("shape")
    onnx.save(model, path)
    assert main(["optimize", str(path)]) == 2
    assert "write --test-input-shape x:SIZE,SIZE" in capsys.readouterr().err
    graph, told = optimised(path, capsys, "--test-input-shape", "x:2,5")
    assert told["equal"]
    assert not graph.input[0].type.tensor_type.HasField("shape")


def saved(path: Path, **values: Any) -> Path:
    np.savez(path, **values)
    return path


def as_protos(folder: Path, values: dict[str, Any], *, named: bool = True) -> Path:
    folder.mkdir(parents=True)
    for number, (name, value) in enumerate(values.items()):
        proto = numpy_helper.from_array(value, name if named else "")
        (folder / f"input_{number}.pb").write_bytes(proto.SerializeToString())
    (folder / "output_0.pb").write_bytes(b"not read")
    return folder


def test_model_is_verified_on_inputs_from_files(tmp_path: Path, capsys: Capture) -> None:
    path = gather(tmp_path / "m.onnx")
    other = {"x": np.arange(15, dtype="float32").reshape(5, 3), "i": np.array([0, 4, 1])}
    first, second = saved(tmp_path / "a.npz", **ONES), saved(tmp_path / "b.npz", **other)
    graph, told = optimised(path, capsys, "--input-data", str(first), "--input-data", str(second))
    assert told["inputs"] == 2
    assert told["data"] == [str(first), str(second)]
    assert told["drawn_from"] is None
    assert told["sizes"] == {"n": 4, "m": 2}  # of the first
    assert dims_of(graph.input[0]) == ["n", 3]
    assert main(["optimize", str(path), "--input-data", str(first)]) == 0
    assert f"equal on 1 input (n=4, m=2, from {first})" in capsys.readouterr().out


@pytest.mark.parametrize("named", [False, True])
def test_folders_of_onnx_are_read(tmp_path: Path, *, named: bool) -> None:
    values = ONES if not named else dict(reversed(ONES.items()))
    for number in (10, 2):
        moved = {name: value + number for name, value in values.items()}
        as_protos(tmp_path / f"test_data_set_{number}", moved, named=named)
    two, ten = read_data([str(tmp_path)], INPUTS)
    assert (Path(two.source).name, Path(ten.source).name) == ("test_data_set_2", "test_data_set_10")
    for found, number in (two, 2), (ten, 10):
        assert found.sizes == {"n": 4, "m": 2}
        assert all(np.array_equal(found.values[name], ONES[name] + number) for name in ONES)
    (alone,) = read_data([str(tmp_path / "test_data_set_2")], INPUTS)
    assert alone.source == two.source


def test_position_tells_the_input_where_the_tensor_has_another_name(tmp_path: Path) -> None:
    folder = as_protos(tmp_path / "set", {"data_0": ONES["x"], "data_1": ONES["i"]})
    (found,) = read_data([str(folder)], INPUTS)
    assert set(found.values) == {"x", "i"}


def test_types_that_numpy_has_not_are_read(tmp_path: Path) -> None:
    half = np.array([1, 2], ml_dtypes.bfloat16)
    path = saved(tmp_path / "d.npz", b=half, s=np.array(["one", "two"]))
    inputs = [Input("b", "bfloat16", (2,)), Input("s", "string", ("n",))]
    (found,) = read_data([str(path)], inputs)
    assert found.values["b"].dtype == half.dtype
    assert found.values["b"].tolist() == [1, 2]
    assert found.values["s"].tolist() == ["one", "two"]


def test_sequences_are_read_from_folders(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    proto = numpy_helper.from_list([ONES["i"], ONES["i"][:1]], "s")
    (folder / "input_0.pb").write_bytes(proto.SerializeToString())
    (found,) = read_data([str(folder)], [Input("s", "int64", None, is_sequence=True)])
    assert [each.tolist() for each in found.values["s"]] == [[2, 1], [2]]


Make = Callable[[Path], Path]
WRONG: dict[str, tuple[Make, str]] = {
    "no input of that name": (
        lambda tmp: saved(tmp / "d.npz", **ONES, ii=ONES["i"]),
        "d.npz: the model has no input 'ii'; did you mean i?; its inputs are x, i",
    ),
    "missing": (
        lambda tmp: saved(tmp / "d.npz", x=ONES["x"]),
        "d.npz holds no value of input 'i'; the model takes x, i",
    ),
    "type": (
        lambda tmp: saved(tmp / "d.npz", x=ONES["x"], i=ONES["i"].astype("int32")),
        "d.npz: input 'i' is int64[m]; found int32[2]",
    ),
    "rank": (
        lambda tmp: saved(tmp / "d.npz", x=ONES["x"], i=np.array(1)),
        "has 0 sizes; input 'i' is int64[m], of rank 1",
    ),
    "size": (
        lambda tmp: saved(tmp / "d.npz", x=ONES["x"].T, i=ONES["i"]),
        "d.npz x:3,4: axis 1 is of size 3; found 4",
    ),
    "no file": (lambda tmp: tmp / "d.npz", "d.npz cannot be read: "),
    "no archive": (
        lambda tmp: [(tmp / "d.npz").write_bytes(b"PK but no archive"), tmp / "d.npz"][1],
        "d.npz cannot be read: ",
    ),
    "one array": (
        lambda tmp: [np.save(tmp / "d.npy", ONES["x"]), tmp / "d.npy"][1],
        "d.npy holds one array without a name; expected an .npz",
    ),
    "objects": (
        lambda tmp: saved(tmp / "d.npz", x=ONES["x"], i=np.array([None, {}])),
        "d.npz cannot be read: ",
    ),
    "empty folder": (lambda tmp: tmp, "there is no input_0.pb in this folder"),
    "no tensor": (
        lambda tmp: [as_protos(tmp / "s", ONES), (tmp / "s/input_1.pb").write_bytes(b"\xff")][0],
        "input_1.pb holds no TensorProto: ",
    ),
    "too many": (
        lambda tmp: as_protos(tmp / "s", {**ONES, "z": ONES["x"]}),
        "input_2.pb: the model has no input 'z'",
    ),
    "twice": (
        lambda tmp: [
            as_protos(tmp / "s", ONES),
            (tmp / "s/input_1.pb").write_bytes((tmp / "s/input_0.pb").read_bytes()),
        ][0],
        "input_1.pb holds input 'x', which another file holds as well",
    ),
    "cut off": (
        lambda tmp: as_protos(tmp / "s", {**ONES, "i": ONES["i"].astype("float32")}),
        "input 'i' is int64[m]; found float32[2]",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_the_model_is_an_error(name: str, tmp_path: Path) -> None:
    make, told = WRONG[name]
    with pytest.raises(OptionError) as caught:
        read_data([str(make(tmp_path))], INPUTS)
    assert told in str(caught.value)
    assert str(caught.value).startswith("--input-data ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--test-input-shape", "z:1"], "--test-input-shape z: the model has no input 'z'"),
        (["--test-input-shape", "x:1"], "--test-input-shape x:1 has 1 sizes"),
        (["--test-input-shape", "x:5,4"], "axis 1 is of size 3; found 4"),
        (["--test-input-shape", "x"], "expected NAME:SIZE,SIZE,... after --test-input-shape"),
        (
            ["--input-shape", "x:5,3", "--test-input-shape", "x:6,3"],
            "--test-input-shape x:6,3: axis 0 is of size 5; found 6",
        ),
        (
            ["--verify", "0", "--test-input-shape", "x:5,3"],
            "--test-input-shape is for verification, and --verify 0 asks for none",
        ),
        (["--verify", "0", "--input-data", "d"], "--input-data is for verification"),
        (["--input-data", "d", "--test-input-shape", "x:5,3"], "write one"),
    ],
)
def test_options_that_contradict_each_other_or_the_model_are_errors(
    words: list[str], told: str, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["optimize", str(gather(tmp_path / "m.onnx")), *words]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_model_that_does_not_run_on_what_is_given_is_an_error(
    tmp_path: Path, capsys: Capture
) -> None:
    data = saved(tmp_path / "d.npz", x=ONES["x"][:3], i=ONES["i"])
    assert main(["optimize", str(gather(tmp_path / "m.onnx")), "--input-data", str(data)]) == 2
    assert "give others with --input-data" in capsys.readouterr().err


def test_inputs_from_a_single_file_that_change_nothing_are_told_of(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "m.onnx"
    nodes = [
        helper.make_node("Shape", ["b"], ["s"]),
        helper.make_node("Expand", ["a", "s"], ["y"]),
    ]
    inputs = {"a": (FLOAT, [4]), "b": (FLOAT, [2, 4]), "c": (FLOAT, [1])}
    onnx.save(model_of(nodes, inputs, {"y": (FLOAT, [2, 4])}), path)
    a, b = np.arange(4, dtype="float32"), np.arange(8, dtype="float32").reshape(2, 4)
    data = saved(tmp_path / "d.npz", a=a, b=b, c=a[:1])
    _, told = optimised(path, capsys, "--input-data", str(data))
    assert told["inputs_without_effect"] == ["b"]
    assert told["inputs_untried"] == ["c"]  # it has one element
    assert told["outputs_vary_by"] == 1
    data = saved(tmp_path / "d.npz", a=a * 0, b=b, c=a[:1])
    _, told = optimised(path, capsys, "--input-data", str(data))
    assert told["outputs_vary_by"] == 0
