"""Layouts: converted as a whole, and altered operator by operator."""

import tvm
from tvm import relay
from tvm.relay import transform
from tvm.relay.testing.temp_op_attr import TempOpAttr

x = relay.var("x", shape=(1, 16, 14, 14))
weight = relay.var("weight", shape=(16, 16, 3, 3))
y = relay.nn.conv2d(x, weight, channels=16, kernel_size=(3, 3), padding=(1, 1))
y = relay.nn.relu(y)
y = relay.nn.max_pool2d(y, pool_size=(2, 2), strides=(2, 2))
mod = tvm.IRModule.from_expr(relay.Function([x, weight], y))

with tvm.transform.PassContext(opt_level=3):
    nhwc = tvm.transform.Sequential(
        [transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"], "nn.max_pool2d": ["NHWC"]})]
    )(mod)
text = nhwc.astext(show_meta_data=False)
assert 'data_layout="NHWC"' in text
assert relay.analysis.list_op_freqs(nhwc)["layout_transform"] == 3


def alter_conv2d(attrs, inputs, tinfos, out_type):
    data, kernel = inputs
    new_attrs = dict(attrs)
    new_attrs["data_layout"] = "NCHW16c"
    return relay.nn.conv2d(data, kernel, **new_attrs)


with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", alter_conv2d):
    with tvm.transform.PassContext(opt_level=3):
        altered = tvm.transform.Sequential([transform.InferType(), transform.AlterOpLayout()])(mod)
assert 'data_layout="NCHW16c"' in altered.astext(show_meta_data=False)
assert relay.analysis.list_op_freqs(altered)["layout_transform"] == 2
