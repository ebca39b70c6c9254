"""``relayish optimize``: what it writes, what it tells, what it refuses to write."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relayish.cli.main import main
from relayish.errors import ModelError
from relayish.frontend import from_onnx, save_onnx
from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Constant, Expr
from relayish.transform import create_function_pass, register_pass
from tests.support.small_models import BFLOAT16, FLOAT, INT64, model_of

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.references
helper = onnx.helper

Capture = pytest.CaptureFixture[str]
DEAD_CODE = ["-p", "DeadCodeElimination"]


def masked(told: str) -> str:
    """Return what was told with times masked, and the space that they take."""
    return re.sub(r" +\d+\.\d{3}\b", " T", re.sub(r"\d+\.\d\d seconds", "T seconds", told))


class _Doubler(ExprMutator):
    def visit_constant(self, constant: Constant) -> Expr:
        data = np.asarray(constant.data)
        return constant if data.ndim else Constant(data * np.float32(1.5))


@pytest.fixture
def wrong_pass(declarations: None) -> str:
    """Register a pass that changes scalars, and return its name."""
    made = create_function_pass(lambda func, _m, _c: _Doubler().visit(func), 0, "ChangeScalars")
    register_pass()(made)
    return "ChangeScalars"


def test_what_nobody_uses_is_gone_and_a_table_tells_it(model, tmp_path, capsys: Capture) -> None:
    out = tmp_path / "out.onnx"
    assert main(["optimize", str(model), "-o", str(out), *DEAD_CODE]) == 0
    shown = capsys.readouterr()
    assert (
        masked(shown.out)
        == f"""\
                    before  after
operators                4      3
  Add                    1      0
  of other types         3      3
constants                2      2
bytes of constants      28     28

pass                 seconds  operators
InferType T
DeadCodeElimination T         -1
all passes T

