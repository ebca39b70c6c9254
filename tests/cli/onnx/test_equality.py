"""Comparing what models give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from relayish.cli.onnx.engines import Engine
from relayish.cli.onnx.equality import Comparison, Tolerance, compare_model
from relayish.cli.onnx.inputs import SPREADS, Input, Sampling
from relayish.cli.onnx.references import MOST_ASKED, Reference, find_reference
from relayish.cli.onnx.report import _influence
from relayish.cli.onnx.runtime import ProcessEndedError, TimeLimitError
from relayish.errors import EvaluationError

Function = Callable[[Mapping[str, Any]], list[Any]]
X = [Input("x", "float32", (4,))]


def engine_of(**models: Function) -> Engine:
    return Engine("functions", models.__getitem__)


def reference_of(
    model: Function, other: Function | None = None, inputs: list[Input] = X, runs: int = 2
) -> Reference:
    engine = engine_of(model=model, other=model if other is None else other)
    outputs = [f"y{number}" for number in range(9)]
    found = find_reference([engine], "model", inputs, outputs, runs=runs, seed=0)
    names = tuple(outputs[: len(found.results[0])])
    return Reference(
        found.engine, names, found.plan, found.inputs, found.results, found.idle, found.varies
    )


def compared(
    model: Function, other: Function, inputs: list[Input] = X, tolerance: float = 1e-4
) -> Comparison:
    return compare_model(reference_of(model, other, inputs), "other", Tolerance(tolerance))


def test_models_that_give_the_same_are_equal() -> None:
    found = compared(lambda i: [i["x"] * 2], lambda i: [i["x"] + i["x"]])
    assert (found.fault, found.largest) == (None, 0.0)


@pytest.mark.parametrize(("error", "is_equal"), [(0.9e-4, True), (1.2e-4, False)])
def test_a_difference_counts_in_parts_of_the_largest_magnitude(error, is_equal) -> None:
    def off(inputs: Mapping[str, Any]) -> list[Any]:
        return [np.array([100.0, inputs["x"][0], 0, 0], "float32")]

    def other(inputs: Mapping[str, Any]) -> list[Any]:
        (y,) = off(inputs)
        return [y + np.array([0, error, 0, 0], "float32") * 100]

    found = compared(off, other)
    assert (found.fault is None) == is_equal
    assert found.largest == pytest.approx(error, rel=0.05)
    assert found.output == "y0"


def test_next_to_nothing_may_differ_by_little_of_a_hundredth() -> None:
    found = compared(lambda i: [i["x"] * 1e-9], lambda i: [i["x"] * 2e-9])
    assert found.fault is None
    assert compared(lambda i: [i["x"] * 1e-3], lambda i: [i["x"] * 2e-3]).fault is not None


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (lambda i: [i["x"].astype("float64")], "is float64[4] in place of float32[4]"),
        (lambda i: [i["x"][:3]], "is float32[3] in place of float32[4]"),
        (lambda i: [i["x"], i["x"]], "there are 2 outputs in place of 1"),
        (lambda i: [i["x"] / np.float32(0)], "is not a number, or infinite, at other places"),
        (lambda i: [[i["x"]]], "is a sequence"),
        (lambda _i: [None], "is None in place of"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_of_another_kind_is_a_fault(other: Function, told: str) -> None:
    fault = compared(lambda i: [i["x"]], other).fault
    assert fault is not None
    assert told in fault


def test_infinities_have_to_be_of_the_same_sign() -> None:
    def one(inputs: Mapping[str, Any]) -> list[Any]:
        return [np.append(inputs["x"], np.float32(np.inf))]

    def other(inputs: Mapping[str, Any]) -> list[Any]:
        return [np.append(inputs["x"], np.float32(-np.inf))]

    assert compared(one, one).fault is None
    assert compared(one, other).fault is not None


def test_integers_must_agree_in_every_element() -> None:
    def one(inputs: Mapping[str, Any]) -> list[Any]:
        return [(inputs["x"] * 1000).astype("int64")]

    def other(inputs: Mapping[str, Any]) -> list[Any]:
        return [one(inputs)[0] + np.array([0, 0, 1, 0])]

    assert compared(one, one).fault is None
    assert "differs in 1 elements" in str(compared(one, other, tolerance=0.5).fault)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_numbers_of_16_bits_may_differ_by_more(dtype: Any) -> None:
    def one(inputs: Mapping[str, Any]) -> list[Any]:
        return [inputs["x"].astype(dtype)]

    def near(inputs: Mapping[str, Any]) -> list[Any]:
        return [(inputs["x"] * 1.004).astype(dtype)]

    def far(inputs: Mapping[str, Any]) -> list[Any]:
        return [(inputs["x"] * 1.1).astype(dtype)]

    assert compared(one, near).fault is None
    assert compared(one, far).fault is not None


def test_sequences_are_compared_element_by_element() -> None:
    def one(inputs: Mapping[str, Any]) -> list[Any]:
        return [[inputs["x"], inputs["x"] * 2]]

    assert compared(one, one).fault is None
    assert compared(one, lambda i: [[i["x"], i["x"]]]).fault is not None
    assert "has 1 elements in place of 2" in str(compared(one, lambda i: [[i["x"]]]).fault)


def test_a_model_that_fails_is_a_fault() -> None:
    def fail(_inputs: object) -> list[Any]:
        raise EvaluationError("no such thing")

    assert compared(lambda i: [i["x"]], fail).fault == "the model does not run: no such thing"


def test_an_input_without_effect_is_found() -> None:
    inputs = [*X, Input("idle", "float32", (2,)), Input("used", "int64", ())]
    found = reference_of(lambda i: [i["x"] + i["used"]], inputs=inputs)
    assert found.idle == ("idle",)


def test_an_input_that_matters_only_for_some_values_of_another_is_not_idle() -> None:
    inputs = [*X, Input("flag", "bool", ())]

    def model(values: Mapping[str, Any]) -> list[Any]:
        return [values["x"] if values["flag"] else np.zeros(4, "float32")]

    assert reference_of(model, inputs=inputs, runs=4).idle == ()


def test_numbers_are_drawn_until_outputs_differ() -> None:
    def saturated(inputs: Mapping[str, Any]) -> list[Any]:
        return [np.clip(inputs["x"], 20, 30)]

    found = reference_of(saturated)
    assert found.varies > 0.01
    assert str(found.plan.spread) in {"normal, deviation 10", "uniform, 0 to 255"}


def test_sizes_are_tried_until_the_model_runs() -> None:
    def picky(inputs: Mapping[str, Any]) -> list[Any]:
        if inputs["x"].shape != (1, 320):
            raise EvaluationError("shapes do not fit")
        return [inputs["x"]]

    found = reference_of(picky, inputs=[Input("x", "float32", ("n", "m"))])
    assert found.plan.sizes == {"n": 1, "m": 320}


def test_further_sizes_are_tried_once_and_by_an_engine_that_takes_the_model() -> None:
    runs: dict[str, int] = {"first": 0, "second": 0}

    def fail(name: str) -> Function:
        def model(_inputs: Mapping[str, Any]) -> list[Any]:
            runs[name] += 1
            raise EvaluationError("no")

        return model

    def refuse(_path: str) -> Function:
        raise EvaluationError("no such operator")

    inputs = [Input("x", "float32", ("n", "m"))]
    first, second = (Engine(name, lambda _path, name=name: fail(name)) for name in runs)
    for engines in [first, second], [Engine("refuses", refuse), first]:
        with pytest.raises(EvaluationError, match="does not run"):
            find_reference(engines, "model", inputs, ["y"], runs=1, seed=0)
    usual = runs["second"]
    assert runs["first"] > 2 * usual
    assert (runs["first"] - 2 * usual) % 2 == 0


@pytest.mark.parametrize(
    ("error", "count"), [(EvaluationError, 25), (ProcessEndedError, 3), (TimeLimitError, 1)]
)
def test_model_that_ends_its_process_is_not_run_for_ever(error: type[Exception], count) -> None:
    runs: list[tuple[int, ...]] = []

    def model(inputs: Mapping[str, Any]) -> list[Any]:
        runs.append(inputs["x"].shape)
        raise error("no")

    with pytest.raises(EvaluationError, match="no"):
        reference_of(model, inputs=[Input("x", "float32", ("n", "m"))])
    assert len(runs) == len(set(runs))
    assert len(runs) >= count if error is EvaluationError else len(runs) == count


def test_indices_are_drawn_ever_smaller_until_the_model_runs() -> None:
    found = reference_of(lambda i: [np.eye(8)[_index(i["i"])]], inputs=[Input("i", "int64", (3,))])
    assert found.plan.bound == 8


def _index(values: Any) -> Any:
    if values.max() >= 8:
        raise EvaluationError("out of bounds")
    return values


def test_the_first_engine_that_runs_the_model_is_taken() -> None:
    def fail(_path: str) -> Function:
        raise EvaluationError("no such operator")

    engines = [Engine("first", fail), engine_of(model=lambda i: [i["x"]])]
    found = find_reference(engines, "model", X, ["y"], runs=1, seed=0)
    assert found.engine.name == "functions"
    assert len(found.inputs) == 1
    with pytest.raises(EvaluationError, match="first: no such operator"):
        find_reference(engines[:1], "model", X, ["y"], runs=1, seed=0)


@pytest.mark.parametrize(("error", "is_equal"), [(0.9e-2, True), (1.1e-2, False)])
def test_the_magnitude_of_an_output_is_that_for_all_inputs(error: float, is_equal: bool) -> None:
    results = [[np.array([1, 0], "float32")], [np.array([0, 100], "float32")]]
    near = [{"y": result[0] + np.float32(error)} for result in results]
    reference = Reference(
        engine_of(other=lambda i: [i["y"]]),
        ("y",),
        Sampling({}, 8, SPREADS[0]),
        tuple(near),
        tuple(results),
        (),
        1.0,
    )
    assert (compare_model(reference, "other", Tolerance()).fault is None) == is_equal


def test_of_many_inputs_the_first_alone_are_asked_for_their_effect() -> None:
    runs = []

    def total(inputs: Mapping[str, Any]) -> list[Any]:
        runs.append(1)
        return [sum(inputs.values(), np.zeros(4, "float32"))]

    inputs = [Input(f"x{at}", "float32", (4,)) for at in range(3 * MOST_ASKED)]
    found = find_reference([engine_of(model=total)], "model", inputs, ["y"], runs=2, seed=0)
    assert found.idle == ()
    assert found.untried == tuple([each.name for each in inputs[MOST_ASKED:]])
    assert len(runs) < 2 * MOST_ASKED
    assert "x64, x65, x66, x67, x68, x69, x70, x71 and 120 others" in _influence(found)
