"""Imports from the modules within TVM's packages, as passes and back ends write them."""

import numpy as np
from tvm import relay
from tvm._ffi.base import TVMError
from tvm.ir.attrs import DictAttrs, make_node
from tvm.ir.base import get_first_structural_mismatch, structural_equal
from tvm.ir.expr import GlobalVar, RelayExpr
from tvm.ir.module import IRModule
from tvm.ir.op import Op, register_op_attr
from tvm.ir.tensor_type import TensorType
from tvm.ir.transform import PassContext, Sequential, module_pass
from tvm.ir.type import FuncType, TupleType
from tvm.relay.op import nn, tensor, transform
from tvm.relay.op.reduce import sum as reduce_sum
from tvm.relay.op.tensor import exp
from tvm.relay.testing.py_converter import run_as_python
from tvm.runtime.ndarray import NDArray, array
from tvm.runtime.object_path import ObjectPath

x = relay.var("x", type_annotation=TensorType((2, 3), "float32"))
body = reduce_sum(transform.reshape(nn.relu(exp(tensor.add(x, x))), (6,)))
assert isinstance(body, RelayExpr) and isinstance(body.op, Op)
mod = IRModule({GlobalVar("main"): relay.Function([x], body)})


@register_op_attr("exp", "target.inner")
def takes_exp(call):
    return True


@module_pass(opt_level=1)
def mark(mod, ctx):
    assert isinstance(ctx, PassContext)
    return IRModule({var: func.with_attr("Seen", 1) for var, func in mod.functions.items()})


marked = Sequential([relay.transform.InferType(), mark])(mod)
assert marked["main"].attrs["Seen"] == 1 and isinstance(marked["main"].attrs, DictAttrs)
assert structural_equal(make_node("relay.attrs.SoftmaxAttrs", axis=1), nn.softmax(x, 1).attrs)
assert isinstance(get_first_structural_mismatch(exp(x), exp(exp(x)))[0], ObjectPath)
assert structural_equal(
    relay.transform.InferType()(mod)["main"].checked_type,
    FuncType([TensorType((2, 3), "float32")], TensorType((), "float32")),
)
assert TupleType([]).fields == ()

value = array(np.ones((2, 3), "float32"))
assert isinstance(value, NDArray)
found = relay.create_executor("debug", mod).evaluate()(value).numpy()
np.testing.assert_allclose(found, 6 * np.exp(2.0), rtol=1e-5)
assert run_as_python(relay.const(1) + relay.const(2)) == 3

try:
    relay.transform.InferType()(IRModule.from_expr(tensor.add(x, relay.const(np.ones(7)))))
except TVMError as error:
    assert "add" in str(error)
else:
    raise AssertionError("ill-typed, and nobody said so")
