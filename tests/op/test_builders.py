from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import relayish as relay
from relayish.errors import OperatorError, UnknownNameError
from relayish.ir.relay.expr import Call, Constant, Tuple, TupleGetItem
from relayish.ir.relay.type import TensorType
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import builder, get_op, list_ops
from relayish.op.builders import builder as builder_module
from relayish.op.builders.attribute_shorthand import expand_shorthand
from relayish.op.builders.builder import Parameters, find_description, list_builders
from relayish.op.declaration.attribute_vocabulary import ATTRIBUTES
from relayish.op.declaration.description import read_description
from relayish.op.declaration.properties import arguments, attrs_type, outputs, signature
from relayish.testing import TempOpAttr
from tests.support.each import each

x, y, z = (relay.var(name) for name in "xyz")

# What the functions of tvm.relay.op are called with stands beside these tests.
SIGNATURES_FILE = Path(__file__).parent / "relay_signatures.txt"


def read_signatures(text):
    """Return the parameters by name: names at the margin, their parameters indented below."""
    found = {}
    for names, parameters in re.findall(r"((?:^[^ #\n].*\n)+)((?:^ +.*\n)+)", text, re.MULTILINE):
        shown = " ".join(parameters.split())
        found |= dict.fromkeys(re.findall(r"[\w.]+", names), shown)
    return found


RELAYS = read_signatures(SIGNATURES_FILE.read_text())


def test_parameters_of_every_builder_are_written_down():
    assert set(list_builders()) == set(RELAYS)


@each("name", sorted(RELAYS))
def test_builder_has_the_parameters_of_relays_function(name):
    found = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(builder(name)).parameters.values()
    ]
    assert str(inspect.Signature(found)) == f"({RELAYS[name]})"


@each("name", list_ops("relay"))
def test_parameters_are_the_arguments_and_attributes_that_are_declared(name):
    op = get_op(name)
    parameters = Parameters(op)
    fields = () if parameters.cls is None else parameters.cls.field_names
    attributes = [n for n in parameters.defaults if n not in parameters.operands]
    assert len(parameters.operands) == len(arguments.get(op))
    assert set(attributes) <= set(fields)
    # what a signature leaves out has a default in the declaration
    required = set(fields) - set(attributes) - set(arguments.get(op))
    if builder(name).__module__ == "relayish.op.builders.builder":
        assert not required - set(parameters.cls.defaults if parameters.cls else ())


@each("name", [name for name in list_ops("relay") if get_op(name) in signature])
def test_defaults_of_signatures_are_values_of_the_attributes(name):
    op = get_op(name)
    cls = attrs_type.get(op)
    for parameter, default in Parameters(op).defaults.items():
        if cls is None or default is None or parameter not in cls.field_names:
            continue
        value = builder_default(op, parameter, default.value)
        cls.defaults.get(parameter)
        assert value is None or isinstance(value, (int, float, str, bool, tuple)), parameter


def builder_default(op, parameter, value):
    return expand_shorthand(op, {parameter: value})[parameter]


@each("name", [name for name in list_ops("relay") if get_op(name) in signature])
def test_signature_is_told_only_where_the_declaration_gives_another(name):
    told = Parameters(get_op(name)).defaults
    kept = signature.get(get_op(name))
    with TempOpAttr(name, signature, None):
        assert list(Parameters(get_op(name)).defaults.items()) != list(told.items()), kept


def test_function_that_relay_calls_otherwise_is_found():
    assert relay.nn.contrib_conv2d_nchwc(x, y).op is get_op("nn.contrib_conv2d_NCHWc")
    assert relay.reverse_reshape(x, (1,)).op is get_op("contrib_reverse_reshape")
    assert relay.qnn.op.quantize is relay.qnn.quantize
    assert "contrib_conv2d_nchwc" in dir(relay.op.nn)


# Names and positions


