"""Mod-ref rules of core: which variables loads, stores, calls and loops read and write.

A variable is reached by its name alone unless its address is taken other than to load or store
there at once. What the module defines goes by its name; whoever calls or is called may reach it.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Symbol
from relayish.core.ir.memory import Array, Idname, Ild, Ist, Ld, Lda, Ldf, Ldo, St, Stf, Sto
from relayish.core.ir.stmt import Call, DoLoop, Icall
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.dataflow.graph.mod_ref import (
    BOUND_VARIABLES,
    MOD_REF,
    UNALIASED,
    BoundVariables,
    KindModRef,
    ModRef,
)
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node

_GLOBALS: Final[WeakValueDictionary[str, Global]] = WeakValueDictionary()
"""For each name of what a module defines, the node that stands for the place."""


def place_of(symbol: Symbol) -> Node:
    """Return what data-flow analyses know a symbol by: itself, and one node for all of one name."""
    if not isinstance(symbol, Global):
        return symbol
    return _GLOBALS.setdefault(symbol.name, symbol)


class _Address(NamedTuple):
    """What an address is made of.

    Attributes:
        place: The symbol in which it lies; ``None`` where that is not known.
        evaluates: What is computed for it.
    """

    place: Node | None
    evaluates: tuple[Node, ...]


def _address_of(address: Expr) -> _Address:
    indices: list[Node] = []
    inner = address
    while isinstance(inner, Array):
        indices += reversed(inner.indices)
        inner = inner.address
    if isinstance(inner, Lda):
        return _Address(place_of(inner.symbol), tuple(reversed(indices)))
    return _Address(None, (address,))


def _load(load: Ld | Ldf | Ldo) -> ModRef:
    return ModRef(reads=(place_of(load.symbol),))


def _store(store: St) -> ModRef:
    return ModRef((store.value,), overwrites=(place_of(store.symbol),))


def _store_part(store: Stf | Sto) -> ModRef:
    return ModRef((store.value,), changes=(place_of(store.symbol),))


def _ild(load: Ild) -> ModRef:
    at = _address_of(load.address)
    if at.place is None:
        return ModRef(at.evaluates, effect=Effect.READS)
    return ModRef(at.evaluates, reads=(at.place,))


def _ist(store: Ist) -> ModRef:
    at = _address_of(store.address)
    evaluated = (*at.evaluates, store.value)
    if at.place is None:
        return ModRef(evaluated, effect=Effect.WRITES)
    return ModRef(evaluated, changes=(at.place,))


def _lda(lda: Lda) -> ModRef:
    """Whoever has the address may read and write what is there."""
    place = place_of(lda.symbol)
    return ModRef(reads=(place,), changes=(place,), exposes=(place,))


def _idname(_idname: Idname) -> ModRef:
    """Naming a symbol reads nothing."""
    return ModRef()


def _do_loop(loop: DoLoop) -> ModRef:
    return ModRef((loop.init,), overwrites=(place_of(loop.iv),))


def _call(call: Call) -> ModRef:
    """What is called may reach what the module defines, and all whose address it can have."""
    return _called(call, call.args)


def _icall(call: Icall) -> ModRef:
    return _called(call, (call.address, *call.args))


def _called(call: Call | Icall, evaluated: tuple[Node, ...]) -> ModRef:
    result = () if call.result is None else (call.result,)
    return ModRef(evaluated, overwrites=result, effect=Effect.UNKNOWN)


def _memory_of_caller(_func: FuncEntry) -> tuple[Node, ...]:
    """Arguments are passed by value."""
    return ()


def _without_value(func: FuncEntry) -> tuple[Node, ...]:
    return (*func.locals, *func.pregs)


MOD_REF.register(Ld, KindModRef(_load))
MOD_REF.register(Ldf, KindModRef(_load))
MOD_REF.register(Ldo, KindModRef(_load))
MOD_REF.register(Stf, KindModRef(_store_part))
MOD_REF.register(Sto, KindModRef(_store_part))
MOD_REF.register(St, KindModRef(_store))
MOD_REF.register(Ild, KindModRef(_ild))
MOD_REF.register(Ist, KindModRef(_ist))
MOD_REF.register(Lda, KindModRef(_lda))
MOD_REF.register(Idname, KindModRef(_idname))
MOD_REF.register(DoLoop, KindModRef(_do_loop))
MOD_REF.register(Call, KindModRef(_call))
MOD_REF.register(Icall, KindModRef(_icall))
UNALIASED.register(Var, True)
UNALIASED.register(Preg, True)
BOUND_VARIABLES.register(
    FuncEntry, BoundVariables(outliving=_memory_of_caller, without_value=_without_value)
)
