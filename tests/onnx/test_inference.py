"""Types of single calls, from types and values of their inputs."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import OperatorError, TypeInferenceError
from relayish.frontend import from_onnx
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import SizeVar, TensorType, Type
from relayish.onnx.calls import GRAPHS, OUTPUTS
from relayish.onnx.inference import infer_results
from relayish.onnx.operators import find_operator
from relayish.onnx.types import SequenceType, UnknownType, UnrankedTensorType
from relayish.op.types.dimension import ANY
from relayish.transform import InferType

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

N, M = SizeVar("n", "int64"), SizeVar("n", "int64")
INT64 = TensorType((), "int64")


def attributes(**values: object) -> Attrs:
    return DictAttrs(values)


def infer(
    name: str,
    since: int,
    types: list[Type | None],
    attrs: Attrs | None = None,
    values: list[np.ndarray | None] | None = None,
    graphs: dict[str, list[Type]] | None = None,
) -> tuple[Type, ...]:
    return infer_results(find_operator(name, since), attrs, types, values or (), graphs)


def one(*args: object, **kwargs: object) -> tuple[object, ...]:
    (found,) = infer(*args, **kwargs)  # type: ignore[arg-type]
    assert isinstance(found, TensorType)
    return (*found.shape, found.dtype)


def test_named_dimensions_stay_the_same_objects() -> None:
    assert one("Add", 14, [TensorType((N, 3)), TensorType((1, 3))]) == (N, 3, "float32")


def test_dimensions_of_one_name_are_told_apart() -> None:
    found = one("Add", 14, [TensorType((N, 3)), TensorType((M, 3))])
    assert found == (ANY, 3, "float32")
    assert one("Add", 14, [TensorType((M, 3)), TensorType((M, 3))]) == (M, 3, "float32")


def test_expressions_of_dimensions_are_kept() -> None:
    size = N * 2
    assert one("Relu", 14, [TensorType((size, 3))]) == (size, 3, "float32")


def test_names_of_dimensions_that_old_slices_cut_are_forgotten() -> None:
    types: list[Type | None] = [TensorType((N, 4)), *[TensorType((1,), "int64")] * 3]
    values = [None, np.array([-1]), np.array([3]), np.array([0])]
    assert one("Slice", 10, types, values=values)[0] != N


@pytest.mark.parametrize(("size", "windows"), [(3, 1), (4, 2), (5, 2), (6, 2), (7, 3)])
def test_windows_that_begin_behind_the_input_do_not_count(size: int, windows: int) -> None:
    attrs = attributes(ceil_mode=1, kernel_shape=(1,), strides=(3,))
    found = one("MaxPool", 22, [TensorType((N, 2, size))], attrs)
    assert found == (N, 2, windows, "float32")


@pytest.mark.parametrize(("size", "windows"), [(3, ANY), (4, 2), (5, ANY), (6, ANY), (7, 3)])
def test_numbers_of_windows_are_left_out_where_onnx_and_runtimes_disagree(
    size: int, windows: int
) -> None:
    attrs = attributes(ceil_mode=1, kernel_shape=(1,), strides=(3,))
    found = one("MaxPool", 12, [TensorType((N, 2, size))], attrs)
    assert found == (N, 2, windows, "float32")


def test_captured_value_has_a_type_where_no_result_depends_on_it() -> None:
    text = """<ir_version: 8, opset_import: ["": 18]>
        g (float[2] x, bool c) => (float[2] z) {
            y = If (c) <then_branch = a () => (float[2] p) { p = Neg(x) },
                        else_branch = b () => (float[2] q) { q = Abs(x) }>
            z = If (c) <then_branch = d () => (float[2] r) { r = Neg(x) s = Exp(y) },
                        else_branch = e () => (float[2] t) { t = Abs(x) }>
        }"""
    mod = InferType()(from_onnx(onnx.parser.parse_model(text)))
    assert str(mod["main"].checked_type.ret_type) == "Tensor[(2), float32]"


def test_missing_inputs_are_none() -> None:
    types: list[Type | None] = [TensorType((N,)), None, TensorType(())]
    assert one("Clip", 13, types) == (N, "float32")


def test_nothing_is_told_of_a_required_input_that_is_none() -> None:
    assert infer("Relu", 14, [None])[0] is infer("Relu", 14, [UnknownType()])[0]
    assert type(infer("Relu", 14, [None])[0]) is UnknownType


def test_element_type_is_kept_where_the_rank_is_not_known() -> None:
    (found,) = infer("Relu", 14, [UnrankedTensorType("float64")])
    assert isinstance(found, UnrankedTensorType)
    assert found.dtype == "float64"


def test_values_tell_shapes() -> None:
    types: list[Type | None] = [TensorType((N, 4)), TensorType((2,), "int64")]
    assert one("Reshape", 14, types) == (ANY, ANY, "float32")
    assert one("Reshape", 14, types, values=[None, np.array([0, 4])]) == (N, 4, "float32")


def test_constants_have_the_type_of_their_value() -> None:
    value = attributes(value=np.ones((2, 3), np.float16))
    assert one("Constant", 13, [], value) == (2, 3, "float16")


def test_every_result_has_a_type() -> None:
    attrs = attributes(axis=1, **{OUTPUTS: 2})
    left, right = infer("Split", 13, [TensorType((N, 4))], attrs)
    assert isinstance(left, TensorType)
    assert isinstance(right, TensorType)
    assert left.shape == right.shape == (N, 2)


def test_references_to_attributes_tell_nothing() -> None:
    attrs = attributes(to=DictAttrs({"_ref": "dtype", "_type": 2}))
    assert type(infer("Cast", 13, [TensorType((3,))], attrs)[0]) is UnknownType


def test_operators_without_schema_give_what_nobody_knows() -> None:
    op = find_operator("Own", 1, "my.domain")
    found = infer_results(op, attributes(**{OUTPUTS: 2}), [TensorType((3,))])
    assert [type(ty) for ty in found] == [UnknownType, UnknownType]


def test_operators_of_other_domains_are_refused() -> None:
    with pytest.raises(OperatorError, match="add is no operator of ONNX"):
        infer_results(intern_op("add", "relay"), None, [])


@pytest.mark.parametrize(
    ("name", "since", "types", "told"),
    [
        (
            "Add",
            14,
            [TensorType((N, 3)), TensorType((4, 5))],
            r"\(n, 3\), float32\], Tensor\[\(4, 5\), float32\]\): incompatible dimensions",
        ),
        (
            "Add",
            14,
            [TensorType((3,)), TensorType((3,), "int64")],
            r"A has type tensor\(float\), B tensor\(int64\); expected the same",
        ),
        ("Relu", 14, [TensorType((3,), "bool")], r"X has type tensor\(bool\); expected one of "),
        ("Add", 14, [TensorType((3,))], r"Add \(version 14\) has 1 inputs; expected 2"),
        ("Relu", 14, [TensorType((3,))] * 2, r"Relu \(version 14\) has 2 inputs; expected 1"),
    ],
)
def test_contradictions_tell_what_was_found_and_what_was_expected(
    name: str, since: int, types: list[Type | None], told: str
) -> None:
    with pytest.raises(TypeInferenceError, match=told):
        infer(name, since, types)


def test_resizes_by_lists_of_any_length_are_taken() -> None:
    types: list[Type | None] = [TensorType((1, N)), None, None, TensorType((M,), "int64")]
    assert one("Resize", 19, types) == (ANY, ANY, "float32")
    types[3] = TensorType((3,), "int64")
    with pytest.raises(TypeInferenceError, match="Resize"):
        infer("Resize", 19, types)


def test_sums_of_sizes_that_are_not_known_are_not_told() -> None:
    attrs = attributes(q_num_heads=3, kv_num_heads=3)
    types: list[Type | None] = [TensorType((2, 4, N)), *[TensorType((2, 6, M))] * 2]
    assert one("Attention", 23, types, attrs) == (ANY, ANY, ANY, "float32")


class TestGraphs:
    ATTRS = attributes(**{GRAPHS: ("then_branch", "else_branch")})
    BODY = attributes(**{GRAPHS: ("body",)})
    BOOL = TensorType((), "bool")

    def test_branches_are_joined(self) -> None:
        both: dict[str, list[Type]] = {
            "then_branch": [TensorType((N, 3))],
            "else_branch": [TensorType((2, 3))],
        }
        assert one("If", 16, [self.BOOL], self.ATTRS, graphs=both) == (ANY, 3, "float32")

    def test_known_conditions_tell_the_branch(self) -> None:
        both: dict[str, list[Type]] = {
            "then_branch": [TensorType((N, 3))],
            "else_branch": [TensorType((2, 3))],
        }
        known: list[np.ndarray | None] = [np.array(False)]
        assert one("If", 16, [self.BOOL], self.ATTRS, known, both) == (2, 3, "float32")

    def test_branches_of_other_elements_are_refused(self) -> None:
        both: dict[str, list[Type]] = {
            "then_branch": [TensorType((3,))],
            "else_branch": [TensorType((3,), "int64")],
        }
        with pytest.raises(TypeInferenceError, match=r"If \(version 16\): then_branch gives"):
            infer("If", 16, [self.BOOL], self.ATTRS, graphs=both)

    def test_loops_stack_what_every_iteration_gives(self) -> None:
        body: dict[str, list[Type]] = {"body": [self.BOOL, TensorType((N,)), TensorType((2,))]}
        types: list[Type | None] = [INT64, None, TensorType((3,))]
        attrs = attributes(**{GRAPHS: ("body",), OUTPUTS: 2})
        state, stacked = infer("Loop", 16, types, attrs, graphs=body)
        assert isinstance(state, TensorType)
        assert isinstance(stacked, TensorType)
        assert (state.shape, stacked.shape) == ((ANY,), (ANY, 2))

    def test_loops_that_never_run_give_what_they_are_given(self) -> None:
        body: dict[str, list[Type]] = {"body": [self.BOOL, TensorType((N,))]}
        types: list[Type | None] = [INT64, None, TensorType((3,))]
        known: list[np.ndarray | None] = [np.array(0)]
        assert one("Loop", 16, types, self.BODY, known, body) == (3, "float32")

    def test_scans_stack_along_axes(self) -> None:
        body: dict[str, list[Type]] = {"body": [TensorType((4,)), TensorType((2,))]}
        types: list[Type | None] = [TensorType((4,)), TensorType((5, N))]
        attrs = attributes(
            num_scan_inputs=1,
            scan_input_axes=(1,),
            scan_output_axes=(-1,),
            **{GRAPHS: ("body",), OUTPUTS: 2},
        )
        state, stacked = infer("Scan", 16, types, attrs, graphs=body)
        assert isinstance(state, TensorType)
        assert isinstance(stacked, TensorType)
        assert (state.shape, stacked.shape) == ((4,), (2, N))

    def test_maps_of_sequences_give_sequences(self) -> None:
        body: dict[str, list[Type]] = {"body": [TensorType((4,))]}
        types: list[Type | None] = [SequenceType(TensorType((N,)))]
        (found,) = infer("SequenceMap", 17, types, self.BODY, graphs=body)
        assert isinstance(found, SequenceType)
        assert found.element is body["body"][0]