def test_argument_may_be_given_under_relays_name_and_the_declared_one():
    assert relay.nn.dilate(data=x, strides=(2,)).args == (x,)
    assert relay.nn.dilate(x=x, strides=(2,)).args == (x,)
    assert relay.unique(x, is_sorted=False).attrs.sorted is False
    packed = relay.qnn.contrib_dense_pack(x, y, z, z, x, y, kernel_layout="NC8n")
    assert packed.attrs.weight_layout == "NC8n"
    conv = relay.qnn.conv2d(x, y, z, z, x, y, kernel_size=(1, 1), channels=1)
    named = relay.qnn.conv2d(
        x,
        y,
        input_scale=x,
        kernel_scale=y,
        input_zero_point=z,
        kernel_zero_point=z,
        kernel_size=1,
        channels=1,
    )
    assert conv.args == named.args == (x, y, z, z, x, y)
    assert named.attrs == conv.attrs


def test_attribute_that_relays_function_hides_may_be_given_by_name():
    assert relay.sort(x, dtype="int8").attrs.dtype == "int8"


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: relay.reshape(x, (1,), False, 4), OperatorError, "4 positional.*at most 3"),
        (lambda: relay.reshape(x, (1,), newshape=(2,)), OperatorError, "'newshape' twice"),
        (lambda: relay.nn.dilate(x, (1,), x=x), OperatorError, "'x' twice"),
        (lambda: relay.nn.conv2d(x), OperatorError, "without its argument 'weight'"),
        (lambda: relay.nn.conv2d(x, y, stride=1), UnknownNameError, "did you mean strides"),
        (lambda: relay.add(x, y, axis=1), OperatorError, "takes no attributes; found axis"),
        (lambda: relay.reshape(x), OperatorError, "without its attribute 'newshape'"),
        (lambda: relay.nn.conv2d(x, y, kernel_size="3"), OperatorError, "kernel_size"),
        (lambda: relay.strided_slice(x, y, [1], axes=[0]), OperatorError, "takes no 'axes'"),
        (lambda: relay.strided_slice(x, y, None), OperatorError, "without its argument 'end'"),
        (lambda: relay.image.resize2d(x, (y, 2), roi=y), OperatorError, "mixes numbers"),
        (lambda: relay.matrix_set_diag(x, y, align="UP_LEFT"), OperatorError, "is 'UP_LEFT'"),
        (lambda: relay.concatenate((), axis=0), OperatorError, "concatenate is called without any"),
        (lambda: relay.stack([], axis=0), OperatorError, "at least one"),
        (lambda: relay.nn.sparse_add(x, (y, z)), OperatorError, "a sparse matrix is a tuple"),
    ],
)
def test_wrong_call_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()


# Short forms


