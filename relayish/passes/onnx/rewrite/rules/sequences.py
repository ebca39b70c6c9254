"""Sequences whose elements are known: tensors instead."""

from __future__ import annotations

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr, TupleGetItem
from relayish.onnx.calls import inputs_of
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import input_of


@rule("SequenceAt")
def take_element(call: Call, graph: Rewriter) -> Expr | None:
    """An element of a sequence that is made of known ones."""
    place = graph.value_of(call.args[1])
    elements = _elements_of(graph, call.args[0])
    if place is None or elements is None:
        return None
    index = int(place)
    if not -len(elements) <= index < len(elements):
        return None
    return elements[index]


@rule("SequenceLength")
def count_elements(call: Call, graph: Rewriter) -> Expr | None:
    """The length of a sequence that is made of known elements."""
    elements = _elements_of(graph, call.args[0])
    return None if elements is None else Constant(np.asarray(len(elements), np.int64))


@rule("ConcatFromSequence")
def concatenate_elements(call: Call, graph: Rewriter) -> Expr | None:
    """The concatenation of a sequence that is made of known elements."""
    elements = _elements_of(graph, call.args[0])
    if elements is None or graph.attribute(call, "new_axis", 0):
        return None
    return graph.call("Concat", elements, {"axis": graph.attribute(call, "axis")}, like=call)


@rule("SplitToSequence")
def split_into_tensors(call: Call, graph: Rewriter) -> Expr | None:
    """A split whose parts are taken out of the sequence by constant places, all of one type.

    It becomes ``SequenceConstruct`` of the results of ``Split``, which the rules above look into.
    """
    users = graph.users(graph.current)
    taken = [graph.operator(user) in _TAKING for user in users]
    if not users or not all(taken) or graph.count_uses(graph.current) != len(users):
        return None
    for user in users:
        if graph.operator(user) == "SequenceAt" and graph.value_of(user.args[1]) is None:
            return None
    if not graph.attribute(call, "keepdims", 1) and input_of(call, 1) is None:
        return None
    sizes = _sizes_of_parts(call, graph)
    if not sizes:
        return None
    data, axis = call.args[0], graph.attribute(call, "axis", 0)
    parts = _split(call, graph, data, axis, sizes)
    return graph.call("SequenceConstruct", parts, like=call)


_TAKING = frozenset({"SequenceAt", "SequenceLength", "ConcatFromSequence"})


def _split(
    call: Call, graph: Rewriter, data: Expr, axis: int, sizes: tuple[int, ...]
) -> list[Expr]:
    if len(sizes) == 1:
        return [data]
    inputs, attributes = [data], {"axis": axis}
    if graph.function_opset < 13:
        held = graph.call(
            "Split", inputs, {**attributes, "split": sizes}, like=call, outputs=len(sizes)
        )
    else:
        given = graph.emit_constant("split", np.array(sizes, np.int64))
        held = graph.call("Split", [*inputs, given], attributes, like=call, outputs=len(sizes))
    whole = graph.emit(f"{graph.current.name_hint}.all", held)
    return [
        graph.emit(f"{graph.current.name_hint}_{place}", TupleGetItem(whole, place))
        for place in range(len(sizes))
    ]


def _sizes_of_parts(call: Call, graph: Rewriter) -> tuple[int, ...] | None:
    """Return how long the parts of a split are; ``None`` if that is not known."""
    given = input_of(call, 1)
    axis = graph.attribute(call, "axis", 0)
    shape = graph.shape_of(call.args[0])
    size = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    if given is None:
        return None  # one each, without that dimension unless keepdims says otherwise
    value = graph.value_of(given)
    if value is None:
        return None
    if value.ndim == 1:
        return tuple(value.tolist())
    length = int(value)
    if not isinstance(size, int) or length <= 0:
        return None
    whole, rest = divmod(size, length)
    return (length,) * whole + ((rest,) if rest else ())


def _elements_of(graph: Rewriter, sequence: Expr) -> tuple[Expr, ...] | None:
    """Return the elements of a sequence, ``None`` if they are not known one by one."""
    inserted: list[Call] = []
    while (call := graph.producer(sequence, "SequenceInsert")) is not None:
        inserted.append(call)
        sequence = call.args[0]
    made = graph.producer(sequence, "SequenceConstruct", "SequenceEmpty")
    if made is None:
        return None
    elements = list(inputs_of(made))
    for call in reversed(inserted):
        place = _place_of(graph, call, len(elements))
        if place is None or not -len(elements) <= place <= len(elements):
            return None
        elements.insert(place, call.args[1])
    return tuple(elements)


def _place_of(graph: Rewriter, call: Call, length: int) -> int | None:
    """Return where ``SequenceInsert`` puts an element; ``None`` if that is not known."""
    given = input_of(call, 2)
    if given is None:
        return length
    value = graph.value_of(given)
    return None if value is None else int(value)


RULES = (take_element, count_elements, concatenate_elements, split_into_tensors)
