"""Every rule of the operators that rearrange elements, against calls drawn at random."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import Any, FuncType, TensorType, TupleType
from relayish.op import get_op, list_ops, make_attrs
from relayish.op.declaration.properties import evaluate, num_inputs, rule
from tests.support.checking import type_of
from tests.support.drawn import filled, hypothesis, st, tensor_types, types
from tests.support.each import each
from tests.support.seeds import many, quickly

axis = st.integers(-4, 4)
optional_axis = st.none() | axis
few = st.lists(st.integers(-3, 4), max_size=4).map(tuple)
pair = st.tuples(st.integers(-5, 5), st.integers(-5, 5))
sizes = st.lists(st.integers(0, 3), max_size=3).map(tuple)
window = sizes | st.tuples(st.integers(1, 2), st.integers(1, 2))
maybe = st.booleans()
layout = st.sampled_from(("NCHW", "NHWC", "NCHW2c", "N", "CN", "NC", "NC3c", "CHN", "NN"))
kernel = st.sampled_from(("2m", "2m3n", "3n2m", "2m2m3n", "6m", "m", "1m4n", "4n"))

ATTRIBUTES = {
    "transpose": {"axes": st.none() | few},
    "concatenate": {"axis": axis},
    "stack": {"axis": axis},
    "split": {"indices_or_sections": st.integers(-1, 4) | few, "axis": axis},
    "meshgrid": {"indexing": st.sampled_from(("ij", "xy", "ji"))},
    "strided_slice": {
        "begin": st.none() | pair | few,
        "end": pair | few,
        "strides": pair | few,
        "slice_mode": st.sampled_from(("end", "end", "size", "neither")),
        "axes": st.none() | pair | few,
    },
    "strided_set": {},
    "slice_like": {"axes": st.none() | few},
    "sliding_window": {"axis": axis, "window_shape": window, "strides": window},
    "tile": {"reps": sizes},
    "repeat": {"repeats": st.integers(-1, 3), "axis": optional_axis},
    "reverse": {"axis": optional_axis},
    "reverse_sequence": {"seq_axis": axis, "batch_axis": axis},
    "trilu": {"upper": maybe},
    "matrix_set_diag": {
        "k1": st.integers(-3, 3),
        "k2": st.integers(-3, 3),
        "super_diag_right_align": maybe,
        "sub_diag_right_align": maybe,
    },
    "layout_transform": {"src_layout": layout, "dst_layout": layout},
    "auto_scheduler_layout_transform": {"src_layout": kernel, "dst_layout": kernel},
    "take": {
        "batch_dims": st.integers(-2, 2),
        "axis": optional_axis,
        "mode": st.sampled_from(("clip", "wrap", "fast", "slow")),
    },
    "gather": {"axis": optional_axis},
    "gather_nd": {
        "batch_dims": st.integers(-1, 2),
        "index_rank": st.sampled_from((None, None, None, 0, 1, 2)),
    },
    "one_hot": {
        "depth": st.integers(0, 3),
        "axis": axis,
        "dtype": st.sampled_from((None, "int8", "float32")),
    },
    "sequence_mask": {"mask_value": st.just(-1.0), "axis": axis},
    "where": {},
    "adv_index": {},
    "argwhere": {},
    "unravel_index": {},
    "invert_permutation": {},
    "scatter_elements": {
        "axis": axis,
        "reduction": st.sampled_from(("update", "add", "mul", "min", "max", "mean", "none")),
    },
    "scatter_nd": {"mode": st.sampled_from(("update", "add", "mul", "min", "max", "mean"))},
    "sparse_to_dense": {"output_shape": sizes | window},
    "sparse_fill_empty_rows": {},
    "sparse_reshape": {},
    "argsort": {"axis": axis, "is_ascend": maybe, "dtype": st.sampled_from((None, "int64"))},
    "sort": {"axis": axis, "is_ascend": maybe},
    "topk": {
        "k": st.none() | st.integers(-1, 4),
        "axis": axis,
        "ret_type": st.sampled_from(("both", "values", "indices", "all")),
        "is_ascend": maybe,
    },
    "searchsorted": {"right": maybe, "dtype": st.sampled_from(("int32", "int64"))},
    "unique": {"sorted": maybe, "return_counts": maybe},
    "dft": {"inverse": maybe},
    "stft": {
        "n_fft": st.integers(0, 4),
        "hop_length": st.integers(0, 3),
        "win_length": st.integers(0, 3),
        "normalized": maybe,
        "onesided": maybe,
    },
}
SOUND = {
    "split": {"indices_or_sections": 1},
    "strided_slice": {"begin": (0,), "end": (1,)},
    "sliding_window": {"axis": 0, "window_shape": (), "strides": ()},
    "tile": {"reps": ()},
    "repeat": {"repeats": 1},
    "layout_transform": {"src_layout": "N", "dst_layout": "N"},
    "auto_scheduler_layout_transform": {"src_layout": "1n", "dst_layout": "1n"},
    "sparse_to_dense": {"output_shape": (1,)},
    "topk": {"k": 1},
}
EXAMPLES = many(12)
MODULES = ("rearrangement", "joining", "slicing", "layout_conversion", "indexing", "scatter")
MODULES += ("masking", "sparse", "sorting", "signal")


def drawn_attrs(data, name):
    drawn = {field: data.draw(values) for field, values in ATTRIBUTES[name].items()}
    return make_attrs(get_op(name), drawn)


KINDS = {
    "adv_index": "(f2,i1,i1)",
    "auto_scheduler_layout_transform": "f2",
    "concatenate": "(f2,f2)",
    "dft": "f2 f2",
    "gather": "f2 i2",
    "gather_nd": "f3 i2",
    "layout_transform": "f4",
    "matrix_set_diag": "f2 f1",
    "meshgrid": "(f1,f1,f0)",
    "one_hot": "i2 f0 f0",
    "reverse_sequence": "f3 i1",
    "scatter_elements": "f2 i2 f2",
    "scatter_nd": "f2 i2 f2",
    "sequence_mask": "f3 i1",
    "sliding_window": "f2",
    "sparse_fill_empty_rows": "i2 f1 i1 f0",
    "sparse_reshape": "i2 i1 i1",
    "sparse_to_dense": "i2 f1 f0",
    "split": "f3",
    "stack": "(f2,f2,f2)",
    "stft": "f2 f1",
    "strided_set": "f2 f2 i1 i1 i1",
    "strided_slice": "f4",
    "take": "f3 i2",
    "topk": "f2",
    "trilu": "f2 i0",
}
"""Types that the operators take: element type and number of dimensions, tuples in brackets."""


def drawn_types(data, name):
    """Draw the types of arguments: of several that fit, for operators are about such.

    Sizes are few, so that they often agree, and kinds are mostly those the operator takes.
    """
    sides = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    count = num_inputs.get(get_op(name))
    expected = KINDS.get(name)
    if expected is not None and data.draw(st.integers(0, 9)):
        return tuple(data.draw(of_kind(kind, sides)) for kind in expected.split())
    first = data.draw(types(sides))
    others = st.one_of(types(sides), tensor_types(sides), st.just(first))
    return (first, *(data.draw(others) for _ in range(count - 1)))


def of_kind(kind, sides):
    """Return how to draw a type: floats or integers, of so many dimensions, or in a tuple."""
    if kind.startswith("("):
        fields = [of_kind(field, sides) for field in kind.strip("()").split(",")]
        return st.tuples(*fields).map(TupleType)
    dtypes = {"f": ("float32",), "i": ("int32", "int64"), "b": ("bool",)}[kind[0]]
    rank = None if kind[1:] == "*" else int(kind[1:])
    return tensor_types(sides, rank, dtypes)


def random_value(ty, seed):
    if isinstance(ty, TupleType):
        return tuple(random_value(field, seed + 1) for field in ty.fields)
    value = filled(ty.shape, ty.dtype, seed, low=-1, high=3)
    return value if value.ndim else value[()]


def test_operators_of_the_families_are_drawn():
    mine = {f"relayish.op.tensor.{name}" for name in MODULES}
    ruled = {n for n in list_ops("relay") if getattr(rule.get(get_op(n)), "__module__", "") in mine}
    ruled = {n for n in ruled if get_op(n) in evaluate}  # not those that objects rearrange
    assert ruled == set(ATTRIBUTES)


def outcome(name, attrs, given):
    """Return the type of a call, or ``None`` if it has none; all else is a failure."""
    try:
        return rule.get(get_op(name))(attrs, *given)
    except TypeInferenceError as error:
        message = str(error)
    assert message == message[0].lower() + message[1:]
    return None


@pytest.mark.parametrize("name", sorted(ATTRIBUTES))
@quickly(EXAMPLES)
@hypothesis.given(st.data())
def test_call_is_ill_typed_or_has_a_value_of_its_type(name, data):
    attrs, given = drawn_attrs(data, name), drawn_types(data, name)
    expected = outcome(name, attrs, given)
    loosely = outcome(name, attrs, [loosened(ty, data) for ty in given])
    if expected is None:
        return
    assert loosely is None or is_of(expected, loosely), (loosely, expected)
    inputs = [random_value(ty, seed) for seed, ty in enumerate(given)]
    try:
        with np.errstate(all="ignore"):
            found = evaluate.get(get_op(name))(attrs, *inputs)
    except EvaluationError:
        return  # an index that is out of the tensor, say
    assert is_of(type_of(found), expected), (type_of(found), expected)


def loosened(ty, data):
    """Return ``ty`` with some dimensions unknown."""
    if isinstance(ty, TupleType):
        return TupleType(tuple(loosened(field, data) for field in ty.fields))
    shape = [Any() if data.draw(st.booleans()) else size for size in ty.shape]
    return TensorType(shape, ty.dtype)


@each("name", sorted(ATTRIBUTES))
def test_function_is_no_argument(name):
    op, function = get_op(name), FuncType((), TensorType(()))
    attrs = make_attrs(op, SOUND.get(name, {}))
    for given in (function, TupleType((function,)), TupleType((TensorType((2,)), function))):
        with pytest.raises(TypeInferenceError, match="must be a"):
            rule.get(op)(attrs, *(given,) * num_inputs.get(op))


def is_of(found, expected):
    """Return whether ``found`` is ``expected``, whose unknown dimensions may be anything."""
    if isinstance(expected, TupleType):
        pairs = zip(found.fields, expected.fields, strict=True)
        return all(is_of(*pair) for pair in pairs)
    sizes = zip(found.shape, expected.shape, strict=True)
    agree = all(isinstance(other, Any) or one == other for one, other in sizes)
    return agree and found.dtype == expected.dtype
