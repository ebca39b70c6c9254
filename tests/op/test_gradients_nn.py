"""Gradients of products, convolutions and pooling."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import GradientError
from tests.support.checking import dynamic
from tests.support.gradient_checking import (
    check,
    check_torch,
    gradient_function,
    gradients,
    normal,
    result_of,
)
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

QUICK = quickly(20)


@pytest.mark.references
@QUICK
@given(
    rows=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    k=st.integers(1, 3),
    n=st.integers(1, 3),
)
def test_products_of_matrices_have_the_gradients_of_torch(rows, k, n):
    data, weight = normal(0, *rows, k), normal(1, n, k)
    check("nn.dense", data, weight, units=None, torch=lambda t, x, w: x @ w.T, dynamic_too=True)
    for ta in (False, True):
        for tb in (False, True):
            a = normal(0, *rows[:-1], k, rows[-1]) if ta else normal(0, *rows, k)
            b = normal(1, n, k) if tb else normal(1, k, n)
            flags = {"transpose_a": ta, "transpose_b": tb}
            check(
                "nn.matmul",
                a,
                b,
                units=None,
                **flags,
                torch=lambda t, x, y, ta=ta, tb=tb: (x.mT if ta else x) @ (y.mT if tb else y),
            )
            a = normal(0, 2, k, 3) if ta else normal(0, 2, 3, k)
            for batch in (1, 2):
                b = normal(1, batch, n, k) if tb else normal(1, batch, k, n)
                check(
                    "nn.batch_matmul",
                    a,
                    b,
                    **flags,
                    torch=lambda t, x, y, ta=ta, tb=tb: (x.mT if ta else x) @ (y.mT if tb else y),
                )


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_bias_gets_the_gradient_summed_over_the_other_axes(axis):
    check(
        "nn.bias_add", normal(0, 2, 3, 4), normal(1, (2, 3, 4)[axis]), axis=axis, dynamic_too=True
    )


LAYOUTS = [("NCHW", "OIHW"), ("NHWC", "HWIO"), ("NHWC", "OHWI")]


@pytest.mark.references
@quickly(15)
@given(data=st.data())
def test_convolutions_have_the_gradients_of_torch(data):
    groups = data.draw(st.integers(1, 2))
    inputs, outputs = groups * data.draw(st.integers(1, 2)), groups * data.draw(st.integers(1, 2))
    kernel = data.draw(st.tuples(*[st.integers(1, 3)] * 2))
    strides = data.draw(st.tuples(*[st.integers(1, 3)] * 2))
    dilation = data.draw(st.tuples(*[st.integers(1, 2)] * 2))
    padding = data.draw(st.tuples(*[st.integers(0, 2)] * 2))
    extent = [
        (k - 1) * d + 1 + data.draw(st.integers(0, 4))
        for k, d in zip(kernel, dilation, strict=True)
    ]
    x, w = normal(0, 2, inputs, *extent), normal(1, outputs, inputs // groups, *kernel)
    data_layout, kernel_layout = data.draw(st.sampled_from(LAYOUTS if groups == 1 else LAYOUTS[:1]))
    to_data = ["NCHW".index(c) for c in data_layout]
    to_kernel = ["OIHW".index(c) for c in kernel_layout]

    def by_torch(torch, x, w):
        x = x.permute(*[data_layout.index(c) for c in "NCHW"]).contiguous()
        w = w.permute(*[kernel_layout.index(c) for c in "OIHW"]).contiguous()
        result = torch.nn.functional.conv2d(x, w, None, strides, padding, dilation, groups)
        return result.permute(*to_data)

    attributes = {
        "strides": strides,
        "padding": (*padding, *padding),
        "dilation": dilation,
        "groups": groups,
        "channels": outputs,
        "kernel_size": kernel,
        "data_layout": data_layout,
        "kernel_layout": kernel_layout,
    }
    inputs = (
        np.ascontiguousarray(x.transpose(to_data)),
        np.ascontiguousarray(w.transpose(to_kernel)),
    )
    grad = normal(2, *result_of("nn.conv2d", inputs, attributes).shape)
    check_torch(by_torch, inputs, grad, gradients("nn.conv2d", inputs, attributes, grad))


@pytest.mark.references
@quickly(9)
@given(data=st.data())
def test_transposed_convolutions_and_gradients_of_weights_have_the_gradients_of_torch(data):
    groups = data.draw(st.integers(1, 2))
    inputs, outputs = groups * data.draw(st.integers(1, 2)), groups * data.draw(st.integers(1, 2))
    kernel = data.draw(st.tuples(*[st.integers(1, 3)] * 2))
    strides = data.draw(st.tuples(*[st.integers(1, 3)] * 2))
    dilation = data.draw(st.tuples(*[st.integers(1, 2)] * 2))
    padding = tuple(
        data.draw(st.integers(0, (k - 1) * d)) for k, d in zip(kernel, dilation, strict=True)
    )
    beyond = tuple(data.draw(st.integers(0, stride - 1)) for stride in strides)
    sizes = (4, 3)
    window = {
        "strides": strides,
        "padding": (*padding, *padding),
        "dilation": dilation,
        "groups": groups,
        "kernel_size": kernel,
    }
    x, w = normal(0, 2, inputs, *sizes), normal(1, inputs, outputs // groups, *kernel)
    outer = [
        (size - 1) * s - 2 * p + (k - 1) * d + 1 + b
        for size, s, p, k, d, b in zip(
            sizes, strides, padding, kernel, dilation, beyond, strict=True
        )
    ]
    hypothesis.assume(min(outer) > 0)

    def spread(torch, x, w):
        return torch.nn.functional.conv_transpose2d(
            x, w, None, strides, padding, beyond, groups, dilation
        )

    attributes = {**window, "channels": outputs, "output_padding": beyond}
    grad = normal(2, 2, outputs, *outer)
    found = gradients("nn.conv2d_transpose", (x, w), attributes, grad)
    check_torch(spread, (x, w), grad, found)

    def weight(torch, result, data):
        return torch.nn.grad.conv2d_weight(
            data, w.shape, result, strides, padding, dilation, groups
        )

    attributes = {**window, "channels": inputs, "kernel_layout": "NCHW", "out_layout": "OIHW"}
    grad = normal(3, *w.shape)
    found = gradients(
        "nn.conv2d_backward_weight", (x, normal(2, 2, outputs, *outer)), attributes, grad
    )
    check_torch(weight, (x, normal(2, 2, outputs, *outer)), grad, found)


def test_a_convolution_with_blocked_layouts_says_that_its_gradient_is_not_known():
    inputs = (normal(0, 1, 1, 4, 4, 4), normal(1, 1, 1, 3, 3, 4, 4))
    attributes = {"kernel_size": (3, 3), "channels": 4}
    attributes |= {"data_layout": "NCHW4c", "kernel_layout": "OIHW4i4o"}
    with pytest.raises(GradientError, match="layout 'NCHW4c' is no order of the axes 'NCHW'"):
        gradient_function("nn.conv2d", inputs, attributes)
    attributes = {"kernel_size": (3, 3), "channels": 1, "out_layout": "HWIO"}
    with pytest.raises(GradientError, match="its gradient is known for 'NCHW', 'NCHW' and 'OIHW'"):
        gradient_function(
            "nn.conv2d_backward_weight", (normal(0, 1, 1, 2, 2), normal(1, 1, 1, 4, 4)), attributes
        )


@pytest.mark.references
@pytest.mark.parametrize("name", ["nn.max_pool2d", "nn.avg_pool2d"])
@quickly(12)
@given(data=st.data())
def test_pooling_has_the_gradients_of_torch(name, data):
    pool = data.draw(st.tuples(*[st.integers(1, 3)] * 2))
    strides = data.draw(st.tuples(*[st.integers(1, 3)] * 2))
    padding = tuple(data.draw(st.integers(0, size // 2)) for size in pool)
    values = normal(0, 1, 2, *[size + data.draw(st.integers(0, 3)) for size in pool])
    attributes = {"pool_size": pool, "strides": strides, "padding": (*padding, *padding)}
    if name == "nn.avg_pool2d":
        included = attributes["count_include_pad"] = data.draw(st.booleans())
        if not included:
            result = result_of(name, (values,), attributes)
            del attributes["count_include_pad"]
            check("nn.avg_pool2d_grad", normal(1, *result.shape), values, **attributes)
        check(
            name,
            values,
            **attributes,
            torch=lambda t, x: t.nn.functional.avg_pool2d(
                x, pool, strides, padding, count_include_pad=included
            ),
        )
    else:
        check(
            name,
            values,
            **attributes,
            torch=lambda t, x: t.nn.functional.max_pool2d(x, pool, strides, padding),
        )


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_a_global_mean_shares_its_gradient_out(layout):
    check("nn.global_avg_pool2d", normal(0, 2, 3, 4, 5), layout=layout, dynamic_too=True)


def test_a_gradient_that_needs_sizes_says_that_they_are_not_known():
    inputs, attributes = (normal(0, 1, 1, 4, 4), normal(1, 1, 1, 3, 3)), {"kernel_size": (3, 3)}
    with pytest.raises(GradientError, match="which is not known"):
        gradient_function("nn.conv2d", inputs, {**attributes, "channels": 1}, dynamic)
