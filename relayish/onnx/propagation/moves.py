"""Operators that move elements about, on tensors of which some elements are known.

What moves is numbered, the operator's kernel is run on the numbers, and each number in the result
stands for the element it was given to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import RelayishError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import TensorType
from relayish.onnx.propagation.fact import (
    LARGEST_PARTIAL,
    MISSING,
    Array,
    Element,
    Fact,
    Partial,
    count_elements,
)
from relayish.op.declaration.properties import evaluate

_MOVED: Final[dict[str, tuple[int, ...]]] = {
    "Compress": (0,),
    "Concat": (),
    "Expand": (0,),
    "Flatten": (0,),
    "Gather": (0,),
    "GatherElements": (0,),
    "GatherND": (0,),
    "Reshape": (0,),
    "ReverseSequence": (0,),
    "ScatterElements": (0, 2),
    "ScatterND": (0, 2),
    "Slice": (0,),
    "Split": (0,),
    "Squeeze": (0,),
    "Tile": (0,),
    "Transpose": (0,),
    "Unsqueeze": (0,),
}
"""By operator: the inputs whose elements move; none stands for all. The others say where to."""

FAILURES: Final = (
    RelayishError,
    ValueError,
    IndexError,
    ArithmeticError,
    TypeError,
    MemoryError,
)
"""What kernels raise for inputs that do not fit: then nothing is known of the result."""


def move_elements(
    name: str, op: Op, attrs: Attrs | None, inputs: Sequence[Fact]
) -> list[Partial] | None:
    """Return the elements of the results of an operator that moves elements.

    Returns:
        ``None`` if it is none, or does not know where to, or too little is known.
    """
    moved = _MOVED.get(name)
    if moved is None or (_adds(attrs) and name.startswith("Scatter")):
        return None
    places = moved or range(len(inputs))
    numbered: list[Element] = [None]
    values: list[Any] = []  # Any: arrays, or () for what is missing
    for index, fact in enumerate(inputs):
        if fact is MISSING:
            values.append(())
        elif index not in places:
            if fact.value is None:
                return None
            values.append(fact.value)
        else:
            numbers = _number(fact, numbered)
            if numbers is None:
                return None
            values.append(numbers)
    if len(numbered) == 1 or all(each is None for each in numbered):
        return None
    run = evaluate.get(op)
    if run is None:
        return None
    try:
        found = run(attrs, *values)
    except FAILURES:
        return None
    results = found if isinstance(found, tuple) else (found,)
    if not all(isinstance(each, np.ndarray) and each.size <= LARGEST_PARTIAL for each in results):
        return None
    return [
        Partial(each.shape, tuple([numbered[i] for i in each.reshape(-1).tolist()]))
        for each in results
    ]


def _adds(attrs: Attrs | None) -> bool:
    return attrs is not None and attrs.get("reduction", "none") != "none"


def _number(fact: Fact, numbered: list[Element]) -> Array | None:
    """Return the numbers of the elements of a tensor; 0 stands for what is not known."""
    part, ty = fact.partial, fact.type
    if part is None:
        if not isinstance(ty, TensorType):
            return None
        shape = tuple([size for size in ty.shape if isinstance(size, int)])
        if len(shape) < len(ty.shape) or count_elements(shape) > LARGEST_PARTIAL:
            return None
        return np.zeros(shape, np.int64)
    first = len(numbered)
    numbered.extend(part.elements)
    return np.arange(first, len(numbered), dtype=np.int64).reshape(part.shape)
