"""Mod-ref rules of the loop IR: which memory loads, stores, allocations and calls access.

Memory goes by its buffer, whichever tensors look at it. A tensor without a buffer is computed
where it is used, or is memory of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from relayish.dataflow.analyses.value_numbers import EXPRESSION_KEYS, key_of_fields
from relayish.dataflow.graph.mod_ref import (
    BOUND_VARIABLES,
    MOD_REF,
    UNALIASED,
    BoundVariables,
    KindModRef,
    ModRef,
)
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.tir.externs import find_extern
from relayish.tir.ir.expr import Call, Reduce
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import ArgsConstruct, BufferCreate, GetAddr
from relayish.tir.ir.operators import IntImm
from relayish.tir.ir.stmt import Alloc, Free
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var

_NO_NODES: Final[tuple[Node, ...]] = ()


def _place_of(address: Node) -> Node | None:
    """Return the place that an address names: a buffer or variable; ``None`` if it is not known."""
    place = address.buffer if isinstance(address, Tensor) else address
    return place if isinstance(place, (Buffer, Var)) else None


def _load(load: Load) -> ModRef:
    place = _place_of(load.tensor)
    if place is not None:
        return ModRef(load.indices, _sizes_of(load.tensor), reads=(place,))
    return ModRef((*_inside(load.tensor), *load.indices), effect=Effect.READS)


def _store(store: Store) -> ModRef:
    place = _place_of(store.tensor)
    evaluated = (store.value, *store.indices)
    if place is None:
        return ModRef((*_inside(store.tensor), *evaluated), effect=Effect.WRITES)
    if place is store.tensor and type(place) is Var and not store.indices:
        return ModRef(evaluated, overwrites=(place,))
    return ModRef(evaluated, _sizes_of(store.tensor), changes=(place,))


def _sizes_of(tensor: Node) -> tuple[Node, ...]:
    """Return the variables that tell where the elements of ``tensor`` are, and how many."""
    if not isinstance(tensor, Tensor):
        return _NO_NODES
    found = _variables_in(tensor.shape)
    buffer = tensor.buffer
    return tuple(dict.fromkeys((*found, *_layout_of(buffer)))) if buffer is not None else found


def _layout_of(buffer: Node) -> tuple[Node, ...]:
    if not isinstance(buffer, Buffer):
        return _NO_NODES
    offset = () if buffer.elem_offset is None else (buffer.elem_offset,)
    return _variables_in((*buffer.shape, *buffer.strides, *offset))


def _variables_in(sizes: tuple[Node, ...]) -> tuple[Node, ...]:
    unknown = [size for size in sizes if type(size) is not IntImm]
    if not unknown:
        return _NO_NODES
    return tuple([each for each in EVERYTHING.post_order(unknown) if isinstance(each, Var)])


def _inside(tensor: Node) -> tuple[Node, ...]:
    """Return what is evaluated for a tensor that no buffer holds."""
    return () if isinstance(tensor, Tensor) and tensor.operation is None else (tensor,)


def _tensor(tensor: Tensor) -> ModRef:
    """Evaluated as a whole, a tensor may be read by whoever is given it."""
    place = _place_of(tensor)
    if place is not None:
        return ModRef(reads=(place,))
    if tensor.operation is None:
        return ModRef(effect=Effect.READS)
    used, reads = _mentioned(tensor.operation)
    return ModRef(uses=used, reads=reads, effect=Effect.READS)


def _mentioned(operation: Node) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Return the scalars and the buffers that are mentioned in what computes a tensor."""
    found = [each for each in EVERYTHING.post_order(operation) if type(each) in VARIABLES]
    scalars = tuple([each for each in found if isinstance(each, Var)])
    return scalars, tuple([each for each in found if isinstance(each, Buffer)])


def _call(call: Call) -> ModRef:
    known = find_extern(call.name, call.call_type)
    effect = Effect.UNKNOWN if known is None else known.effect & ~Effect.STATE
    places = [_place_of(each) for each in call.write_args]
    named = tuple([place for place in places if place is not None])
    if len(named) < len(places):
        effect |= Effect.WRITES
    evaluated = [each for each in call.write_args if _place_of(each) is None]
    exposed = named if known is None else _NO_NODES
    return ModRef((*call.read_args, *evaluated), changes=named, exposes=exposed, effect=effect)


def _key_of_call(call: Call) -> Hashable:
    """Calls are alike of functions that do nothing but give a value."""
    known = find_extern(call.name, call.call_type)
    is_pure = known is not None and known.is_pure and not call.write_args and call.func is None
    return key_of_fields(call) if is_pure else None


def _reduce(reduce: Reduce) -> ModRef:
    """Axes run over their bounds, which are evaluated."""
    return ModRef((reduce.init, *_bounds(reduce.reduce_axis)))


def _bounds(variables: Iterable[Var]) -> list[Node]:
    held = [bound for var in variables for bound in (var.lower_bound, var.upper_bound)]
    return [bound for bound in held if bound is not None]


def _alloc(alloc: Alloc) -> ModRef:
    condition = () if alloc.condition is None else (alloc.condition,)
    uses, clears = _layout_of(alloc.destination), _places((alloc.destination,))
    return ModRef((*alloc.extents, *condition), uses, clears=clears)


def _free(free: Free) -> ModRef:
    return ModRef(clears=_places((free.destination,)))


def _buffer_create(_create: BufferCreate) -> ModRef:
    """It describes a buffer, and accesses no memory of it."""
    return ModRef()


def _places(addresses: Iterable[Node]) -> tuple[Node, ...]:
    return tuple([place for place in map(_place_of, addresses) if place is not None])


def _buffer_range(_part: BufferRange) -> ModRef:
    """Nothing is evaluated: it says what schedule blocks access."""
    return ModRef()


def _get_addr(get: GetAddr) -> ModRef:
    """Whoever has the address may read and write what is there."""
    data = get.data.tensor if isinstance(get.data, Load) else get.data
    indices = get.data.indices if isinstance(get.data, Load) else ()
    place = _place_of(data)
    if place is None:
        return ModRef((get.data,))
    return ModRef(indices, reads=(place,), changes=(place,), exposes=(place,))


def _args_construct(construct: ArgsConstruct) -> ModRef:
    var = construct.var
    return ModRef(construct.args, overwrites=(var,), exposes=(var,))


def _memory_of_caller(func: LoweredFunc) -> tuple[Node, ...]:
    return tuple([arg for arg in func.args if isinstance(arg, Buffer)])


def _without_value(func: LoweredFunc) -> tuple[Node, ...]:
    return func.temp_bufs


MOD_REF.register(Load, KindModRef(_load))
MOD_REF.register(Store, KindModRef(_store))
MOD_REF.register(Tensor, KindModRef(_tensor))
MOD_REF.register(Call, KindModRef(_call))
MOD_REF.register(Reduce, KindModRef(_reduce))
MOD_REF.register(Alloc, KindModRef(_alloc))
MOD_REF.register(Free, KindModRef(_free))
MOD_REF.register(BufferCreate, KindModRef(_buffer_create))
MOD_REF.register(BufferRange, KindModRef(_buffer_range))
MOD_REF.register(GetAddr, KindModRef(_get_addr))
MOD_REF.register(ArgsConstruct, KindModRef(_args_construct))
EXPRESSION_KEYS.register(Call, _key_of_call)
UNALIASED.register(Var, True)
BOUND_VARIABLES.register(
    LoweredFunc, BoundVariables(outliving=_memory_of_caller, without_value=_without_value)
)
