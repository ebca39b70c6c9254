"""Side effects: what evaluating a node of the loop IR does by itself."""

from __future__ import annotations

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.tir.externs import find_extern
from relayish.tir.ir.expr import Call


def effect_of(node: Node) -> Effect:
    """Return what evaluating ``node`` may do by itself, its operands and scopes aside.

    A call of a function that is registered does what was said of it, and writes what it is given to
    write; of others, those of functions of the module included, nothing is known.

    Example:
        >>> from relayish import tir
        >>> effect_of(tir.math.sqrt(tir.Var("x", "float32"))), effect_of(tir.Call("int32", "f"))
        (<Effect.NONE: 0>, <Effect.UNKNOWN: 8>)
    """
    effect = type(node).traits_.effect
    if not isinstance(node, Call):
        return effect
    known = find_extern(node.name, node.call_type)
    if known is None:
        return effect
    return known.effect | Effect.WRITES if node.write_args else known.effect
