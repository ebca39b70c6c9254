"""``relayish diff``: models, and programs."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relayish.cli.main import main
from tests.support.each import each
from tests.support.small_models import FLOAT, model_of, small_model

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
+ constant two: float32[] 3.0, largest difference 1
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
    assert [re.sub(r"[0-9a-f]{6}\b", "D", line) for line in lines] == [
        "- constant many: float32[100]#D",
        "+ constant many: float32[100]#D, largest difference 1",
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
    assert shown.startswith("  exp: 1 -> 0\n  tanh: 0 -> 1\n---")
    assert "\n-  exp(%x)\n+  tanh(%x)\n" in shown
    assert main(["diff", str(paths[0]), str(paths[0])]) == 0


def test_a_model_is_compared_with_a_program_by_text(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    text = tmp_path / "text"
    assert main(["print", str(model), "-o", str(text)]) == 0
    assert main(["diff", str(model), str(text), "--color", "always"]) == 0
    noted = saved(tmp_path / "noted.onnx", lambda proto: setattr(proto, "doc_string", "words"))
    assert main(["diff", noted, str(text)]) == 0
    assert main(["diff", noted, str(text), "--metadata", "-q"]) == 1
    text.write_text(text.read_text().replace("Relu_14", "Neg_13"))
    assert main(["diff", str(model), str(text)]) == 1
    told = capsys.readouterr().out
    assert "-  let %positive = onnx::Relu_14(%doubled);\n" in told
    assert "+  let %positive = onnx::Neg_13(%doubled);\n" in told
    assert main(["diff", str(text), str(text), "-q"]) == 0
    assert main(["diff", str(model), str(text), "--quiet"]) == 1
    assert capsys.readouterr() == ("", "")


def saved(path: Path, change: Callable[[Any], object]) -> str:
    proto = small_model()
    change(proto)
    onnx.save(proto, path)
    return str(path)


def test_names_within_a_model_are_no_difference_unless_asked(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    def rename(proto: Any) -> None:
        names = {"doubled": "other", "positive": "one", "w": "weight"}
        for node in proto.graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]
        for tensor in proto.graph.initializer:
            tensor.name = names.get(tensor.name, tensor.name)

    other = saved(tmp_path / "other.onnx", rename)
    assert main(["diff", str(model), other]) == 0
    assert main(["diff", str(model), other, "--names"]) == 1
    assert "+ constant weight: float32[3, 2]" in capsys.readouterr().out

    def change(proto: Any) -> None:
        proto.graph.node[0].op_type = "Sub"
        proto.graph.node[0].output[0] = proto.graph.node[2].input[0] = "less"

    assert main(["diff", str(model), saved(tmp_path / "other.onnx", change)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "node" in line] == [
        "- node doubled: Mul(x, two)",
        "- node positive: Relu(doubled)",
        "+ node positive: Relu(less)",
        "+ node less: Sub(x, two)",
    ]


def test_values_that_are_swapped_have_other_names(tmp_path: Path, capsys: Capture) -> None:
    """A node of the same operator is another one where it takes something else."""
    paths = []
    for number, (first, second) in enumerate((("a", "b"), ("d", "c"))):
        nodes = [
            onnx.helper.make_node("Exp", ["x"], [first]),
            onnx.helper.make_node("Neg", ["x"], [second]),
            onnx.helper.make_node("Sub", [first, second] if number else [second, first], ["y"]),
        ]
        path = tmp_path / f"{number}.onnx"
        onnx.save(model_of(nodes, {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])}, {}), path)
        paths.append(str(path))
    assert main(["diff", *paths]) == 1
    assert capsys.readouterr().out == "- node y: Sub(b, a)\n+ node y: Sub(a, b)\n"


def test_nodes_of_branches_stand_for_no_others(tmp_path: Path, capsys: Capture) -> None:
    """A node is moved out of a branch, and another one into it, with the same operands."""
    paths = []
    for inner, outer in (("Exp", "Neg"), ("Neg", "Exp")):
        name = f"{outer}_outside".lower()
        inside = f"{inner}_inside".lower()
        result = [onnx.helper.make_tensor_value_info(inside, FLOAT, [2])]
        branches = {
            f"{arm}_branch": onnx.helper.make_graph(
                [onnx.helper.make_node(inner, ["x"], [inside])], arm, [], result
            )
            for arm in ("then", "else")
        }
        nodes = [
            onnx.helper.make_node(outer, ["x"], [name]),
            onnx.helper.make_node("If", ["c"], ["i"], **branches),
            onnx.helper.make_node("Add", [name, "i"], ["y"]),
        ]
        inputs = {"x": (FLOAT, [2]), "c": (onnx.TensorProto.BOOL, [])}
        onnx.save(model_of(nodes, inputs, {"y": (FLOAT, [2])}, {}), tmp_path / name)
        paths.append(str(tmp_path / name))
    assert main(["diff", *paths]) == 1
    assert capsys.readouterr().out.splitlines()[2:] == [
        "- node neg_outside: Neg(x)",
        "- node y: Add(neg_outside, i)",
        "+ node y: Add(exp_outside, i)",
        "- node i.then_branch/exp_inside: Exp(x)",
        "- node i.else_branch/exp_inside: Exp(x)",
        "+ node exp_outside: Exp(x)",
        "+ node i.then_branch/neg_inside: Neg(x)",
        "+ node i.else_branch/neg_inside: Neg(x)",
    ]


def test_renamed_node_with_another_attribute_is_another_one(
    tmp_path: Path, capsys: Capture
) -> None:
    paths = []
    for name, axis in (("a", 0), ("b", 1)):
        nodes = [
            onnx.helper.make_node("Softmax", ["x"], [name], axis=axis),
            onnx.helper.make_node("Neg", [name], ["y"]),
        ]
        model = model_of(nodes, {"x": (FLOAT, [2, 2])}, {"y": (FLOAT, [2, 2])}, {})
        onnx.save(model, tmp_path / name)
        paths.append(str(tmp_path / name))
    assert main(["diff", *paths]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "- node a: Softmax(x)",
        "- node y: Neg(a)",
        "+ node y: Neg(b)",
        "+ node b: Softmax(x)",
    ]


@each("names", [("c", "c"), ("c", "d")])
def test_constants_differ_in_bits_that_no_text_tells(
    names: tuple[str, str], tmp_path: Path, capsys: Capture
) -> None:
    paths = []
    for place, (name, bits) in enumerate(zip(names, (0x7FC00000, 0x7FC00001), strict=True)):
        nodes = [onnx.helper.make_node("Add", ["x", name], ["y"])]
        constants = {name: np.array([bits], "uint32").view("float32")}
        model = model_of(nodes, {"x": (FLOAT, [1])}, {"y": (FLOAT, [1])}, constants)
        onnx.save(model, tmp_path / str(place))
        paths.append(str(tmp_path / str(place)))
    assert main(["diff", *paths]) == 1
    lines = capsys.readouterr().out.splitlines()[:2]
    assert lines == [
        f"{sign} constant {n}: float32[1] [nan]" for sign, n in zip("-+", names, strict=True)
    ]


def test_types_and_metadata_are_compared_when_asked(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    def annotate(proto: Any) -> None:
        value = onnx.helper.make_tensor_value_info("doubled", FLOAT, ["n", 3])
        proto.graph.value_info.append(value)
        proto.doc_string = "words"
        onnx.helper.set_model_props(proto, {"key": "value"})

    other = saved(tmp_path / "other.onnx", annotate)
    assert main(["diff", str(model), other]) == 0
    assert main(["diff", str(model), other, "--types"]) == 1
    assert capsys.readouterr().out == "+ value doubled: float32[n, 3]\n"
    assert main(["diff", str(model), other, "--metadata"]) == 1
    assert capsys.readouterr().out == "+ description: words\n+ metadata key: value\n"


def sum_of(folder: Path, count: int) -> str:
    """Return a file with a model that adds so many constants to its input."""
    constants = {f"c{number}": np.full(2, number, "float32") for number in range(count)}
    nodes = [onnx.helper.make_node("Sum", ["x", *constants], ["y"])]
    path = folder / f"{count}.onnx"
    onnx.save(model_of(nodes, {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])}, constants), path)
    return str(path)


def test_many_constants_are_told_by_type_unless_values_are_asked_for(
    tmp_path: Path, capsys: Capture
) -> None:
    model = functools.partial(sum_of, tmp_path)
    assert main(["diff", model(12), model(3)]) == 1
    assert capsys.readouterr().out == (
        "bytes of constants: 96 -> 24\n"
        "- 9 constants float32[2]\n"
        "- node y: Sum(x, c0, c1, c2, 9 constants)\n"
        "+ node y: Sum(x, c0, c1, c2)\n"
    )
    assert main(["diff", model(12), model(4)]) == 1
    assert "- constant c11: float32[2] [11.0, 11.0]\n" in capsys.readouterr().out
    assert main(["diff", model(12), model(3), "--values"]) == 1
    told = capsys.readouterr().out
    assert "- constant c11: float32[2] [11.0, 11.0]\n" in told
    assert "c10, c11)\n" in told


@each(
    ("values", "shown", "in_full"),
    [
        (list(range(1, 9)), " [1, 2, 3, 4, 5, 6, 7, 8]", " [1, 2, 3, 4, 5, 6, 7, 8]"),
        ([*range(1, 8), 10], "#D", " [1, 2, 3, 4, 5, 6, 7, 10]"),
        (list(range(1, 10)), "#D", "#D"),
    ],
)
def test_few_elements_are_told_as_they_are(
    values: list[int], shown: str, in_full: str, tmp_path: Path, capsys: Capture
) -> None:
    paths = []
    for name, held in (("a", values), ("b", [0] * len(values))):
        nodes = [onnx.helper.make_node("Reshape", ["x", "c"], ["y"])]
        path = tmp_path / name
        constants = {"c": np.array(held, "int64")}
        onnx.save(model_of(nodes, {"x": (FLOAT, [1])}, {"y": (FLOAT, None)}, constants), path)
        paths.append(str(path))
    for wanted, more in ((shown, []), (in_full, ["--values"])):
        assert main(["diff", *paths, *more]) == 1
        first = re.sub(r"#[0-9a-f]{6}", "#D", capsys.readouterr().out.splitlines()[0])
        assert first == f"- constant c: int64[{len(values)}]{wanted}"


def test_constants_of_a_node_are_counted_from_three_on(tmp_path: Path, capsys: Capture) -> None:
    model = functools.partial(sum_of, tmp_path)
    assert main(["diff", model(3), model(0)]) == 1
    assert "- node y: Sum(x, 3 constants)\n" in capsys.readouterr().out
    assert main(["diff", model(2), model(0)]) == 1
    assert "- node y: Sum(x, c0, c1)\n" in capsys.readouterr().out


def test_only_attributes_that_differ_are_told(tmp_path: Path, capsys: Capture) -> None:
    paths = []
    for alpha in (0.5, 0.25):
        nodes = [onnx.helper.make_node("Gemm", ["x", "x"], ["y"], alpha=alpha, beta=2.0)]
        path = tmp_path / f"{alpha}.onnx"
        onnx.save(model_of(nodes, {"x": (FLOAT, [2, 2])}, {"y": (FLOAT, [2, 2])}, {}), path)
        paths.append(str(path))
    assert main(["diff", *paths]) == 1
    assert capsys.readouterr().out == (
        "- node y: Gemm(x, x){alpha=0.5}\n+ node y: Gemm(x, x){alpha=0.25}\n"
    )
    assert main(["diff", *paths, "--values"]) == 1
    assert "{alpha=0.25, beta=2}" in capsys.readouterr().out


def test_difference_of_models_as_json(model: Path, tmp_path: Path, capsys: Capture) -> None:
    def change(proto: Any) -> None:
        proto.graph.node[2].op_type = "Neg"

    other = saved(tmp_path / "other.onnx", change)
    assert main(["diff", str(model), other, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["equal"] is False
    assert told["operators"] == {"Neg": [0, 1], "Relu": [1, 0]}
    assert told["changes"] == [
        {
            "what": "node",
            "name": "positive",
            "before": "Relu(doubled)",
            "after": "Neg(doubled)",
            "note": "",
        }
    ]
    assert main(["diff", other, other, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["equal"] is True


def test_a_model_that_is_wrong_is_named(model: Path, tmp_path: Path, capsys: Capture) -> None:
    proto, other = small_model(), tmp_path / "other.onnx"
    proto.graph.node[0].input[0] = "missing"
    other.write_bytes(proto.SerializeToString())
    assert main(["diff", str(model), str(other)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"relayish: error: {other} is no valid model: inputs of node")
    assert error.count("\n") == 1