@pytest.mark.parametrize(
    ("call", "attribute", "expected"),
    [
        (lambda: relay.nn.conv1d(x, y, padding=2, strides=3), "padding", (2, 2)),
        (lambda: relay.nn.conv1d(x, y, strides=3), "strides", (3,)),
        (lambda: relay.nn.conv2d(x, y, padding=1), "padding", (1, 1, 1, 1)),
        (lambda: relay.nn.conv2d(x, y, padding=(1, 2)), "padding", (1, 2, 1, 2)),
        (lambda: relay.nn.conv2d(x, y, padding=[1, 2, 3, 4]), "padding", (1, 2, 3, 4)),
        (lambda: relay.nn.conv2d(x, y), "padding", (0, 0, 0, 0)),
        (lambda: relay.nn.conv2d(x, y, kernel_size=np.int64(3)), "kernel_size", (3, 3)),
        (lambda: relay.nn.conv3d(x, y, dilation=2), "dilation", (2, 2, 2)),
        (lambda: relay.nn.conv3d(x, y, padding=(1, 2, 3)), "padding", (1, 2, 3, 1, 2, 3)),
        (lambda: relay.nn.conv2d_transpose(x, y, output_padding=1), "output_padding", (1, 1)),
        (lambda: relay.nn.max_pool2d(x, 3), "pool_size", (3, 3)),
        (lambda: relay.nn.max_pool2d(x), "pool_size", (1, 1)),
        (lambda: relay.nn.avg_pool3d(x, 2, strides=[2]), "strides", (2, 2, 2)),
        (lambda: relay.qnn.avg_pool2d(x, y, y, y, y, 2, 2, 1, 1), "padding", (1, 1, 1, 1)),
        (lambda: relay.nn.adaptive_avg_pool2d(x), "output_size", ()),
        (lambda: relay.nn.adaptive_avg_pool2d(x, 3), "output_size", (3,)),
        (lambda: relay.nn.deformable_conv2d(x, y, z, strides=2), "strides", (2, 2)),
        (lambda: relay.sum(x, 1), "axis", (1,)),
        (lambda: relay.reshape(x, 6), "newshape", (6,)),
        (lambda: relay.reshape(x, np.array([2, 3])), "newshape", (2, 3)),
        (lambda: relay.reshape(x, relay.const([2, 3])), "newshape", (2, 3)),
        (lambda: relay.tile(x, 2), "reps", (2,)),
        (lambda: relay.zeros(3), "shape", (3,)),
        (lambda: relay.full(x, 3), "shape", (3,)),
        (lambda: relay.full(1.0, relay.const([3])), "shape", (3,)),
        (lambda: relay.topk(x, relay.const(2)), "k", 2),
        (lambda: relay.squeeze(x, relay.const([1])), "axis", (1,)),
        (lambda: relay.split(x, 2), "indices_or_sections", 2),
        (lambda: relay.split(x, [1, 2]), "indices_or_sections", (1, 2)),
        (lambda: relay.take(x, y, 1), "axis", 1),
        (lambda: relay.nn.dense(x, y, out_dtype=""), "out_dtype", None),
        (lambda: relay.nn.pad(x, relay.const([[1, 2]])), "pad_width", ((1, 2),)),
        (lambda: relay.sparse_to_dense(x, relay.const([2]), y), "output_shape", (2,)),
        (lambda: relay.nn.upsampling(x, 2, 3), "scale_w", 3.0),
        (lambda: relay.nn.group_norm(x, y, y, 2), "num_groups", 2),
        (lambda: relay.random.uniform(x, 3), "out_shape", (3,)),
        (lambda: relay.random.threefry_generate(x, 3), "out_shape", (3,)),
    ],
)
def test_short_form_is_written_out(call, attribute, expected):
    assert call().attrs[attribute] == expected


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nn.conv1d", 1),
        ("nn.conv2d_transpose", 2),
        ("nn.contrib_conv3d_winograd_without_weight_transform", 3),
        ("nn.contrib_depthwise_conv2d_NCHWc", 2),
        ("nn.max_pool3d", 3),
        ("qnn.conv2d", 2),
        ("nn.bitserial_conv2d", 2),
        ("nn.adaptive_max_pool2d", 0),
        ("image.resize2d", 0),
        ("nn.relu", 0),
    ],
)
def test_rank_is_that_of_the_window(name, rank):
    assert getattr(attrs_type.get(get_op(name)), "spatial_rank", 0) == rank


def test_number_becomes_a_constant_where_relays_function_makes_one_of_it():
    assert relay.vision.get_valid_counts(x, 0.5).args[1].data.dtype == np.float32
    call = relay.vision.all_class_non_max_suppression(x, y, 10)
    assert [arg.data.dtype.name for arg in call.args[2:]] == ["int64", "float32", "float32"]
    half = relay.var("h", shape=(3,), dtype="float16")
    assert relay.sparse_to_dense(x, (4,), half).args[2].data.dtype == np.float16
    assert relay.collapse_sum_to(x, (2, 3)).args[1].data.tolist() == [2, 3]
    assert relay.trilu(x, -1).args[1].data == np.int32(-1)
    assert relay.strided_set(x, y, [0], [1]).args[4].data.tolist() == [1]
    assert relay.full(2, (3,), "int8").args[0].data.dtype == np.int8
    with pytest.raises(OperatorError, match="say const"):
        relay.add(x, 1)


# Sizes known when the program runs

STATIC = np.arange(24, dtype="float32").reshape(2, 3, 4)
IMAGE = np.arange(32, dtype="float32").reshape(1, 2, 4, 4)


