"""``Scan`` of version 8, which goes over the sequences of a batch: a ``Scan`` for each of them."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr, Function, Tuple, TupleGetItem
from relayish.ir.scopes.renaming import rename_bound
from relayish.onnx.calls import count_outputs, make_call
from relayish.onnx.operators import find_operator
from relayish.passes.onnx.lowering.defined import lower_written
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_WITHOUT_BATCHES: Final = 9
"""The version from which on ``Scan`` goes over one sequence."""


@lowers("Scan")
def scan_of_batches(node: OnnxNode) -> Expr:
    """States after all steps and what is collected, of each sequence of a batch."""
    if node.version >= _WITHOUT_BATCHES:
        raise Unlowered("LowerOnnxLoops writes it")
    if node.has(0):
        raise Unlowered("its sequences differ in length")
    body = node.graphs.get("body")
    if not isinstance(body, Function):
        raise Unlowered("its body is no function that is written here")
    places = range(1, len(node.inputs))
    batch = node.sizes(1)[0]
    count = count_outputs(node.call.attrs)
    attributes = {"num_scan_inputs": int(node.attr("num_scan_inputs"))}
    if node.attr("directions"):
        attributes["scan_input_directions"] = node.attr("directions")
    found = []
    for sequence in range(batch):
        each = [build("take", node.input(at), const(sequence, "int64"), axis=0) for at in places]
        call = make_call(
            find_operator("Scan", _WITHOUT_BATCHES),
            each,
            attributes,
            outputs=count,
            graphs={"body": rename_bound(body)},
            captures=node.captures,
        )
        found.append([TupleGetItem(call, at) for at in range(count)] if count != 1 else [call])
    given = [each for each in (*node.inputs, *node.captures) if each is not None]
    stacked = [build("stack", list(each), axis=0) for each in zip(*found, strict=True)]
    whole = Tuple(stacked) if count != 1 else stacked[0]
    return lower_written(node, whole, given)
