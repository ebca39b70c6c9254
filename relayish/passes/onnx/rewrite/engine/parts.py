"""Parts of calls and functions that the rewriter puts together anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relayish.onnx import info
from relayish.onnx.calls import captures_of, with_parts
from relayish.onnx.operator_sets import find_schema, identify
from relayish.rewriting.relay.chain import Chain


def drop_unused_captures(call: Call, graphs: Sequence[Function]) -> Call:
    """Return a call with other graphs, without the captured values that none of these uses."""
    captures = captures_of(call)
    count = len(captures)
    uses = [Chain(graph.body).users for graph in graphs]
    kept = [
        place
        for place in range(count)
        if any(
            used.get(graph.params[len(graph.params) - count + place])
            for graph, used in zip(graphs, uses, strict=True)
        )
    ]
    if len(kept) < count:
        graphs = [
            graph.with_fields(
                params=(
                    *graph.params[: len(graph.params) - count],
                    *[graph.params[len(graph.params) - count + place] for place in kept],
                )
            )
            for graph in graphs
        ]
    return with_parts(call, graphs=graphs, captures=[captures[place] for place in kept])


def replace_variables(value: Expr, images: Mapping[Expr, Expr]) -> Expr:
    """Return a flat value with other operands."""
    get = images.get
    if type(value) is Var:
        return get(value, value)
    if type(value) is Call:
        return value.with_fields(args=tuple([get(arg, arg) for arg in value.args]))
    if type(value) is Tuple:
        return value.with_fields(fields=tuple([get(each, each) for each in value.fields]))
    if type(value) is TupleGetItem:
        return value.with_fields(tuple_value=get(value.tuple_value, value.tuple_value))
    return value


def has_schema(operator: str, opset: int) -> bool:
    """Return whether version ``opset`` of ONNX's own operator set has an operator."""
    return find_schema(identify(operator, opset)) is not None


def opsets_of(func: Function, attrs: DictAttrs | None) -> Mapping[str, int]:
    """Return the version of each operator set for a function of a module with ``attrs``."""
    for held in (func.attrs, attrs):
        found = None if held is None else held.get(info.OPSETS)
        if isinstance(found, DictAttrs):
            return {
                domain: version for domain, version in found.items() if isinstance(version, int)
            }
    return {}