@pytest.mark.parametrize(
    ("data", "build", "size", "name"),
    [
        (STATIC, relay.reshape, [4, 6], "dyn.reshape"),
        (STATIC, relay.tile, [2, 1, 2], "dyn.tile"),
        (STATIC, relay.broadcast_to, [5, 2, 3, 4], "dyn.broadcast_to"),
        (STATIC[:, :1], relay.squeeze, [1], "dyn.squeeze"),
        (STATIC, relay.expand_dims, 1, "dyn.expand_dims"),
        (STATIC, relay.nn.pad, [[1, 2], [0, 1], [2, 0]], "dyn.nn.pad"),
        (STATIC, lambda d, s: relay.strided_slice(d, s, [2, 3, 4]), [0, 1, 2], "dyn.strided_slice"),
        (STATIC, lambda d, s: relay.topk(d, s)[0], 2, "dyn.topk"),
        (np.float32(2), relay.full, [2, 3], "dyn.full"),
        (np.float32(2), lambda _, s: relay.zeros(s), [2, 3], "dyn.zeros"),
        (np.float32(2), lambda _, s: relay.ones(s, "int8"), [2, 3], "dyn.ones"),
        (IMAGE, lambda d, s: relay.nn.upsampling(d, s, 2), 2.0, "dyn.nn.upsampling"),
        (IMAGE, relay.image.resize2d, [8, 6], "dyn.image.resize2d"),
    ],
)
def test_size_that_is_an_expression_gives_the_dynamic_operator_with_the_same_value(
    data, build, size, name
):
    given = relay.const(data)
    size_array = np.asarray(size, "float64" if isinstance(size, float) else "int32")
    size_var = relay.var("size", TensorType(size_array.shape, str(size_array.dtype)))
    data_var = relay.var("data", TensorType(given.data.shape, "float32"))
    dynamic = build(data_var, size_var)
    call = dynamic.tuple_value if isinstance(dynamic, TupleGetItem) else dynamic
    assert call.op is get_op(name)
    static = relay.evaluate(build(given, size))
    found = relay.evaluate(relay.Function((data_var, size_var), dynamic), args=[data, size_array])
    assert found.dtype == static.dtype
    np.testing.assert_array_equal(found, static)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((1, 3), (1, 3)), (relay.const([1, 3]), (1, 3)), (relay.var("s", shape=(2,)), None)],
)
def test_sum_that_is_collapsed_has_the_sizes_that_are_known(shape, expected):
    call = relay.collapse_sum_to(relay.var("data", shape=(2, 3)), shape)
    assert call.attrs.shape == expected
    if expected is not None:
        func = relay.analysis.infer_type(relay.Function(relay.analysis.free_vars(call), call))
        assert func.body.checked_type.shape == expected


def test_split_at_numbers_of_numpys_cuts_a_named_dimension():
    data = relay.var("data", TensorType((relay.SizeVar("n"), 3), "float32"))
    call = relay.split(data, np.array([1, 7])).tuple_value
    assert [type(cut) for cut in call.attrs.indices_or_sections] == [int, int]
    found = relay.analysis.infer_type(relay.Function([data], call)).body.checked_type
    assert [part.shape[0] for part in found.fields[:2]] == [1, 6]


def test_numbers_of_boxes_become_those_of_the_attribute():
    assert repr(relay.vision.multibox_prior(x, sizes=(1, 2)).attrs.sizes) == "(1.0, 2.0)"


def test_one_hot_of_unknown_depth_takes_it_last():
    depth = relay.var("depth", "int32")
    call = relay.one_hot(x, y, z, depth, -1, "int8")
    assert (call.op, call.args, call.attrs.dtype) == (
        get_op("dyn.one_hot"),
        (x, y, z, depth),
        "int8",
    )


def test_sizes_beside_an_expression_become_constants():
    call = relay.nn.upsampling3d(x, y, 2)
    assert call.args[1] is y
    assert [arg.data.dtype.name for arg in call.args[2:]] == ["float64", "float64"]
    sizes = [arg.data.tolist() for arg in relay.nn.upsampling3d(x, scale_d=y).args[2:]]
    assert sizes == [1, 1]
    assert relay.image.resize2d(x, y).args[2].data.tolist() == [0, 0, 0, 0]
    assert relay.strided_slice(x, [0], y).args[3].data.tolist() == [1]
    assert relay.sparse_to_dense(x, z, y).op is get_op("dyn.sparse_to_dense")


# Builders of several calls


def evaluated(expr):
    return np.asarray(relay.evaluate(expr))


def test_moments_are_numpys():
    data = relay.const(STATIC)
    mean, std = relay.evaluate(relay.mean_std(data, axis=(0, 2)))
    np.testing.assert_allclose(mean, STATIC.mean((0, 2)), rtol=1e-6)
    np.testing.assert_allclose(std, STATIC.std((0, 2)), rtol=1e-6)
    known = relay.const(STATIC.mean(1, keepdims=True))
    np.testing.assert_allclose(
        evaluated(relay.variance(data, 1, with_mean=known)), STATIC.var(1), rtol=1e-6
    )


