"""Operators as loops: each that can be is written so, and computes in C what it does by numpy."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.codegen.c import find_toolchain
from relayish.codegen.c.executor import compile_network
from relayish.codegen.c.network import order_calls
from relayish.errors import EvaluationError, RelayishError, UnlowerableError
from relayish.ir.relay.expr import Call, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op import get_op
from relayish.passes.relay.to_loops.lower_to_loops import lower_to_loops
from tests.support.compiled_loops import skip_without_compiler
from tests.support.each import each
from tests.support.sound_calls import sound_calls

LEFT = "arange argwhere debug reinterpret"
"""Operators that nobody says as loops."""

ELSEWHERE = (
    "dyn.",
    "memory.",
    "qnn.",
    "random.",
    "vm.",
)
"""Domains that say nothing of loops yet, or whose operators compute nothing."""


def network(name):
    """A function that calls an operator as its table of sound calls says, and its parameters."""
    types, attrs = sound_calls()[name]
    params, args = [], []
    for ty in types:
        fields = ty.fields if isinstance(ty, TupleType) else (ty,)
        made = [Var(f"p{len(params) + at}", field) for at, field in enumerate(fields)]
        params += made
        args.append(Tuple(tuple(made)) if isinstance(ty, TupleType) else made[0])
    func = Function(tuple(params), Call(get_op(name), tuple(args), attrs))
    return relay.transform.InferType()(IRModule({"main": func})), params


def drawn(param, generator):
    ty = param.type_annotation
    assert isinstance(ty, TensorType)
    shape = [int(size) for size in ty.shape]
    if ty.dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if "int" in ty.dtype:
        return np.asarray(generator.integers(1, 3, shape)).astype(ty.dtype)
    return np.asarray(generator.uniform(0.1, 0.9, shape)).astype(ty.dtype)


def same(expected, found):
    left = expected if isinstance(expected, (tuple, list)) else [expected]
    right = found if isinstance(found, tuple) else [found]
    pairs = [(np.asarray(a), b) for a, b in zip(left, right, strict=True)]
    return all(
        a.shape == b.shape
        and a.dtype == b.dtype
        and (
            np.array_equal(a, b)
            if a.dtype.kind in "biu"
            else np.allclose(a.astype("f8"), b.astype("f8"), rtol=1e-5, atol=1e-6, equal_nan=True)
        )
        for a, b in pairs
    )


def evaluated(name, generator):
    """The module of a sound call, arguments for it and its value; ``None`` if it has none here."""
    try:
        mod, params = network(name)
        args = [drawn(param, generator) for param in params]
        return mod, args, relay.create_executor(mod=mod).evaluate()(*args)
    except (RelayishError, AttributeError, AssertionError):
        return None


def both(results, params, *args):
    """What results are by numpy, and by the loops that they are written as."""
    mod = relay.transform.InferType()(IRModule.from_expr(relay.Function(params, results)))
    lowered = lower_to_loops(mod, unlowerable="refuse")
    return [relay.create_executor(mod=each).evaluate()(*args) for each in (mod, lowered)]


@pytest.mark.slow("compiles a function for each operator")
def test_operators_are_written_as_loops_and_compute_the_same_in_c():
    skip_without_compiler()
    generator = np.random.default_rng(3)
    wrong, left, right = [], set(), 0
    for name in sorted(sound_calls()):
        found = evaluated(name, generator)
        if found is None:
            continue
        mod, args, expected = found
        try:
            lowered = lower_to_loops(mod, unlowerable="refuse")
            quick = find_toolchain(("-std=c11", "-O0"))
            params = lowered["main"].params
            run = compile_network(params, order_calls(lowered), "main", quick)
        except RelayishError:
            left.add(name)
            continue
        if same(expected, run(*args)):
            right += 1
        else:
            wrong.append(name)
    assert wrong == []
    unknown = {name for name in left - {*LEFT.split()} if not name.startswith(ELSEWHERE)}
    assert unknown == set()
    assert right >= 200


ODD = np.array([[np.nan, 1.0, -np.inf], [0.0, -0.0, np.inf]], "float32")


@each("name", ["maximum", "minimum", "max", "min", "argmax", "argmin", "relu", "clip", "round"])
def test_what_is_no_number_is_treated_as_by_numpy(name):
    x = relay.var("x", shape=(2, 3))
    make = {
        "maximum": lambda: relay.maximum(x, relay.const(0.5)),
        "minimum": lambda: relay.minimum(relay.const(0.5), x),
        "relu": lambda: relay.nn.relu(x),
        "clip": lambda: relay.clip(x, -1.0, 1.0),
        "round": lambda: relay.round(x * relay.const(2.5)),
    }
    body = make[name]() if name in make else getattr(relay, name)(x, axis=1)
    expected, found = both(body, [x], ODD)
    assert np.array_equal(np.asarray(expected), np.asarray(found), equal_nan=True)


@each("dtype", ["int8", "uint8", "int32", "int64", "bool", "float16"])
def test_elements_of_all_types_are_as_by_numpy(dtype):
    x = relay.var("x", shape=(3, 4), dtype=dtype)
    y = relay.var("y", shape=(4,), dtype=dtype)
    results = [x + y, relay.maximum(x, y), relay.equal(x, y), relay.cast(x, "float32")]
    if dtype != "bool":
        results += [x * y, x - y, relay.sum(x, axis=1), relay.max(x, axis=0), relay.abs(x)]
    generator = np.random.default_rng(5)
    args = [np.asarray(generator.integers(0, 250, s)).astype(dtype) for s in ((3, 4), (4,))]
    with np.errstate(all="ignore"):
        expected, found = both(relay.Tuple(results), [x, y], *args)
    assert same(tuple(expected), tuple([np.asarray(each) for each in found]))


@each("method", ["nearest_neighbor", "linear", "cubic"])
@each("mode", ["half_pixel", "align_corners", "asymmetric"])
@each("size", [(9, 4), (3, 11), (5, 7)])
def test_resizing_is_as_by_numpy(method, mode, size):
    x = relay.var("x", shape=(1, 2, 5, 7))
    made = relay.image.resize2d(x, size, method=method, coordinate_transformation_mode=mode)
    given = np.random.default_rng(2).random((1, 2, 5, 7), "float32")
    expected, found = both(made, [x], given)
    assert np.allclose(np.asarray(expected), np.asarray(found), rtol=1e-6, atol=1e-6)


LOOKUPS = {
    "take clip": lambda x, i: relay.take(x, i, axis=1, mode="clip"),
    "take wrap": lambda x, i: relay.take(x, i, axis=1, mode="wrap"),
    "take fast": lambda x, i: relay.take(x, i, axis=-1, mode="fast"),
    "take flat": relay.take,
    "gather": lambda x, i: relay.gather(x, 1, i),
    "gather of others": lambda x, i: relay.gather(relay.exp(x), 1, i + i - i),
    "gather fewer": lambda x, i: relay.gather(x, -2, relay.strided_slice(i, [0, 1], [3, 3])),
    "gather_nd": lambda x, i: relay.gather_nd(x, relay.split(i, [1, 2], axis=0)[1]),
    "gather_nd batch": lambda x, i: relay.gather_nd(
        x, relay.expand_dims(relay.min(i, axis=1), 0), 1
    ),
    "adv_index": lambda x, i: relay.adv_index([x, relay.max(i, axis=1), relay.min(i, axis=1)]),
    "adv_index of one": lambda x, i: relay.adv_index([x, i]),
}


@each("name", list(LOOKUPS))
@each("dtype", ["int32", "int64", "int8"])
def test_elements_are_looked_up_as_by_numpy_and_places_outside_are_refused(name, dtype):
    x, i = relay.var("x", shape=(3, 4)), relay.var("i", shape=(3, 4), dtype=dtype)
    data = np.random.default_rng(6).random((3, 4), "float32")
    inside = np.array([[0, 1, 2, -1], [-3, 0, -2, 2], [1, 1, 2, 0]], dtype)
    body = LOOKUPS[name](x, i)
    expected, found = both(body, [x, i], data, inside)
    assert same(expected, np.asarray(found))
    for place in (-100, 100):
        outside = np.full((3, 4), place, dtype)
        if name in ("take clip", "take wrap", "take flat"):
            expected, found = both(body, [x, i], data, outside)
            assert same(expected, np.asarray(found))
        else:
            mod = relay.transform.InferType()(IRModule.from_expr(relay.Function([x, i], body)))
            for version in (mod, lower_to_loops(mod, unlowerable="refuse")):
                with pytest.raises(EvaluationError):
                    relay.create_executor(mod=version).evaluate()(data, outside)


@each("dtype", ["int32", "int64", "float32"])
@each("axis", [0, 1])
def test_sequences_are_masked_and_turned_as_by_numpy(axis, dtype):
    x, n = relay.var("x", shape=(4, 4, 2)), relay.var("n", shape=(4,), dtype=dtype)
    results = [relay.sequence_mask(x, n, mask_value=-1.5, axis=axis)]
    if dtype != "float32":
        results.append(relay.reverse_sequence(x, n, seq_axis=axis, batch_axis=1 - axis))
    data = np.random.default_rng(7).random((4, 4, 2), "float32")
    expected, found = both(relay.Tuple(results), [x, n], data, np.array([3, 0, 9, -2], dtype))
    assert same(tuple(expected), tuple([np.asarray(each) for each in found]))


def test_every_axis_is_turned_where_none_is_named():
    x, data = relay.var("x", shape=(2, 3)), np.arange(6, dtype="float32").reshape(2, 3)
    expected, found = both(relay.reverse(x), [x], data)
    assert same(expected, np.asarray(found))


@each(
    "layouts",
    [
        ("NCHW", "NHWC"),
        ("NCHW", "NCHW3c"),
        ("NCHW", "NCHW4c"),
        ("NHWC", "HNWC2c"),
        ("NCHW3c", "NCHW"),
        ("NCHW3c", "NCHW2c"),
        ("OIHW3o2i", "OIHW"),
    ],
)
def test_layouts_are_changed_as_by_numpy(layouts):
    x = relay.var("x", shape=(2, 3, 4, 6, *[3, 2][: sum(c.islower() for c in layouts[0])]))
    shape = [int(size) for size in x.type_annotation.shape]
    data = np.random.default_rng(9).random(shape, "float32")
    expected, found = both(relay.layout_transform(x, *layouts), [x], data)
    assert same(expected, np.asarray(found))


@each("diagonal", [-5, -1, 0, 2, 9])
def test_triangles_and_grids_are_as_by_numpy(diagonal):
    x, k = relay.var("x", shape=(2, 3, 4)), relay.var("k", shape=(), dtype="int64")
    u, v, w = (relay.var(name, shape=(size,)) for name, size in zip("uvw", (3, 4, 1), strict=True))
    grids = [relay.meshgrid([u, v, w], indexing=indexing) for indexing in ("ij", "xy")]
    parts = [relay.TupleGetItem(grid, at) for grid in grids for at in range(3)]
    results = [relay.trilu(x, k, upper=True), relay.trilu(x, k, upper=False), *parts]
    generator = np.random.default_rng(8)
    args = [np.asarray(generator.random(s), "float32") for s in ((2, 3, 4), 3, 4, 1)]
    expected, found = both(
        relay.Tuple(results), [x, k, u, v, w], args[0], np.asarray(diagonal), *args[1:]
    )
    assert same(tuple(expected), tuple([np.asarray(each) for each in found]))


@each("shift", [-40, -33, -3, 0, 2, 20])
def test_fixed_point_products_are_as_by_numpy_bit_for_bit(shift):
    x = relay.var("x", shape=(3, 4), dtype="int32")
    whole = relay.fixed_point_multiply(x, 1518500250, shift)
    factors = relay.const(np.array([1 << 30, 1518500250, 7, (1 << 31) - 1], "int32"))
    up, down = (relay.const(np.full(4, max(each, 0), "int32")) for each in (shift, -shift))
    apart = relay.fixed_point_multiply_per_axis(x, factors, up, down, True, True, (1,))
    given = np.random.default_rng(4).integers(-(2**31), 2**31, (3, 4)).astype("int32")
    expected, found = both(relay.Tuple([whole, apart]), [x], given)
    assert same(tuple(expected), tuple([np.asarray(each) for each in found]))


def test_what_loops_cannot_express_stays_or_is_refused_with_the_place():
    x = relay.var("x", shape=(3, 4))
    func = relay.Function([x], relay.argwhere(relay.exp(x)))
    mod = relay.transform.InferType()(IRModule.from_expr(func))
    kept = lower_to_loops(mod)
    given = np.random.default_rng(1).random((3, 4), "float32")
    expected, found = (relay.create_executor(mod=m).evaluate()(given) for m in (mod, kept))
    assert np.allclose(np.asarray(expected), np.asarray(found), rtol=1e-6)
    assert len(kept.functions) == 2
    with pytest.raises(UnlowerableError, match=r"argwhere\(.*cannot be written as loops: how many"):
        lower_to_loops(mod, unlowerable="refuse")
    key = relay.var("k", shape=(10,), dtype="uint64")
    split = relay.Function([key], relay.random.threefry_split(key))
    mod = relay.transform.InferType()(IRModule.from_expr(split))
    with pytest.raises(UnlowerableError, match=r"threefry_split.*draws random numbers"):
        lower_to_loops(mod, unlowerable="refuse")
    dynamic = relay.var("d", shape=(relay.Any(), 2))
    mod = relay.transform.InferType()(
        IRModule.from_expr(relay.Function([dynamic], relay.exp(dynamic)))
    )
    with pytest.raises(UnlowerableError, match=r"Tensor\[\(\?, 2\), float32\]; expected a tensor"):
        lower_to_loops(mod, unlowerable="refuse")


def test_what_is_used_twice_is_computed_once_and_what_is_used_once_has_no_memory():
    x = relay.var("x", shape=(8,))
    shared = relay.exp(x)
    twice = relay.Function([x], shared * relay.tanh(shared) + shared)
    mod = relay.transform.InferType()(IRModule.from_expr(twice))
    func = lower_to_loops(mod)["main_add"]
    assert str(func).count("exp(") == 1
    assert len(func.temp_bufs) == 1
    chain = relay.Function([x], relay.tanh(relay.exp(x)))
    mod = relay.transform.InferType()(IRModule.from_expr(chain))
    assert lower_to_loops(mod)["main_tanh"].temp_bufs == ()


def test_memory_between_calls_is_used_again_and_views_have_none():
    x = relay.var("x", shape=(4, 6))
    value = x
    for _ in range(6):
        value = relay.nn.dense(relay.exp(value), relay.const(np.eye(6, dtype="float32")))
    value = relay.reshape(value, (2, 12))
    body = relay.sum(value, axis=1)
    mod = relay.transform.InferType()(IRModule.from_expr(relay.Function([x], body)))
    net = order_calls(lower_to_loops(mod, unlowerable="refuse"))
    sizes = [tuple(size.value for size in each.shape) for each in net.workspace]
    assert sizes.count((4, 6)) <= 2
    assert (2, 12) not in sizes
    assert net.module.functions[0].name == "main"
