"""Weights in blocks: what layers that take them compute, and which stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import sparse_conv2d, sparse_dense
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.nn.sparse import as_block_rows, as_dense
from relayish.passes.relay.rewrite.conv2d_to_sparse import conv2d_to_sparse, convert_conv2d
from relayish.passes.relay.rewrite.conv2d_to_sparse2 import conv2d_to_sparse2
from relayish.passes.relay.rewrite.dense_to_sparse import convert_dense, dense_to_sparse
from relayish.tvm import data_dep_optimization
from tests.support.depth import DEPTH
from tests.support.each import each

RNG = np.random.default_rng(0)


def mostly_zero(*shape, blocks=(1, 1)):
    """Return a weight of which every third block, over its first axis and the rest, is set."""
    rows = np.zeros((shape[0], int(np.prod(shape[1:]))), "float32")
    places = [
        (slice(row, row + blocks[0]), slice(column, column + blocks[1]))
        for row in range(0, rows.shape[0], blocks[0])
        for column in range(0, rows.shape[1], blocks[1])
    ]
    for place in places[::3]:
        rows[place] = RNG.uniform(1, 2, blocks)
    return rows.reshape(shape)


def dense_layers():
    x, w, v = (relay.var(n, shape=s) for n, s in (("x", (3, 8)), ("w", (6, 8)), ("v", (4, 6))))
    hidden = relay.nn.relu(relay.nn.dense(x, w, units=6))
    return relay.Function([x, w, v], relay.nn.dense(hidden, v, units=4))


def called(func, values):
    return evaluate(func, args=[values[param.name_hint] for param in func.params])


def operators(func):
    return [node.op.name for node in EXPRESSIONS.post_order(func) if isinstance(node, relay.Call)]


@each("blocks", [(1, 1), (2, 4), (3, 2)])
def test_dense_layers_with_sparse_weights_compute_the_same(blocks):
    func = dense_layers()
    x = RNG.standard_normal((3, 8)).astype("float32")
    values = {"x": x, "w": mostly_zero(6, 8, blocks=blocks), "v": np.ones((4, 6), "float32")}
    expected = called(func, values)
    params = dict(values)
    image, params = convert_dense(func, params, blocks, 0.4)
    assert [p.name_hint for p in image.params] == ["x", "w.data", "w.indices", "w.indptr", "v"]
    assert operators(image) == ["nn.sparse_dense", "nn.relu", "nn.dense"]
    np.testing.assert_allclose(called(image, params), expected, rtol=1e-5, atol=1e-6)


def test_typed_functions_with_sparse_weights_are_well_typed():
    func = dense_layers()
    params = {"w": mostly_zero(6, 8)}
    found = sparse_dense.process_params(func, params, (1, 1), 0.0)
    mod = relay.IRModule.from_expr(func)
    out = relay.transform.Sequential(
        [
            relay.transform.DenseToSparse(
                tuple(found.weight_name), tuple(map(tuple, found.weight_shape))
            ),
            relay.transform.InferType(),
        ]
    )
    with relay.transform.PassContext(opt_level=4):
        typed = out(mod)["main"]
    assert relay.structural_equal(typed.ret_type, relay.TensorType((3, 4), "float32"))


def test_only_weights_that_are_sparse_enough_are_stored_in_blocks():
    params = {"w": np.eye(6, 8, dtype="float32"), "v": np.ones((4, 6), "float32")}
    found = sparse_dense.process_params(dense_layers(), params, (2, 2), 0.8)
    assert found == (["w"], [[3, 2, 2, 3, 4]])
    assert set(params) == {"w.data", "w.indices", "w.indptr", "v"}


def test_weights_that_blocks_do_not_divide_stay():
    params = {"w": np.zeros((6, 8), "float32")}
    assert sparse_dense.process_params(dense_layers(), params, (4, 8), 0.5) == ([], [])
    assert set(params) == {"w"}


def test_a_weight_that_is_used_otherwise_stays_beside_its_parts():
    x, w = relay.var("x", shape=(2, 2)), relay.var("w", shape=(2, 2))
    func = relay.Function([x, w], relay.add(relay.nn.dense(x, w, units=2), w))
    image = dense_to_sparse(func, weight_name=("w",), weight_shape=((1, 1, 1, 1, 3),))
    assert [p.name_hint for p in image.params] == ["x", "w", "w.data", "w.indices", "w.indptr"]


def test_a_weight_of_two_layers_comes_once():
    x, w = relay.var("x", shape=(2, 2)), relay.var("w", shape=(2, 2))
    twice = relay.nn.dense(relay.nn.dense(x, w, units=2), w, units=2)
    image = dense_to_sparse(
        relay.Function([x, w], twice), weight_name=("w",), weight_shape=((1, 1, 1, 1, 3),)
    )
    assert [p.name_hint for p in image.params] == ["x", "w.data", "w.indices", "w.indptr"]


def test_a_function_without_such_weights_is_returned_itself():
    func = dense_layers()
    assert dense_to_sparse(func) is func
    assert dense_to_sparse(func, weight_name=("x",), weight_shape=((1, 1, 1, 1, 3),)) is func
    assert conv2d_to_sparse(func, weight_name=("w",), weight_shape=((1, 1, 1, 1, 3),)) is func
    assert conv2d_to_sparse2(func) is func


def test_weight_that_is_no_parameter_is_refused():
    func, sizes = dense_layers(), ((1, 1, 1, 1, 3),)
    for convert in (dense_to_sparse, conv2d_to_sparse):
        with pytest.raises(PassError, match="the weight 'ww' is no parameter; did you mean w"):
            convert(func, weight_name=("ww",), weight_shape=sizes)


def test_weight_that_is_named_twice_is_refused():
    with pytest.raises(PassError, match="the weight 'w' is named twice"):
        dense_to_sparse(dense_layers(), weight_name=("w", "w"), weight_shape=((1, 1, 1, 1, 3),) * 2)


def test_weight_of_one_function_of_a_module_may_be_named():
    x = relay.var("x", shape=(2, 2))
    mod = relay.IRModule({"main": dense_layers(), "other": relay.Function([x], x)})
    given = {"weight_name": ("w",), "weight_shape": ((1, 1, 1, 1, 7),)}
    image = relay.transform.DenseToSparse(**given)(mod)
    assert image["other"] is mod["other"]
    assert relay.transform.DenseToSparse(**given)(image) is image
    with pytest.raises(PassError, match="the weight 'u' is no parameter"):
        relay.transform.DenseToSparse(weight_name=("u",), weight_shape=((1, 1, 1, 1, 7),))(mod)


@each("sizes", [(), ((1, 2, 3),), ((1, 1, 1, 1, 3), (1, 1, 1, 1, 3))])
def test_shapes_that_do_not_belong_to_the_names_are_refused(sizes):
    with pytest.raises(PassError, match="weight"):
        dense_to_sparse(dense_layers(), weight_name=("w",), weight_shape=sizes)


@each("sizes", [(2, 2, 2, 7, 3), (-1, 2, 2, -1, 3), (2, -2, 2, 2, 3), (2, 2, 2, 2, 0)])
def test_sizes_that_do_not_go_together_are_refused(sizes):
    with pytest.raises(PassError, match=r"'w' has the sizes .*; expected an index for each block"):
        dense_to_sparse(dense_layers(), weight_name=("w",), weight_shape=(sizes,))


def convolution(layout, kernel, channels=4, **options):
    data = (1, channels, 5, 6) if layout == "NCHW" else (1, 5, 6, channels)
    weight = (6, channels, kernel, kernel) if layout == "NCHW" else (kernel, kernel, channels, 6)
    x, w = relay.var("x", shape=data), relay.var("w", shape=weight)
    options = {"padding": kernel // 2, **options}
    conv = relay.nn.conv2d(
        x,
        w,
        channels=6,
        kernel_size=(kernel, kernel),
        data_layout=layout,
        kernel_layout="OIHW" if layout == "NCHW" else "HWIO",
        **options,
    )
    return relay.Function([x, w], conv), data, weight


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize(("kernel", "blocks"), [(1, (1, 1)), (1, (2, 4)), (1, (3, 1)), (3, (2, 3))])
def test_convolutions_with_sparse_weights_compute_the_same(layout, kernel, blocks):
    func, data, shape = convolution(layout, kernel)
    rows = mostly_zero(6, int(np.prod(shape)) // 6, blocks=blocks)
    weight = rows.reshape(shape) if layout == "NCHW" else rows.T.reshape(shape)
    values = {"x": RNG.standard_normal(data).astype("float32"), "w": weight}
    expected = called(func, values)
    image, params = convert_conv2d(func, dict(values), blocks, 0.4, layout, kernel)
    assert operators(image) == ["nn.sparse_conv2d"]
    np.testing.assert_allclose(called(image, params), expected, rtol=1e-4, atol=1e-5)
    constant = relay.transform.BindParams({"w": weight})(relay.IRModule.from_expr(func))["main"]
    stored = conv2d_to_sparse2(
        constant, layout=layout, kernel_size=kernel, blocksize=blocks, sparsity_threshold=0.4
    )
    assert operators(stored) == ["nn.sparse_conv2d"]
    np.testing.assert_allclose(called(stored, values), expected, rtol=1e-4, atol=1e-5)


@each("options", [{"strides": 2}, {"dilation": 2}, {"padding": 1}, {"out_dtype": "float64"}])
def test_convolutions_that_do_more_than_a_sparse_one_stay(options):
    func, _, _ = convolution("NCHW", 1, **options)
    given = {"weight_name": ("w",), "weight_shape": ((1, 1, 1, 1, 7),), "layout": "NCHW"}
    assert conv2d_to_sparse(func, **given) is func


def test_convolutions_in_groups_stay():
    x, w = relay.var("x", shape=(1, 4, 5, 5)), relay.var("w", shape=(4, 2, 1, 1))
    func = relay.Function([x, w], relay.nn.conv2d(x, w, groups=2, kernel_size=(1, 1)))
    given = {"weight_name": ("w",), "weight_shape": ((1, 1, 1, 1, 5),), "layout": "NCHW"}
    assert conv2d_to_sparse(func, **given) is func


def test_kernels_of_another_size_are_not_stored_in_blocks():
    func, _, shape = convolution("NCHW", 3)
    params = {"w": np.zeros(shape, "float32")}
    assert sparse_conv2d.process_params(func, params, (1, 1), 0.1, "NCHW", 1) == ([], [])


def test_another_layout_is_refused():
    with pytest.raises(PassError, match="NHWC or NCHW"):
        conv2d_to_sparse(dense_layers(), layout="NCHW4c")


def test_blocks_hold_what_the_matrix_does():
    matrix = mostly_zero(6, 8, blocks=(3, 2))
    assert (as_dense(*as_block_rows(matrix, 3, 2), 8) == matrix).all()
    zero = np.zeros((4, 4), "float32")
    assert (as_dense(*as_block_rows(zero, 2, 2), 4) == zero).all()


@pytest.mark.deep
def test_deep_networks_take_sparse_weights():
    x, w = relay.var("x", shape=(2, 2)), relay.var("w", shape=(2, 2))
    body = x
    for _ in range(DEPTH):
        body = relay.nn.dense(body, w, units=2)
    image = dense_to_sparse(
        relay.Function([x, w], body), weight_name=("w",), weight_shape=((1, 1, 1, 1, 3),)
    )
    assert relay.analysis.count_nodes(image) < 2 * DEPTH + 20


def test_functions_and_parameters_are_converted_under_the_names_of_tvm():
    convert = data_dep_optimization.bsr_dense.convert
    image, params = convert(dense_layers(), {"w": mostly_zero(6, 8)}, (1, 1), 0.4)
    assert set(params) == {"w.data", "w.indices", "w.indptr"}
    assert operators(image)[0] == "nn.sparse_dense"
    convert = data_dep_optimization.bsr_conv2d.convert
    func, _, shape = convolution("NHWC", 1)
    image, params = convert(func, {"w": np.zeros(shape, "float32")}, (1, 1), 0.4, "NHWC", 1)
    assert operators(image) == ["nn.sparse_conv2d"]
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(3, 4))
    layer = relay.Function([x, w], relay.nn.dense(x, relay.transpose(w, axes=(1, 0)), units=4))
    convert = data_dep_optimization.simplify_fc_transpose.convert
    image, params = convert(layer, {"w": np.ones((3, 4), "float32")})
    assert params["w.T"].shape == (4, 3)


def test_weight_of_a_function_that_another_calls_is_refused():
    x, w = relay.var("x", shape=(4, 4)), relay.var("w", shape=(4, 4))
    mod = relay.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))
    y, v = relay.var("y", shape=(4, 4)), relay.var("v", shape=(4, 4))
    call = relay.Call(mod.get_global_var("main"), [y, v])
    typed = relay.transform.InferType()(mod.with_function("caller", relay.Function([y, v], call)))
    sparse = relay.transform.DenseToSparse(("w",), ((2, 2, 2, 2, 3),))
    with pytest.raises(
        PassError, match="@main is to take other parameters in the place of %w, but @caller"
    ):
        sparse(typed)
    assert len(sparse(typed.without_functions(["caller"]))["main"].params) == 4
