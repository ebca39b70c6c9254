"""Reads and writes of calls of Relay, and likeness of calls: as their operator says."""

from __future__ import annotations

from collections.abc import Hashable

from relayish.dataflow.analyses.value_numbers import EXPRESSION_KEYS, key_of_fields
from relayish.dataflow.graph.mod_ref import MOD_REF, KindModRef, ModRef
from relayish.ir.fields.effect import Effect
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Op
from relayish.op.declaration import properties, registry


def _mod_ref_of_call(call: Call) -> ModRef:
    op = call.op
    if type(op) is Constructor:
        return ModRef(call.args)
    if type(op) is Op and registry.is_registered(op) and op not in properties.callees:
        return ModRef(call.args)
    return ModRef((op, *call.args), effect=Effect.UNKNOWN)


def _key_of_call(call: Call) -> Hashable:
    """Calls are alike whose operators have no state, with the same attributes and types.

    A call without arguments is like no other, as of operators that give random numbers, say.
    """
    op = call.op
    if not call.args:
        return None
    is_pure = type(op) is Op and registry.is_pure(op)
    return key_of_fields(call) if is_pure or type(op) is Constructor else None


EXPRESSION_KEYS.register(Call, _key_of_call)
MOD_REF.register(Call, KindModRef(_mod_ref_of_call, names_places=False))
