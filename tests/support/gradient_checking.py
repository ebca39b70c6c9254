"""Gradients of operators against finite differences and torch: what the tests of them share."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.interpreter.value import leaves as flat
from relayish.interpreter.value import map_leaves
from relayish.ir.relay.expr import Function, Tuple, Var
from relayish.ir.relay.type import TensorType
from relayish.op import call_op, get_op
from relayish.op.declaration.properties import evaluate as evaluation
from relayish.op.declaration.properties import primal_gradient
from relayish.testing.check_grad import finite_differences
from tests.support.checking import dynamic, type_of


def rng_of(seed):
    return np.random.default_rng(seed)


def normal(seed, *shape):
    return np.asarray(rng_of(seed).standard_normal(shape))


def typed_call(name, inputs, attributes, loosen=lambda ty: ty):
    """Return the typed call of an operator on variables of the types of ``inputs``."""
    params = tuple(Var(f"x{i}", loosen(type_of(value))) for i, value in enumerate(inputs))
    func = infer_type(Function(params, call_op(name, *params, **attributes)))
    return func.params, func.body


def gradient_function(name, inputs, attributes, loosen=lambda ty: ty):
    """Return ``fn (inputs, grad) { (gradients) }``, typed."""
    params, call = typed_call(name, inputs, attributes, loosen)
    grad = Var("grad", call.checked_type, checked_type=call.checked_type)
    gradients = primal_gradient.get(get_op(name))(call, grad)
    return infer_type(Function((*params, grad), Tuple(tuple(gradients))))


def result_of(name, inputs, attributes):
    with np.errstate(all="ignore"):
        return np.asarray(
            evaluation.get(get_op(name))(op.make_attrs(get_op(name), attributes), *inputs)
        )


def differences(name, inputs, attributes, grad, index):
    """Return the gradient of ``sum(result * grad)`` with respect to a leaf, numerically."""

    def weighted(*leaves):
        rest = iter(leaves)
        values = [map_leaves(value, lambda _: next(rest)[()]) for value in inputs]
        return result_of(name, values, attributes) * grad

    return finite_differences(weighted, flat(inputs), index, 1e-6)


def gradients(name, inputs, attributes, grad, loosen=lambda ty: ty):
    """Return the gradients by the rule; each has the type of its argument."""
    func = gradient_function(name, inputs, attributes, loosen)
    if loosen(TensorType((2,))) == TensorType((2,)):
        assert func.ret_type.fields == tuple(type_of(value) for value in inputs)
    found = evaluate(func, args=[*inputs, grad])
    for one, other in zip(flat(found), flat(tuple(inputs)), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
    return found


def check(name, *inputs, torch=None, dynamic_too=False, rtol=2e-5, **attributes):
    """The gradients are those of finite differences, of torch, and also with unknown sizes."""
    inputs = tuple(inputs)
    result = result_of(name, inputs, attributes)
    grad = normal(11, *result.shape)
    grad = grad if grad.ndim else np.float64(grad)
    found = gradients(name, inputs, attributes, grad)
    for index, (one, value) in enumerate(zip(flat(found), flat(inputs), strict=True)):
        if value.dtype == np.float64:
            expected = differences(name, inputs, attributes, grad, index)
            np.testing.assert_allclose(one, expected, rtol=rtol, atol=1e-6)
        else:
            assert not np.any(one)
    if dynamic_too:
        loosely = gradients(name, inputs, attributes, grad, dynamic)
        for one, other in zip(flat(loosely), flat(found), strict=True):
            np.testing.assert_allclose(one, other)
    if torch is not None:
        check_torch(torch, inputs, grad, found)


def check_torch(function, inputs, grad, found):
    torch = pytest.importorskip("torch")
    leaves = [torch.tensor(np.array(value)) for value in flat(inputs)]
    wanted = [leaf.requires_grad_() for leaf in leaves if leaf.is_floating_point()]
    result = function(torch, *leaves)
    by_torch = torch.autograd.grad(result, wanted, torch.tensor(np.array(grad)), allow_unused=True)
    own = [one for one, leaf in zip(flat(found), leaves, strict=True) if leaf.is_floating_point()]
    for one, other, leaf in zip(own, by_torch, wanted, strict=True):
        expected = torch.zeros_like(leaf) if other is None else other
        np.testing.assert_allclose(one, expected.numpy(), rtol=1e-9, atol=1e-12)
