"""Facts of the results of one call of an operator without graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.calls import constant_of
from relayish.onnx.element_types import ELEMENT_TYPES, find_element_type
from relayish.onnx.identity import Identity
from relayish.onnx.inference import infer_results
from relayish.onnx.node_inference import FROM_FLOATS
from relayish.onnx.propagation.elements import apply_to_elements
from relayish.onnx.propagation.fact import (
    LARGEST_EVALUATED,
    MISSING,
    Array,
    Fact,
    Partial,
    count_elements,
    fact_of_array,
    fact_of_elements,
)
from relayish.onnx.propagation.moves import FAILURES, move_elements
from relayish.onnx.propagation.shapes import refine_shapes
from relayish.onnx.propagation.sizes import Sizes
from relayish.op.declaration.properties import evaluate, random, stateful

_KEPT: Final = 1 << 14
"""For how many calls that are not alike results are kept; then all are forgotten."""
_BOUNDED: Final = frozenset({"NonZero", "Compress", "Unique"})
"""Operators whose results are as small as their inputs, whatever the values are."""
_UNSURE: Final = frozenset({"Dropout", "Constant"})
"""Operators that may draw numbers, or whose values are looked at elsewhere."""


def infer_call(
    identity: Identity, op: Op, sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact]
) -> Sequence[Fact]:
    """Return what is known of the results of a call.

    Args:
        identity: Which operator it is.
        op: The operator.
        sizes: Makes expressions of dimensions.
        attrs: The attributes of the call, references resolved.
        inputs: What is known of the inputs.

    Raises:
        TypeInferenceError: If the inputs contradict each other, or the operator.

    Complexity:
        That of one look, but for the first of calls that are alike.
    """
    if not inputs and identity.name == "Constant" and not identity.domain:
        value = constant_of(attrs)
        if value is not None:
            return [fact_of_array(value)]
    exactly = identity.name in FROM_FLOATS or all(map(_is_given, inputs))
    key = (op, attrs, *[fact.alike(exactly=exactly) for fact in inputs])
    known = sizes.alike.get(key)
    if known is None:
        known = _infer(identity, op, sizes, attrs, inputs)
        if len(sizes.alike) >= _KEPT:
            sizes.alike.clear()
        sizes.alike[key] = known
    return known


def _is_given(fact: Fact) -> bool:
    """Return whether all is known of an input that there is to know."""
    return fact.value is not None or fact is MISSING


def _infer(
    identity: Identity, op: Op, sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact]
) -> list[Fact]:
    types = [None if fact is MISSING else fact.type for fact in inputs]
    found = infer_results(op, attrs, types, [fact.value for fact in inputs])
    if identity.domain:
        return [Fact(ty) for ty in found]
    name = identity.name
    found = refine_shapes(name, sizes, attrs, inputs, found)
    values = _evaluate(name, op, attrs, inputs, found)
    if values is not None:
        return [_fact(ty, value) for ty, value in zip(found, values, strict=True)]
    if not any(_has_integers(ty) for ty in found):
        return [Fact(ty) for ty in found]
    elements = apply_to_elements(name, sizes, attrs, inputs)
    parts: Sequence[Partial | None] = [elements]
    if elements is None:
        parts = move_elements(name, op, attrs, inputs) or [None]
    return [
        fact_of_elements(ty, parts[index] if index < len(parts) else None)
        for index, ty in enumerate(found)
    ]


def _has_integers(ty: Type) -> bool:
    return getattr(ty, "dtype", "") in {"int64", "int32", "bool"}


def _fact(ty: Type, value: Array) -> Fact:
    dtype = ELEMENT_TYPES[find_element_type(value.dtype)]
    told = getattr(ty, "dtype", dtype)
    if told != dtype:
        return Fact(ty)
    value.flags.writeable = False
    return Fact(TensorType(value.shape, dtype), value)


def _evaluate(
    name: str, op: Op, attrs: Attrs | None, inputs: Sequence[Fact], found: Sequence[Type]
) -> list[Array] | None:
    """Return the results of a call all of whose inputs are known, and small."""
    if not inputs or name in _UNSURE or stateful.get(op) or random.get(op):
        return None
    values: list[Any] = []  # Any: arrays, or () for what is missing
    for fact in inputs:
        if fact is MISSING:
            values.append(())
        elif fact.value is None or fact.value.size > LARGEST_EVALUATED:
            return None
        else:
            values.append(fact.value)
    if name not in _BOUNDED and not all(_is_small(ty) for ty in found):
        return None
    run = evaluate.get(op)
    if run is None:
        return None
    try:
        with np.errstate(all="ignore"):
            result = run(attrs, *values)
    except FAILURES:
        return None
    results = result if isinstance(result, tuple) else (result,)
    arrays = [np.asarray(each) for each in results if isinstance(each, (np.ndarray, np.generic))]
    return arrays if len(arrays) == len(results) == len(found) else None


def _is_small(ty: Type) -> bool:
    if not isinstance(ty, TensorType):
        return False
    shape = [size for size in ty.shape if isinstance(size, int)]
    return len(shape) == len(ty.shape) and count_elements(shape) <= LARGEST_EVALUATED
