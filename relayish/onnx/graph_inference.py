"""Types of nodes with graphs: what goes into the graphs, and what the node makes of their results.

The types of a graph are found elsewhere, by whoever walks programs. A graph that runs repeatedly is
given types that are true of every iteration: those of the first, joined with those of the values it
hands on to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from numpy.typing import NDArray

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.type import PrimExpr, TensorType, Type, scalar_type
from relayish.onnx.contradictions import show
from relayish.onnx.identity import Identity
from relayish.onnx.joins import join, with_axis, without_axis
from relayish.onnx.types import SequenceType, UnknownType, UnrankedTensorType
from relayish.op.types.dimension import ANY

Types: TypeAlias = tuple[Type, ...]
Given: TypeAlias = Sequence[Type | None]
Values: TypeAlias = Sequence[NDArray[Any] | None]  # Any: of whatever element type
Graphs: TypeAlias = Mapping[str, Sequence[Type]]

_UNKNOWN: Final = UnknownType()
_BOOL: Final = scalar_type("bool")
_INT64: Final = scalar_type("int64")


class GraphOperator(NamedTuple):
    """What an operator does with its graphs.

    Attributes:
        inputs: ``inputs(attrs, types)``: the types of what it gives a graph at first, captured
            values aside.
        results: ``results(attrs, types, values, graphs)``: those of what it makes of the results.
        carried: ``carried(attrs, count)``, where it has so many inputs: which of the inputs of the
            graph is the first, and how many there are, that results of the graph, from the first
            on, take the place of in the next iteration.
    """

    inputs: Callable[[Attrs | None, Given], Types]
    results: Callable[[Attrs | None, Given, Values, Graphs], Types]
    carried: Callable[[Attrs | None, int], tuple[int, int]]


def find_graph_operator(identity: Identity) -> GraphOperator | None:
    """Return what an operator does with its graphs, ``None`` where nothing is known of it."""
    if identity.domain:
        return None
    if identity.name == "Scan" and identity.since_version < _SCAN_WITHOUT_BATCHES:
        return _BATCHED_SCAN
    return _OPERATORS.get(identity.name)


_SCAN_WITHOUT_BATCHES: Final = 9


# If


def _inputs_of_branch(_attrs: Attrs | None, _types: Given) -> Types:
    return ()


def _results_of_if(_attrs: Attrs | None, _types: Given, values: Values, graphs: Graphs) -> Types:
    then, other = graphs["then_branch"], graphs["else_branch"]
    if len(then) != len(other):
        raise TypeInferenceError(
            f"then_branch has {len(then)} results, else_branch {len(other)}; expected as many"
        )
    condition = values[0] if values else None
    taken = None
    if condition is not None and condition.size == 1:
        taken = then if bool(condition.reshape(())) else other
    results = [
        _joined(a, b, "then_branch", "else_branch") for a, b in zip(then, other, strict=True)
    ]
    return tuple(results if taken is None else taken)


def _joined(one: Type, other: Type, here: str, there: str) -> Type:
    try:
        return join(one, other)
    except TypeInferenceError:
        raise TypeInferenceError(
            f"{here} gives {show(one)}, {there} {show(other)}; expected values of one type"
        ) from None


# Loop


def _inputs_of_loop(_attrs: Attrs | None, types: Given) -> Types:
    condition = types[1] if len(types) > 1 else None
    return (_INT64, condition or _BOOL, *[ty or _UNKNOWN for ty in types[2:]])


def _results_of_loop(_attrs: Attrs | None, types: Given, values: Values, graphs: Graphs) -> Types:
    body = graphs["body"]
    first = types[2:]
    if len(body) < len(first) + 1:
        raise TypeInferenceError(
            f"the body gives {len(body)} results; expected the condition and {len(first)} values "
            f"for the next iteration"
        )
    carried = _carried(first, body[1 : len(first) + 1])
    none = values[0] is not None and not values[0].size if values else False
    count = values[0] if values else None
    trips: int | PrimExpr = ANY
    if count is not None and count.size == 1 and int(count.reshape(())) <= 0:
        none, trips = True, 0
    if none:
        carried = [ty or _UNKNOWN for ty in first]
    return (*carried, *[with_axis(_tensor(ty), 0, trips) for ty in body[len(first) + 1 :]])


def _carried(first: Given, later: Sequence[Type]) -> list[Type]:
    return [
        _joined(a or _UNKNOWN, b, "the value at first", "the body")
        for a, b in zip(first, later, strict=True)
    ]


def _tensor(ty: Type) -> Type:
    """Return the type of results that are stacked: tensors alone can be."""
    if isinstance(ty, (TensorType, UnrankedTensorType, UnknownType)):
        return ty
    raise TypeInferenceError(f"the body gives {show(ty)} in every iteration; expected a tensor")


# Scan


def _scanned(attrs: Attrs | None) -> int:
    found = 0 if attrs is None else attrs.get("num_scan_inputs", 0)
    assert isinstance(found, int)
    return found


def _axes(attrs: Attrs | None, name: str, count: int) -> tuple[int, ...]:
    found: Any = None if attrs is None else attrs.get(name)  # Any: attributes are of any class
    axes = (0,) * count if found is None else tuple(found)
    if len(axes) != count:
        raise TypeInferenceError(f"{name} has {len(axes)} axes; expected {count}")
    return axes


def _inputs_of_scan(attrs: Attrs | None, types: Given) -> Types:
    states = len(types) - _scanned(attrs)
    if states < 0:
        raise TypeInferenceError(
            f"{len(types)} inputs, of which {_scanned(attrs)} are scanned; expected more"
        )
    axes = _axes(attrs, "scan_input_axes", _scanned(attrs))
    scanned = [
        without_axis(ty or _UNKNOWN, axis) for ty, axis in zip(types[states:], axes, strict=True)
    ]
    return (*[ty or _UNKNOWN for ty in types[:states]], *scanned)


def _results_of_scan(attrs: Attrs | None, types: Given, _values: Values, graphs: Graphs) -> Types:
    body = graphs["body"]
    states = len(types) - _scanned(attrs)
    if len(body) < states:
        raise TypeInferenceError(f"the body gives {len(body)} results; expected {states} or more")
    axes = _axes(attrs, "scan_input_axes", _scanned(attrs))
    length = _length([(ty, axis) for ty, axis in zip(types[states:], axes, strict=True)])
    given = body[states:]
    out = _axes(attrs, "scan_output_axes", len(given))
    stacked = [with_axis(_tensor(ty), axis, length) for ty, axis in zip(given, out, strict=True)]
    return (*_carried(types[:states], body[:states]), *stacked)


def _length(scanned: Sequence[tuple[Type | None, int]]) -> int | PrimExpr:
    """Return how many slices there are of values along axes."""
    found: int | PrimExpr = ANY
    for ty, axis in scanned:
        if not isinstance(ty, TensorType) or not -len(ty.shape) <= axis < len(ty.shape):
            continue
        size = ty.shape[axis]
        if isinstance(size, int) and isinstance(found, int) and size != found:
            raise TypeInferenceError(
                f"{found} slices are scanned along with {size}; expected as many of each input"
            )
        if found is ANY or isinstance(size, int):
            found = size
    return found


def _inputs_of_batched_scan(attrs: Attrs | None, types: Given) -> Types:
    given = [ty or _UNKNOWN for ty in types[1:]]
    states = len(given) - _scanned(attrs)
    slices = [without_axis(without_axis(ty, 0), 0) for ty in given[states:]]
    return (*[without_axis(ty, 0) for ty in given[:states]], *slices)


def _results_of_batched_scan(
    attrs: Attrs | None, types: Given, _values: Values, graphs: Graphs
) -> Types:
    body = graphs["body"]
    given = types[1:]
    states = len(given) - _scanned(attrs)
    if len(body) < states:
        raise TypeInferenceError(f"the body gives {len(body)} results; expected {states} or more")
    batch = _length([(ty, 0) for ty in given])
    length = _length([(ty, 1) for ty in given[states:]])
    first = [without_axis(ty or _UNKNOWN, 0) for ty in given[:states]]
    carried = [with_axis(ty, 0, batch) for ty in _carried(first, body[:states])]
    stacked = [with_axis(with_axis(_tensor(ty), 0, length), 0, batch) for ty in body[states:]]
    return (*carried, *stacked)


# SequenceMap


def _inputs_of_map(_attrs: Attrs | None, types: Given) -> Types:
    return tuple([ty.element if isinstance(ty, SequenceType) else ty or _UNKNOWN for ty in types])


def _results_of_map(_attrs: Attrs | None, _types: Given, _values: Values, graphs: Graphs) -> Types:
    return tuple([SequenceType(ty) for ty in graphs["body"]])


def _carries_nothing(_attrs: Attrs | None, _count: int) -> tuple[int, int]:
    return 0, 0


_OPERATORS: Final = {
    "If": GraphOperator(_inputs_of_branch, _results_of_if, _carries_nothing),
    "Loop": GraphOperator(
        _inputs_of_loop, _results_of_loop, lambda _attrs, count: (1, max(count, 2) - 1)
    ),
    "Scan": GraphOperator(
        _inputs_of_scan, _results_of_scan, lambda attrs, count: (0, count - _scanned(attrs))
    ),
    "SequenceMap": GraphOperator(_inputs_of_map, _results_of_map, _carries_nothing),
}
_BATCHED_SCAN: Final = GraphOperator(
    _inputs_of_batched_scan,
    _results_of_batched_scan,
    lambda attrs, count: (0, count - 1 - _scanned(attrs)),
)
