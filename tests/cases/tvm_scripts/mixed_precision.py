"""Programs in float16, and who says which operators are computed in it."""

import numpy as np
import tvm
from tvm import relay
from tvm.relay.transform import InferType, ToMixedPrecision
from tvm.relay.transform.mixed_precision import register_mixed_precision_conversion


def run_module(mod, mod_params):
    result = relay.create_executor("debug", mod, device=tvm.cpu(), target="llvm").evaluate()(
        **mod_params
    )
    return [res.numpy() for res in result] if isinstance(result, tuple) else [result.numpy()]


def verify_output_close(mod, mod_params, rtol=1e-2, atol=1e-3):
    mod = InferType()(mod)
    expected = run_module(mod, mod_params)
    fp16_mod = InferType()(ToMixedPrecision("float16")(mod))
    for wide, narrow in zip(expected, run_module(fp16_mod, mod_params), strict=True):
        np.testing.assert_allclose(narrow, wide, rtol=rtol, atol=atol)
    return fp16_mod


data = relay.var("data", shape=[2, 4])
weight = relay.var("weight", shape=[3, 4])
mod = tvm.IRModule.from_expr(relay.Function([data, weight], relay.nn.dense(data, weight)))
mod_params = {
    "data": np.random.uniform(-1, 1, size=(2, 4)).astype("float32"),
    "weight": np.random.uniform(-1, 1, size=(3, 4)).astype("float32"),
}
fp16_mod = verify_output_close(mod, mod_params)
assert "float16" in fp16_mod.astext(show_meta_data=False)
with tvm.transform.PassContext(config={"relay.ToMixedPrecision.keep_orig_output_dtype": True}):
    kept = ToMixedPrecision("float16")(InferType()(mod))
assert InferType()(kept)["main"].body.checked_type.dtype == "float32"


@register_mixed_precision_conversion("nn.dense", level=20)
def never(call_node, mixed_precision_type):
    return [2, "float32", "float32"]


assert "float16" not in ToMixedPrecision("float16")(InferType()(mod)).astext()