@pytest.mark.parametrize(("rank", "shape"), [(1, (1, 2, 6)), (3, (1, 2, 3, 2, 2))])
def test_global_pools_take_one_element_of_each_channel(rank, shape):
    values = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    axes = tuple(range(2, 2 + rank))
    data = relay.const(values)
    for kind, reduce in (("max", np.max), ("avg", np.mean)):
        found = evaluated(getattr(relay.nn, f"global_{kind}_pool{rank}d")(data))
        np.testing.assert_allclose(found, reduce(values, axes, keepdims=True), rtol=1e-6)


def test_dropout_is_the_first_of_two_results():
    dropped = relay.nn.dropout(x, 0.25)
    assert isinstance(dropped, TupleGetItem)
    assert (dropped.index, dropped.tuple_value.attrs.rate) == (0, 0.25)
    raw = relay.nn.dropout_raw(x)
    assert isinstance(raw, Call)
    assert len(raw) == 2


def test_sparse_matrix_is_a_tuple_or_has_its_parts():
    class Matrix:
        data, indices, indptr = np.ones(2, "float32"), np.array([0, 1]), np.array([0, 1, 2])

    assert relay.nn.sparse_add(x, (x, y, z)).args == (x, x, y, z)
    call = relay.nn.sparse_dense(x, Matrix(), sparse_lhs=True)
    assert [type(arg) for arg in call.args[1:]] == [Constant] * 3
    assert call.attrs.sparse_lhs
    assert len(relay.nn.sparse_transpose([x, y, z])) == 3


def test_results_of_a_call_are_taken_as_a_tuple():
    parts = relay.split(x, 2)
    assert relay.concatenate(parts, axis=1).args == (parts,)
    assert relay.concatenate(relay.TupleWrapper(y, 2), axis=1).args == (y,)
    assert relay.stack(list(parts)).args[0].fields[0].tuple_value is parts


def test_stft_fills_in_window_and_steps():
    call = relay.stft(x, 8)
    assert call.args[1].data.tolist() == [1.0] * 8
    assert (call.attrs.hop_length, call.attrs.win_length) == (2, 8)


def test_key_of_random_numbers_is_taken_as_it_is_made():
    key = relay.random.threefry_key(5)
    for call in (
        relay.random.uniform(key, 3),
        relay.random.normal(key, (3,)),
        relay.random.threefry_generate(key, 3),
        relay.random.threefry_split(key),
        relay.random.multinomial(key, x),
    ):
        assert call.args[0].data.dtype == np.uint64
        assert len(call) == 2


def test_diagonals_are_given_as_relay_does():
    one = relay.matrix_set_diag(x, y, 2, "LEFT_RIGHT").attrs
    assert (one.k1, one.k2) == (2, 2)
    assert (one.super_diag_right_align, one.sub_diag_right_align) == (False, True)
    several = relay.matrix_set_diag(x, y, (-1, 1)).attrs
    assert (several.k1, several.k2) == (-1, 1)
    assert (several.super_diag_right_align, several.sub_diag_right_align) == (True, False)


@pytest.mark.parametrize("shape", [(6,), (6, 2), (6, 2, 3)])
@pytest.mark.parametrize("count", [None, 5, relay.const(4)])
def test_segment_sum_adds_what_numpy_adds(shape, count):
    data = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    ids = np.array([0, 3, 1, 3, 0, 0], "int32")
    rows = {None: 4, 5: 5}.get(count if isinstance(count, int) else None, 4)
    expected = np.zeros((rows, *shape[1:]), "float32")
    np.add.at(expected, ids, data)
    found = evaluated(relay.segment_sum(relay.const(data), relay.const(ids), count))
    np.testing.assert_array_equal(found, expected)


