"""Calls of ONNX operators: what the arguments of a call stand for.

The arguments are the inputs of the node, then a function for each of its graphs, then what these
graphs capture. A graph is a closed function: its parameters are the inputs of the graph, then the
captured values, all of them, in the order in which the call passes them. An optional input that is
missing is ``()``, the empty tuple.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Expr, Function, Op, Tuple
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.op_names import identity_of

OUTPUTS: Final = "_outputs"
"""The attribute with the number of results, where it is not one."""
GRAPHS: Final = "_graphs"
"""The attribute with the names of the graphs, in the order of the functions."""
CAPTURES: Final = "_captures"
"""The attribute with the number of captured values, where it is not zero."""
OWN: Final = (OUTPUTS, GRAPHS, CAPTURES)
"""The attributes that ONNX does not have."""

ABSENT: Final = Tuple(())
"""What stands for an optional input that is missing."""

NO_ATTRS: Final = DictAttrs()


def is_absent(expr: Expr) -> bool:
    """Return whether ``expr`` stands for an input that is missing."""
    return type(expr) is Tuple and not expr.fields


def make_call(
    op: Op,
    inputs: Sequence[Expr | None],
    attributes: Mapping[str, object] | None = None,
    *,
    outputs: int = 1,
    graphs: Mapping[str, Function] | None = None,
    captures: Sequence[Expr] = (),
    span: Span | None = None,
) -> Call:
    """Return a call of an operator of ONNX.

    Args:
        op: The operator, as :func:`relayish.onnx.operators.find_operator` gives it.
        inputs: Its inputs; ``None`` for one that is missing.
        attributes: Its attributes, but for graphs.
        outputs: How many results it gives; where it is not 1, the call is a tuple of these.
        graphs: Its graphs, by the name of the attribute: closed functions whose last parameters
            are the captured values.
        captures: What the graphs capture, the same for each.
        span: Where it comes from; its source name is the name of the node.
    """
    attrs = _own_attrs(outputs, tuple(graphs or ()), len(captures))
    if attributes:
        attrs = DictAttrs({**attributes, **dict(attrs.items() if attrs else ())})
    args = [ABSENT if each is None else each for each in inputs]
    return Call(op, (*args, *(graphs or {}).values(), *captures), attrs, span=span)


@cache
def _own_attrs(outputs: int, graphs: tuple[str, ...], captures: int) -> DictAttrs | None:
    """Return the attributes that ONNX does not have; ``None`` without any, as calls in text are."""
    values: dict[str, object] = {}
    if outputs != 1:
        values[OUTPUTS] = outputs
    if graphs:
        values[GRAPHS] = graphs
    if captures:
        values[CAPTURES] = captures
    return DictAttrs(values) if values else None


def count_outputs(attrs: Attrs | None) -> int:
    """Return how many results a call with these attributes gives."""
    found = 1 if attrs is None else attrs.get(OUTPUTS, 1)
    assert isinstance(found, int)
    return found


def graph_names(attrs: Attrs | None) -> tuple[str, ...]:
    """Return the names of the graphs that a call with these attributes has."""
    found = () if attrs is None else attrs.get(GRAPHS, ())
    assert isinstance(found, tuple)
    return found


def count_captures(attrs: Attrs | None) -> int:
    """Return how many values the graphs of a call with these attributes capture."""
    found = 0 if attrs is None else attrs.get(CAPTURES, 0)
    assert isinstance(found, int)
    return found


def inputs_of(call: Call) -> tuple[Expr, ...]:
    """Return the inputs of a call, those that are missing included as :data:`ABSENT`."""
    others = len(graph_names(call.attrs)) + count_captures(call.attrs)
    return call.args[: len(call.args) - others]


def find_graphs(attrs: Attrs | None, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Return those of the arguments of a call that are its graphs."""
    last = len(args) - count_captures(attrs)
    return args[last - len(graph_names(attrs)) : last]


def graphs_of(call: Call) -> dict[str, Expr]:
    """Return the graphs of a call by name."""
    names = graph_names(call.attrs)
    return dict(zip(names, find_graphs(call.attrs, call.args), strict=True)) if names else {}


def captures_of(call: Call) -> tuple[Expr, ...]:
    """Return what the graphs of a call capture."""
    return call.args[len(call.args) - count_captures(call.attrs) :]


def attributes_of(call: Call) -> dict[str, object]:
    """Return the attributes of a call by ONNX's names, without its graphs."""
    if call.attrs is None:
        return {}
    return {name: value for name, value in call.attrs.items() if name not in OWN}


def constant_of(attrs: Attrs | None) -> NDArray[Any] | None:  # Any: of whatever element type
    """Return the value of a node ``Constant``, ``None`` if it holds text or a sparse tensor."""
    if attrs is None:
        return None
    value: Any = attrs.get("value")  # Any: attributes are of any class
    if isinstance(value, np.ndarray):
        return value
    for kind, dtype in _CONSTANTS.items():
        told = attrs.get(kind)
        if isinstance(told, (int, float, tuple)):
            return np.asarray(told, dtype)
    return None


_CONSTANTS: Final = {
    "value_int": np.int64,
    "value_ints": np.int64,
    "value_float": np.float32,
    "value_floats": np.float32,
}


def with_parts(
    call: Call,
    *,
    inputs: Sequence[Expr] | None = None,
    graphs: Sequence[Expr] | None = None,
    captures: Sequence[Expr] | None = None,
) -> Call:
    """Return ``call`` with other inputs, graphs or captured values; itself if they are the same."""
    inputs = inputs_of(call) if inputs is None else inputs
    graphs = tuple(graphs_of(call).values()) if graphs is None else graphs
    captures = captures_of(call) if captures is None else captures
    attrs = call.attrs
    if len(captures) != count_captures(attrs):
        values = dict((attrs or NO_ATTRS).items())
        values.pop(CAPTURES, None)
        if captures:
            values[CAPTURES] = len(captures)
        attrs = DictAttrs(values) if values else None
    return call.with_fields(args=(*inputs, *graphs, *captures), attrs=attrs)


def calls_onnx(root: Expr) -> bool:
    """Return whether an expression holds a call of an operator of ONNX.

    Complexity:
        Linear in the distinct nodes up to the first such call; no recursion.
    """
    return any(identity_of(op) is not None for op in iterate_called_operators(root))


def iterate_called_operators(root: Node) -> Iterator[Op]:
    """Yield the operator of each distinct call in an expression, of whatever domain it is."""
    for each in EXPRESSIONS.post_order(root):
        if type(each) is Call and type(each.op) is Op:
            yield each.op
