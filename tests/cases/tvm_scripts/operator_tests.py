"""Operators tested as TVM tests its own: types first, then values on each target."""

import numpy as np
import tvm
import tvm.testing
from tvm import relay
from tvm.relay.testing import run_infer_type

executor_kinds = ("graph", "vm")


def check_unary(op, reference):
    shape = (10, 4)
    x = relay.var("x", relay.TensorType(shape, "float32"))
    y = op(x)
    assert ("%x: Tensor[(10, 4), float32]") in y.astext()
    assert tvm.ir.structural_equal(run_infer_type(y).checked_type, relay.TensorType(shape))
    data = np.random.rand(*shape).astype("float32")
    func = relay.Function([x], y)
    for target, dev in tvm.testing.enabled_targets():
        for kind in executor_kinds:
            res = relay.create_executor(kind, device=dev, target=target).evaluate(func)(data)
            np.testing.assert_allclose(res.numpy(), reference(data), rtol=1e-5)


@tvm.testing.uses_gpu
def test_unary():
    for op, reference in [
        (relay.exp, np.exp),
        (relay.tanh, np.tanh),
        (relay.op.sqrt, np.sqrt),
        (relay.nn.relu, lambda v: np.maximum(v, 0)),
    ]:
        check_unary(op, reference)


def test_reshape_and_split():
    n, t = relay.var("n", shape=(2, 3, 4)), relay.var("t", shape=(6, 4))
    z = relay.reshape(n, (-1, 4))
    assert run_infer_type(z).checked_type.concrete_shape == (6, 4)
    parts = relay.split(t, indices_or_sections=3, axis=0)
    typed = run_infer_type(parts.astuple())
    assert [f.concrete_shape for f in typed.checked_type.fields] == [(2, 4)] * 3
    joined = relay.concatenate([parts[0], parts[2]], axis=1)
    out = relay.create_executor("vm").evaluate(relay.Function([t], joined))(
        np.arange(24, dtype="float32").reshape(6, 4)
    )
    assert out.numpy().shape == (2, 8)


def test_dynamic_shape():
    x = relay.var("x", shape=(relay.Any(), 2), dtype="float32")
    mod = tvm.IRModule.from_expr(relay.Function([x], relay.sum(x, axis=0)))
    for kind in ["debug", "vm"]:
        run = relay.create_executor(kind, mod=mod, device=tvm.cpu(), target="llvm").evaluate()
        for rows in (1, 5):
            result = run(np.ones((rows, 2), "float32"))
            tvm.testing.assert_allclose(result.numpy(), np.full(2, rows, "float32"))


test_unary()
test_reshape_and_split()
test_dynamic_shape()

with relay.build_config(opt_level=3):
    folded = relay.transform.FoldConstant()(
        tvm.IRModule.from_expr(relay.const(1.0) + relay.const(2.0))
    )
assert folded["main"].body.data == 3.0

if __name__ == "__main__":
    tvm.testing.main()
