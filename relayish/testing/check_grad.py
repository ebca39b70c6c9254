"""Checking gradients against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.analysis.infer_type import infer_type
from relayish.errors import FieldError
from relayish.interpreter import create_executor
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.passes.relay.gradient.gradient import gradient

Array: TypeAlias = npt.NDArray[Any]  # Any: of every element type

_SEED: Final = 0


def check_grad(
    func: Function,
    inputs: Sequence[Array] | None = None,
    test_inputs: Sequence[Array] | None = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    scale: float | None = None,
    mean: float = 0,
    mode: str = "higher_order",
    executor_kind: str = "debug",
) -> None:
    """Compare the gradients of ``func`` with two-sided finite differences of its result.

    The result, or the sum of its elements, is differentiated. Element types of low precision may
    fail: use ``float64``.

    Args:
        func: A function of tensors, with a tensor as result.
        inputs: What to call it with; by default random numbers, the same in every run, whose
            deviation is near ``eps``, so that little precision is lost.
        test_inputs: Those of ``inputs`` (the same arrays) whose gradients are compared, by default
            all; leave out what is not smooth, such as indices.
        eps: How far each element is moved, in either direction.
        atol: The absolute difference that is tolerated.
        rtol: The relative difference that is tolerated.
        scale: The standard deviation of random inputs; by default ``10 * eps``.
        mean: Their mean.
        mode: As of :func:`~relayish.passes.relay.gradient.gradient.gradient`.
        executor_kind: As of :func:`~relayish.interpreter.create_executor`.

    Raises:
        AssertionError: If some gradient differs by more than is tolerated.
        GradientError: If there is no gradient.
        FieldError: If one of ``test_inputs`` is no input, there is none, or random inputs are
            wanted for parameters that are no tensors of known shape.

    Complexity:
        The function is evaluated twice for each element of the inputs.

    Source:
        Relay ``testing.check_grad``; it compares on each of a list of devices, of which relayish
        has one.

    Example:
        >>> from relayish.op import tanh
        >>> x = Var("x", TensorType((2, 3), "float64"))
        >>> check_grad(Function((x,), tanh(x)))
    """
    forward = infer_type(func)
    backward = infer_type(gradient(forward, mode=mode))
    if inputs is None:
        rng = np.random.default_rng(_SEED)
        deviation = 10 * eps if scale is None else scale
        inputs = [_random(param, rng, deviation, mean) for param in forward.params]
    tested = _positions(inputs, inputs if test_inputs is None else test_inputs)
    executor = create_executor(executor_kind)
    forward_function, backward_function = executor.evaluate(forward), executor.evaluate(backward)
    assert callable(forward_function)
    assert callable(backward_function)
    _, gradients = backward_function(*inputs)
    for index in tested:
        found = np.asarray(gradients[index]).astype("float64")
        expected = finite_differences(forward_function, inputs, index, eps)
        np.testing.assert_allclose(
            found, expected, rtol=rtol, atol=atol, err_msg=_about(forward.params[index], index)
        )


def _about(param: Var, index: int) -> str:
    """Return what stands above two arrays that differ, with the likely reason if there is one."""
    where = f"in the gradient of input {index}, %{param.name_hint}"
    ty = param.checked_type
    if not isinstance(ty, TensorType) or ty.dtype == "float64":
        return where
    return (
        f"{where}; it is {ty.dtype}, of which finite differences are too coarse: compare gradients "
        f"in float64, {param.name_hint} = var({param.name_hint!r}, shape=..., dtype='float64')"
    )


def _random(param: Var, rng: np.random.Generator, scale: float, mean: float) -> Array:
    ty = param.checked_type
    shape = ty.shape if isinstance(ty, TensorType) else (None,)
    sizes = [size for size in shape if isinstance(size, int)]
    if not isinstance(ty, TensorType) or len(sizes) < len(shape):
        raise FieldError(
            f"parameter %{param.name_hint} is a {ty}; pass inputs=, "
            f"for random ones are made for tensors of known shape"
        )
    values: Array = (mean + scale * rng.standard_normal(sizes)).astype(numpy_dtype(ty.dtype))
    return values


def _positions(inputs: Sequence[Array], tested: Sequence[Array]) -> list[int]:
    """Return which of ``inputs`` the arrays ``tested`` are."""
    found = [[i for i, value in enumerate(inputs) if value is wanted][:1] for wanted in tested]
    if not found or [] in found:
        raise FieldError(
            f"test_inputs holds {len(tested)} arrays, of which {found.count([])} are not among "
            f"the inputs; expected one or more of these very arrays"
        )
    return [position for (position,) in found]


def finite_differences(
    function: Callable[..., Any], inputs: Sequence[Array], index: int, eps: float
) -> Array:  # Any: what the function returns is a value
    """Return how the sum of the result changes with each element of one input.

    Complexity:
        The function is called twice for each element.
    """
    at = np.asarray(inputs[index])
    slopes = np.zeros(at.shape)
    for place in np.ndindex(*at.shape):
        results = []
        for step in (eps, -eps):
            moved = np.array(at)
            moved[place] += step
            args = [*inputs[:index], moved, *inputs[index + 1 :]]
            results.append(np.asarray(function(*args)).astype("float64"))
        slopes[place] = np.sum(results[0] - results[1]) / (2 * eps)
    return slopes
