"""Mod-ref rules of Relay's kinds: a call does what its operator does, or anything."""

from __future__ import annotations

from relayish.dataflow.graph.mod_ref import ModRef, register_mod_ref
from relayish.ir.effect import Effect
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Op
from relayish.op import registry


def _mod_ref_of_call(call: Call) -> ModRef:
    op = call.op
    is_known = type(op) is Constructor or (type(op) is Op and registry.is_registered(op))
    return ModRef(call.args if is_known else (op, *call.args), effect=_EFFECT[is_known])


_EFFECT = {True: Effect.NONE, False: Effect.UNKNOWN}

register_mod_ref(Call, _mod_ref_of_call, names_places=False)
