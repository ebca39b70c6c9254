"""How much a model changes its outputs by rounding otherwise, and who is to blame for more."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.cli.main import main  # noqa: E402
from relayish.cli.onnx.engines import Engine  # noqa: E402
from relayish.cli.onnx.equality import Tolerance, compare_results  # noqa: E402
from relayish.cli.onnx.inputs import Input  # noqa: E402
from relayish.cli.onnx.magnitudes import Noise, differences  # noqa: E402
from relayish.cli.onnx.noise import measure_noise  # noqa: E402
from relayish.cli.onnx.references import find_reference  # noqa: E402
from relayish.errors import EvaluationError  # noqa: E402
from relayish.functor import ExprMutator  # noqa: E402
from relayish.ir.relay.expr import Constant, Expr  # noqa: E402
from relayish.transform import create_function_pass, register_pass  # noqa: E402
from tests.support.small_models import FLOAT, model_of  # noqa: E402

pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]
Function = Callable[[Mapping[str, Any]], list[Any]]
X = [Input("x", "float32", (1000,))]


def noise_of(model: Function, *others: Function, widths: dict[str, int] | None = None) -> Noise:
    engine = Engine("functions", lambda _path: model, tuple([lambda _p, f=f: f for f in others]))
    reference = find_reference([engine], "model", X, ["y"], runs=2, seed=0)
    return measure_noise(reference, "model", Tolerance(widths=widths or {}))["y"]


def plain(inputs: Mapping[str, Any]) -> list[Any]:
    return [inputs["x"] * np.float32(2)]


def in_steps(inputs: Mapping[str, Any]) -> list[Any]:
    return [np.floor(inputs["x"] * np.float32(1e6)) % 2]


def fails(_inputs: object) -> list[Any]:
    raise EvaluationError("no")


def test_differences_are_the_largest_and_the_mean_of_elements_that_are_finite() -> None:
    first = np.array([0, 1, np.inf, np.nan, 2])
    found = differences(first, np.array([3, 1, np.inf, 5, 6]), 10.0)
    assert found == Noise(0.4, pytest.approx(np.sqrt((0.09 + 0.16) / 3)))
    assert differences(first[2:4], first[2:4], 1.0) == Noise()


def test_model_that_is_smooth_changes_by_units_in_the_last_place() -> None:
    assert 0 < noise_of(plain).largest < 1e-6
    assert 1e-4 < noise_of(plain, widths={"y": 2}).largest < 1e-2
    assert noise_of(lambda i: [i["x"].astype("int64")]) == Noise()


def test_model_that_rounds_to_steps_changes_by_steps() -> None:
    found = noise_of(in_steps)
    assert found.largest == 1
    assert 0 < found.mean < 1


def test_engines_that_round_otherwise_are_asked_where_they_run() -> None:
    found = noise_of(plain, fails, lambda i: [i["x"] * np.float32(2) + np.float32(0.1)], fails)
    assert 0.01 < found.largest < 0.1
    assert noise_of(plain, lambda i: [i["x"][:5]], lambda i: [[i["x"]]]).largest < 1e-6
    assert 0.1 < noise_of(lambda i: [[i["x"]]], lambda i: [[i["x"] * 2]]).largest <= 1


@pytest.mark.parametrize(
    ("largest", "off", "share", "is_equal"),
    [
        (0.01, 0.019, 1000, False),  # everywhere, where the model changes a few
        (0.01, 0.019, 1, True),
        (0.01, 0.021, 1, False),
        (0.0, 0.9e-4, 1000, True),
        (0.0, 1.1e-4, 1000, False),
    ],
)
def test_outputs_may_differ_twice_as_much_as_the_model_itself_changes_them(
    largest: float, off: float, share: int, is_equal: bool
) -> None:
    engine = Engine("functions", lambda _path: lambda i: [np.sign(i["x"])])
    reference = find_reference([engine], "model", X, ["y"], runs=1, seed=0)
    (result,) = reference.results[0]
    changed = result + np.where(np.arange(1000) < share, off, 0)
    tolerance = Tolerance(noise={"y": Noise(largest, largest / 30)})
    found = compare_results(reference, [[changed.astype("float32")]], tolerance)
    assert (found.fault is None) == is_equal
    assert found.is_rounding == (not is_equal)
    assert (found.largest <= found.tolerance) == is_equal


@pytest.mark.parametrize(
    ("share", "count", "is_equal"),
    [(0.0, 0, True), (0.0, 1, False), (0.01, 20, True), (0.01, 21, False), (0.9, 101, False)],
)
def test_integers_may_differ_twice_as_often_as_the_model_itself_changes_them(
    share: float, count: int, is_equal: bool
) -> None:
    engine = Engine("functions", lambda _path: lambda i: [np.sign(i["x"]).astype("int8")])
    reference = find_reference([engine], "model", X, ["y"], runs=1, seed=0)
    (result,) = reference.results[0]
    changed = result + (np.arange(1000) < count).astype("int8")
    found = compare_results(reference, [[changed]], Tolerance(noise={"y": Noise(share=share)}))
    assert (found.fault is None) == is_equal


def test_integers_that_rounding_decides_are_counted() -> None:
    def rounded(inputs: Mapping[str, Any]) -> list[Any]:
        return [np.floor(inputs["x"] * np.float32(1e5)).astype("int64")]

    assert 0 < noise_of(rounded).share < 0.2
    assert noise_of(lambda i: [i["x"] > 0]).share == 0
    assert noise_of(rounded, lambda i: [rounded(i)[0] + 1]).share == 1


def test_however_much_the_model_changes_not_everything_may_differ() -> None:
    engine = Engine("functions", lambda _path: lambda i: [np.sign(i["x"])])
    reference = find_reference([engine], "model", X, ["y"], runs=1, seed=0)
    (result,) = reference.results[0]
    tolerance = Tolerance(noise={"y": Noise(1.0, 1.0)})
    for off, is_equal in (0.09, True), (0.11, False):
        found = compare_results(reference, [[(result + off).astype("float32")]], tolerance)
        assert (found.fault is None) == is_equal


class _Larger(ExprMutator):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self._factor = factor

    def visit_constant(self, constant: Constant) -> Expr:
        data = np.asarray(constant.data)
        return constant if data.ndim else Constant((data * self._factor).astype("float32"))


@pytest.fixture
def small_change(declarations: None) -> str:
    """Register passes that change constants by less than is allowed; return the name of one."""
    for factor, name in (1.00006, "ChangeABit"), (1 + 2.0**-23, "ChangeLastBit"):
        made = create_function_pass(
            lambda func, _m, _c, factor=factor: _Larger(factor).visit(func), 0, name
        )
        register_pass()(made)
    return "ChangeABit"


def scaled(path: Path) -> str:
    node = onnx.helper.make_node("Mul", ["x", "two"], ["y"])
    inputs = {"x": (FLOAT, [50])}
    onnx.save(model_of([node], inputs, {"y": (FLOAT, [50])}, {"two": np.float32(2)}), path)
    return str(path)


def test_no_pass_is_blamed_for_what_several_did_together(
    small_change: str, tmp_path: Path, capsys: Capture
) -> None:
    path = scaled(tmp_path / "m.onnx")
    assert main(["optimize", path, "-p", small_change]) == 0
    capsys.readouterr()
    assert main(["optimize", path, "-p", f"{small_change},{small_change}"]) == 1
    told = capsys.readouterr()
    assert "no pass alone is at fault: each changes less than is allowed" in told.err
    assert "NOT equal" in told.out
    assert re.search(r"largest difference 1\.[012]e-04 .*, tolerance 1\.0e-04", told.out)


def test_tolerance_that_is_given_is_the_one_that_is_used(
    small_change: str, tmp_path: Path, capsys: Capture
) -> None:
    path = scaled(tmp_path / "m.onnx")
    assert main(["optimize", path, "-p", small_change, "--tolerance", "5e-5"]) == 1
    told = capsys.readouterr()
    assert "ChangeABit is at fault, after 0 other passes" in told.err
    assert "tolerance 5.0e-05" in told.out


def test_model_that_rounds_to_steps_may_change_by_steps(
    small_change: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "m.onnx"
    nodes = [
        onnx.helper.make_node("Mul", ["x", "many"], ["a"]),
        onnx.helper.make_node("Floor", ["a"], ["b"]),
        onnx.helper.make_node("Mod", ["b", "five"], ["y"], fmod=1),
    ]
    constants = {"many": np.float32(1e5), "five": np.full(300, 5, "float32")}
    onnx.save(model_of(nodes, {"x": (FLOAT, [300])}, {"y": (FLOAT, [300])}, constants), path)
    words = ["optimize", str(path), "-p"]
    assert main([*words, "ChangeLastBit", "--tolerance", "1e-4"]) == 1
    assert "ChangeLastBit is at fault" in capsys.readouterr().err
    assert main([*words, "ChangeLastBit"]) == 0
    assert "no more than twice as much as where the model itself rounds" in capsys.readouterr().err
    assert main([*words, small_change]) == 1  # nearly all elements are others
    assert "ChangeABit is at fault" in capsys.readouterr().err