class Cpu:
    """A device as TVM's ``cpu(3)``."""

    device_type, device_id = 1, 3


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        ("cpu", VirtualDevice(1, 0)),
        ("llvm -mcpu=native", VirtualDevice(1, 0)),
        ("cuda:2", VirtualDevice(2, 2)),
        ("ext_dev", VirtualDevice(12, 0)),
        (Cpu(), VirtualDevice(1, 3)),
        (VirtualDevice(2, 1, None, "global"), VirtualDevice(2, 1, None, "global")),
    ],
)
def test_device_is_a_name_or_an_object(device, expected):
    assert relay.annotation.on_device(x, device).attrs.virtual_device == expected
    assert relay.on_device(x, device=device, constrain_result=True).attrs.constrain_result
    copied = relay.device_copy(x, src_device=device, dst_device="cpu").attrs
    assert (copied.src_virtual_device, copied.dst_virtual_device) == (expected, VirtualDevice(1, 0))
    storage = relay.memory.alloc_storage(x, y, device)
    assert storage.attrs.virtual_device == expected


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cude", "'cude' is no device; did you mean cuda"),
        ("cuda:x", "'x' is no number"),
        ("", "'' is no device"),
        (1, "1 .int. is no device; expected a name"),
    ],
)
def test_what_is_no_device_is_refused(device, message):
    with pytest.raises(OperatorError, match=message):
        relay.on_device(x, device)


def test_memory_is_allocated_of_a_constant_shape_or_an_asserted_one():
    storage = relay.memory.alloc_storage(relay.const(24, "int64"), relay.const(64, "int64"), "cpu")
    assert storage.attrs.dtype == "float32"
    offset, shape = relay.const(0, "int64"), relay.const(np.array([2, 3]))
    known = relay.memory.alloc_tensor(storage, offset, shape, "int8")
    asserted = relay.memory.alloc_tensor(storage, offset, z, "int8", (2, 3))
    assert known.attrs.const_shape is shape
    assert known.attrs.assert_shape is None
    assert asserted.attrs.const_shape is None
    assert asserted.attrs.assert_shape == (2, 3)
    with pytest.raises(OperatorError, match="say by assert_shape"):
        relay.memory.alloc_tensor(storage, offset, z)


def test_allocated_tensor_has_the_type_its_shape_tells():
    storage = relay.memory.alloc_storage(relay.const(24, "int64"), relay.const(64, "int64"), "cpu")
    offset, shape = relay.const(0, "int64"), relay.const(np.array([2, 3]))
    sizes = relay.var("n", shape=(2,), dtype="int64")
    for tensor in (
        relay.memory.alloc_tensor(storage, offset, shape, "int8"),
        relay.memory.alloc_tensor(storage, offset, sizes, "int8", (2, 3)),
    ):
        func = relay.Function(relay.analysis.free_vars(tensor), tensor)
        typed = relay.transform.InferType()(relay.IRModule.from_expr(func))
        assert str(typed["main"].body.checked_type) == "Tensor[(2, 3), int8]"


def test_builders_of_the_virtual_machine_take_what_relays_take():
    assert relay.vm.shape_of(expr=x).attrs.dtype == "int64"
    assert relay.vm.invoke_tvm_op(func=x, inputs=(y,), outputs=(z,)).args[0] is x
    assert relay.vm.reshape_tensor(x, y, newshape=[2, 3]).attrs.newshape == (2, 3)


def test_debug_takes_no_function():
    assert relay.debug(x).attrs.debug_func is None


def test_arange_takes_numbers_and_expressions():
    assert evaluated(relay.arange(relay.const(3.0))).tolist() == [0, 1, 2]
    assert evaluated(relay.arange(1, 7, 2, "int32")).tolist() == [1, 3, 5]


# Documentation


def test_every_operator_and_parameter_is_documented():
    for name in list_builders():
        said = find_description(name)
        assert said is not None, name
        shown = read_description(said).arguments
        for parameter in inspect.signature(builder(name)).parameters:
            assert parameter in shown or parameter in ATTRIBUTES, (name, parameter)


@each("name", list_builders())
def test_documentation_speaks_of_parameters_that_are_there(name):
    entry = read_description(find_description(name))
    assert set(entry.arguments) <= inspect.signature(builder(name)).parameters.keys()
    assert entry.summary.endswith(".")
    assert entry.result


def test_every_documented_attribute_is_a_parameter():
    parameters = {p for n in list_builders() for p in inspect.signature(builder(n)).parameters}
    assert sorted(set(ATTRIBUTES) - parameters) == []


