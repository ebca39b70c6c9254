"""The value of a call of an operator of ONNX: its kernel on arrays.

Where an operator has no kernel, its schema may define it by a function of others, and ``onnx``
has a slow implementation of most; see :mod:`relayish.onnx.fallback`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.string_array import as_strings
from relayish.ir.values.value import Opaque
from relayish.onnx import info
from relayish.onnx.calls import OWN, count_captures, count_outputs, graph_names
from relayish.onnx.element_types import element_type_number, find_numpy_dtype
from relayish.onnx.fallback import call_kernel, find_fallback
from relayish.onnx.identity import Identity
from relayish.onnx.kernels import find_kernel
from relayish.onnx.kernels.control_flow import OutputType
from relayish.onnx.kernels.registry import Kernel


def make_evaluate(identity: Identity, schema: Any | None) -> Callable[..., Any]:
    """Return what computes a call from its attributes and the values of its arguments.

    Args:
        identity: Which operator it is.
        schema: Its schema, if there is one. Any: schemas are not typed.

    Returns:
        ``evaluate(attrs, *values)``; a missing input is ``()``, a graph something that is called
        with values. Any: values of ONNX, which only kernels look into. The kernel is looked up
        with each call, since it may be registered for a while only.
    """
    fallback: Kernel | None = None

    def evaluate(attrs: Attrs | None, *values: Any) -> Any:
        nonlocal fallback
        kernel = find_kernel(*identity) or fallback
        if kernel is None:
            kernel = fallback = find_fallback(identity, schema)
        return run_kernel(kernel, attrs, values)

    return evaluate


def run_kernel(kernel: Kernel, attrs: Attrs | None, values: tuple[Any, ...]) -> Any:
    """Return what a kernel gives for the arguments of a call.

    Any: values of ONNX, which only kernels look into.
    """
    keywords = {} if attrs is None else {n: v for n, v in attrs.items() if n not in OWN}
    names, captured = graph_names(attrs), count_captures(attrs)
    if names:
        first = len(values) - len(names) - captured
        captures = values[first + len(names) :]
        for name, graph in zip(names, values[first : first + len(names)], strict=True):
            keywords[name] = _bind(graph, captures)
        values = values[:first]
    wanted = count_outputs(attrs)
    found = call_kernel(kernel, [as_host(each) for each in values], keywords, wanted)
    if wanted == 1:
        return as_evaluated(found[0] if isinstance(found, tuple) else found)
    results = found if isinstance(found, tuple) else (found,)
    return tuple([as_evaluated(each) for each in results[:wanted]])


def as_host(value: Any) -> Any:
    """Return a value of a program as kernels take it: an array, a list, a map, ``None``.

    Any: values of ONNX, of any of these classes.
    """
    if isinstance(value, Opaque):
        return value.value
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        return value.astype(object)
    return None if isinstance(value, tuple) and not value else value


def as_evaluated(value: Any) -> Any:
    """Return what a kernel takes or gives as a value of a program.

    Any: as of :func:`as_host`, which undoes it.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "OUS":
            return value
        texts = as_strings(value)
        return Opaque(value.astype(object)) if texts is None else texts
    if value is None:
        return ()
    return Opaque(value) if isinstance(value, (list, dict)) else value


def _bind(graph: Callable[..., Any], captures: tuple[Any, ...]) -> Callable[..., tuple[Any, ...]]:
    """Return a graph as kernels call it: with arrays, for a tuple of arrays."""

    def call(*inputs: Any) -> tuple[Any, ...]:  # Any: as of as_host
        found = graph(*[as_evaluated(each) for each in inputs], *captures)
        if isinstance(found, tuple) and found:
            return tuple([as_host(each) for each in found])
        return (as_host(found),)

    vars(call)["output_types"] = _output_types(graph)
    return call


def _output_types(graph: Any) -> tuple[OutputType, ...]:  # Any: a closure, or what stands for one
    """Return what a graph says of the types of its outputs, as loops that do not run ask for it."""
    attrs = getattr(getattr(graph, "function", None), "attrs", None)
    told = () if attrs is None else attrs.get(info.OUTPUT_TYPES, ())
    return tuple([_output_type(each) for each in told])


def _output_type(ty: Type) -> OutputType:
    """Return element type and sizes; what is no tensor, or is not known, is told as nothing is."""
    if not isinstance(ty, TensorType):
        return np.dtype(np.float32), None
    sizes = tuple([size if isinstance(size, int) else None for size in ty.shape])
    return find_numpy_dtype(element_type_number(ty.dtype)), sizes
