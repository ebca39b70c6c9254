"""Random inputs: types, sizes, plans."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.cli.onnx.inputs import SPREADS, Input, Sampling, Spread, draw_inputs, inputs_of, plans
from relayish.errors import ModelError, OptionError
from relayish.onnx.element_types import ELEMENT_TYPES, find_numpy_dtype

PLAN = Sampling({"n": 3}, 8, SPREADS[0])


def drawn(
    element: str, dims: tuple[int | str, ...] = ("n", 4), plan: Sampling = PLAN
) -> np.ndarray:
    return draw_inputs([Input("x", element, dims)], plan, 0)["x"]


@pytest.mark.parametrize(
    ("number", "element"),
    [(n, e) for n, e in ELEMENT_TYPES.items() if hasattr(ml_dtypes, e) or n < 17],
)
def test_values_have_the_type_and_shape_of_the_input(number: int, element: str) -> None:
    value = drawn(element)
    assert value.dtype == find_numpy_dtype(number)
    assert value.shape == (3, 4)


def test_scalars_have_rank_0() -> None:
    assert drawn("float32", ()).shape == ()
    assert drawn("bool", ()).shape == ()
    assert drawn("int64", ()).shape == ()


@pytest.mark.parametrize("element", ["int64", "uint8", "int8", "int32", "uint4", "int4", "int2"])
def test_integers_are_small_and_not_negative(element: str) -> None:
    values = drawn(element, (200,)).astype(int)
    assert values.min() >= 0
    assert values.max() < 8
    assert len(set(values.tolist())) > 1


def test_the_same_seed_draws_the_same() -> None:
    inputs = [Input("a", "float32", ("n",)), Input("b", "int64", ("n",))]
    for seed in range(3):
        one, other = (draw_inputs(inputs, PLAN, seed) for _ in range(2))
        assert all(np.array_equal(one[name], other[name]) for name in one)
    assert not np.array_equal(draw_inputs(inputs, PLAN, 0)["a"], draw_inputs(inputs, PLAN, 1)["a"])


def test_dimensions_of_one_name_have_one_size() -> None:
    inputs = [Input("a", "float32", ("n", "m")), Input("b", "float32", ("m", "k"))]
    for sizes, bound in plans(inputs):
        made = draw_inputs(inputs, Sampling(sizes, bound, SPREADS[0]), 0)
        assert made["a"].shape[1] == made["b"].shape[0]
        break


def test_the_first_axis_is_tried_as_a_batch() -> None:
    sizes, _ = next(plans([Input("a", "float32", ("batch", "width"))]))
    assert sizes["batch"] < sizes["width"]


def test_nothing_is_tried_twice() -> None:
    for inputs in (
        [Input("a", "float32", (2,))],
        [Input("a", "int64", (2,))],
        [Input("a", "float32", ("n", "m"))],
        [],
    ):
        tried = [(tuple(sizes.items()), bound) for sizes, bound in plans(inputs)]
        assert len(tried) == len(set(tried))


def test_sequences_are_lists_of_tensors() -> None:
    value = draw_inputs([Input("s", "float32", (2,), is_sequence=True)], PLAN, 0)["s"]
    assert isinstance(value, list)
    assert [each.shape for each in value] == [(2,), (2,)]


def test_spreads_differ_in_scale_and_sign() -> None:
    rng = np.random.default_rng(0)
    assert Spread("uniform", 255.0).draw(rng, (100,)).min() >= 0
    assert Spread("normal", 1.0).draw(rng, (100,)).min() < 0
    assert np.abs(Spread("normal", 10.0).draw(rng, (100,))).max() > 10


@pytest.mark.references
def test_an_input_of_unknown_rank_needs_a_shape() -> None:
    onnx = pytest.importorskip("onnx")
    value = onnx.helper.make_tensor_value_info("x", 1, None)
    graph = onnx.helper.make_graph([], "g", [value], [])
    with pytest.raises(
        OptionError, match=r"how many axes input 'x' has.*--test-input-shape x:SIZE"
    ):
        draw_inputs(inputs_of(graph), PLAN, 0)
    assert draw_inputs(inputs_of(graph, {"x": (2, 5)}), PLAN, 0)["x"].shape == (2, 5)


@pytest.mark.references
def test_maps_cannot_be_drawn() -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    ty = helper.make_map_type_proto(7, helper.make_tensor_type_proto(1, [2]))
    graph = helper.make_graph([], "g", [helper.make_value_info("m", ty)], [])
    with pytest.raises(ModelError, match="neither a tensor nor a sequence"):
        inputs_of(graph)
