"""The value of a call of an operator of ONNX: its kernel on arrays.

Where an operator has no kernel, its schema may define it by a function of others, and ``onnx``
has a slow implementation of most; see :mod:`relayish.onnx.fallback`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relayish.ir.attrs import Attrs
from relayish.onnx.calls import OWN, count_captures, count_outputs, graph_names
from relayish.onnx.fallback import find_fallback
from relayish.onnx.identity import Identity
from relayish.onnx.kernels import find_kernel
from relayish.onnx.kernels.registry import Kernel


def make_evaluate(identity: Identity, schema: Any | None) -> Callable[..., Any]:
    """Return what computes a call from its attributes and the values of its arguments.

    Args:
        identity: Which operator it is.
        schema: Its schema, if there is one.

    Returns:
        ``evaluate(attrs, *values)``; a missing input is ``()``, a graph something that is called
        with values. The kernel is looked up when the first call is evaluated.
    """
    kernel: Kernel | None = None

    def evaluate(attrs: Attrs | None, *values: Any) -> Any:  # Any: values, which kernels take
        nonlocal kernel
        if kernel is None:
            kernel = find_kernel(*identity) or find_fallback(identity, schema)
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
    inputs = [None if isinstance(each, tuple) and not each else each for each in values]
    wanted = count_outputs(attrs)
    if "num_outputs" in (kernel.__kwdefaults__ or {}) and "num_outputs" not in keywords:
        keywords["num_outputs"] = wanted
    found = kernel(*inputs, **keywords)
    if wanted == 1:
        return found[0] if isinstance(found, tuple) else found
    if not isinstance(found, tuple):
        found = (found,)
    return found[:wanted]


def _bind(graph: Callable[..., Any], captures: tuple[Any, ...]) -> Callable[..., tuple[Any, ...]]:
    def call(*inputs: Any) -> tuple[Any, ...]:  # Any: as above
        found = graph(*[np.asarray(each) for each in inputs], *captures)
        return found if isinstance(found, tuple) else (found,)

    return call
