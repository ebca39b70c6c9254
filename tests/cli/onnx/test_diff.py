"""``relayish diff``: models, and programs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from relayish.cli.main import main
from tests.support.small_models import small_model

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]


def test_a_model_does_not_differ_from_itself(model: Path, capsys: Capture) -> None:
    assert main(["diff", str(model), str(model)]) == 0
    assert capsys.readouterr() == ("", "")


def test_every_difference_of_models_is_told(model: Path, tmp_path: Path, capsys: Capture) -> None:
    proto, other = small_model(), tmp_path / "other.onnx"
    proto.opset_import[0].version = 18
    proto.producer_name = "somebody"
    proto.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 4
    proto.graph.node[2].op_type = "Neg"
    del proto.graph.node[1]
    one = onnx.numpy_helper.from_array(np.float32(3), "two")
    proto.graph.initializer[0].CopyFrom(one)
    proto.graph.node.append(onnx.helper.make_node("Abs", ["y"], ["z"]))
    onnx.save(proto, other)
    assert main(["diff", str(model), str(other)]) == 1
    assert (
        capsys.readouterr().out
        == """\
- ONNX: IR version 8, opset ai.onnx 17
+ ONNX: IR version 8, opset ai.onnx 18
- output y: float32[n, 2]
+ output y: float32[4, 2]
+ producer: somebody
  Abs: 0 -> 1
  Add: 1 -> 0
  Neg: 0 -> 1
  Relu: 1 -> 0
- constant two: float32[] 2.0
+ constant two: float32[] 3.0
- node unused: Add(x, two)
- node positive: Relu(doubled)
+ node positive: Neg(doubled)
+ node z: Abs(y)
"""
    )


def test_many_elements_are_told_apart_by_a_digest(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    paths = [tmp_path / "a.onnx", tmp_path / "b.onnx"]
    for number, path in enumerate(paths):
        proto = small_model()
        values = np.arange(100, dtype=np.float32) + number
        proto.graph.initializer[1].CopyFrom(onnx.numpy_helper.from_array(values, "many"))
        proto.graph.node[3].input[1] = "many"
        onnx.save(proto, path)
    assert main(["diff", *map(str, paths)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"[0-9a-f]{8}$", "D", line) for line in lines] == [
        "- constant many: float32[100] with digest D",
        "+ constant many: float32[100] with digest D",
    ]
    assert lines[0][2:] != lines[1][2:]


def test_nodes_in_branches_are_told_with_their_place(tmp_path: Path, capsys: Capture) -> None:
    example = Path(__file__).parents[3] / "examples" / "small_network.onnx"
    proto, other = onnx.load(example), tmp_path / "other.onnx"
    branch = next(node for node in proto.graph.node if node.op_type == "If").attribute[0].g
    branch.node[0].op_type = "Mul" if branch.node[0].op_type == "Add" else "Neg"
    onnx.save(proto, other)
    assert main(["diff", str(example), str(other)]) == 1
    assert "node chosen." in capsys.readouterr().out


def test_programs_are_compared_by_their_text(tmp_path: Path, capsys: Capture) -> None:
    paths = [tmp_path / "a.relay", tmp_path / "b.relay"]
    for path, name in zip(paths, ("exp", "tanh"), strict=True):
        path.write_text(f'#[version = "0.0.5"]\ndef @main(%x: float32) {{ {name}(%x) }}\n')
    assert main(["diff", *map(str, paths)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("exp: 1 -> 0\ntanh: 0 -> 1\n---")
    assert "\n-  exp(%x)\n+  tanh(%x)\n" in shown
    assert main(["diff", str(paths[0]), str(paths[0])]) == 0


def test_a_model_and_a_program_are_not_compared(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    other = tmp_path / "a.relay"
    other.write_text("x")
    assert main(["diff", str(model), str(other)]) == 2
    assert "expected two models, or two programs" in capsys.readouterr().err


def test_a_model_that_is_wrong_is_named(model: Path, tmp_path: Path, capsys: Capture) -> None:
    proto, other = small_model(), tmp_path / "other.onnx"
    proto.graph.node[0].input[0] = "missing"
    other.write_bytes(proto.SerializeToString())
    assert main(["diff", str(model), str(other)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"relayish: error: {other} is no valid model: inputs of node")
    assert error.count("\n") == 1
