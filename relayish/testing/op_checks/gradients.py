"""Gradients against finite differences, in ``float64``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.errors import GradientError, RelayishError
from relayish.interpreter import create_executor
from relayish.interpreter.dynamic_types import type_mismatch
from relayish.interpreter.value import Evaluated, count_elements, leaves, map_leaves, normalise
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var
from relayish.ir.relay.type import TensorType
from relayish.op.declaration import properties
from relayish.op.types.dimension import show_type
from relayish.op.types.result_size import type_of_value
from relayish.testing.check_grad import Array, finite_differences
from relayish.testing.op_checks.report import Fault, Skipped
from relayish.testing.op_checks.samples import typed_call
from relayish.testing.op_checks.trial import Trial

_MOST: Final = 1 << 10
"""Of arguments with more elements, gradients are not compared: each takes two evaluations."""

_STEP: Final = 1e-6
_RELATIVE: Final = 1e-4
_ABSOLUTE: Final = 1e-5


def check_gradient(trial: Trial) -> Iterator[Fault]:
    """Yield faults where the gradient of an argument is not there, or not that of the value."""
    gradient = trial.declares(properties.primal_gradient)
    trial.needs_value()
    values = [map_leaves(value, _widened) for value in trial.sample.values]
    if sum(map(count_elements, values)) > _MOST:
        raise Skipped(f"the arguments have more than {_MOST} elements")
    call = _typed_in_float64(trial, values)
    grad = Var("grad", call.checked_type, checked_type=call.checked_type)
    names = [str(getattr(arg, "name_hint", "")) for arg in call.args]
    declared = f"it has {len(names)} arguments ({', '.join(names)}) with a gradient each"
    try:
        found: Any = gradient(call, grad)  # Any: still to be checked
    except GradientError as error:
        raise Skipped(f"there is no gradient of this call: {error}") from None
    except Exception as error:  # noqa: BLE001 - whatever a gradient raises
        told = f"its gradient raised {type(error).__name__}: {error}"
        yield trial.fault("gradient", declared, told, "mend the gradient")
        return
    count = len(found) if isinstance(found, (tuple, list)) else None
    if count != len(names) or not all(isinstance(each, Expr) for each in found):
        told = f"{count} of them" if count is not None else f"{type(found).__name__}"
        if count == len(names):
            told = "what are no expressions"
        yield trial.fault("gradient", declared, f"its gradient gave {told}",
                          "return a list of one expression for each argument, zeros_like(x) for "
                          "one on which the result does not depend")  # fmt: skip
        return
    yield from _compare(trial, call, grad, values, found, names)


def _widened(leaf: Evaluated) -> Evaluated:
    return normalise(np.asarray(leaf, "float64")) if leaf.dtype.kind == "f" else leaf


def _typed_in_float64(trial: Trial, values: Sequence[Evaluated]) -> Call:
    """Return the call on floats of double precision.

    Raises:
        Skipped: If it does not take, or give, these; others are too coarse for differences.
    """
    coarse = "finite differences are fine enough in float64 alone, which it does not"
    if not any(each.dtype == np.float64 for value in values for each in leaves(value)):
        raise Skipped(f"{coarse} take here")
    try:
        call = typed_call(trial.op, trial.call.attrs, list(map(type_of_value, values)))
    except RelayishError:
        raise Skipped(f"{coarse} take here") from None
    ty = call.checked_type
    parts = [ty] if isinstance(ty, TensorType) else list(getattr(ty, "fields", ()))
    if not all(isinstance(part, TensorType) and part.dtype == "float64" for part in parts):
        raise Skipped(f"{coarse} give here")
    return call


def _compare(
    trial: Trial,
    call: Call,
    grad: Var,
    values: Sequence[Evaluated],
    found: Sequence[Expr],
    names: Sequence[str],
) -> Iterator[Fault]:
    params: Any = call.args  # variables
    rng = np.random.default_rng(0)
    result = trial.evaluate(values)
    given = map_leaves(result, lambda leaf: _weights(leaf, rng))
    weights = np.concatenate([np.ravel(leaf) for leaf in leaves(given)])
    try:
        backward = infer_type(Function((*params, grad), Tuple(tuple(found))))
        function: Any = create_executor().evaluate(backward)
        computed = function(*values, given)
    except RelayishError as error:
        told = f"it cannot be computed: {type(error).__name__}: {error}"
        yield trial.fault("gradient", "its gradient is made of expressions", told,
                          "mend the gradient")  # fmt: skip
        return
    flat = [leaf for value in values for leaf in leaves(value)]

    def weighted(*inputs: Array) -> Array:
        made = trial.evaluate(_put_back(values, inputs))
        found: Array = np.concatenate([np.ravel(leaf) for leaf in leaves(made)]) * weights
        return found

    at = 0
    for name, value, one in zip(names, values, computed, strict=True):
        mismatch = type_mismatch(one, type_of_value(value))
        if mismatch is not None and _is_fractional(value):
            yield trial.fault("gradient", f"{name} is {show_type(type_of_value(value))}",
                              f"its gradient is {mismatch.found}",
                              "let it have the type of the argument")  # fmt: skip
            return
        for leaf in leaves(one):
            fault = _differs(trial, name, leaf, weighted, flat, at)
            at += 1
            if fault is not None:
                yield fault
                return


def _weights(leaf: Any, rng: np.random.Generator) -> Evaluated:  # Any: an array
    """Return what a result is multiplied with before its elements are summed."""
    return normalise(rng.standard_normal(leaf.shape))


def _is_fractional(value: Evaluated) -> bool:
    return any(leaf.dtype.kind == "f" for leaf in leaves(value))


def _differs(
    trial: Trial, name: str, found: Array, function: Any, inputs: Sequence[Array], index: int
) -> Fault | None:
    """Return the fault of one gradient; where there are no differences, it may be anything."""
    if inputs[index].dtype.kind != "f":
        return None  # integers do not move by little
    with np.errstate(all="ignore"):  # of what is not finite there are no differences
        expected = finite_differences(function, inputs, index, _STEP)
    found = np.asarray(found)
    known = np.isfinite(expected)
    near = np.isclose(found, expected, rtol=_RELATIVE, atol=_ABSOLUTE)
    wrong = np.argwhere(known & ~near)
    if not len(wrong):
        return None
    place = tuple(map(int, wrong[0]))
    where = f" at {list(place)}" if place else ""
    return trial.fault(
        "gradient",
        f"its gradient with respect to {name} is {found[place]:.6g}{where}",
        f"finite differences in float64 give {expected[place]:.6g} ({len(wrong)} of {found.size} "
        f"elements differ)",
        "mend the gradient, unless the operator is not smooth there: then give other arguments",
    )


def _put_back(like: Sequence[Evaluated], parts: Sequence[Array]) -> list[Evaluated]:
    rest = iter(parts)
    return [map_leaves(value, lambda _: next(rest)[()]) for value in like]
