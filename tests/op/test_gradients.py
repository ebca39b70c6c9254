"""Gradients of operators, against finite differences and torch's autograd."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.errors import DuplicateNameError, GradientError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Function, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op import get_op, list_ops, register_gradient
from relayish.op.builders.gradient import number, tensor_of, tensors_of
from relayish.op.declaration.properties import primal_gradient
from tests.support.checking import dynamic
from tests.support.gradient_checking import check, gradient_function, gradients, normal, rng_of
from tests.support.seeds import quickly
from tests.support.shared_data import shared_path

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

QUICK = quickly(20)
SIZES = st.lists(st.integers(1, 3), max_size=3).map(tuple)


UNARY = {
    "exp": (-2, 2),
    "log": (0.2, 3),
    "log2": (0.2, 3),
    "log10": (0.2, 3),
    "sin": (-3, 3),
    "cos": (-3, 3),
    "tan": (-1, 1),
    "sinh": (-2, 2),
    "cosh": (-2, 2),
    "tanh": (-2, 2),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "atan": (-3, 3),
    "asinh": (-3, 3),
    "acosh": (1.2, 4),
    "atanh": (-0.9, 0.9),
    "sqrt": (0.2, 4),
    "sigmoid": (-3, 3),
    "erf": (-2, 2),
    "negative": (-3, 3),
    "abs": (0.1, 3),
    "copy": (-3, 3),
}
TORCH_NAMES = {"negative": "neg", "copy": "clone"}


@pytest.mark.references
@pytest.mark.parametrize("name", UNARY)
@quickly(4)
@given(shape=SIZES, seed=st.integers(0, 1000))
def test_the_gradient_of_an_elementwise_operator_is_its_derivative(name, shape, seed):
    low, high = UNARY[name]
    sign = -1 if name == "abs" and seed % 2 else 1
    data = sign * rng_of(seed).uniform(low, high, shape)
    data = data if shape else np.float64(data)
    check(
        name, data, torch=lambda t, x: getattr(t, TORCH_NAMES.get(name, name))(x), dynamic_too=True
    )


@pytest.mark.references
def test_a_rectifier_and_a_clip_pass_gradients_where_they_pass_values():
    data = np.array([-2.0, -0.5, 0.25, 0.9, 3.0])
    check("nn.relu", data, torch=lambda t, x: t.relu(x), dynamic_too=True)
    check("clip", data, torch=lambda t, x: t.clip(x, -1, 1), a_min=-1.0, a_max=1.0)
    ones = np.ones(3)
    at_bounds = np.array([-1.0, 0.0, 1.0])
    assert gradients("clip", (at_bounds,), {"a_min": -1.0, "a_max": 1.0}, ones)[0].tolist() == [
        1,
        1,
        1,
    ]
    assert gradients("nn.relu", (at_bounds,), {}, ones)[0].tolist() == [0, 0, 1]


@st.composite
def broadcast_pairs(draw):
    """Two shapes that broadcast to one another."""
    whole = draw(SIZES)
    shapes = []
    for _ in range(2):
        kept = whole[draw(st.integers(0, len(whole))) :]
        shapes.append(tuple(draw(st.sampled_from((1, size))) for size in kept))
    return shapes


@pytest.mark.references
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@quickly(12)
@given(shapes=broadcast_pairs())
def test_gradients_are_summed_over_what_was_broadcast(name, shapes):
    left, right = (normal(i, *shape) + 3 for i, shape in enumerate(shapes))
    left, right = (v if v.ndim else np.float64(v) for v in (left, right))
    function = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div"}[name]
    check(name, left, right, torch=lambda t, x, y: getattr(t, function)(x, y), dynamic_too=True)


@pytest.mark.references
@QUICK
@given(shapes=broadcast_pairs(), seed=st.integers(0, 100))
def test_where_passes_gradients_to_what_it_chose(shapes, seed):
    left, right = (np.asarray(normal(i, *shape))[()] for i, shape in enumerate(shapes))
    cond = rng_of(seed).random(np.broadcast_shapes(*shapes)) < 0.5
    cond = cond if np.ndim(cond) else np.bool_(cond)
    check("where", cond, left, right, torch=lambda t, c, x, y: t.where(c, x, y), dynamic_too=True)


def test_conversions_convert_gradients_back():
    data, like = normal(1, 2, 3).astype("float32"), np.zeros(2)
    grad = normal(2, 2, 3)
    (found,) = gradients("cast", (data,), {"dtype": "float64"}, grad)
    assert np.array_equal(found, grad.astype("float32"))
    found, none = gradients("cast_like", (data, like), {}, grad)
    assert np.array_equal(found, grad.astype("float32"))
    assert not none.any()


@pytest.mark.parametrize("name", ["less_equal", "not_equal"])
def test_comparisons_have_no_gradient(name):
    left, right = normal(1, 2, 3), normal(2, 3)
    found = gradients(name, (left, right), {}, np.ones((2, 3), bool))
    assert not any(part.any() for part in found)


def test_what_depends_on_the_shape_alone_has_no_gradient():
    data, shape = normal(1, 2, 3), np.array([2, 3])
    for name in ("zeros_like", "ones_like"):
        check(name, data)
    gradients("shape_of", (data,), {"dtype": "int32"}, np.array([1, 1], "int32"))
    for name in ("zeros", "ones"):
        dynamic_name = {"zeros": "dyn.zeros", "ones": "dyn.ones"}[name]
        assert gradients(name, (), {"shape": (2, 3), "dtype": "float64"}, data) == ()
        (found,) = gradients(dynamic_name, (shape,), {"dtype": "float64"}, data)
        assert found.tolist() == [0, 0]


@pytest.mark.references
@QUICK
@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple))
def test_gradients_of_reshapes_are_reshaped_back(shape):
    data = normal(0, *shape)
    check("reshape", data, newshape=(-1,), torch=lambda t, x: x.reshape(-1), dynamic_too=True)
    check("contrib_reverse_reshape", data, newshape=(-1, 0))
    check("expand_dims", data, axis=-1, num_newaxis=2)
    check("expand_dims", data, axis=0)
    check("squeeze", data[None, ..., None], axis=(0, -1))
    check("nn.batch_flatten", data if data.ndim > 1 else data[None])
    check("reshape_like", data, normal(1, data.size))
    check("dyn.reshape", data, np.array([-1]))


@pytest.mark.references
@QUICK
@given(shape=SIZES.filter(bool), data=st.data())
def test_the_gradient_of_a_transposition_is_transposed_back(shape, data):
    order = data.draw(st.permutations(range(len(shape))))
    negative = [axis - len(shape) * data.draw(st.integers(0, 1)) for axis in order]
    values = normal(0, *shape)
    check("transpose", values, axes=tuple(negative), torch=lambda t, x: x.permute(*order))
    check("transpose", values, axes=None)


@QUICK
@given(shapes=broadcast_pairs())
def test_sums_over_broadcast_dimensions_have_gradients(shapes):
    whole = np.broadcast_shapes(*shapes)
    wide, narrow = np.asarray(normal(0, *whole))[()], np.asarray(normal(1, *shapes[0]))[()]
    check("collapse_sum_like", wide, narrow, dynamic_too=True)
    check("broadcast_to_like", narrow, wide, dynamic_too=True)
    if whole:
        check("collapse_sum_to", wide, np.array(shapes[0], "int64"))
        check("broadcast_to", narrow, shape=whole)


@pytest.mark.references
@QUICK
@given(shape=SIZES.filter(bool), count=st.integers(1, 3), data=st.data())
def test_joined_tensors_get_their_parts_of_the_gradient(shape, count, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for i in range(count):
        sizes = list(shape)
        sizes[axis] = data.draw(st.integers(1, 3))
        parts.append(normal(i, *sizes))
    check("concatenate", tuple(parts), axis=axis, torch=lambda t, *xs: t.concatenate(xs, axis))
    same = tuple(normal(i, *shape) for i in range(count))
    at = data.draw(st.integers(-len(shape) - 1, len(shape)))
    check("stack", same, axis=at, torch=lambda t, *xs: t.stack(xs, at))


@QUICK
@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple), data=st.data())
def test_the_gradient_of_a_slice_stands_where_it_was_taken(shape, data):
    values = normal(0, *shape)
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1))
    bound = st.integers(-5, 5)
    begin = data.draw(st.tuples(*[bound] * len(axes)))
    end = data.draw(st.tuples(*[bound] * len(axes)))
    strides = data.draw(st.tuples(*[st.sampled_from((1, 2, -1, -2))] * len(axes)))
    named = tuple(axis - len(shape) * data.draw(st.integers(0, 1)) for axis in axes)
    check("strided_slice", values, begin=begin, end=end, strides=strides, axes=named)
    check(
        "dyn.strided_slice",
        values,
        *[np.array(b[:1], "int64") for b in (begin, end, strides)],
    )
    begin = tuple(data.draw(st.integers(-shape[axis], shape[axis] - 1)) for axis in axes)
    room = [shape[axis] - b % shape[axis] for axis, b in zip(axes, begin, strict=True)]
    sizes = tuple(data.draw(st.sampled_from((-1, 1, most))) for most in room)
    check(
        "strided_slice", values, begin=begin, end=sizes, strides=(1,), axes=named, slice_mode="size"
    )


def test_what_is_put_into_a_slice_gets_the_gradient_there():
    bounds = [np.array(numbers) for numbers in ([0, 1], [3, 4], [2, 1])]
    check("strided_set", normal(0, 4, 5), normal(1, 2, 3), *bounds)


@pytest.mark.parametrize("name", ["sum", "mean", "max"])
@quickly(20)
@given(shape=SIZES, data=st.data())
def test_reductions_spread_gradients_over_what_they_reduce(name, shape, data):
    values = np.asarray(normal(0, *shape))[()]
    axes = st.lists(st.integers(-len(shape), len(shape) - 1), unique_by=lambda a: a % len(shape))
    axis = data.draw(st.none() if not shape else st.none() | axes.map(tuple))
    keepdims, exclude = data.draw(st.booleans()), data.draw(st.booleans())
    exclude = exclude and axis is not None
    check(name, values, axis=axis, keepdims=keepdims, exclude=exclude, dynamic_too=True)


def test_each_of_several_largest_elements_has_the_whole_gradient():
    (found,) = gradients("max", (np.array([1.0, 3.0, 3.0]),), {"axis": None}, np.float64(2))
    assert found.tolist() == [0, 2, 2]


@QUICK
@given(
    shape=SIZES.filter(lambda s: np.prod(s, dtype=int) > 1), unbiased=st.booleans(), data=st.data()
)
def test_the_gradient_of_a_variance_goes_to_data_and_mean(shape, unbiased, data):
    values = normal(0, *shape)
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    axis = data.draw(st.none() | st.just(tuple(axes)))
    mean = values.mean(axis=axis, keepdims=True) + 0.5
    keepdims = data.draw(st.booleans())
    check("variance", values, mean, axis=axis, keepdims=keepdims, unbiased=unbiased)


@pytest.mark.references
@QUICK
@given(shape=SIZES.filter(bool), data=st.data())
def test_softmax_and_its_logarithm_have_the_gradients_of_torch(shape, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    values = normal(0, *shape)
    check("nn.softmax", values, axis=axis, torch=lambda t, x: t.softmax(x, axis), dynamic_too=True)
    check("nn.log_softmax", values, axis=axis, torch=lambda t, x: t.log_softmax(x, axis))


@pytest.mark.references
def test_cross_entropies_have_gradients_for_both_operands():
    x, y = rng_of(0).uniform(0.2, 1, (3, 4)), rng_of(1).uniform(0.2, 1, (3, 4))
    check(
        "nn.cross_entropy", x, y, dynamic_too=True, torch=lambda t, x, y: -(y * x.log()).sum() / 3
    )
    check(
        "nn.cross_entropy_with_logits",
        x,
        y,
        dynamic_too=True,
        torch=lambda t, x, y: -(y * x).sum() / 3,
    )


@QUICK
@given(depth=st.integers(1, 4), axis=st.integers(-3, 2), shape=st.tuples(*[st.integers(1, 3)] * 2))
def test_one_hot_shares_the_gradient_between_its_two_values(depth, axis, shape):
    indices = rng_of(0).integers(-1, depth + 1, shape).astype("int32")
    check(
        "one_hot", indices, np.float64(2), np.float64(-1), depth=depth, axis=axis, dtype="float64"
    )


@QUICK
@given(data=st.data())
def test_gathered_elements_add_their_gradients_up(data):
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple))
    batch = data.draw(st.integers(0, len(shape) - 1))
    depth = data.draw(st.integers(1, len(shape) - batch))
    rest = shape[:batch] + data.draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    rows = [rng_of(i).integers(0, shape[batch + i], rest) for i in range(depth)]
    check("gather_nd", normal(0, *shape), np.stack(rows), batch_dims=batch)


def test_scattering_by_addition_has_a_gradient_and_other_ways_none():
    indices = np.array([[0, 1, 0], [1, 1, 1]])
    base, updates = normal(0, 2, 3), normal(1, 3)
    check("scatter_nd", base, indices, updates, mode="add")
    with pytest.raises(GradientError, match="in the mode 'add' alone; found 'update'"):
        gradient_function("scatter_nd", (base, indices, updates), {"mode": "update"})


@QUICK
@given(data=st.data(), mode=st.sampled_from(("clip", "wrap", "fast")))
def test_taken_elements_add_their_gradients_up(data, mode):
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple))
    axis = data.draw(st.integers(0, len(shape) - 1))
    batch = data.draw(st.integers(0, axis))
    rest = data.draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    size = shape[axis]
    low, high = (0, size) if mode == "fast" else (-2, size + 2)
    indices = rng_of(1).integers(low, high, shape[:batch] + rest).astype("int32")
    indices = indices if indices.ndim else np.int32(indices)
    values = normal(0, *shape)
    check("take", values, indices, axis=axis, batch_dims=batch, mode=mode, dynamic_too=not batch)
    if not batch:
        check("take", values, indices, axis=None, mode="wrap", dynamic_too=True)
        check("take", values, indices, axis=axis - len(shape), mode=mode)


@QUICK
@given(start=st.floats(-2, 2), count=st.integers(1, 5), step=st.sampled_from((0.5, -1.5)))
def test_arange_has_gradients_for_where_it_starts_and_how_far_it_steps(start, count, step):
    stop = start + step * (count - 0.5)
    scalars = [Var(name, TensorType((), "float64")) for name in ("start", "stop", "step")]
    func = infer_type(Function(tuple(scalars), op.arange(*scalars, dtype="float64")))
    grad = Var("grad", TensorType((count,), "float64"))
    made = primal_gradient.get(get_op("arange"))(func.body, grad)
    back = infer_type(Function((*func.params, grad), Tuple(tuple(made))))
    values = normal(0, count)
    found = evaluate(back, args=[*map(np.float64, (start, stop, step)), values])
    np.testing.assert_allclose(found, (values.sum(), 0, values @ np.arange(count)), atol=1e-12)


def test_every_operator_that_relay_differentiates_is_differentiated():
    recorded = json.loads(shared_path("reference/relay_ops.json").read_text())
    of_relay = {
        name
        for name, known in recorded.items()
        if known.get("FPrimalGradient") == "yes" and not name.startswith("relax.")
    }
    declared = {name for name in list_ops("relay") if get_op(name) in primal_gradient}
    assert of_relay <= declared


def test_a_gradient_is_registered_once_for_each_level():
    name = "test.twice"
    first = register_gradient(name, lambda call, grad: [grad])
    with pytest.raises(DuplicateNameError, match="has its 'primal_gradient' of level 10 already"):
        register_gradient(name, lambda call, grad: [grad])
    register_gradient(name, lambda call, grad: [grad], level=5)
    assert primal_gradient.get(intern_op(name)) is first
    better = register_gradient(name, lambda call, grad: [grad + grad], level=11)
    assert primal_gradient.get(intern_op(name)) is better


def test_a_gradient_that_needs_types_says_that_there_are_none():
    x = Var("x")
    with pytest.raises(GradientError, match="an operand without a type; run InferType first"):
        tensor_of(x)
    pair = Var("pair", checked_type=TupleType((TensorType(()),)))
    with pytest.raises(GradientError, match="expected a tensor"):
        number(1, pair)
    with pytest.raises(GradientError, match="expected a tuple of tensors"):
        tensors_of(Var("y", checked_type=TensorType(())))
    with pytest.raises(GradientError, match="an operand without a type"):
        tensors_of(x)


def test_joining_tensors_of_unknown_sizes_says_that_they_are_needed():
    with pytest.raises(GradientError, match="the sizes along axis 0"):
        gradient_function("concatenate", ((normal(0, 2), normal(1, 3)),), {"axis": 0}, dynamic)


def test_every_gradient_is_under_a_test():
    here = Path(__file__).parent
    tests = "".join(path.read_text() for path in here.glob("test_gradients*.py"))
    gradients_by_name = {name: primal_gradient.get(get_op(name)) for name in list_ops("relay")}
    own = {
        name
        for name, rule in gradients_by_name.items()
        if rule is not None and rule.__module__.startswith("relayish.op.")
    }
    assert len(own) > 73
    assert {name for name in own if f'"{name}"' not in tests} == set()