equal on 3 random inputs (n=2, normal, deviation 1), by relayish's evaluation
largest difference 0.0e+00 of an output's magnitude, tolerance 1.0e-04
every input changes an output
written to {out}; T seconds in all
"""
    )
    assert shown.err == ""
    assert [node.op_type for node in onnx.load(out).graph.node] == ["Mul", "Relu", "MatMul"]


def test_the_same_is_told_as_json(model, tmp_path, capsys: Capture) -> None:
    out = tmp_path / "out.onnx"
    assert main(["optimize", str(model), "-o", str(out), "--json", *DEAD_CODE]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["operators"] == {"before": 4, "after": 3}
    assert told["operators_by_type"]["before"]["Add"] == 1
    assert told["constant_bytes"] == {"before": 28, "after": 28}
    assert [each["name"] for each in told["passes"]] == ["InferType", "DeadCodeElimination"]
    assert [each["operators"] for each in told["passes"]] == [4, 3]
    assert told["verification"]["equal"] is True
    assert told["verification"]["sizes"] == {"n": 2}
    assert told["verification"]["inputs_without_effect"] == []
    assert told["output"] == str(out)


def test_a_result_that_is_not_equal_is_not_written_and_the_pass_named(
    model, tmp_path, capsys: Capture, wrong_pass: str
) -> None:
    out = tmp_path / "out.onnx"
    out.write_bytes(b"what was there")
    pipeline = f"DeadCodeElimination,{wrong_pass},RemoveUnusedFunctions"
    assert main(["optimize", str(model), "-o", str(out), "-p", pipeline]) == 1
    shown = capsys.readouterr()
    assert "NOT equal on 3 random inputs" in shown.out
    assert "not written" in shown.out
    # before it run InferType, which the first pass requires, and the first pass
    named = "ChangeScalars is at fault, after 2 other passes: output 'y' of input 1 differs by"
    assert named in shown.err
    assert "--skip-after=2 leaves it out" in shown.err
    assert out.read_bytes() == b"what was there"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model.onnx", "out.onnx"]


def test_report_of_the_passes_tells_whether_the_result_is_equal(
    model, tmp_path, wrong_pass: str
) -> None:
    page = tmp_path / "report.html"
    for passes, told in (
        (DEAD_CODE, "equal on 3 random inputs"),
        (["-p", wrong_pass], "NOT equal"),
    ):
        main(["optimize", str(model), *passes, "--quiet", "--report", str(page)])
        assert f'"notes":["{told}' in page.read_text()


def test_json_tells_who_is_at_fault(model, capsys: Capture, wrong_pass: str) -> None:
    assert main(["optimize", str(model), "-p", wrong_pass, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["verification"]["equal"] is False
    assert told["verification"]["culprit"].startswith("ChangeScalars is at fault")
    assert told["output"] is None


@pytest.mark.parametrize(
    ("words", "code", "out", "err", "written"),
    [
        ("-p DeadCodeElimination -o OUT --quiet", 0, "", "", True),
        ("-p DeadCodeElimination", 0, "not written", "", False),
        ("-O1 -o OUT", 0, "equal on 3 random inputs", "", True),
        ("-O 9", 2, "", "levels are 0 to 3", False),
        ("-p DeadCodeElimination,ChangeScalars --skip-after=2", 0, "equal on 3", "", False),
        (
            "-p ChangeScalars -o OUT --force",
            1,
            "NOT equal",
            "ChangeScalars is at fault, after 0 other passes",
            True,
        ),
        ("-p ChangeScalars -o OUT --force", 1, "OUT", "it is written all the same", True),
        ("-p ChangeScalars --tolerance 0.6", 0, "tolerance 6.0e-01", "", False),
        ("-p ChangeScalars -o OUT --verify 0", 0, "equality not verified", "", True),
    ],
)
def test_options_say_what_is_written_and_told(
    words: str, code: int, out: str, err: str, written: bool, model, tmp_path, capsys, wrong_pass
) -> None:
    place = tmp_path / "out.onnx"
    given = words.replace("OUT", str(place)).split(" ")
    assert main(["optimize", str(model), *given]) == code
    shown = capsys.readouterr()
    assert out.replace("OUT", f"written to {place}") in shown.out
    assert err in shown.err
    assert bool(shown.out) == bool(out)
    assert place.exists() == written
    if written:
        onnx.checker.check_model(onnx.load(place), full_check=True)
        changes = "ChangeScalars" in words
        scalar = onnx.numpy_helper.to_array(onnx.load(place).graph.initializer[0])
        assert scalar == (3 if changes else 2)


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [(KeyError("lost"), 3, "in pass Fails"), (KeyboardInterrupt(), 130, "interrupted")],
)
@pytest.mark.parametrize("there", [False, True])
def test_a_pass_that_raises_leaves_what_was_there(
    error: BaseException, code: int, told: str, there: bool, model, tmp_path, capsys, declarations
) -> None:
    def fail(_func: object, _mod: object, _ctx: object) -> None:
        raise error

    register_pass()(create_function_pass(fail, 0, "Fails"))
    out = tmp_path / "out.onnx"
    if there:
        out.write_bytes(b"what was there")
    assert main(["optimize", str(model), "-o", str(out), "-p", "Fails"]) == code
    assert told in capsys.readouterr().err
    names = ["model.onnx", "out.onnx"] if there else ["model.onnx"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names
    assert not there or out.read_bytes() == b"what was there"


def saved(path: Path, *given: Any, **options: Any) -> Path:
    """Save the model that is made of nodes, inputs, outputs and constants."""
    onnx.save(model_of(*given), path, **options)
    return path


def test_an_input_that_changes_nothing_is_named(tmp_path, capsys: Capture) -> None:
    nodes = [
        helper.make_node("Mul", ["b", "zero"], ["nothing"]),
        helper.make_node("Add", ["a", "nothing"], ["y"]),
    ]
    four = (FLOAT, [4])
    zero = {"zero": np.zeros(4, "float32")}
    path = saved(tmp_path / "idle.onnx", nodes, {"a": four, "b": four}, {"y": four}, zero)
    assert main(["optimize", str(path), *DEAD_CODE]) == 0
    shown = capsys.readouterr()
    assert "no effect on any output: b\n" in shown.out
    assert "relayish: note: input 'b' changes no output when it alone changes" in shown.err
    assert "input 'a'" not in shown.err


def test_outputs_that_are_always_the_same_are_told_of(tmp_path, capsys: Capture) -> None:
    nodes = [
        helper.make_node("Mul", ["x", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "one"], ["y"]),
    ]
    constants = {"zero": np.float32(0), "one": np.float32(1)}
    four = (FLOAT, [4])
    path = saved(tmp_path / "constant.onnx", nodes, {"x": four}, {"y": four}, constants)
    assert main(["optimize", str(path), *DEAD_CODE]) == 0
    assert "so equality proves little" in capsys.readouterr().err
    assert main(["-q", "optimize", str(path), *DEAD_CODE]) == 0
    assert capsys.readouterr().err == ""


def test_an_input_shape_is_that_of_the_result(model, tmp_path, capsys: Capture) -> None:
    out = tmp_path / "out.onnx"
    argv = ["optimize", str(model), "-o", str(out), "--input-shape", "x:5,3", *DEAD_CODE]
    assert main(argv) == 0
    graph = onnx.load(out).graph
    for value in (graph.input[0], graph.output[0]):
        assert value.type.tensor_type.shape.dim[0].dim_value == 5
    assert "(normal, deviation 1)" in capsys.readouterr().out  # no size was left to choose


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ("z:1,3", "the model has no input 'z'; its inputs are x"),
        ("x:1", "--input-shape x:1 has 1 sizes; input 'x' is float32[n, 3], of rank 2"),
        ("x:2,4", "axis 1 is of size 3; found 4"),
        ("x:2,-1", "expected NAME:SIZE,SIZE,... after --input-shape"),
        ("x", "expected NAME:SIZE,SIZE,... after --input-shape"),
        (f"x:{1 << 63},3", "sizes are at most 9223372036854775807"),
        (f"x:{'9' * 5000},3", "sizes are at most 9223372036854775807"),
    ],
)
def test_an_input_shape_that_does_not_fit_is_an_error(
    model, capsys: Capture, shape: str, told: str
) -> None:
    assert main(["optimize", str(model), "--input-shape", shape]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_shapes_that_contradict_each_other_are_an_error(tmp_path, capsys: Capture) -> None:
    n = (FLOAT, ["n"])
    node = helper.make_node("Add", ["a", "b"], ["y"])
    path = saved(tmp_path / "two.onnx", [node], {"a": n, "b": n}, {"y": n})
    argv = ["optimize", str(path), "--input-shape", "a:2", "--input-shape", "b:3"]
    assert main(argv) == 2
    assert "axis 0 is dimension 'n', of size 2; found 3" in capsys.readouterr().err


def test_initializers_that_are_inputs_are_constants_only_if_frozen(tmp_path) -> None:
    two, out = (FLOAT, [2]), tmp_path / "out.onnx"
    node = helper.make_node("Add", ["x", "w"], ["y"])
    w = {"w": np.ones(2, "float32")}
    path = saved(tmp_path / "model.onnx", [node], {"x": two, "w": two}, {"y": two}, w)
    for options, names in ([], ["x", "w"]), (["--freeze-params"], ["x"]):
        argv = ["optimize", str(path), "-o", str(out), "--quiet", *DEAD_CODE, *options]
        assert main(argv) == 0
        assert [each.name for each in onnx.load(out).graph.input] == names


def test_tensors_beside_the_model_lie_beside_the_result(tmp_path) -> None:
    out = tmp_path / "out.onnx"
    weight = np.arange(4096, dtype=np.float32).reshape(64, 64)
    row = (FLOAT, [1, 64])
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    beside = {"save_as_external_data": True, "location": "weights.bin"}
    path = saved(tmp_path / "model.onnx", [node], {"x": row}, {"y": row}, {"w": weight}, **beside)
    assert main(["optimize", str(path), "-o", str(out), "--quiet", *DEAD_CODE]) == 0
    names = ["model.onnx", "out.onnx", "out.onnx.data", "weights.bin"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names
    assert out.stat().st_size < 1000
    held = onnx.load(out).graph.initializer[0]
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(held), weight)


def test_a_model_may_be_replaced_by_its_result(model, capsys: Capture) -> None:
    assert main(["optimize", str(model), "-o", str(model), "--quiet", *DEAD_CODE]) == 0
    assert len(onnx.load(model).graph.node) == 3


def test_integers_that_index_are_drawn_within_bounds(tmp_path, capsys: Capture) -> None:
    node = helper.make_node("Gather", ["table", "i"], ["y"])
    table = {"table": np.arange(10, dtype=np.float32).reshape(5, 2)}
    inputs, outputs = {"i": (INT64, ["n"])}, {"y": (FLOAT, ["n", 2])}
    path = saved(tmp_path / "gather.onnx", [node], inputs, outputs, table)
    assert main(["optimize", str(path), *DEAD_CODE]) == 0
    assert "every input changes an output" in capsys.readouterr().out


def test_onnxruntime_compares_where_it_is_installed(
    model, capsys: Capture, onnxruntime: None
) -> None:
    assert main(["optimize", str(model), *DEAD_CODE]) == 0
    assert "by onnxruntime, its optimiser off" in capsys.readouterr().out


def test_what_onnxruntime_does_not_run_is_run_by_relayish(
    tmp_path, capsys: Capture, onnxruntime: None
) -> None:
    path = tmp_path / "bfloat16.onnx"
    made = model_of(
        [helper.make_node("Sin", ["x"], ["y"])],
        {"x": (BFLOAT16, [3])},
        {"y": (BFLOAT16, [3])},
        opset=22,
    )
    onnx.save(made, path)
    assert main(["optimize", str(path), *DEAD_CODE]) == 0
    assert "by relayish's evaluation" in capsys.readouterr().out


def test_a_result_optimised_again_stays_the_same_file(model, tmp_path) -> None:
    out = tmp_path / "out.onnx"
    assert main(["optimize", str(model), "-o", str(out), "--quiet", *DEAD_CODE]) == 0
    assert main(["optimize", str(out), "-o", str(model), "--quiet", *DEAD_CODE]) == 0
    assert out.read_bytes() == model.read_bytes()


def test_the_example_loses_what_exporters_leave_behind(capsys: Capture) -> None:
    assert main(["optimize", "--example", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["operators"]["before"] == 26
    assert told["operators"]["after"] <= 11
    left = set(told["operators_by_type"]["after"])
    assert not left & {"BatchNormalization", "If", "Identity", "Pad", "Shape", "Transpose"}
    assert told["verification"]["equal"] is True
    assert told["verification"]["inputs_without_effect"] == []


def test_an_interrupt_while_it_is_compared_leaves_nothing_behind(
    model, tmp_path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("relayish.cli.optimizing.one.compare_model", interrupt)
    out = tmp_path / "out.onnx"
    assert main(["optimize", str(model), "-o", str(out), *DEAD_CODE]) == 130
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_replaced(model, tmp_path, capsys: Capture) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert main(["optimize", str(model), "-o", str(pipe)]) == 2
    assert capsys.readouterr().err.endswith("is a device or a pipe; expected a file\n")
    assert pipe.is_fifo()
    with pytest.raises(ModelError, match="is a device or a pipe; expected a file"):
        save_onnx(from_onnx(model), pipe)
    assert pipe.is_fifo()


def test_tensors_beside_a_branch_lie_beside_the_result(tmp_path, capsys: Capture) -> None:
    path, out = tmp_path / "branch.onnx", tmp_path / "out.onnx"
    (tmp_path / "w.bin").write_bytes(np.arange(2000, dtype=np.float32).tobytes())
    weight = onnx.TensorProto(name="w", data_type=FLOAT, dims=[2000], data_location=1)
    weight.external_data.add(key="location", value="w.bin")
    result = [helper.make_tensor_value_info("o", FLOAT, [2000])]
    sum_node = helper.make_node("Add", ["x", "w"], ["o"])
    other_node = helper.make_node("Neg", ["x"], ["o"])
    branches = {
        "then_branch": helper.make_graph([sum_node], "t", [], result, [weight]),
        "else_branch": helper.make_graph([other_node], "e", [], result),
    }
    x, y = [helper.make_tensor_value_info(name, FLOAT, [2000]) for name in "xy"]
    c = helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, [])
    graph = helper.make_graph([helper.make_node("If", ["c"], ["y"], **branches)], "g", [c, x], [y])
    opsets = [helper.make_opsetid("", 17)]
    path.write_bytes(
        helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    )
    assert main(["optimize", str(path), "-o", str(out), "-O0", "--quiet"]) == 0, capsys.readouterr()
    assert (tmp_path / "out.onnx.data").exists()