def test_docstring_shows_summary_shapes_attributes_and_source():
    text = relay.nn.conv2d.__doc__
    assert text.startswith("Slide a kernel over images")
    assert "    data: (n, c, h, w), axes as data_layout\n" in text
    assert "    groups: in how many groups the channels are convolved apart; 1 if left out" in text
    assert "Returns:\n    (n, o, h', w')" in text
    assert "Relay ``nn.conv2d``" in text
    assert "one of them, it is the end" in relay.arange.__doc__


def test_docstring_of_an_operator_of_another_package_names_no_source_in_relay():
    with relay.declared_temporarily():
        relay.op.register_op("example.mine", arguments=("data",), description="Do it.")
        assert "Source" not in relay.example.mine.__doc__


def test_docstring_of_a_builder_by_hand_is_the_same_when_it_is_asked_for_anew(monkeypatch):
    text = relay.arange.__doc__
    monkeypatch.delitem(builder_module._MADE, "arange")  # as where declarations are undone
    assert relay.op.arange.__doc__ == text


def test_entry_is_read_from_its_lines():
    entry = read_description("""
        Do it
          well.
        p (n,); q
            (m,) -> (n, m)
        Remark.
    """)
    assert entry == ("Do it well.", {"p": "(n,)", "q": "(m,)"}, "(n, m)", ("Remark.",))
    assert read_description("Not.\nSo.") == ("Not.", {}, "", ("So.",))


def test_number_of_results_is_documented_where_there_are_several():
    for name in list_ops("relay"):
        if get_op(name) in outputs and name != "nn.dropout":  # whose builder takes the first
            assert "tuple" in find_description(name), name
    assert isinstance(relay.mean_variance(x), Tuple)


@each("name", list_ops("relay"))
def test_no_module_stands_where_an_operator_is_expected(name):
    found = relay
    for part in name.split("."):
        found = getattr(found, part)
    assert not inspect.ismodule(found)
    assert callable(found)


# Functions that name what they take otherwise than the attributes


def test_gradient_of_a_weight_takes_the_layouts_of_gradient_data_and_weight():
    call = relay.nn.conv2d_backward_weight(
        x, y, 2, 1, kernel_size=3, grad_layout="NHWC", data_layout="NCHW", kernel_layout="HWIO"
    )
    assert call.attrs["data_layout"] == "NHWC"
    assert call.attrs["kernel_layout"] == "NCHW"
    assert call.attrs["out_layout"] == "HWIO"
    assert call.attrs["strides"] == (2, 2)
    assert call.attrs["padding"] == (1, 1, 1, 1)


def test_gradient_of_a_mean_says_whether_padding_counts():
    call = relay.nn.avg_pool2d_grad(x, y, 2, count_include_pad=True)
    assert call.attrs.type_key == "relay.attrs.AvgPool2DAttrs"
    assert call.attrs["pool_size"] == (2, 2)
    assert call.attrs["count_include_pad"]


def test_groups_of_a_transposed_convolution_come_before_its_channels():
    call = relay.nn.conv1d_transpose(x, y, (1,), (1,), (1,), 2, 5)
    assert call.attrs["groups"] == 2
    assert call.attrs["channels"] == 5


def test_packed_weight_has_a_layout():
    call = relay.nn.contrib_dense_pack(x, y, "NK8n", 16)
    assert call.attrs.type_key == "relay.attrs.DensePackAttrs"
    assert (call.attrs["weight_layout"], call.attrs["units"]) == ("NK8n", 16)


@pytest.mark.parametrize(("dtype", "code"), [("disable", 0), ("int8", 1), ("uint8", 2)])
def test_simulated_quantisation_names_its_element_type(dtype, code):
    for build in (relay.qnn.simulated_quantize, relay.qnn.simulated_dequantize):
        call = build(x, y, z, 1, dtype)
        assert [call.args[0], *call.args[2:]] == [x, y, z]
        assert call.args[1].data == code
        assert call.args[1].data.dtype == np.int32
        assert call.attrs["axis"] == 1


def test_simulated_quantisation_takes_the_code_of_its_element_type():
    assert relay.qnn.simulated_quantize(x, y, z, out_dtype=x).args[1] is x


def test_element_type_that_cannot_be_simulated_is_refused():
    with pytest.raises(OperatorError, match="'int4' cannot be simulated; expected one of disable"):
        relay.qnn.simulated_quantize(x, y, z, out_dtype="int4")
