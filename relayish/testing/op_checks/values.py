"""Values against what is declared of them: their type, also of unknown sizes, and properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.interpreter.dynamic_types import said_by, show_value, type_mismatch
from relayish.interpreter.value import (
    Evaluated,
    count_elements,
    normalise,
    same_value,
)
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import SizeVar, TensorType, TupleType, Type
from relayish.op.declaration import properties
from relayish.op.declaration.properties import OpPattern
from relayish.op.types.dimension import show_type
from relayish.op.types.result_size import bound_result
from relayish.testing.op_checks.report import Fault, Skipped
from relayish.testing.op_checks.samples import typed_call
from relayish.testing.op_checks.trial import Trial, is_close

MEND = "mend the one that is wrong"


def check_value(trial: Trial) -> Iterator[Fault]:
    """Evaluate the call; yield a fault if the value is not of the type that the rule tells."""
    function = trial.declares(properties.evaluate)
    inputs = [_writable(value) for value in trial.sample.values]
    rule = f"its {said_by(trial.op)} says {show_type(trial.ty)}"
    try:
        with np.errstate(all="ignore"):
            given = function(trial.attrs, *inputs)
        trial.changed = [
            place
            for place, (now, before) in enumerate(zip(inputs, trial.sample.values, strict=True))
            if not same_value(normalise(now), before)
        ]
        found = normalise(given)
    except Exception as error:  # noqa: BLE001 - whatever an evaluation raises contradicts its rule
        told = f"evaluate raised {type(error).__name__}: {error}"
        refuses = isinstance(error, EvaluationError)  # values, of which the rule knows nothing
        others = "give arguments that have a value, or let evaluate take these"
        advice = others if refuses else "let the rule refuse such arguments, or evaluate take them"
        yield trial.fault("value", rule, told, advice)
        return
    mismatch = type_mismatch(found, trial.ty)
    if mismatch is None:
        trial.value = found
        return
    mismatch = type_mismatch(given, trial.ty) or mismatch  # a list is said to be one
    yield trial.fault("value", rule, f"evaluate returned {mismatch.found}", MEND)


def check_arguments(trial: Trial) -> Iterator[Fault]:
    """Yield a fault for each argument that evaluation has written to."""
    trial.declares(properties.evaluate)
    names = [str(getattr(arg, "name_hint", "")) for arg in trial.call.args]
    for place in trial.changed:
        yield trial.fault(
            "arguments",
            "evaluate must leave its arguments as they are",
            f"it wrote to {names[place]}",
            f"compute on a copy: {names[place]} = {names[place]}.copy()",
        )


def check_repeated(trial: Trial) -> Iterator[Fault]:
    """Yield a fault if the value is another the second time."""
    value = trial.needs_value()
    if _changes(trial):
        raise Skipped("it is declared stateful or random")
    again = trial.evaluate()
    if not same_value(value, again):
        yield trial.fault(
            "deterministic",
            "it is declared neither stateful nor random",
            "evaluate returned another value the second time",
            "declare stateful=True, or take what decides as an argument, such as a key",
        )


def _changes(trial: Trial) -> bool:
    """Return whether values may be others the next time."""
    return trial.op in properties.stateful or trial.op in properties.random


def check_unknown_sizes(trial: Trial) -> Iterator[Fault]:
    """Yield faults where the rule says more of unknown sizes, or of named ones, than is known."""
    value = trial.needs_value()
    rule = said_by(trial.op)
    for types, known in _loosened([_type_of(arg) for arg in trial.call.args]):
        shown = f"({', '.join(map(show_type, types))})"
        try:
            ty = typed_call(trial.op, trial.call.attrs, types).checked_type
        except TypeInferenceError:
            continue  # it asks for sizes, and says so
        except Exception as error:  # noqa: BLE001 - rules may raise anything
            if isinstance(error, RelayishError):
                continue
            yield trial.fault(
                "unknown sizes",
                f"its {rule} is asked of arguments {shown}",
                f"it raised {type(error).__name__}: {error}",
                "raise TypeInferenceError where a size has to be a number, or answer Any()",
            )
            return
        assert ty is not None
        mismatch = type_mismatch(value, ty, known)
        if mismatch is not None:
            where = "".join([f", where {var.name} is {size}" for var, size in known.items()])
            yield trial.fault(
                "unknown sizes",
                f"its {rule} says {show_type(ty)} of arguments {shown}",
                f"the value can be {mismatch.found}{where}",
                "let it answer Any() for a size that it does not know",
            )
            return


def _loosened(
    types: Sequence[Type],
) -> Iterator[tuple[list[Type], Mapping[SizeVar, int]]]:
    """Yield types with unknown sizes, in all and in one of the arguments, and with named ones."""
    if not types:
        return
    yield [_with_sizes(ty, lambda _: AnyDim()) for ty in types], {}
    for place in range(len(types)):
        yield (
            [
                _with_sizes(ty, lambda _: AnyDim()) if i == place else ty
                for i, ty in enumerate(types)
            ],
            {},
        )
    named: dict[int, SizeVar] = {}

    def name(size: Any) -> Any:  # Any: a dimension
        return named.setdefault(size, SizeVar(f"n{size}")) if size > 1 else size

    made = [_with_sizes(ty, name) for ty in types]
    yield made, {var: size for size, var in named.items()}


def _with_sizes(ty: Type, change: Any) -> Type:  # Any: a function of a dimension
    if isinstance(ty, TupleType):
        return TupleType(tuple([_with_sizes(field, change) for field in ty.fields]))
    if not isinstance(ty, TensorType):
        return ty
    return TensorType(tuple([change(size) for size in ty.shape]), ty.dtype)


def check_commutative(trial: Trial) -> Iterator[Fault]:
    """Yield a fault if two arguments may not be swapped that are declared to be."""
    trial.declares(properties.commutative)
    value = trial.needs_value()
    declared = "commutative=True"
    advice = "leave commutative=True out"
    try:
        swapped = trial.evaluate(trial.sample.values[::-1])
    except Exception as error:  # noqa: BLE001 - whatever an evaluation raises
        told = f"evaluate raised {type(error).__name__} on swapped arguments: {error}"
        yield trial.fault("commutative", declared, told, advice)
        return
    if not same_value(value, swapped):
        yield trial.fault(
            "commutative", declared, "the value of swapped arguments is another", advice
        )


def check_pattern(trial: Trial) -> Iterator[Fault]:
    """Yield a fault if what fuses element by element is not computed element by element."""
    pattern = trial.declares(properties.pattern)
    value, op = trial.needs_value(), trial.op
    inputs = trial.sample.values
    if pattern > OpPattern.BROADCAST or op in properties.shape_from_values or not inputs:
        raise Skipped("it does not fuse element by element")
    if any(isinstance(each, tuple) for each in (*inputs, value)):
        raise Skipped("tuples have no elements")
    declared = f"pattern={OpPattern(pattern).name}"
    advice = "declare OpPattern.INJECTIVE, or OPAQUE by leaving the pattern out"
    shapes = [each.shape for each in inputs]
    is_alike = pattern is OpPattern.ELEMWISE and shapes[0] != () and len(set(shapes)) == 1
    if is_alike and value.shape != shapes[0]:
        told = f"arguments of shape {shapes[0]} give a result of shape {value.shape}"
        yield trial.fault("pattern", declared, told, advice)
        return
    if _changes(trial):
        return
    mask = np.arange(value.size).reshape(value.shape) % 2 == 0
    other = trial.evaluate([_exchanged(each, mask) for each in inputs])
    if not is_close(other[~mask], value[~mask]):
        told = "elements of the result depend on others than those at their place"
        yield trial.fault("pattern", declared, told, advice)


def check_properties(trial: Trial) -> Iterator[Fault]:
    """Yield faults of what else is declared of results: how many, how large, made of what."""
    value = trial.needs_value()
    op, values = trial.op, trial.sample.values
    count = properties.outputs.get(op)
    if count is not None:
        said = count(trial.attrs, trial.call.args)
        found = len(value) if isinstance(value, tuple) else None
        if said != found:
            told = f"evaluate returned {show_value(value)}"
            yield trial.fault("outputs", f"outputs={said}", told, MEND)
    if op in properties.result_size:
        bound, size = bound_result(op, trial.attrs, *values), count_elements(value)
        if bound < size:
            yield trial.fault("result_size", f"result_size says {bound} elements at most",
                              f"there are {size}", "let it say more rather than less")  # fmt: skip
    if op in properties.mark and not same_value(value, values[0]):
        yield trial.fault("mark", "mark=True", "the result is not the argument itself",
                          "leave mark=True out")  # fmt: skip
    if op in properties.view and not is_close(np.ravel(value), np.ravel(values[0])):
        yield trial.fault("view", "view=True", "the result has other elements than its argument",
                          "leave view=True out")  # fmt: skip
    shape_only = properties.shape_only.get(op)
    if shape_only is not None and not np.array_equal(shape_only(values[0].shape), value):
        told = f"evaluate returned {show_value(value)} with other elements"
        yield trial.fault("shape_only", "shape_only tells the value", told, MEND)


def _type_of(arg: Any) -> Type:  # Any: an argument with a type
    ty: Type = arg.checked_type
    return ty


def _writable(value: Evaluated) -> Evaluated:
    if isinstance(value, tuple):
        return tuple([_writable(item) for item in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def _exchanged(value: Evaluated, mask: Any) -> Evaluated:  # Any: an array of booleans
    """Return an array with others of its elements where a mask of its shape is true."""
    if value.shape != mask.shape or not value.ndim:
        return value
    return normalise(np.where(mask, np.flip(value), value).astype(value.dtype))
