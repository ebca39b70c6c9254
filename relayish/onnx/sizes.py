"""Sizes of results of ONNX operators, told from the values they are computed of."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import element_name
from relayish.onnx.identity import Identity
from relayish.onnx.inference import infer_results
from relayish.onnx.kernels import find_kernel
from relayish.onnx.types import UnknownType


def make_result_size(op: Op, identity: Identity) -> Callable[..., int]:
    """Return ``size(attrs, *values)``, how many elements the results of a call of ``op`` have.

    It raises a ``TypeInferenceError`` where the values do not tell, or contradict the operator, and
    where it has no kernel: nobody knows what else may be as large on the way to its results.
    """

    def find_size(attrs: Attrs | None, *values: Any) -> int:  # Any: values, missing ones are ()
        if find_kernel(*identity) is None:
            raise TypeInferenceError(
                f"{identity} has no kernel, so nothing tells what it takes to compute it; expected "
                f"one, by relayish.onnx.kernels.kernel"
            )
        arrays = [_as_array(value) for value in values]
        if identity.name in _CHOOSING and not identity.domain:
            return sum(array.size * (array.ndim + 1) for array in arrays if array is not None)
        types = [
            None
            if isinstance(value, tuple)
            else UnknownType()
            if array is None
            else TensorType(array.shape, element_name(array.dtype))
            for value, array in zip(values, arrays, strict=True)
        ]
        return sum(_count(op, each) for each in infer_results(op, attrs, types, arrays))

    return find_size


_CHOOSING: Final = frozenset({"Compress", "NonZero", "Unique"})
"""Operators that give some elements of a tensor, or where these are."""


def _as_array(value: Any) -> np.ndarray[Any, Any] | None:  # Any: as above
    return np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else None


def _count(op: Op, ty: object) -> int:
    if isinstance(ty, TensorType):
        sizes = [size for size in ty.shape if isinstance(size, int)]
        if len(sizes) == len(ty.shape):
            return prod(sizes)
    raise TypeInferenceError(
        f"the type {ty} of a result of {op.full_name} does not tell how large it is; expected a "
        f"tensor of known shape"
    )
