"""What evaluating a node of the loop IR does by itself."""

from __future__ import annotations

from relayish.ir.effect import Effect
from relayish.ir.node import Node


def effect_of(node: Node) -> Effect:
    """Return what evaluating ``node`` may do by itself, its operands and scopes aside."""
    return type(node).traits_.effect
