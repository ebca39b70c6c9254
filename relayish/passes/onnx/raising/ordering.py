"""Operators that order elements, and that find where they are in order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple, TupleGetItem
from relayish.op.builders.builder import op
from relayish.op.tensor.reduction import normalise_axes
from relayish.passes.onnx.raising.indexing import measured
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_K_AS_INPUT: Final = 10
_HAS_ORDER: Final = 11


@raises("topk", "dyn.topk")
def top_k(call: RelayCall) -> Expr:
    """The first elements in order, where they stand, or both; less than one are all."""
    if call.name == "dyn.topk":
        count = _counted(call)
    else:
        told = int(call.attrs.k)
        count = ints([told if told >= 1 else call.size(call.axis())])
    values, places = _ordered(call, count)
    return {"values": values, "indices": places}.get(call.attrs.ret_type, Tuple([values, places]))


@raises("sort", "argsort")
def sort(call: RelayCall) -> Expr:
    """All elements in order, or where they stand."""
    values, places = _ordered(call, ints([call.size(call.axis())]))
    return values if call.name == "sort" else places


def _counted(call: RelayCall) -> Expr:
    """Return how many elements are asked for, in a vector."""
    call.require(_K_AS_INPUT, "how many are asked for is an attribute")
    count = call.reshape(call.places(1), [1])
    every = call.reshape(measured(call, call.axis()), [1])
    return call.node("Where", call.node("Less", count, ints([1])), every, count)


def _ordered(call: RelayCall, count: Expr) -> tuple[Expr, Expr]:
    """Return so many first elements in order along the axis, and where they stand."""
    known = [int(each) for each in np.asarray(count.data)] if isinstance(count, Constant) else []
    if 0 in (*known, call.type(0).shape[call.axis()]):
        raise Unraised("it orders no elements, of which ONNX has no first ones")
    if call.attrs.is_ascend and call.opset < _HAS_ORDER:
        raise Unraised("that version has the largest elements alone")
    told: dict[str, Any] = {"axis": call.axis()}  # Any: numbers by name
    if call.opset >= _HAS_ORDER:
        told["largest"] = int(not call.attrs.is_ascend)
    if call.opset >= _K_AS_INPUT:
        found = call.node("TopK", call.args[0], count, outputs=2, **told)
    else:
        found = call.node("TopK", call.args[0], outputs=2, k=known[0], **told)
    dtype = call.attrs.dtype or "int32"
    return TupleGetItem(found, 0), call.cast_from(TupleGetItem(found, 1), "int64", dtype)


@raises("argmax", "argmin")
def arg_extremum(call: RelayCall) -> Expr:
    """Where the largest or the smallest element stands; several axes are made one."""
    axes = normalise_axes(call.attrs.axis, call.rank(), exclude=call.attrs.exclude)
    data, axis, several = call.args[0], axes[0] if axes else 0, len(axes) != 1
    if several:
        kept = [each for each in range(call.rank()) if each not in axes]
        sizes = call.sizes(0)
        turned = call.node("Transpose", data, perm=(*kept, *axes)) if call.rank() else data
        whole = int(np.prod([sizes[each] for each in axes]))
        data = call.reshape(turned, [*[sizes[each] for each in kept], whole])
        axis = len(kept)
    found: Expr = call.node(
        "ArgMax" if call.name == "argmax" else "ArgMin",
        data,
        axis=axis,
        keepdims=int(call.attrs.keepdims and not several),
        select_last_index=int(call.attrs.select_last_index) or None,
    )
    if several and call.attrs.keepdims:
        found = call.reshape(found, call.sizes())
    return call.cast_from(found, "int64", call.type().dtype)


@raises("searchsorted")
def search_sorted(call: RelayCall) -> Expr:
    """How many elements of a sorted line are less, or not greater: where a value belongs."""
    lines, values = call.args
    if call.type(0).dtype != call.type(1).dtype:
        raise Unraised("its values are of another element type than what they are sought in")
    behind = op.expand_dims(values, axis=call.rank(1))
    if call.rank() > 1:
        lines = op.expand_dims(lines, axis=call.rank() - 1)
    is_before = (op.less_equal if call.attrs.right else op.less)(lines, behind)
    dtype = call.type().dtype
    return call.write(op.sum(op.cast(is_before, dtype), axis=(-1,)))


@raises("unique")
def unique(call: RelayCall) -> Expr:
    """Elements that differ, in as many places as there may be, which zeros fill up."""
    found = call.node("Unique", call.args[0], outputs=4, sorted=int(bool(call.attrs.sorted)))
    values, first, which, counts = [TupleGetItem(found, field) for field in range(4)]
    whole, dtype = call.sizes(0), call.type(0).dtype
    count = call.node("Shape", values)
    lacking = call.node("Concat", ints([0]), call.node("Sub", ints(whole), count), axis=0)

    def filled(part: Expr, fill: int, given: str) -> Expr:
        padded = call.node("Pad", part, lacking, number(fill, given))
        return call.reshape(padded, whole)

    fields = [
        filled(values, 0, dtype),
        call.cast(filled(first, whole[0], "int64"), "int32"),
        call.cast(call.reshape(which, whole), "int32"),
        call.cast(count, "int32"),
    ]
    if call.attrs.return_counts:
        fields.append(call.cast(filled(counts, 0, "int64"), "int32"))
    return Tuple(fields)
