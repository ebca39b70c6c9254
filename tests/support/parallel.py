"""Programs of parallel calls, and what must hold of what becomes of them."""

from __future__ import annotations

import numpy as np

from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType

RNG = np.random.default_rng(11)


def tensor(name, shape, dtype="float32"):
    return Var(name, TensorType(shape, dtype))


def numbers(*shape):
    return Constant(RNG.normal(0, 1, shape).astype("float32"))


def program(body, *params):
    return IRModule({"main": Function(params, body)})


def calls(mod, name):
    nodes = EXPRESSIONS.post_order(mod["main"].body)
    return [n for n in nodes if type(n) is Call and getattr(n.op, "name", "") == name]


def combined(pass_, body, *params, count=1):
    """Return what the pass makes of the program, checked for its value and a second application.

    ``count`` is how many calls of the operator are left, of those that were there.
    """
    mod = program(body, *params)
    out = pass_(mod)
    assert out is not mod
    assert pass_(out) is out
    rng = np.random.default_rng(1)
    args = [rng.normal(0, 1, p.type_annotation.shape).astype("float32") for p in params]
    before, after = (evaluate(m["main"], m, args) for m in (mod, out))
    for one, other in zip(_parts(after), _parts(before), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
    name = pass_.info.name
    operator = {
        "CombineParallelConv2D": "nn.conv2d",
        "CombineParallelDense": "nn.dense",
        "CombineParallelBatchMatmul": "nn.batch_matmul",
    }[name]
    assert len(calls(out, operator)) == count
    return out


def _parts(value):
    return value if isinstance(value, tuple) else (value,)


def unchanged(pass_, body, *params):
    mod = program(body, *params)
    assert pass_(mod) is mod
